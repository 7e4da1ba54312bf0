//! Alarms replayed: the search for a launch that shows a race to the detector.

use super::{Answer, Doubt, Prover, Race, Verdict};
use crate::exec::Summary;
use crate::facts::Facts;
use crate::replay::bench::{Bench, Contents, Outcome, Witness};
use crate::replay::candidates::candidate_launches;
use crate::replay::replay;
use crate::solver::symbols::Kind;
use events::{Evidence, Finding, SiteTable};
use ptx::position::LineIndex;
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};

/// The limit of one witness launch, in warp instructions.
const FUEL: u64 = 3_000_000;

/// The time of a first try: to decide a kernel, and to show a race.
const SOON: Duration = Duration::from_secs(2);

/// Limits the launches of a kernel that are made again with large arrays.
const MOST_LARGE: u32 = 16;

/// The launches that are still to be tried.
struct Untried {
    launches: std::vec::IntoIter<Witness>,
    /// How many may be made again with large arrays, because they left those that they had.
    large: u32,
}

/// Stops soon.
fn soon<'s>(stop: &'s dyn Fn() -> bool) -> impl Fn() -> bool + 's {
    let start = Instant::now();
    move || stop() || start.elapsed() > SOON
}

/// An answer, or the race that a search has shown.
fn shown_or(mut answer: Answer, shown: Result<Option<Race>, String>) -> Answer {
    match (shown, &mut answer.verdict) {
        (Ok(Some(race)), _) => answer.verdict = Verdict::Race(Box::new(race)),
        (Err(why), Verdict::Unknown(doubts)) => doubts.push(Doubt { why, lines: None, suggestion: None }),
        _ => {}
    }
    answer
}

