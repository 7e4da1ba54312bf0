//! Runs one detector or several on a trace.

use super::divided::Blocks;
use super::notes::Noted;
use detect::lens::acquit::SitePair;
use detect::lens::pairs::merge;
use detect::lens::{Lens, Serial, Shard};
use detect::named;
use detect::ptx::{PtxMonitor, PtxOptions};
use events::observer::Footprint;
use events::{Finding, Listener, Monitor};
use names::lens::Choice;
use protocol::{PROTOCOL_VERSION, RunResult};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::time::Duration;
use trace::{Audience, Deal, Heard};

/// Returns the lenses that `--detector` accepts.
pub(crate) fn lenses() -> Vec<Choice> {
    std::iter::once("ptx")
        .chain(names::lens::SERIAL)
        .map(|name| name.parse().expect("a lens's name"))
        .collect()
}

pub(super) type Acquittals = BTreeMap<SitePair, &'static str>;

/// One detector's result for a trace.
pub(super) struct Analysed {
    pub(super) lens: Choice,
    pub(super) result: RunResult,
    /// Processor time without the reading of the trace.
    pub(super) took: Duration,
    pub(super) warp_events: u64,
    pub(super) peak: Footprint,
    /// The reasons for which the lens let accesses at watched sites pass, if the lens gives reasons.
    pub(super) acquittals: Acquittals,
    /// The error that stopped the reading. Everything before it was analysed.
    pub(super) damage: Option<String>,
}

/// Plays `path` to the detector of `lens`, on `jobs` threads if the detector can be sharded.
pub(super) fn analyse(path: &Path, lens: &Choice, ptx: &PtxOptions, jobs: usize) -> Result<Analysed, String> {
    let (asked, deal) = ask(lens, ptx, jobs, &[]);
    read(path, &[asked], deal).map(|mut analysed| analysed.remove(0))
}

/// Reads `path` once for all of `lenses`, each on a thread of its own. The lenses also state why they let
/// accesses at `watched` sites pass, if they can.
pub(super) fn analyse_together(
    path: &Path,
    lenses: &[Choice],
    ptx: &PtxOptions,
    watched: &[SitePair],
) -> Result<Vec<Analysed>, String> {
    let asked: Vec<_> = lenses.iter().map(|lens| ask(lens, ptx, 1, watched).0).collect();
    read(path, &asked, Deal::Everything)
}

/// The monitors of one lens, which share the work. The first one also takes notes.
struct Asked<M> {
    lens: Choice,
    first: Noted<M>,
    others: Vec<M>,
    answer: fn(&[&M]) -> (Vec<Finding>, Acquittals),
}

/// The monitors of any lens.
trait Asks {
    fn audience(&self) -> Vec<&dyn Audience>;

    /// Returns the lens's result; `heard` is what the first monitor received.
    fn analysed(&self, path: &Path, heard: Heard, damage: Option<&trace::Error>) -> Analysed;
}

fn ask(lens: &Choice, ptx: &PtxOptions, jobs: usize, watched: &[SitePair]) -> (Box<dyn Asks>, Deal) {
    // A lens that cannot be sharded runs as a whole.
    let shards: Option<Vec<_>> = Shard::all(jobs)
        .map(|shard| {
            let mut built = named::lens(lens)?;
            if !watched.is_empty() {
                built.watch(watched);
            }
            (jobs <= 1 || built.restrict(shard)).then(|| Serial::new(built))
        })
        .collect();
    let Some(shards) = shards.or_else(|| named::serial(lens).map(|whole| vec![whole])) else {
        let monitor = PtxMonitor::new(ptx.clone());
        return match jobs {
            0 | 1 => (asked(lens, vec![monitor], |m| (m[0].findings(), Acquittals::new())), Deal::Everything),
            _ => {
                let blocks = Blocks::all(monitor, jobs);
                (asked(lens, blocks, |m| (m[0].findings(), Acquittals::new())), Deal::Blocks)
            }
        };
    };
    let answer: fn(&[&Serial<Box<dyn Lens>>]) -> _ = match &shards[..] {
        [_] => |m| (m[0].findings(), m[0].lens().acquittals().into_iter().collect()),
        _ => |m| (merge(m.iter().map(|shard| shard.lens().take_dated())), Acquittals::new()),
    };
    (asked(lens, shards, answer), Deal::Everything)
}

