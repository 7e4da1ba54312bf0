//! Predicted races, driven to happen.
//!
//! Candidates are pairs of accesses that lens `gwcp` predicts to race, and pairs that nothing
//! but locks, flags and fences orders ([`detect::candidates`]). For each of them some
//! directed schedules ([`simt::schedule::Meeting`]) try to bring the two threads to the two
//! accesses at the same time, while lens `ptx` listens: a race is what it reports, and
//! nothing else. What `gwcp` predicts and nobody could make happen is a hazard.

use super::saved::Saved;
use super::{End, KernelWork, Subject};
use crate::engine::{self, VirtualGpu};
use detect::candidates::{self, Accessor, Candidate, SitePair, site_pair};
use detect::lens::Serial;
use events::{Evidence, Finding, Level, SiteId};
use report::protocol::{RunOptions, Volatile};
use simt::Schedule;
use simt::schedule::{Meeting, Point, Seeded};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Directed schedules may take so many times the instructions of the launch itself, and a few more.
const STRETCH: u64 = 16;
const LEAST_FUEL: u64 = 1 << 20;

/// What is tried for a candidate, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Attempt {
    /// Which of its examples, if there are so many.
    example: usize,
    /// The access that came later in the usual run is made first.
    swapped: bool,
    /// The threads meet when they make the accesses for the first time, not for the n-th.
    first_time: bool,
    seed: u64,
}

const fn attempt(example: usize, swapped: bool, first_time: bool, seed: u64) -> Attempt {
    Attempt { example, swapped, first_time, seed }
}

/// For every candidate.
const ATTEMPTS: [Attempt; 6] = [
    attempt(0, false, false, 0),
    attempt(0, true, false, 1),
    attempt(1, false, false, 0),
    attempt(0, false, true, 1),
    attempt(0, true, false, 2),
    attempt(1, true, false, 3),
];

/// For those that `gwcp` predicts, besides.
const MORE_ATTEMPTS: [Attempt; 12] = [
    attempt(0, true, false, 0),
    attempt(0, false, false, 1),
    attempt(0, false, false, 3),
    attempt(0, true, true, 4),
    attempt(0, false, true, 5),
    attempt(1, true, false, 6),
    attempt(1, false, false, 7),
    attempt(2, false, false, 0),
    attempt(2, true, false, 1),
    attempt(3, false, false, 8),
    attempt(0, true, false, 9),
    attempt(0, false, false, 10),
];

/// Can another schedule order the kernel's accesses otherwise, so that one that was ordered races?
pub(super) fn is_worthwhile(work: &KernelWork) -> bool {
    work.module.kernels()[work.kernel].uses.fences_or_strong
}

/// A pair of sites that may race.
struct Pair {
    sites: SitePair,
    examples: Vec<Candidate>,
    /// What `gwcp` says.
    predicted: Option<Finding>,
    tried: u32,
    /// How often the two threads did meet.
    met: u32,
}

/// Looks for races in other schedules of the launch.
pub(super) fn predict(subject: &Subject<'_>, memory: &Saved) {
    let Some((mut pairs, usual, fuel)) = gather(subject, memory) else { return };
    let mut left = subject.runtime.options.predict;
    let mut settled: HashSet<SitePair> = usual;
    for (round, attempt) in ATTEMPTS.iter().chain(&MORE_ATTEMPTS).enumerate() {
        for pair in &mut pairs {
            let due = round < ATTEMPTS.len() || pair.predicted.is_some();
            if !due || settled.contains(&pair.sites) {
                continue;
            }
            let Some(how) = directed(subject, pair, attempt) else { continue };
            if left == 0 {
                subject.runtime.lock().results.limit(format!(
                    "the search for schedules that show predicted races ended after {} runs of `{}`",
                    subject.runtime.options.predict,
                    subject.work.name()
                ));
                return unconfirmed(subject, &pairs, &settled);
            }
            left -= 1;
            pair.tried += 1;
            pair.met += u32::from(drive(subject, memory, &how, fuel, &mut settled));
        }
    }
    unconfirmed(subject, &pairs, &settled);
}

