//! One trace, one detector.

use super::notes::Noted;
use detect::lens::named;
use detect::ptx::{PtxMonitor, PtxOptions};
use events::Monitor;
use events::observer::Footprint;
use report::protocol::{PROTOCOL_VERSION, RunResult};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::time::{Duration, Instant};

/// The lenses that `--detector` takes.
pub(crate) fn lenses() -> Vec<&'static str> {
    std::iter::once("ptx").chain(named::SERIAL).collect()
}

/// A trace as one detector sees it.
pub(super) struct Analysed {
    pub(super) lens: &'static str,
    pub(super) result: RunResult,
    pub(super) took: Duration,
    pub(super) warp_events: u64,
    pub(super) peak: Footprint,
    /// What stopped the reading, after everything before it was analysed.
    pub(super) damage: Option<trace::Error>,
}

/// Plays `path` to the detector of `lens`.
pub(super) fn analyse(path: &Path, lens: &'static str, volatile_strong: bool) -> Result<Analysed, String> {
    match named::serial(lens) {
        Some(serial) => play(path, lens, serial),
        None => {
            let options = PtxOptions { volatile_strong, ..PtxOptions::default() };
            play(path, lens, PtxMonitor::new(options))
        }
    }
}

fn play<M: Monitor>(path: &Path, lens: &'static str, monitor: M) -> Result<Analysed, String> {
    let file = File::open(path).map_err(|e| format!("cannot open `{}`: {e}", path.display()))?;
    let noted = Noted::new(monitor);
    let start = Instant::now();
    let (played, outcome) = trace::play(BufReader::new(file), &noted);
    let took = start.elapsed();
    if let Err(error @ (trace::Error::NotATrace | trace::Error::Version(_))) = outcome {
        return Err(format!("cannot read `{}`: {error}", path.display()));
    }
    let peak = noted.inner.footprint();
    let findings = noted.reported();
    let (tasks, kernels, counters) = noted.summary();
    let mut inconclusive = Vec::new();
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
        limits: noted.inner.limits(),
        shadow_bytes: peak.shadow_bytes,
        touched_bytes: peak.touched_bytes,
        ..RunResult::default()
    };
    Ok(Analysed { lens, result, took, warp_events: noted.warp_events(), peak, damage })
}
