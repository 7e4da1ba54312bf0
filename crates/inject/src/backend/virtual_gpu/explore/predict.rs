//! Predicts races and drives schedules that demonstrate them.
//!
//! Candidates are pairs of accesses that lens `gwcp` predicts to race, and pairs that only locks, flags and
//! fences order ([`detect::candidates`]). For each candidate some directed schedules
//! ([`names::schedule::Meeting`]) try to bring the two threads to the two accesses at the same time, while
//! lens `ptx` observes: only its reports are races. A prediction of `gwcp` that no schedule demonstrates is a
//! hazard.
//!
//! A kernel that is launched a hundred times is not searched a hundred times for the same pairs: see
//! [`Searched`].

use super::saved::Saved;
use super::{End, Subject};
use crate::backend::virtual_gpu::machine::{self, Heard};
use crate::backend::virtual_gpu::{VirtualGpu, launch};
use crate::backend::{KernelWork, Ledger};
use detect::candidates::{self, Accessor, Candidate, SitePair, site_pair};
use detect::gwcp;
use detect::lens::Serial;
use detect::named;
use events::{Both, Erased, Evidence, Finding, Level, Listener, Monitor, SiteId};
use names::lens::ClockOptions;
use names::schedule::{Meeting, Point, Seeded};
use names::{Schedule, Volatile};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError};

/// Fuel of directed schedules, as a multiple of the launch's own instructions, with a minimum.
const STRETCH: u64 = 16;
const LEAST_FUEL: u64 = 1 << 20;

/// The attempts for a candidate, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Attempt {
    /// The index of the candidate's example, if it has that many.
    example: usize,
    /// Whether the access that came second in the usual run is made first.
    swapped: bool,
    /// Whether the threads meet at their first execution of the accesses rather than at the n-th.
    first_time: bool,
    seed: u64,
}

const fn attempt(example: usize, swapped: bool, first_time: bool, seed: u64) -> Attempt {
    Attempt { example, swapped, first_time, seed }
}

/// The attempts for every candidate.
const ATTEMPTS: [Attempt; 6] = [
    attempt(0, false, false, 0),
    attempt(0, true, false, 1),
    attempt(1, false, false, 0),
    attempt(0, false, true, 1),
    attempt(0, true, false, 2),
    attempt(1, true, false, 3),
];

/// Additional attempts for predictions of `gwcp`.
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

/// The results of earlier launches in the process.
#[derive(Default)]
pub(in crate::backend::virtual_gpu) struct Searched {
    /// Races that were demonstrated.
    shown: HashSet<SitePair>,
    /// The number of directed runs for each pair that did not race.
    tried: HashMap<SitePair, u32>,
    /// The number of consecutive launches of each kernel without a new pair to try.
    quiet: HashMap<String, u32>,
}

/// After this many quiet launches of a kernel, its further launches are not searched.
const QUIET: u32 = 8;

impl Searched {
    /// Returns whether launches of this kernel need no further search.
    fn is_done_with(&self, kernel: &str) -> bool {
        self.quiet.get(kernel).is_some_and(|&launches| launches >= QUIET)
    }

    /// Removes settled pairs. A pair that two launches could not demonstrate is given up.
    fn keep_open(&mut self, kernel: &str, pairs: &mut Vec<Pair>) {
        pairs.retain(|pair| {
            let most = 2 * (ATTEMPTS.len() + pair.predicted.as_ref().map_or(0, |_| MORE_ATTEMPTS.len()));
            let tried = self.tried.get(&pair.sites).copied().unwrap_or(0);
            !self.shown.contains(&pair.sites) && (tried as usize) < most
        });
        let quiet = self.quiet.entry(kernel.to_owned()).or_default();
        *quiet = if pairs.is_empty() { *quiet + 1 } else { 0 };
    }

    fn learn(&mut self, pairs: &[Pair], settled: HashSet<SitePair>) {
        for pair in pairs {
            *self.tried.entry(pair.sites).or_default() += pair.tried;
        }
        self.shown.extend(settled);
    }
}