impl Prover<'_> {
    /// Decides a kernel, and searches for a launch that shows a race if the kernel is not proved. Launches are tried for a
    /// moment before a question takes all the time, and before an external solver is asked.
    pub fn answer(&mut self, kernel: usize, facts: &Facts, stop: &dyn Fn() -> bool) -> Answer {
        let prepared = self.prepared(kernel, facts);
        let own = Facts { smt: None, ..prepared.clone() };
        let (answer, summary, was_cut) = {
            let soon = soon(stop);
            let (answer, summary) = self.decide_by(kernel, &own, facts, &soon);
            (answer, summary, soon())
        };
        if matches!(answer.verdict, Verdict::Proved) {
            return self.if_it_ends(kernel, &prepared, summary.as_ref(), answer, stop);
        }
        let mut launches = self.launches_to_try(kernel, &prepared, summary.as_ref());
        let shown = self.search(kernel, &prepared, &mut launches, summary.as_ref(), &soon(stop));
        if matches!(shown, Ok(Some(_))) {
            return shown_or(answer, shown);
        }
        let is_open = (prepared.smt.is_some() || was_cut) && !stop();
        let (answer, summary) = match is_open {
            true => self.decide_by(kernel, &prepared, facts, stop),
            false => (answer, summary),
        };
        if matches!(answer.verdict, Verdict::Proved) {
            return self.if_it_ends(kernel, &prepared, summary.as_ref(), answer, stop);
        }
        let shown = self.search(kernel, &prepared, &mut launches, summary.as_ref(), stop);
        shown_or(answer, shown)
    }

    /// Takes a proof back if each thread of the kernel traps.
    fn if_it_ends(
        &mut self,
        kernel: usize,
        facts: &Facts,
        summary: Option<&Summary>,
        mut proof: Answer,
        stop: &dyn Fn() -> bool,
    ) -> Answer {
        if let Some(why) = self.only_traps(kernel, facts, summary, stop) {
            proof.verdict = Verdict::Unknown(vec![Doubt { why, lines: None, suggestion: None }]);
        }
        proof
    }

    fn launches_to_try(&self, kernel: usize, facts: &Facts, summary: Option<&Summary>) -> Untried {
        let pointers = summary.map(pointers).unwrap_or_default();
        let all = candidate_launches(&self.linked, &self.linked.kernels[kernel], facts, &pointers);
        Untried { launches: all.into_iter(), large: MOST_LARGE }
    }

    /// Makes launches until one shows a race, or until it is to stop.
    fn search(
        &mut self,
        kernel: usize,
        facts: &Facts,
        untried: &mut Untried,
        summary: Option<&Summary>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Race>, String> {
        if self.bench.is_none() {
            let bench = Bench::load(&self.sources);
            self.bench = Some(bench.map_err(|e| format!("the virtual GPU cannot load it: {e}"))?);
        }
        let described = &self.linked.kernels[kernel];
        let places = summary.map(|s| self.places(kernel, s));
        let Some(bench) = &mut self.bench else { return Ok(None) };
        bench.volatile_weak = facts.volatile_weak;
        let Some(loaded) = bench.kernel(&described.name) else { return Ok(None) };
        while !stop()
            && let Some(mut witness) = untried.launches.as_slice().first().cloned()
        {
            let (mut outcome, mut task, mut allocations) = bench.run(loaded, &witness, FUEL, stop);
            let is_small = witness.contents == Contents::Zeros;
            if is_small && matches!(outcome, Outcome::Failed(_)) && untried.large > 0 && !stop() {
                untried.large -= 1;
                witness.contents = Contents::ManyZeros;
                (outcome, task, allocations) = bench.run(loaded, &witness, FUEL, stop);
            }
            // One that was cut short is made again.
            if !stop() {
                untried.launches.next();
            }
            let Outcome::Ended(findings) = outcome else { continue };
            let mut findings: Vec<Finding> = findings
                .into_iter()
                .filter(|f| places.as_ref().is_none_or(|places| places.hold(f, &bench.sites)))
                .collect();
            if findings.is_empty() {
                continue;
            }
            for f in &mut findings {
                f.evidence =
                    Evidence::Proved { replay: replay(&described.name, &witness, facts.volatile_weak) };
            }
            return Ok(Some(Race { witness, started: None, findings, task, allocations }));
        }
        Ok(None)
    }

    pub(crate) fn places(&self, kernel: usize, summary: &Summary) -> Places {
        let described = &self.linked.kernels[kernel];
        let function = &self.linked.functions[described.function];
        let index = LineIndex::new(self.sources[function.source].text);
        let mut shared: FxHashMap<u32, Option<(u64, u64)>> = FxHashMap::default();
        for a in &summary.accesses {
            let line = index.line(a.text);
            let name = a.base.and_then(|s| match &summary.syms.get(s).kind {
                Kind::Shared(name) => Some(name.clone()),
                _ => None,
            });
            let variable = name.and_then(|n| described.shared_variables.iter().find(|v| v.name == n));
            let range = variable.map(|v| {
                let start = u64::from(v.offset);
                (start, v.bytes.map_or(u64::MAX, |b| start + u64::from(b)))
            });
            // A line that accesses several variables, for example in a called function, has no unique range.
            shared.entry(line).and_modify(|old| *old = old.filter(|_| *old == range)).or_insert(range);
        }
        Places { shared }
    }
}

/// The parts of shared memory that accesses belong to, by line of the PTX text.
pub(crate) struct Places {
    shared: FxHashMap<u32, Option<(u64, u64)>>,
}

impl Places {
    /// Returns whether an access is within its array. An access outside is another kind of bug, which proofs
    /// assume to be absent.
    fn within(&self, line: u32, space: events::Space, address: u64) -> bool {
        match (space, self.shared.get(&line)) {
            (events::Space::Shared(_), Some(Some((start, end)))) => (*start..*end).contains(&address),
            _ => true,
        }
    }

    /// Returns whether both sides of a race are within their arrays.
    pub(crate) fn hold(&self, finding: &Finding, sites: &SiteTable) -> bool {
        finding.sides.iter().all(|side| {
            let line = side.site.and_then(|s| sites.get(s)).map_or(0, |s| s.ptx_line);
            self.within(line, finding.space, side.address)
        })
    }
}

/// Returns the parameters that accesses start from.
pub(crate) fn pointers(summary: &Summary) -> Vec<(u32, u32)> {
    let bases = summary.accesses.iter().filter_map(|a| a.base).map(|b| &summary.syms.get(b).kind);
    let parameter = |k: &Kind| match k {
        Kind::Param { index, offset, .. } => Some((*index, *offset)),
        _ => None,
    };
    bases.filter_map(parameter).collect()
}
