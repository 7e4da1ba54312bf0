//! Runs one detector or several on a trace.

use super::divided::Blocks;
use super::notes::Noted;
use super::part::{Found, Part, add_new};
use detect::lens::acquit::SitePair;
use detect::lens::pairs::{Moment, merge};
use detect::lens::{Lens, Serial, Shard};
use detect::named;
use detect::ptx::{PtxMonitor, PtxOptions};
use events::observer::Footprint;
use events::{Finding, Listener, Monitor};
use names::lens::Choice;
use protocol::{PROTOCOL_VERSION, RunResult};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
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

/// Reads `path` once for all of `lenses`, each on a thread of its own. The lenses also state why they let
/// accesses at `watched` sites pass, if they can.
pub(super) fn analyse_together(
    path: &Path,
    lenses: &[Choice],
    ptx: &PtxOptions,
    watched: &[SitePair],
) -> Result<Vec<Analysed>, String> {
    let asked: Vec<_> = lenses.iter().map(|lens| ask(lens, ptx, 1, watched).0).collect();
    let (heard, damage) = read(path, &asked, Deal::Everything)?;
    let all = asked.iter().zip(heard);
    Ok(all.map(|(asked, heard)| asked.analysed(path, heard, damage.as_ref(), Vec::new())).collect())
}

/// The monitors of one lens, which share the work. The first one also takes notes.
struct Asked<M> {
    lens: Choice,
    first: Noted<M>,
    others: Vec<M>,
    ways: Ways<M>,
}

/// The findings of a lens, and its acquittals.
type Answer = (Vec<Finding>, Acquittals);

/// How monitors are asked that share the work.
struct Ways<M> {
    /// Returns the findings, with those of other parts of memory.
    answer: fn(&[&M], Vec<Found>) -> Answer,
    /// Returns the findings for a merge with other parts.
    found: fn(&[&M]) -> Found,
    /// Returns the monitor, if it may exceed a limit on its memory.
    limited: fn(&M) -> Option<&Arc<PtxMonitor>>,
}

/// The monitors of any lens.
pub(super) trait Asks {
    fn audience(&self) -> Vec<&dyn Audience>;

    /// Returns the lens's result; `heard` is what the first monitor received, and `others` are the results for other parts of
    /// memory.
    fn analysed(
        &self,
        path: &Path,
        heard: Heard,
        damage: Option<&trace::Error>,
        others: Vec<Part>,
    ) -> Analysed;

    /// Returns the result for the lens's part of memory.
    fn part(&self) -> Part;

    /// Returns the monitor, if it may exceed a limit on its memory.
    fn limited(&self) -> Option<Arc<PtxMonitor>>;
}

/// Returns whether the lens can judge parts of memory.
pub(super) fn divides(lens: &Choice) -> bool {
    named::lens(lens).is_none_or(|mut lens| lens.restrict(Shard::NOTHING))
}

/// Returns the monitors of a lens for the shard in `ptx`, and how the trace is dealt to them.
pub(super) fn ask(
    lens: &Choice,
    ptx: &PtxOptions,
    jobs: usize,
    watched: &[SitePair],
) -> (Box<dyn Asks>, Deal) {
    // A lens that cannot be sharded runs as a whole.
    let whole = ptx.shard == Shard::WHOLE && jobs <= 1;
    let shards: Option<Vec<_>> = (ptx.shard.divided(jobs))
        .map(|shard| {
            let mut built = named::lens(lens)?;
            if !watched.is_empty() {
                built.watch(watched);
            }
            (whole || built.restrict(shard)).then(|| Serial::new(built))
        })
        .collect();
    let Some(shards) = shards.or_else(|| named::serial(lens).map(|whole| vec![whole])) else {
        let blocks = Blocks::all(PtxMonitor::new(ptx.clone()), jobs.max(1));
        let deal = if blocks.len() > 1 { Deal::Blocks } else { Deal::Everything };
        return (asked(lens, blocks, OF_PTX), deal);
    };
    let ways = if whole { OF_WHOLE } else { OF_SHARDS };
    (asked(lens, shards, ways), Deal::Everything)
}

const OF_PTX: Ways<Blocks> = Ways {
    answer: |m, others| {
        for found in others {
            if let Found::Ptx(partial) = found {
                m[0].monitor().add_partial(*partial);
            }
        }
        (m[0].findings(), Acquittals::new())
    },
    found: |m| Found::Ptx(Box::new(m[0].monitor().take_partial())),
    limited: |m| Some(m.monitor()),
};

