//! Telling records to a monitor.

use crate::batch::{Batch, Count, Host, Told, Unpacked};
use crate::clock::thread_time;
use crate::order::{Progress, Waits, is_dealt};
use events::{BlockId, LaunchFacts, Monitor, Observer, SiteTable, TaskId};
use names::Engine;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// How far playing came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// The engine of the recorded run.
    pub engine: Engine,
    pub sites: SiteTable,
    /// The facts of launches; empty for traces of version 1.
    pub launches: BTreeMap<TaskId, LaunchFacts>,
    /// The counts of all kernels, heard by a monitor or not.
    pub counts: BTreeMap<TaskId, Count>,
    /// The recorded program ended in order (the trace has its end mark).
    pub complete: bool,
}

/// The events that a monitor has received from a trace.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    pub played: Played,
    /// Processor time of the monitor, without the reading of the trace.
    pub took: Duration,
}

impl Played {
    /// Accesses of threads, in all kernels.
    pub fn accesses(&self) -> u64 {
        self.counts.values().map(|count| count.accesses).sum()
    }

    /// Accesses and synchronisation, each once for a warp.
    pub fn events(&self) -> u64 {
        self.counts.values().map(|count| count.events).sum()
    }
}

/// The kernels' events that each of several monitors receives. All receive the host's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deal {
    /// All of them.
    Everything,
    /// The events of some blocks. Accesses to the same global memory, one of which writes, are played in the
    /// order of the trace, if the kernel's blocks communicate. Kernels with clusters and cooperative ones are
    /// the first monitor's.
    Blocks,
}

pub(crate) struct Player<'m, M: Monitor> {
    monitor: &'m M,
    observer: M::Observer,
    heard: Heard,
    share: Option<Share>,
    unpacked: Unpacked,
}

/// One player's, if blocks are dealt.
struct Share {
    player: usize,
    progress: Arc<Progress>,
    /// Kernels whose blocks are.
    kernels: HashSet<TaskId>,
}

impl<'m, M: Monitor> Player<'m, M> {
    pub(crate) fn new(monitor: &'m M) -> Self {
        let (observer, heard) = (monitor.observer(0), Heard::default());
        Player { monitor, observer, heard, share: None, unpacked: Unpacked::default() }
    }

    /// The player with this number, if blocks are dealt to `progress`'s.
    pub(crate) fn one_of(monitor: &'m M, player: usize, progress: Option<&Arc<Progress>>) -> Self {
        let progress = progress.map(Arc::clone);
        let share = progress.map(|progress| Share { player, progress, kernels: HashSet::new() });
        Player { share, ..Player::new(monitor) }
    }

    /// Sets the engine of the recorded run.
    pub(crate) fn speaks(&mut self, engine: Engine) {
        self.heard.played.engine = engine;
    }

    pub(crate) fn heard(self) -> Heard {
        self.heard
    }

    /// Plays the batch, or this player's share of it; `waits` are those of a share.
    pub(crate) fn play(&mut self, batch: &Batch, waits: &Waits) {
        let start = thread_time();
        self.play_timed(batch, waits);
        self.heard.took += thread_time().saturating_sub(start);
    }

    fn play_timed(&mut self, batch: &Batch, waits: &Waits) {
        for (task, count) in batch.counts() {
            let sum = self.heard.played.counts.entry(*task).or_default();
            sum.accesses += count.accesses;
            sum.events += count.events;
        }
        let Some(mut share) = self.share.take() else {
            return batch.all().for_each(|told| self.tell(batch, told));
        };
        let dealt = batch.hosts().iter().filter_map(|host| match host {
            Host::TaskStart(task) if is_dealt(task) => Some(task.id),
            _ => None,
        });
        share.kernels.extend(dealt);
        let mut done = 0;
        let mut tell = |(slot, told): (u32, Told<'_>)| {
            waits.before(share.player, slot, &mut done, &share.progress);
            self.tell(batch, told);
            waits.told(share.player, slot, &share.progress);
        };
        if batch.counts().iter().all(|(task, _)| share.kernels.contains(task)) {
            batch.of(share.player).for_each(tell);
        } else {
            let all = (0..).zip(batch.all());
            all.filter(|(_, told)| share.is_mine(batch, told)).for_each(&mut tell);
        }
        self.share = Some(share);
    }

    #[inline]
    fn tell(&mut self, batch: &Batch, told: Told<'_>) {
        match told {
            Told::Access(packed) => self.observer.access(&self.unpacked.access(batch, &packed)),
            Told::Sync(sync) => self.observer.sync(&sync),
            Told::Host(host) => self.host(host),
        }
    }

    fn host(&mut self, host: &Host) {
        // A task may end without its blocks' ends.
        self.observer.rest();
        match host {
            Host::Site(id, site) => self.heard.played.sites.place(*id, site.clone().into_owned()),
            Host::Launched(task, facts) => {
                self.heard.played.launches.insert(*task, facts.clone().into_owned());
            }
            Host::End => self.heard.played.complete = true,
            _ => {}
        }
        self.monitor.host(host);
    }
}

impl Share {
    fn is_mine(&self, batch: &Batch, told: &Told<'_>) -> bool {
        let Some((task, block)) = told.place() else { return true };
        let owner = if self.kernels.contains(&task) { batch.owner(block) } else { 0 };
        owner == self.player
    }
}

impl Told<'_> {
    /// The kernel and the block where it happened.
    fn place(&self) -> Option<(TaskId, BlockId)> {
        match self {
            Told::Access(packed) => Some((packed.warp.task, packed.warp.block)),
            Told::Sync(sync) => Some(sync.place()),
            Told::Host(_) => None,
        }
    }
}