fn asked<M: Monitor + 'static>(
    lens: &Choice,
    mut monitors: Vec<M>,
    answer: fn(&[&M]) -> (Vec<Finding>, Acquittals),
) -> Box<dyn Asks> {
    let first = Noted::new(monitors.remove(0));
    Box::new(Asked { lens: lens.clone(), first, others: monitors, answer })
}

/// Plays the trace to all lenses at once.
fn read(path: &Path, asked: &[Box<dyn Asks>], deal: Deal) -> Result<Vec<Analysed>, String> {
    let file = File::open(path).map_err(|e| format!("cannot open `{}`: {e}", path.display()))?;
    let audiences: Vec<_> = asked.iter().map(|asked| asked.audience()).collect();
    let (heard, outcome) = trace::play_together(BufReader::new(file), &audiences.concat(), deal);
    let damage = outcome.err();
    if let Some(error @ (trace::Error::NotATrace | trace::Error::Version(_) | trace::Error::Engine(_))) =
        damage
    {
        return Err(format!("cannot read `{}`: {error}", path.display()));
    }
    let mut heard = heard.into_iter();
    let of_first = |audience: &Vec<_>| {
        let first = heard.next().unwrap_or_default();
        heard.by_ref().take(audience.len() - 1).for_each(drop);
        first
    };
    let firsts: Vec<Heard> = audiences.iter().map(of_first).collect();
    Ok(asked.iter().zip(firsts).map(|(asked, heard)| asked.analysed(path, heard, damage.as_ref())).collect())
}

impl<M: Monitor> Asks for Asked<M> {
    fn audience(&self) -> Vec<&dyn Audience> {
        let first: &dyn Audience = &self.first;
        std::iter::once(first).chain(self.others.iter().map(|other| other as &dyn Audience)).collect()
    }

    fn analysed(&self, path: &Path, heard: Heard, damage: Option<&trace::Error>) -> Analysed {
        let Heard { played, took } = heard;
        let all: Vec<&M> = std::iter::once(&self.first.inner).chain(&self.others).collect();
        let (mut inconclusive, mut limits, mut peak) = (Vec::new(), Vec::new(), Footprint::default());
        let (mut overlooked, mut partial) = (0, false);
        for account in all.iter().map(|m| m.account()) {
            // Each shard receives all accesses.
            overlooked = account.overlooked.max(overlooked);
            partial |= !account.scope.is_empty();
            add_new(&mut inconclusive, account.limits);
            add_new(&mut limits, account.scope);
            peak.shadow_bytes += account.footprint.shadow_bytes;
            peak.touched_bytes += account.footprint.touched_bytes;
        }
        let (findings, acquittals) = (self.answer)(&all);
        let findings = self.first.reported(played.engine, findings);
        let (tasks, kernels, mut counters) = self.first.summary(&played);
        counters.overlooked = overlooked;
        let warp_events = played.events();
        let damage = damage.map(ToString::to_string);
        if let Some(error) = &damage {
            inconclusive.push(error.clone());
        } else if !played.complete {
            inconclusive
                .push("the recorded program did not end in order; its trace stops where it did".into());
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
            partial,
            inconclusive,
            limits,
            shadow_bytes: peak.shadow_bytes,
            touched_bytes: peak.touched_bytes,
            ..RunResult::default()
        };
        Analysed { lens: self.lens.clone(), result, took, warp_events, peak, acquittals, damage }
    }
}

/// Adds the texts that other shards have not already contributed.
fn add_new(told: &mut Vec<String>, texts: Vec<String>) {
    for text in texts {
        if !told.contains(&text) {
            told.push(text);
        }
    }
}