const OF_WHOLE: Ways<Serial<Box<dyn Lens>>> =
    Ways { answer: |m, _| (m[0].findings(), m[0].lens().acquittals().into_iter().collect()), ..OF_SHARDS };

const OF_SHARDS: Ways<Serial<Box<dyn Lens>>> = Ways {
    answer: |m, others| {
        let others = others.into_iter().map(|found| match found {
            Found::Serial(dated) => dated,
            Found::Ptx(_) => Vec::new(),
        });
        (merge(others.chain([dated(m)])), Acquittals::new())
    },
    found: |m| Found::Serial(dated(m)),
    limited: |_| None,
};

fn dated(shards: &[&Serial<Box<dyn Lens>>]) -> Vec<(Moment, Finding)> {
    shards.iter().flat_map(|shard| shard.lens().take_dated()).collect()
}

fn asked<M: Monitor + 'static>(lens: &Choice, mut monitors: Vec<M>, ways: Ways<M>) -> Box<dyn Asks> {
    let first = Noted::new(monitors.remove(0));
    Box::new(Asked { lens: lens.clone(), first, others: monitors, ways })
}

/// A trace that ends where a detector has exceeded the limit on its memory.
struct UntilOver<R> {
    input: R,
    limited: Vec<Arc<PtxMonitor>>,
}

impl<R: Read> Read for UntilOver<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.limited.iter().any(|monitor| monitor.is_over()) { Ok(0) } else { self.input.read(buffer) }
    }
}

/// Plays the trace to all lenses at once. Returns what the first monitor of each has received, and the damage that ended the
/// reading.
pub(super) fn read(
    path: &Path,
    asked: &[Box<dyn Asks>],
    deal: Deal,
) -> Result<(Vec<Heard>, Option<trace::Error>), String> {
    let file = File::open(path).map_err(|e| format!("cannot open `{}`: {e}", path.display()))?;
    let limited = asked.iter().filter_map(|asked| asked.limited()).collect();
    let input = UntilOver { input: BufReader::new(file), limited };
    let audiences: Vec<_> = asked.iter().map(|asked| asked.audience()).collect();
    let (heard, outcome) = trace::play_together(input, &audiences.concat(), deal);
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
    Ok((audiences.iter().map(of_first).collect(), damage))
}

impl<M: Monitor> Asks for Asked<M> {
    fn audience(&self) -> Vec<&dyn Audience> {
        let first: &dyn Audience = &self.first;
        std::iter::once(first).chain(self.others.iter().map(|other| other as &dyn Audience)).collect()
    }

    fn limited(&self) -> Option<Arc<PtxMonitor>> {
        (self.ways.limited)(&self.first.inner).map(Arc::clone)
    }

    fn part(&self) -> Part {
        let account = self.account();
        Part { found: (self.ways.found)(&self.monitors()), ..account }
    }

    fn analysed(
        &self,
        path: &Path,
        heard: Heard,
        damage: Option<&trace::Error>,
        others: Vec<Part>,
    ) -> Analysed {
        let Heard { played, took } = heard;
        let mut own = self.account();
        let mut found = Vec::new();
        for other in others {
            found.push(own.add(other));
        }
        let (findings, acquittals) = (self.ways.answer)(&self.monitors(), found);
        let Part { limits: mut inconclusive, scope: limits, overlooked, shadow_bytes, touched_bytes, .. } =
            own;
        let (partial, peak) = (!limits.is_empty(), Footprint { shadow_bytes, touched_bytes });
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

impl<M: Monitor> Asked<M> {
    fn monitors(&self) -> Vec<&M> {
        std::iter::once(&self.first.inner).chain(&self.others).collect()
    }

    /// Returns a part without findings.
    fn account(&self) -> Part {
        let mut sum = Part::default();
        for account in self.monitors().iter().map(|m| m.account()) {
            // Each shard receives all accesses.
            sum.overlooked = account.overlooked.max(sum.overlooked);
            add_new(&mut sum.limits, account.limits);
            add_new(&mut sum.scope, account.scope);
            sum.shadow_bytes += account.footprint.shadow_bytes;
            sum.touched_bytes += account.footprint.touched_bytes;
        }
        sum
    }
}
