//! Finds the event in a trace at which each of many findings was made.

use super::walk::{Tables, Walk, walk};
use detect::named;
use detect::ptx::PtxMonitor;
use events::access::Warp;
use events::finding::Actor;
use events::{Access, Finding, HostEvent, Monitor, Observer, Side, SiteId, Sync, TaskId};
use names::Replay;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The event that completed a finding, counted from 0. [`NEVER`] stands for findings that no event completes:
/// between tasks, and between blocks that cannot see each other, which are compared after their end.
pub(super) type Event = u64;
pub(super) const NEVER: Event = u64::MAX;

/// The thread, site and address of both sides.
type Key = [(TaskId, Option<SiteId>, Option<(u32, u16)>, u64); 2];

fn key(sides: &[Side; 2]) -> Key {
    let mut key = sides.each_ref().map(|side| {
        let who = match side.who {
            Actor::Thread { block, thread } => Some((block.0, thread.0)),
            _ => None,
        };
        (side.task, side.site, who, side.address)
    });
    key.sort();
    key
}

/// Queries the lens after each access that may complete a finding.
struct Locator<M: Monitor> {
    monitor: M,
    observer: M::Observer,
    watched: HashSet<(Warp, SiteId)>,
    wanted: HashMap<Key, Vec<usize>>,
    events: Vec<Event>,
    tables: Tables,
}

impl<M: Monitor> Locator<M> {
    fn ask(&mut self, number: Event) {
        for found in self.monitor.findings() {
            for i in self.wanted.remove(&key(&found.sides)).unwrap_or_default() {
                self.events[i] = number;
            }
        }
    }
}

impl<M: Monitor + Send> Walk for Locator<M> {
    fn access(&mut self, number: u64, access: &Access<'_>) {
        self.observer.access(access);
        if self.watched.contains(&(access.warp, access.site)) {
            self.ask(number);
        }
    }

    fn sync(&mut self, _: u64, sync: &Sync<'_>) {
        self.observer.sync(sync);
    }

    fn host(&mut self, event: &HostEvent<'_>) {
        self.monitor.host(event);
        self.tables.ledger.note(event);
        if matches!(event, HostEvent::TaskEnd(_)) {
            self.ask(NEVER);
        }
    }
}

/// Returns the event of each finding, and the tables to which the trace's events refer.
pub(super) fn locate(
    trace: &Path,
    findings: &[&Finding],
    replay: &Replay,
) -> Result<(Vec<Event>, Tables), String> {
    match named::serial(&replay.lens) {
        Some(lens) => locate_with(trace, findings, lens),
        None => locate_with(trace, findings, PtxMonitor::new(named::ptx_options(replay.laws()))),
    }
}

fn locate_with<M: Monitor + Send>(
    trace: &Path,
    findings: &[&Finding],
    monitor: M,
) -> Result<(Vec<Event>, Tables), String> {
    let mut wanted: HashMap<Key, Vec<usize>> = HashMap::new();
    let mut watched = HashSet::new();
    for (i, finding) in findings.iter().enumerate() {
        wanted.entry(key(&finding.sides)).or_default().push(i);
        for side in &finding.sides {
            if let (Actor::Thread { block, thread }, Some(site)) = (side.who, side.site) {
                watched.insert((Warp { task: side.task, block, warp: thread.warp() }, site));
            }
        }
    }
    let observer = monitor.observer(0);
    let events = vec![NEVER; findings.len()];
    let locator = Locator { monitor, observer, watched, wanted, events, tables: Tables::default() };
    let (locator, sites, _) = walk(trace, locator)?;
    Ok((locator.events, Tables { sites, ..locator.tables }))
}
