//! Answers about the launches that a run has made.

use crate::answer::{Answer, Doubt, Prover, Race, Verdict, out_of_time};
use crate::determinism::barrier_order::BarrierOrder;
use crate::determinism::deciding::{Deciding, deciding, reached};
use crate::determinism::initial_reads::InitialReads;
use crate::exec::Summary;
use crate::facts::observed;
use crate::facts::{Assumption, Facts};
use crate::launches::partly_known::{Unknowns, mark_as_proved, witness_of};
use crate::replay::bench::{Outcome, RunLimits};
use crate::solver::symbols::Kind;
use events::{Dim3, Finding, Listener, ObservedLaunch};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Limits the warp instructions of one execution.
const FUEL: u64 = 1 << 32;
/// Limits those of an execution that only searches for a race.
const LOOK: u64 = 1 << 24;

/// Limits those of a short search at the beginning of a large launch, and the number of blocks that makes a
/// launch large.
const GLANCE: u64 = 1 << 20;
const MANY: u64 = 1 << 10;

/// Number of thread orders in which a race is searched, if one execution does not settle it.
const ORDERS: u64 = 6;

impl Prover<'_> {
    /// Answers for all `launches` of a kernel together: *proved* if each of them is, a *race* if one has one.
    pub fn answer_observed(
        &mut self,
        kernel: usize,
        facts: &Facts,
        launches: &[Arc<ObservedLaunch>],
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        let mut whole = Answer::unasked(&self.linked.kernels[kernel].name, Verdict::Proved);
        let mut assumed = BTreeSet::new();
        for (n, launch) in launches.iter().enumerate() {
            if n > 0 && stop() {
                if let Verdict::Proved = whole.verdict {
                    let why = format!("its time is used up before launch {} of {}", n + 1, launches.len());
                    whole.verdict = Verdict::Unknown(vec![out_of_time(why)]);
                }
                break;
            }
            let stated = Facts {
                relations: facts.relations.clone(),
                volatile_weak: facts.volatile_weak,
                smt: facts.smt.clone(),
                ..observed::facts(launch)
            };
            let mut answer = self.answer_one(kernel, &stated, launch, stop);
            whole.asked += answer.asked;
            whole.open += answer.open;
            assumed.extend(answer.assumed);
            match &mut answer.verdict {
                Verdict::Proved | Verdict::Partly(_) => {}
                Verdict::Race(_) => {
                    whole.verdict = answer.verdict;
                    break;
                }
                Verdict::Unknown(doubts) => {
                    if let Verdict::Proved = whole.verdict {
                        let shape = crate::facts::shape(launch);
                        if launches.len() > 1 {
                            doubts
                                .iter_mut()
                                .for_each(|d| d.why = format!("launch {} {shape}: {}", n + 1, d.why));
                        }
                        whole.verdict = answer.verdict;
                    }
                }
            }
        }
        whole.assumed = assumed.into_iter().collect();
        whole
    }

    fn answer_one(
        &mut self,
        kernel: usize,
        facts: &Facts,
        launch: &Arc<ObservedLaunch>,
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        let (mut answer, summary) = self.decide_by(kernel, facts, facts, stop);
        if matches!(answer.verdict, Verdict::Proved) {
            return answer;
        }
        let noreturn = |name: &str| self.noreturn.contains(name);
        let deciding = deciding(&self.linked, &self.linked.kernels[kernel], summary.as_ref(), &noreturn);
        match self.execute(kernel, launch, facts.volatile_weak, &deciding, summary.as_ref(), stop) {
            Ok(Some(race)) => answer.verdict = Verdict::Race(Box::new(race)),
            Ok(None) => {
                answer.verdict = Verdict::Proved;
                answer.assumed = assumptions_of_execution(
                    launch,
                    facts.volatile_weak,
                    &deciding,
                    summary.as_ref(),
                    "it held then",
                );
            }
            Err(why) => {
                if let Verdict::Unknown(doubts) = &mut answer.verdict {
                    doubts.insert(0, Doubt { why, lines: None, suggestion: None });
                }
            }
        }
        answer
    }

    /// Executes the launch: returns a race, or that there is none under any schedule. The error says why the
    /// execution settles nothing.
    pub(crate) fn execute(
        &mut self,
        kernel: usize,
        launch: &Arc<ObservedLaunch>,
        volatile_weak: bool,
        deciding: &Deciding,
        summary: Option<&Summary>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Race>, String> {
        let name = self.linked.kernels[kernel].name.clone();
        let bench = self.bench_of(launch)?;
        bench.volatile_weak = volatile_weak;
        let loaded = bench.kernel(&name).ok_or("the virtual GPU does not have it")?;
        let about = bench.describe(launch);
        let about = (&about.0, &about.1[..]);
        let mut settled = ordered(deciding);
        // Memory with unknown contents, unless the execution turns out not to read it.
        let unknown = self.unknown(launch, deciding, summary);
        let functions = reached(&self.linked, &self.linked.kernels[kernel]);
        if let Some(why) = &unknown
            && (launch.info.uses.asynchronous || !self.reads_only_memory(&functions))
        {
            settled = settled.and_then(|()| Err(why.clone()));
        }
        let decides = settled.is_err() || unknown.is_some();
        // If strong operations order nothing, the order of one schedule is that of all.
        let uses = launch.info.uses;
        let weak = !uses.fences_or_strong;
        let race = |mut findings: Vec<Finding>| {
            let replay = format!("--kernel-name kne={name}{}", crate::replay::law(volatile_weak));
            mark_as_proved(&mut findings, &replay);
            let (task, allocations) = (about.0.clone(), about.1.to_vec());
            Race { witness: witness_of(launch), started: None, findings, task, allocations }
        };
        let Some(bench) = &mut self.bench else { return Err("it is not loaded".into()) };
        if !decides && launch.info.grid.count() > MANY {
            let limits = RunLimits { fuel: GLANCE, ..RunLimits::default() };
            let monitor = Arc::new(bench.detector());
            let findings = bench.rerun(loaded, launch, about, &monitor, limits.clone(), stop).races();
            if !findings.is_empty() {
                return Ok(Some(race(findings)));
            }
        }
        if settled.is_ok() {
            let known = bench.known(launch);
            let monitor =
                Arc::new(InitialReads::before(BarrierOrder::before(bench.detector(), volatile_weak), known));
            let limits = RunLimits { fuel: FUEL, ..RunLimits::default() };
            let outcome = bench.rerun(loaded, launch, about, &monitor.erased(), limits, stop);
            settled = match outcome {
                Outcome::Stuck(_) => Err("its threads wait for ever when the launch is made again".into()),
                Outcome::Failed(why) => Err(format!("the launch could not be made again: {why}")),
                Outcome::Ended(_) | Outcome::TooLong(_)
                    if unknown.is_some() && !monitor.readers().is_empty() =>
                {
                    Err(unknown.unwrap_or_default())
                }
                Outcome::TooLong(findings) if weak && !findings.is_empty() => {
                    return Ok(Some(race(findings)));
                }
                Outcome::TooLong(_) => Err("the launch could not be made again: it takes too long".into()),
                Outcome::Ended(_) if !monitor.account().limits.is_empty() => {
                    Err(format!("the detector did not see all: {}", monitor.account().limits.join(", ")))
                }
                Outcome::Ended(_) if monitor.inner.groups_vary() => {
                    Err("who meets in a phase of a barrier may depend on the order of threads".into())
                }
                Outcome::Ended(findings) if !findings.is_empty() => {
                    Err("only what this order of threads observed keeps accesses apart".into())
                }
                Outcome::Ended(_) => return Ok(None),
            };
        }
        // Some contents are unknown, and a race may depend on them.
        let blind = decides && launch.memory.iter().any(|m| m.contents.is_none());
        for seed in 0..ORDERS {
            if stop() {
                break;
            }
            let Some(bench) = &mut self.bench else { return Err("it is not loaded".into()) };
            let schedule = if seed == 0 { simt::Schedule::ConvergedFirst } else { simt::Schedule::Random };
            let limits = RunLimits { fuel: LOOK, schedule, seed };
            if !blind {
                let monitor = Arc::new(bench.detector());
                let findings = bench.rerun(loaded, launch, about, &monitor, limits.clone(), stop).races();
                if !findings.is_empty() {
                    return Ok(Some(race(findings)));
                }
                continue;
            }
            // The second pass also records which stores the loads have read.
            for follow in [false, true] {
                let Some(bench) = &mut self.bench else { return Err("it is not loaded".into()) };
                let mut monitor = InitialReads::before(bench.detector(), bench.known(launch));
                if follow {
                    monitor = monitor.following();
                }
                let monitor = Arc::new(monitor);
                let findings =
                    bench.rerun(loaded, launch, about, &monitor.erased(), limits.clone(), stop).races();
                if findings.is_empty() {
                    break;
                }
                if let (true, findings) =
                    self.certain(kernel, findings, &monitor.seen(), &Unknowns::default(), summary)
                {
                    return Ok(Some(race(findings)));
                }
            }
        }
        settled.map(|()| None)
    }

    /// Returns deciding memory with unknown contents.
    fn unknown(
        &self,
        launch: &ObservedLaunch,
        deciding: &Deciding,
        summary: Option<&Summary>,
    ) -> Option<String> {
        let names = deciding_names(deciding, summary);
        let (n, _) = launch.memory.iter().enumerate().find(|(n, m)| {
            m.contents.is_none() && (deciding.any_memory || names.contains(&observed::name(launch, *n)))
        })?;
        Some(format!("what {} holds decides, and that is not known", observed::name(launch, n)))
    }
}

