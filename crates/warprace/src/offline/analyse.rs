//! One trace, one detector.

use super::divided::Blocks;
use super::notes::Noted;
use detect::lens::acquit::SitePair;
use detect::lens::pairs::merge;
use detect::lens::{Serial, Shard};
use detect::named;
use detect::named::Choice;
use detect::ptx::{PtxMonitor, PtxOptions};
use events::observer::Footprint;
use events::{Finding, Listener, Monitor};
use protocol::{PROTOCOL_VERSION, RunResult};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::time::{Duration, Instant};
use trace::Deal;

/// The lenses that `--detector` takes.
pub(crate) fn lenses() -> Vec<Choice> {
    std::iter::once("ptx").chain(named::SERIAL).map(|name| name.parse().expect("a lens's name")).collect()
}

pub(super) type Acquittals = BTreeMap<SitePair, &'static str>;

/// A trace as one detector sees it.
pub(super) struct Analysed {
    pub(super) lens: Choice,
    pub(super) result: RunResult,
    pub(super) took: Duration,
    pub(super) warp_events: u64,
    pub(super) peak: Footprint,
    /// Why the lens let watched pairs pass, where it says so.
    pub(super) acquittals: Acquittals,
    /// What stopped the reading, after everything before it was analysed.
    pub(super) damage: Option<trace::Error>,
}

/// Plays `path` to the detector of `lens`, on `jobs` threads if the detector can be divided.
pub(super) fn analyse(
    path: &Path,
    lens: &Choice,
    volatile_strong: bool,
    jobs: usize,
) -> Result<Analysed, String> {
    analyse_watching(path, lens, volatile_strong, jobs, &[])
}

/// As above; the lens also tells why it lets accesses of `watched` sites pass, if it can and is not divided.
pub(super) fn analyse_watching(
    path: &Path,
    lens: &Choice,
    volatile_strong: bool,
    jobs: usize,
    watched: &[SitePair],
) -> Result<Analysed, String> {
    // A lens that cannot be divided is asked whole.
    let shards: Option<Vec<_>> = Shard::all(jobs)
        .map(|shard| {
            let mut built = lens.lens()?;
            if !watched.is_empty() {
                built.watch(watched);
            }
            (jobs <= 1 || built.restrict(shard)).then(|| Serial::new(built))
        })
        .collect();
    let Some(shards) = shards.or_else(|| lens.serial().map(|whole| vec![whole])) else {
        let options = PtxOptions { volatile_strong, ..PtxOptions::default() };
        let monitor = PtxMonitor::new(options);
        return match jobs {
            0 | 1 => {
                play(path, lens, vec![monitor], Deal::Everything, |m| (m[0].findings(), Acquittals::new()))
            }
            _ => play(path, lens, Blocks::all(monitor, jobs), Deal::Blocks, |m| {
                (m[0].findings(), Acquittals::new())
            }),
        };
    };
    match &shards[..] {
        [_] => play(path, lens, shards, Deal::Everything, |m| {
            let acquittals = m[0].lens().acquittals().into_iter().collect();
            (m[0].findings(), acquittals)
        }),
        _ => play(path, lens, shards, Deal::Everything, |m| {
            (merge(m.iter().map(|shard| shard.lens().take_dated())), Acquittals::new())
        }),
    }
}

/// Plays the trace to each of `monitors`, on a thread each; the first takes notes.
fn play<M: Monitor + Send + std::marker::Sync>(
    path: &Path,
    lens: &Choice,
    mut monitors: Vec<M>,
    deal: Deal,
    answer: impl FnOnce(&[&M]) -> (Vec<Finding>, Acquittals),
) -> Result<Analysed, String> {
    let file = File::open(path).map_err(|e| format!("cannot open `{}`: {e}", path.display()))?;
    let noted = Noted::new(monitors.remove(0));
    let start = Instant::now();
    let (played, outcome) = match &monitors[..] {
        [] => trace::play(BufReader::new(file), &noted),
        others => trace::play_together(BufReader::new(file), &noted, others, deal),
    };
    let took = start.elapsed();
    if let Err(error @ (trace::Error::NotATrace | trace::Error::Version(_) | trace::Error::Engine(_))) =
        outcome
    {
        return Err(format!("cannot read `{}`: {error}", path.display()));
    }
    let all: Vec<&M> = std::iter::once(&noted.inner).chain(&monitors).collect();
    let (mut inconclusive, mut limits, mut peak) = (Vec::new(), Vec::new(), Footprint::default());
    for account in all.iter().map(|m| m.account()) {
        add_new(&mut inconclusive, account.limits);
        add_new(&mut limits, account.scope);
        peak.shadow_bytes += account.footprint.shadow_bytes;
        peak.touched_bytes += account.footprint.touched_bytes;
    }
    let (findings, acquittals) = answer(&all);
    let findings = noted.reported(played.engine, findings);
    let (tasks, kernels, counters) = noted.summary(&played);
    let warp_events = played.events();
    let damage = outcome.err();
    if let Some(error) = &damage {
        inconclusive.push(error.to_string());
    } else if !played.complete {
        inconclusive.push("the recorded program did not end in order; its trace stops where it did".into());
    }
    let result = RunResult {
        version: PROTOCOL_VERSION,
        program: path.to_owned(),
        finished: true,
        uses_cuda: true,
        findings,
        sites: played.sites,
        tasks,
        kernels,
        counters,
        inconclusive,
        limits,
        shadow_bytes: peak.shadow_bytes,
        touched_bytes: peak.touched_bytes,
        ..RunResult::default()
    };
    Ok(Analysed { lens: lens.clone(), result, took, warp_events, peak, acquittals, damage })
}

/// What one part of a divided detector says, others say, too.
fn add_new(told: &mut Vec<String>, texts: Vec<String>) {
    for text in texts {
        if !told.contains(&text) {
            told.push(text);
        }
    }
}