/// Returns whether another schedule can reorder the kernel's accesses so that an ordered pair races, and
/// whether this is not settled yet.
pub(super) fn is_worthwhile(gpu: &VirtualGpu, ledger: &dyn Ledger, work: &KernelWork) -> bool {
    if !work.module.kernels()[work.kernel].uses.fences_or_strong {
        return false;
    }
    let searched = gpu.searched.lock().unwrap_or_else(PoisonError::into_inner);
    let done = searched.is_done_with(work.name());
    if done {
        ledger.limit(format!(
            "launches of `{}` were no longer searched for predicted races after {QUIET} in a row \
             with nothing new to try",
            work.short_name()
        ));
    }
    !done
}

/// A pair of sites that may race.
struct Pair {
    sites: SitePair,
    examples: Vec<Candidate>,
    /// The prediction of `gwcp`.
    predicted: Option<Finding>,
    tried: u32,
    /// How often the two threads met.
    met: u32,
}

/// Searches for races in other schedules of the launch.
pub(super) fn predict(subject: &Subject<'_>, memory: &Saved) {
    // The lock is held for the whole search, so that no other launch is searched at the same time.
    let mut searched = subject.gpu.searched.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((mut pairs, usual, fuel)) = gather(subject, memory) else { return };
    let mut settled: HashSet<SitePair> = usual;
    pairs.retain(|pair| !settled.contains(&pair.sites));
    searched.keep_open(subject.work.name(), &mut pairs);
    search(subject, memory, &mut pairs, &mut settled, fuel);
    unconfirmed(subject, &pairs, &settled);
    searched.learn(&pairs, settled);
}

/// Runs directed schedules for the pairs while runs are left.
fn search(
    subject: &Subject<'_>,
    memory: &Saved,
    pairs: &mut [Pair],
    settled: &mut HashSet<SitePair>,
    fuel: u64,
) {
    let mut left = subject.gpu.options.predict;
    for (round, attempt) in ATTEMPTS.iter().chain(&MORE_ATTEMPTS).enumerate() {
        for pair in &mut *pairs {
            let due = round < ATTEMPTS.len() || pair.predicted.is_some();
            if !due || settled.contains(&pair.sites) {
                continue;
            }
            let Some(how) = directed(subject, pair, attempt) else { continue };
            if left == 0 {
                subject.ledger.limit(format!(
                    "the search for schedules that show predicted races ended after {} runs of `{}`",
                    subject.gpu.options.predict,
                    subject.work.short_name()
                ));
                return;
            }
            left -= 1;
            pair.tried += 1;
            pair.met += u32::from(drive(subject, memory, &how, fuel, settled));
        }
    }
}

/// Returns the candidates, the races of the usual run, and the fuel for directed runs.
fn gather(subject: &Subject<'_>, memory: &Saved) -> Option<(Vec<Pair>, HashSet<SitePair>, u64)> {
    let options = subject.options();
    match named::serial(&options.lens) {
        Some(lens) => gather_with(lens, subject, memory),
        None => gather_with(machine::exact(&options), subject, memory),
    }
}

