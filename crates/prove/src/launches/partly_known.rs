//! Races in a launch that is only partly known: the contents of memory or some arguments are unknown.
//!
//! The prover runs the launch with contents and arguments of its own choice. A race in this run is also one
//! of the actual launch if no unknown value affects it ([`crate::determinism::relevance`]): then the same order of threads
//! executes the two accesses there as well, and all instructions that could order them; or if it happens
//! before any unknown value has an effect ([`crate::determinism::prefix`]). Otherwise the race is only a reason for doubt,
//! reported with the launch that showed it.

use crate::answer::{Doubt, Prover, Race};
use crate::determinism::deciding::{deciding_about, reached};
use crate::determinism::initial_reads::{InitialReads, Reads};
use crate::determinism::prefix::{self, UnknownInputs};
use crate::determinism::reads_from::Flows;
use crate::exec::Summary;
use crate::facts::Facts;
use crate::facts::observed;
use crate::kernel::instructions::is_fixed;
use crate::launches::known::KnownLaunch;
use crate::replay::bench::{Bench, Contents, Outcome, RunLimits, Witness};
use crate::replay::candidates::candidate_launches;
use detect::ptx::PtxMonitor;
use events::finding::Actor;
use events::{BlockId, Evidence, Finding, ObservedLaunch, SiteId, SiteTable};
use kernels::effects::Place;
use kernels::{Source, effects};
use ptx::flat::Arg;
use ptx::position::LineIndex;
use ptx::sreg::SpecialReg;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The limit of one execution, in warp instructions.
const LOOK: u64 = 1 << 22;
/// The limit of one execution with chosen arguments, and the number of such executions.
const GLANCE: u64 = 1 << 19;
const MOST_GUESSES: usize = 12;
/// The number of races per execution that are examined.
const MOST_RACES: usize = 12;

/// The unknown parts of a launch, beside the contents of memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unknowns {
    /// The unknown parameters, by index.
    pub(crate) parameters: BTreeSet<u32>,
    pub(crate) grid: bool,
}

/// A race in the launch that was run.
pub(crate) struct ShownRace {
    pub(crate) race: Race,
    /// Every launch that the question is about has this race.
    pub(crate) certain: bool,
}

impl ShownRace {
    /// Returns a doubt about a kernel whose race is not certain.
    pub(crate) fn doubt(&self, bench: Option<&Bench>, unknown: &str) -> Doubt {
        let line = |f: &Finding, side: usize| {
            let site = f.sides[side].site.and_then(|s| bench?.sites.get(s));
            site.map_or(0, |s| s.ptx_line)
        };
        let finding = self.race.findings.first();
        Doubt {
            why: format!("{} shows a race here; {unknown}", self.race.witness),
            lines: finding.map(|f| [line(f, 0), line(f, 1)]).filter(|l| l.iter().all(|&n| n > 0)),
            suggestion: Some(
                "`warprace run --facts` shows what its launches are, and what memory holds then".into(),
            ),
        }
    }
}

/// Functions and instructions by index, for each function name and line of the PTX text.
type Places = FxHashMap<(String, u32), Vec<(usize, usize)>>;