/// What may race, what does so in the usual run, and the fuel for directed runs.
fn gather(subject: &Subject<'_>, memory: &Saved) -> Option<(Vec<Pair>, HashSet<SitePair>, u64)> {
    let runtime = subject.runtime;
    let how = Seeded { schedule: runtime.schedule.clone(), seed: runtime.seed };
    let hear = |engine: &dyn engine::Engine| {
        let end = subject.run(engine, &how, super::FUEL, |_| false);
        memory.put_back();
        end
    };
    let exact = engine::build(&subject.options(), runtime.space.clone());
    let (_, stats) = hear(&*exact)?;
    let usual = exact.findings().iter().filter_map(sites).collect();
    let (lens, found) = candidates::build(runtime.options.volatile == Volatile::Strong);
    hear(&VirtualGpu { memory: runtime.space.clone(), monitor: Arc::new(Serial::new(lens)) })?;
    let options = RunOptions { lens: "gwcp".into(), ..subject.options() };
    let gwcp = engine::build(&options, runtime.space.clone());
    hear(&*gwcp)?;
    let mut predicted: HashMap<SitePair, Finding> = HashMap::new();
    for finding in gwcp.findings() {
        if finding.evidence == Evidence::Predicted
            && let Some(pair) = sites(&finding)
        {
            predicted.entry(pair).or_insert(finding);
        }
    }
    if found.capped() {
        runtime.lock().results.limit("too many pairs of accesses may race to look at all of them".into());
    }
    let pair = |(sites, examples)| {
        let predicted = predicted.remove(&sites);
        Pair { sites, examples, predicted, tried: 0, met: 0 }
    };
    let mut pairs: Vec<Pair> = found.take().into_iter().map(pair).collect();
    // Those that a detector vouches for come first.
    pairs.sort_by_key(|pair| pair.predicted.is_none());
    Some((pairs, usual, stats.warp_instructions * STRETCH + LEAST_FUEL))
}

/// The pair of sites of a race.
fn sites(finding: &Finding) -> Option<SitePair> {
    let [a, b] = [finding.sides[0].site?, finding.sides[1].site?];
    (finding.level == Level::Race).then(|| site_pair(a, b))
}

/// The schedule of an attempt, if the pair has such an example.
fn directed(subject: &Subject<'_>, pair: &Pair, attempt: &Attempt) -> Option<Seeded> {
    let example = pair.examples.get(attempt.example)?;
    if attempt.first_time && example.accesses.iter().all(|a| a.nth <= 1) {
        return None;
    }
    let SiteId(first) = subject.work.module.first_site();
    let point = |a: &Accessor| {
        let nth = if attempt.first_time { 1 } else { a.nth.max(1) };
        Some(Point { site: a.site.0.checked_sub(first)?, nth, block: a.block, thread: a.thread })
    };
    let mut points = [point(&example.accesses[0])?, point(&example.accesses[1])?];
    if attempt.swapped {
        points.reverse();
    }
    Some(Seeded { schedule: Schedule::Meet(Meeting { points }), seed: attempt.seed })
}

/// Runs a directed schedule and keeps the races it shows that are not settled. Did its threads meet?
fn drive(
    subject: &Subject<'_>,
    memory: &Saved,
    how: &Seeded,
    fuel: u64,
    settled: &mut HashSet<SitePair>,
) -> bool {
    let engine = engine::build(&subject.options(), subject.runtime.space.clone());
    let mut met = false;
    // When the threads have met, one more portion shows what comes of it.
    let run = subject.run(&*engine, how, fuel, |over| std::mem::replace(&mut met, over) && over);
    memory.put_back();
    let mut findings = engine.findings();
    findings.retain(|finding| sites(finding).is_some_and(|pair| !settled.contains(&pair)));
    settled.extend(findings.iter().filter_map(sites));
    subject.keep(subject.explored(findings, how));
    match run {
        Some((end @ End::Failed(_), _)) => subject.tell(how, end),
        Some(_) => {}
        None => return false,
    }
    met
}

/// Keeps as hazards what was predicted and did not happen.
fn unconfirmed(subject: &Subject<'_>, pairs: &[Pair], settled: &HashSet<SitePair>) {
    let mut findings = Vec::new();
    for pair in pairs.iter().filter(|pair| !settled.contains(&pair.sites)) {
        let Some(finding) = &pair.predicted else { continue };
        let runs = if pair.tried == 1 { "one schedule".into() } else { format!("{} schedules", pair.tried) };
        let reason = match (pair.tried, pair.met) {
            (0, _) => "no schedule was tried".to_owned(),
            (_, 0) => format!("in {runs} made to bring the two accesses together they never met"),
            _ => format!("in {runs} made to bring the two accesses together they were ordered each time"),
        };
        findings.push(Finding {
            level: Level::Hazard,
            evidence: Evidence::Unconfirmed { reason },
            ..finding.clone()
        });
    }
    subject.keep(findings);
}