/// Does the work of [`gather`] in one execution with three listeners: the run's own lens, which reports
/// races, the collector of candidates, and the predictor.
fn gather_with<M: Monitor + 'static>(
    lens: M,
    subject: &Subject<'_>,
    memory: &Saved,
) -> Option<(Vec<Pair>, HashSet<SitePair>, u64)> {
    let gpu = subject.gpu;
    let (collector, found) = candidates::build(gpu.options.volatile == Volatile::Strong);
    let gwcp = Serial::new(gwcp::build(ClockOptions { compressed: true }));
    let monitor = Arc::new(Both(lens, Both(Serial::new(collector), gwcp)));
    let how = gpu.options.plan.run.clone();
    let erased = Arc::new(Erased::new(Arc::clone(&monitor)));
    let heard = Heard { memory: gpu.space.clone(), monitor: erased };
    let run = subject.run(&heard, &how, super::FUEL, |_| false);
    memory.put_back();
    let (_, stats) = run?;
    let Both(lens, Both(_, gwcp)) = &*monitor;
    let usual = lens.findings().iter().filter_map(sites).collect();
    let mut predicted: HashMap<SitePair, Finding> = HashMap::new();
    for finding in gwcp.findings() {
        if finding.evidence == Evidence::Predicted
            && let Some(pair) = sites(&finding)
        {
            predicted.entry(pair).or_insert(finding);
        }
    }
    if found.capped() {
        subject.ledger.limit("too many pairs of accesses may race to look at all of them".into());
    }
    let pair = |(sites, examples)| {
        let predicted = predicted.remove(&sites);
        Pair { sites, examples, predicted, tried: 0, met: 0 }
    };
    let mut pairs: Vec<Pair> = found.take().into_iter().map(pair).collect();
    // Predictions of a detector come first.
    pairs.sort_by_key(|pair| pair.predicted.is_none());
    Some((pairs, usual, stats.warp_instructions * STRETCH + LEAST_FUEL))
}

/// Returns the pair of sites of a race.
fn sites(finding: &Finding) -> Option<SitePair> {
    let [a, b] = [finding.sides[0].site?, finding.sides[1].site?];
    (finding.level == Level::Race).then(|| site_pair(a, b))
}

/// Returns the schedule of an attempt, if the pair has the example.
fn directed(subject: &Subject<'_>, pair: &Pair, attempt: &Attempt) -> Option<Seeded> {
    let example = pair.examples.get(attempt.example)?;
    if attempt.first_time && example.accesses.iter().all(|a| a.nth <= 1) {
        return None;
    }
    let SiteId(first) = launch::module(subject.work).ok()?.first_site();
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

/// Runs a directed schedule and records the unsettled races that it demonstrates. Returns whether its threads
/// met.
fn drive(
    subject: &Subject<'_>,
    memory: &Saved,
    how: &Seeded,
    fuel: u64,
    settled: &mut HashSet<SitePair>,
) -> bool {
    let machine = machine::build(&subject.options(), subject.gpu.space.clone());
    let mut met = false;
    // After the threads have met, one more portion shows the consequences.
    let run = subject.run(&*machine, how, fuel, |over| std::mem::replace(&mut met, over) && over);
    memory.put_back();
    let mut findings = machine.listener().findings();
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

/// Records predictions that no schedule demonstrated as hazards.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(site: u32) -> Pair {
        Pair {
            sites: (SiteId(site), SiteId(site)),
            examples: Vec::new(),
            predicted: None,
            tried: ATTEMPTS.len() as u32,
            met: 0,
        }
    }

    #[test]
    fn repeated_launches_are_not_searched_forever() {
        let mut searched = Searched::default();
        for launch in 0..2 + QUIET {
            assert!(!searched.is_done_with("k"), "launch {launch}");
            let mut pairs = vec![pair(1), pair(2)];
            searched.keep_open("k", &mut pairs);
            // The first launch settles what it demonstrates; the second one tries the rest once more.
            let open: Vec<u32> = pairs.iter().map(|p| p.sites.0.0).collect();
            assert_eq!(open, [&[1, 2][..], &[1], &[]][launch.min(2) as usize], "launch {launch}");
            searched.learn(&pairs, HashSet::from([(SiteId(2), SiteId(2))]));
        }
        assert!(searched.is_done_with("k") && !searched.is_done_with("other"));
    }

    #[test]
    fn a_new_pair_wakes_the_search_of_a_kernel() {
        let mut searched = Searched::default();
        for _ in 1..QUIET {
            searched.keep_open("k", &mut Vec::new());
        }
        searched.keep_open("k", &mut vec![pair(7)]);
        searched.keep_open("k", &mut Vec::new());
        assert!(!searched.is_done_with("k"));
    }
}