impl Prover<'_> {
    /// Returns a race of a launch with known numbers, whatever memory contains before.
    pub(crate) fn race_in_known_launch(
        &mut self,
        kernel: usize,
        launch: &Arc<ObservedLaunch>,
        open: &Unknowns,
        volatile_weak: bool,
        summary: Option<&Summary>,
        stop: &dyn Fn() -> bool,
    ) -> Option<ShownRace> {
        let name = self.linked.kernels[kernel].name.clone();
        if self.bench.as_ref().is_none_or(|b| !b.is_at(&|_| None)) {
            self.bench = Some(Bench::load(&self.sources).ok()?);
        }
        let bench = self.bench.as_mut()?;
        bench.volatile_weak = volatile_weak;
        let loaded = bench.kernel(&name)?;
        let about = bench.describe(launch);
        let about = (&about.0, &about.1[..]);
        let limits = RunLimits { fuel: LOOK, ..RunLimits::default() };
        for contents in [Contents::Zeros, Contents::Small(1), Contents::Ascending] {
            let bench = self.bench.as_mut()?;
            if stop() {
                break;
            }
            let monitor = Arc::new(InitialReads::before(bench.detector(), constants(bench)));
            let outcome =
                bench.rerun_with(loaded, launch, contents, about, &monitor.erased(), limits.clone(), stop);
            let findings = outcome.races();
            if findings.is_empty() {
                continue;
            }
            let (mut certain, mut findings) = self.certain(kernel, findings, &monitor.seen(), open, summary);
            if !certain {
                // The stores that the loads have read from allow a more precise answer.
                let bench = self.bench.as_mut()?;
                let monitor = Arc::new(InitialReads::before(bench.detector(), constants(bench)).following());
                let outcome = bench.rerun_with(
                    loaded,
                    launch,
                    contents,
                    about,
                    &monitor.erased(),
                    limits.clone(),
                    stop,
                );
                let again = outcome.races();
                let (is, again) = self.certain(kernel, again, &monitor.seen(), open, summary);
                if is {
                    (certain, findings) = (is, again);
                }
            }
            if !certain {
                let before = self.before(kernel, &findings, open, &mut |bench, loaded, monitor| {
                    bench.rerun_with(loaded, launch, contents, about, monitor, limits.clone(), stop)
                });
                if let Some(before) = before {
                    (certain, findings) = (true, before);
                }
            }
            let replay = format!("--kernel-name kne={name}{}", crate::replay::law(volatile_weak));
            mark_as_proved(&mut findings, &replay);
            let mut witness = witness_of(launch);
            witness.contents = contents;
            let (task, allocations) = (about.0.clone(), about.1.to_vec());
            let race = Race { witness, started: None, findings, task, allocations };
            return Some(ShownRace { race, certain });
        }
        None
    }

    /// Returns a race of a launch of the host code that a short run finds and that does not depend on unknown
    /// values.
    pub(crate) fn race_in_short_run(
        &mut self,
        kernel: usize,
        known_launch: &KnownLaunch,
        facts: &Facts,
        summary: Option<&Summary>,
        stop: &dyn Fn() -> bool,
    ) -> Option<Race> {
        let name = self.linked.kernels[kernel].name.clone();
        let launch = &known_launch.launch;
        let bench = self.bench_of(launch).ok()?;
        bench.volatile_weak = facts.volatile_weak;
        let loaded = bench.kernel(&name)?;
        let about = bench.describe(launch);
        // Contents are known only if the host code was executed.
        let known = if known_launch.executed { bench.known(launch) } else { constants(bench) };
        let monitor = Arc::new(InitialReads::before(bench.detector(), known));
        let limits = RunLimits { fuel: GLANCE, ..RunLimits::default() };
        let findings =
            bench.rerun(loaded, launch, (&about.0, &about.1[..]), &monitor.erased(), limits, stop).races();
        if findings.is_empty() {
            return None;
        }
        let open = Unknowns { parameters: known_launch.unknown.clone(), grid: false };
        let (certain, mut findings) = self.certain(kernel, findings, &monitor.seen(), &open, summary);
        if !certain {
            return None;
        }
        mark_as_proved(
            &mut findings,
            &format!("--kernel-name kne={name}{}", crate::replay::law(facts.volatile_weak)),
        );
        let mut witness = witness_of(launch);
        if !known_launch.executed {
            witness.contents = Contents::Zeros;
        }
        let (task, allocations) = about;
        Some(Race { witness, started: None, findings, task, allocations })
    }

    /// Returns a race of launches with chosen arguments; given numbers are retained.
    pub(crate) fn race_with_chosen_unknowns(
        &mut self,
        kernel: usize,
        told: &Facts,
        summary: Option<&Summary>,
        stop: &dyn Fn() -> bool,
    ) -> Option<ShownRace> {
        let described = self.linked.kernels[kernel].clone();
        if described.cluster.is_some() {
            return None;
        }
        let facts = Facts {
            block: told.block,
            grid: told.grid,
            scalars: told.scalars.clone(),
            dynamic_shared: told.dynamic_shared,
            volatile_weak: told.volatile_weak,
            ..Facts::default()
        };
        let pointers = summary.map(crate::answer::pointers).unwrap_or_default();
        let list = candidate_launches(&self.linked, &described, &facts, &pointers);
        if self.bench.is_none() {
            self.bench = Some(Bench::load(&self.sources).ok()?);
        }
        let places = summary.map(|s| self.places(kernel, s));
        for witness in list.into_iter().take(MOST_GUESSES) {
            let bench = self.bench.as_mut()?;
            bench.volatile_weak = facts.volatile_weak;
            let loaded = bench.kernel(&described.name)?;
            if stop() {
                break;
            }
            let monitor = Arc::new(InitialReads::before(bench.detector(), constants(bench)));
            let (outcome, task, allocations) =
                bench.run_monitored(loaded, &witness, &monitor.erased(), GLANCE, stop);
            let mut findings = outcome.races();
            if let Some(places) = &places {
                findings.retain(|f| places.hold(f, &bench.sites));
            }
            if findings.is_empty() {
                continue;
            }
            let scalars = &facts.scalars;
            let parameters = (0..described.params.len() as u32).filter(|&n| !scalars.contains_key(&(n, 0)));
            let open = Unknowns { parameters: parameters.collect(), grid: facts.grid.is_none() };
            let (mut certain, mut findings) = self.certain(kernel, findings, &monitor.seen(), &open, summary);
            if !certain && facts.block.is_some() {
                let before = self.before(kernel, &findings, &open, &mut |bench, loaded, monitor| {
                    bench.run_monitored(loaded, &witness, monitor, GLANCE, stop).0
                });
                if let Some(before) = before {
                    (certain, findings) = (true, before);
                }
            }
            let replay = crate::replay::replay(&described.name, &witness, facts.volatile_weak);
            for f in &mut findings {
                f.evidence = Evidence::Proved { replay: replay.clone() };
            }
            let race = Race { witness, started: None, findings, task, allocations };
            // Without a known block nothing is certain about the launches.
            return Some(ShownRace { race, certain: certain && facts.block.is_some() });
        }
        None
    }

    /// Returns the races that no unknown value affects, and true; if there are none, all races and false.
    pub(crate) fn certain(
        &self,
        kernel: usize,
        findings: Vec<Finding>,
        seen: &Reads,
        open: &Unknowns,
        summary: Option<&Summary>,
    ) -> (bool, Vec<Finding>) {
        let Some(bench) = &self.bench else { return (false, findings) };
        let described = &self.linked.kernels[kernel];
        let functions = reached(&self.linked, described);
        let places = self.instructions(&functions);
        let at = |site: Option<SiteId>| {
            let site = bench.sites.get(site?)?;
            places.get(&(site.function.clone(), site.ptx_line))
        };
        // If a site is not found in the PTX text, every race may depend on it.
        let mut told = true;
        let mut unknown: BTreeSet<(usize, usize)> = BTreeSet::new();
        for &site in &seen.readers {
            match at(Some(site)) {
                Some(all) => unknown.extend(all),
                None => told = false,
            }
        }
        let flows = seen.read.as_ref().and_then(|read| {
            let mut flows = Flows::default();
            for (&load, stores) in read {
                let stores: Option<Vec<_>> = stores.iter().map(|&s| at(Some(s))).collect();
                let stores: BTreeSet<_> = stores?.into_iter().flatten().copied().collect();
                for &load in at(Some(load))? {
                    flows.entry(load).or_default().extend(&stores);
                }
            }
            Some(flows)
        });
        let noreturn = |name: &str| self.noreturn.contains(name);
        let alone = told
            && unknown.is_empty()
            && open.parameters.is_empty()
            && !open.grid
            && self.reads_only_memory(&functions);
        let holds = |f: &Finding| {
            if alone {
                return true;
            }
            let sides: Option<Vec<_>> = f.sides.iter().map(|s| at(s.site)).collect();
            let (true, Some(sides)) = (told, sides) else { return false };
            let asked: BTreeSet<(usize, usize)> = sides.into_iter().flatten().copied().collect();
            let d = deciding_about(&self.linked, described, summary, &noreturn, &asked, flows.as_ref());
            d.undetermined.is_empty()
                && d.parameters.is_disjoint(&open.parameters)
                && d.loads.is_disjoint(&unknown)
                && !(open.grid && decided_by_grid(&d.special, f))
        };
        let certain: Vec<bool> =
            findings.iter().enumerate().map(|(n, f)| n < MOST_RACES && holds(f)).collect();
        let any = certain.contains(&true);
        let kept = findings.into_iter().zip(certain).filter(|(_, c)| *c || !any).map(|(f, _)| f);
        (any, kept.collect())
    }

    /// Returns those of the races that happen before any unknown value has an effect. `run` repeats the
    /// launch with a truncated kernel ([`prefix`]).
    fn before(
        &self,
        kernel: usize,
        findings: &[Finding],
        open: &Unknowns,
        run: &mut dyn FnMut(&mut Bench, usize, &Arc<PtxMonitor>) -> Outcome,
    ) -> Option<Vec<Finding>> {
        let whole = self.bench.as_ref()?;
        let described = &self.linked.kernels[kernel];
        let function = &self.linked.functions[described.function];
        let source = self.sources.get(function.source)?;
        let hidden = UnknownInputs { parameters: &open.parameters, grid: open.grid };
        let text = prefix::cut(source.text, &function.flat, &hidden)?;
        let parsed = ptx::parse(&text);
        if !parsed.errors.is_empty() {
            return None;
        }
        let mut sources: Vec<Source<'_>> = self.sources.clone();
        sources[function.source] = Source { tree: &parsed.module, text: &text, name: source.name };
        let mut bench = Bench::load(&sources).ok()?;
        bench.volatile_weak = whole.volatile_weak;
        let loaded = bench.kernel(&described.name)?;
        let monitor = Arc::new(bench.detector());
        let seen = run(&mut bench, loaded, &monitor).races_until_stuck();
        let seen: FxHashSet<_> = seen
            .iter()
            .filter(|f| !open.grid || in_first_block(f))
            .filter_map(|f| lines(f, &bench.sites))
            .collect();
        let holds = |f: &&Finding| lines(f, &whole.sites).is_some_and(|l| seen.contains(&l));
        let kept: Vec<Finding> = findings.iter().filter(holds).cloned().collect();
        (!kept.is_empty()).then_some(kept)
    }

    fn instructions(&self, functions: &[usize]) -> Places {
        let mut found = Places::default();
        for &f in functions {
            let function = &self.linked.functions[f];
            let name = function.flat.function.name.text.to_string();
            let index = LineIndex::new(self.sources[function.source].text);
            for (i, inst) in function.flat.instructions.iter().enumerate() {
                let line = index.line(inst.source.opcode.span.start);
                found.entry((name.clone(), line)).or_default().push((f, i));
            }
        }
        found
    }

    /// Returns whether these functions read nothing but memory and values that are the same in every
    /// execution of a launch.
    pub(crate) fn reads_only_memory(&self, functions: &[usize]) -> bool {
        functions.iter().all(|&f| {
            self.linked.functions[f].flat.instructions.iter().all(|inst| {
                let Ok(op) = &inst.op else { return false };
                let effects = effects(op, &inst.args);
                effects.touches.iter().all(|t| {
                    !matches!(t.place, Place::Texture | Place::Surface | Place::Multimem | Place::Tensor)
                }) && inst.args.iter().all(|a| !matches!(a, Arg::Special(s) if !is_fixed(*s)))
            })
        })
    }
}

