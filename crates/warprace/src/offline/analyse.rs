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

/// A trace as one detector sees it.
pub(super) struct Analysed {
    pub(super) lens: Choice,
    pub(super) result: RunResult,
    pub(super) took: Duration,
    pub(super) warp_events: u64,
    pub(super) peak: Footprint,
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
    // A lens that cannot be divided is asked whole.
    let shards: Option<Vec<_>> = Shard::all(jobs)
        .map(|shard| {
            let mut built = lens.lens()?;
            (jobs <= 1 || built.restrict(shard)).then(|| Serial::new(built))
        })
        .collect();
    let Some(shards) = shards.or_else(|| lens.serial().map(|whole| vec![whole])) else {
        let options = PtxOptions { volatile_strong, ..PtxOptions::default() };
        let monitor = PtxMonitor::new(options);
        return match jobs {
            0 | 1 => play(path, lens, vec![monitor], Deal::Everything, |m| m[0].findings()),
            _ => play(path, lens, Blocks::all(monitor, jobs), Deal::Blocks, |m| m[0].findings()),
        };
    };
    match &shards[..] {
        [_] => play(path, lens, shards, Deal::Everything, |m| m[0].findings()),
        _ => play(path, lens, shards, Deal::Everything, |m| {
            merge(m.iter().map(|shard| shard.lens().take_dated()))
        }),
    }
}

/// Why the lens lets accesses of these sites pass, if it says so.
pub(super) fn acquittals(path: &Path, lens: &Choice, pairs: &[SitePair]) -> BTreeMap<SitePair, &'static str> {
    let (Some(mut built), Ok(file)) = (lens.lens(), File::open(path)) else { return BTreeMap::new() };
    built.watch(pairs);
    let serial = Serial::new(built);
    // Damage has been told by the first reading.
    let _ = trace::play(BufReader::new(file), &serial);
    let list = serial.lens().acquittals();
    list.into_iter().collect()
}

/// Plays the trace to each of `monitors`, on a thread each; the first takes notes.
fn play<M: Monitor + Send + std::marker::Sync>(
    path: &Path,
    lens: &Choice,
    mut monitors: Vec<M>,
    deal: Deal,
    findings: impl FnOnce(&[&M]) -> Vec<Finding>,
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
    let findings = noted.reported(played.engine, findings(&all));
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
    Ok(Analysed { lens: lens.clone(), result, took, warp_events, peak, damage })
}

/// What one part of a divided detector says, others say, too.
fn add_new(told: &mut Vec<String>, texts: Vec<String>) {
    for text in texts {
        if !told.contains(&text) {
            told.push(text);
        }
    }
}