/// Fails with the reason why one thread order does not stand for all.
fn ordered(deciding: &Deciding) -> Result<(), String> {
    if deciding.undetermined.is_empty() {
        return Ok(());
    }
    let all: Vec<&str> = deciding.undetermined.iter().map(String::as_str).collect();
    Err(format!("another order of threads may take other ways: {}", all.join(", ")))
}

fn deciding_names(deciding: &Deciding, summary: Option<&Summary>) -> BTreeSet<String> {
    let name = |kind: &Kind| match kind {
        Kind::Global(name) => Some(name.clone()),
        _ => None,
    };
    let kinds = summary.into_iter().flat_map(|s| deciding.arrays.iter().map(|&a| &s.syms.get(a).kind));
    kinds.filter_map(name).collect()
}

/// Returns the assumptions of a proof by execution.
pub(crate) fn assumptions_of_execution(
    launch: &ObservedLaunch,
    volatile_weak: bool,
    deciding: &Deciding,
    summary: Option<&Summary>,
    then: &str,
) -> Vec<String> {
    let mut all = vec![Assumption::Launch(crate::facts::shape(launch)).to_string()];
    if deciding.any_memory {
        all.push(format!("memory holds what {then}"));
    } else {
        let names = deciding_names(deciding, summary);
        all.extend(names.iter().map(|name| format!("{name} holds what {then}")));
    }
    let volatile = match volatile_weak {
        true => Assumption::VolatileIsWeak,
        false => Assumption::VolatileIsStrong,
    };
    if summary.is_none_or(|s| s.assumed.contains(&volatile)) {
        all.push(volatile.to_string());
    }
    if deciding.shared_memory {
        all.push(Assumption::SharedWritten.to_string());
    }
    // The exit of a block is no access, and was not looked at.
    if launch.info.cluster != Dim3::ONE && summary.is_none_or(|s| s.cluster.is_some()) {
        all.push(Assumption::PeersStay.to_string());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::{LaunchFacts, LaunchInfo};

    /// A proof by execution did not say that it leaves the exit of blocks out, of which a peer still used the shared memory.
    #[test]
    fn a_proof_about_a_cluster_assumes_that_its_blocks_stay() {
        let assumed = |cluster| {
            let info = LaunchInfo {
                kernel: "k".into(),
                grid: Dim3::new(2, 1, 1),
                block: Dim3::ONE,
                cluster,
                cooperative: false,
                shared_bytes: 0,
                uses: Default::default(),
            };
            let launch = ObservedLaunch { info, facts: LaunchFacts::default(), memory: Vec::new() };
            assumptions_of_execution(&launch, false, &Deciding::default(), None, "it held then")
        };
        let stays = Assumption::PeersStay.to_string();
        assert!(assumed(Dim3::new(2, 1, 1)).contains(&stays));
        assert!(!assumed(Dim3::ONE).contains(&stays));
    }
}
