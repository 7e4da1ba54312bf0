//! Telling records to a monitor.

use crate::batch::{Batch, Count, Host, Told, Unpacked};
use events::{BlockId, Dim3, Monitor, Observer, SiteTable, TaskId, TaskInfo, TaskKind};
use std::collections::{BTreeMap, HashSet};

/// How far playing came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    pub sites: SiteTable,
    /// What kernels did, whoever heard it.
    pub counts: BTreeMap<TaskId, Count>,
    /// The recorded program ended in order (the trace has its end mark).
    pub complete: bool,
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

/// Which events of kernels each of several monitors hears. All hear what the host did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deal {
    /// All of them.
    Everything,
    /// Those of some blocks, in kernels whose blocks cannot communicate, in clusters or otherwise. Other
    /// kernels are the first one's.
    Blocks,
}

pub(crate) struct Player<'m, M: Monitor> {
    monitor: &'m M,
    observer: M::Observer,
    played: Played,
    share: Option<Share>,
    unpacked: Unpacked,
}

/// One player's, if blocks are dealt.
struct Share {
    player: usize,
    /// Kernels whose blocks are.
    kernels: HashSet<TaskId>,
}

impl<'m, M: Monitor> Player<'m, M> {
    pub(crate) fn new(monitor: &'m M) -> Self {
        let (observer, played) = (monitor.observer(0), Played::default());
        Player { monitor, observer, played, share: None, unpacked: Unpacked::default() }
    }

    /// The player with this number, among some that share the work so.
    pub(crate) fn one_of(monitor: &'m M, player: usize, deal: Deal) -> Self {
        let share = (deal == Deal::Blocks).then(|| Share { player, kernels: HashSet::new() });
        Player { share, ..Player::new(monitor) }
    }

    pub(crate) fn played(self) -> Played {
        self.played
    }

    pub(crate) fn play(&mut self, batch: &Batch) {
        for (task, count) in batch.counts() {
            let sum = self.played.counts.entry(*task).or_default();
            sum.accesses += count.accesses;
            sum.events += count.events;
        }
        let Some(share) = &mut self.share else {
            return batch.all().for_each(|told| self.tell(batch, told));
        };
        let divided = |host: &Host| match host {
            Host::TaskStart(TaskInfo { id, kind: TaskKind::Launch(info), .. }) => {
                let together = info.uses.blocks_communicate || info.cooperative || info.cluster != Dim3::ONE;
                (!together).then_some(*id)
            }
            _ => None,
        };
        share.kernels.extend(batch.hosts().iter().filter_map(divided));
        let player = share.player;
        if batch.counts().iter().all(|(task, _)| share.kernels.contains(task)) {
            return batch.of(player).for_each(|told| self.tell(batch, told));
        }
        for told in batch.all() {
            if self.is_mine(batch, &told) {
                self.tell(batch, told);
            }
        }
    }

    fn is_mine(&self, batch: &Batch, told: &Told<'_>) -> bool {
        let (Some(share), Some((task, block))) = (&self.share, told.place()) else { return true };
        let owner = if share.kernels.contains(&task) { batch.owner(block) } else { 0 };
        owner == share.player
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
        match host {
            Host::TaskStart(task) => self.monitor.task_start(task),
            Host::TaskEnd(task) => self.monitor.task_end(*task),
            Host::TaskAfter(task, after) => self.monitor.task_after(*task, after),
            Host::Range(range) => self.monitor.range(range),
            Host::Alloc(allocation) => self.monitor.alloc(allocation),
            Host::Free { base, bytes } => self.monitor.free(*base, *bytes),
            Host::Site(id, site) => self.played.sites.place(*id, site.clone()),
            Host::End => self.played.complete = true,
        }
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
