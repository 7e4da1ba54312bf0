//! Finds a race in a trace.

use crate::story::{Found, Tables, Walk, walk};
use detect::named;
use detect::ptx::PtxMonitor;
use events::finding::Actor;
use events::{Access, Finding, HostEvent, Monitor, Observer, Site, Sync, TaskInfo, TaskKind};
use names::Replay;
use report::model::Described;
use std::path::Path;
use std::sync::Arc;

/// A monitor that queries a lens after each access.
struct Finder<M: Monitor> {
    monitor: M,
    observer: M::Observer,
    /// All findings so far, each with the number of the event that completed it.
    found: Vec<(u64, Finding)>,
    tables: Tables,
}

/// Limits how many findings are collected.
const MOST: usize = 100_000;

impl<M: Monitor> Finder<M> {
    fn ask(&mut self, number: u64) {
        if self.found.len() < MOST {
            self.found.extend(self.monitor.findings().into_iter().map(|f| (number, f)));
        }
    }
}

impl<M: Monitor + Send> Walk for Finder<M> {
    fn access(&mut self, number: u64, access: &Access<'_>) {
        self.observer.access(access);
        self.ask(number);
    }

    fn sync(&mut self, number: u64, sync: &Sync<'_>) {
        self.observer.sync(sync);
        self.ask(number);
    }

    fn host(&mut self, event: &HostEvent<'_>) {
        self.monitor.host(event);
        self.tables.ledger.note(event);
        if matches!(event, HostEvent::TaskEnd(_)) {
            self.ask(u64::MAX);
        }
    }
}

/// Finds the race that `wanted` describes in a trace, with the lens that reported it.
pub(super) fn find(trace: &Path, wanted: &Described, replay: &Replay) -> Result<Found, String> {
    match named::serial(&replay.lens) {
        Some(lens) => find_with(trace, wanted, lens),
        None => find_with(trace, wanted, PtxMonitor::new(named::ptx_options(replay.laws()))),
    }
}

fn find_with<M: Monitor + Send>(trace: &Path, wanted: &Described, monitor: M) -> Result<Found, String> {
    let observer = monitor.observer(0);
    let finder = Finder { monitor, observer, found: Vec::new(), tables: Tables::default() };
    let (finder, sites, damage) = walk(trace, finder)?;
    if let Some(error) = damage {
        crate::terminal::error(&format!("the record ends early: {error}"));
    }
    let Finder { found, tables, .. } = finder;
    let tables = Tables { sites, ..tables };
    let same_sites = |f: &Finding| {
        let is = |i: usize, j: usize| {
            let site = f.sides[i].site.and_then(|id| tables.sites.get(id));
            site.is_some_and(|site| is_at(site, wanted, j))
        };
        is(0, 0) && is(1, 1) || is(0, 1) && is(1, 0)
    };
    let same_threads = |f: &Finding| {
        let who = |i: usize| coordinates(&tables.ledger.tasks, f, i);
        let wanted = [0, 1].map(|i| wanted.accesses[i].block.zip(wanted.accesses[i].thread));
        [who(0), who(1)] == wanted || [who(1), who(0)] == wanted
    };
    let mut all: Vec<(u64, Finding)> = found.into_iter().filter(|(_, f)| same_sites(f)).collect();
    let exact = all.iter().position(|(_, f)| f.class == wanted.class && same_threads(f));
    let like = || all.iter().position(|(_, f)| f.class == wanted.class);
    let at = exact.or_else(like).unwrap_or(0);
    if all.is_empty() {
        return Err(
            "run again, the program does not show this: has it, or its input, changed? What it reads from \
                    standard input must be given again (`warprace explain REPORT N < INPUT`)"
                .to_owned(),
        );
    }
    let (event, finding) = all.swap_remove(at);
    Found::new(finding, event, Arc::new(tables)).ok_or_else(|| "one side was not seen".to_owned())
}

/// Returns whether a site is the instruction of one of the described accesses.
fn is_at(site: &Site, wanted: &Described, access: usize) -> bool {
    let access = &wanted.accesses[access];
    site.ptx_line == access.ptx_line && site.text == access.instruction
}

type Coordinates = ([u32; 3], [u32; 3]);

fn coordinates(tasks: &[TaskInfo], f: &Finding, side: usize) -> Option<Coordinates> {
    let side = &f.sides[side];
    let Actor::Thread { block, thread } = side.who else { return None };
    let TaskKind::Launch(l) = &tasks.iter().find(|t| t.id == side.task)?.kind else { return None };
    let (b, t) = (l.grid.coordinates(block.0.into()), l.block.coordinates(thread.0.into()));
    Some(([b.x, b.y, b.z], [t.x, t.y, t.z]))
}