/// Returns whether a race depends on the number of blocks. Block zero exists in every launch.
fn decided_by_grid(special: &FxHashSet<SpecialReg>, finding: &Finding) -> bool {
    use SpecialReg as S;
    let first = in_first_block(finding);
    special.iter().any(|s| match s {
        S::NctaidX | S::NctaidY | S::NctaidZ => true,
        S::CtaidX | S::CtaidY | S::CtaidZ => !first,
        S::TidX | S::TidY | S::TidZ | S::NtidX | S::NtidY | S::NtidZ | S::Laneid => false,
        _ => true,
    })
}

fn in_first_block(finding: &Finding) -> bool {
    finding.sides.iter().all(|s| matches!(s.who, Actor::Thread { block: BlockId(0), .. }))
}

/// Returns the functions and PTX lines of both sides, the lesser first.
fn lines(finding: &Finding, sites: &SiteTable) -> Option<[(String, u32); 2]> {
    let place = |side: usize| {
        let site = sites.get(finding.sides[side].site?)?;
        Some((site.function.clone(), site.ptx_line))
    };
    let mut both = [place(0)?, place(1)?];
    both.sort();
    Some(both)
}

/// Returns the memory of virtual function tables, which is the same in every launch.
fn constants(bench: &Bench) -> Vec<Range<u64>> {
    let tables = bench.variables.iter().filter(|v| v.name.as_deref().is_some_and(|n| n.starts_with("_ZTV")));
    tables.map(|v| v.base..v.base + 8 * v.words.len() as u64).collect()
}

/// Marks findings as proved by the launch that `replay` repeats.
pub(crate) fn mark_as_proved(findings: &mut [Finding], replay: &str) {
    for f in findings {
        f.evidence = Evidence::Proved { replay: replay.to_owned() };
    }
}

/// Returns the witness of an observed launch, or of one that the host code makes.
pub(crate) fn witness_of(launch: &Arc<ObservedLaunch>) -> Witness {
    let told = observed::facts(launch);
    Witness {
        grid: told.grid.unwrap_or([1; 3]),
        block: told.block.unwrap_or([1; 3]),
        dynamic_shared: launch.facts.dynamic_shared,
        arguments: Vec::new(),
        contents: Contents::Observed,
        order: 0,
    }
}
