//! From racing accesses to findings.

use crate::lens::Shard;
use crate::ptx::access::entry::Entry;
use crate::ptx::access::thread::Who;
use crate::ptx::report::classify::{Doubt, Opinion};
use events::finding::{Actor, Apart, remedy};
use events::{
    BlockId, Class, Evidence, Finding, LaneMask, Level, Location, Side, SiteId, Space, SyncNote, TaskId,
    ThreadId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::hash_map;
use std::hash::Hash;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Two accesses that race.
pub(crate) struct Race<'a> {
    pub(crate) task: TaskId,
    pub(crate) space: Space,
    /// Address of the cell.
    pub(crate) cell: u64,
    pub(crate) old: &'a Entry,
    /// The lanes of `old` that race with `me`.
    pub(crate) lanes: LaneMask,
    pub(crate) new: &'a Entry,
    pub(crate) me: Who,
    /// Which was first means nothing: blocks that cannot see each other, in any order.
    pub(crate) either_first: bool,
    /// Identifiers of the asynchronous operations, 0 for none.
    pub(crate) ops: [u64; 2],
    /// A hazard, if lanes of one instruction store equal bytes.
    pub(crate) level: Level,
}

/// Findings of all observers, grouped.
#[derive(Debug)]
pub(crate) struct Sink {
    /// The memory whose races are collected here.
    shard: Shard,
    groups: Mutex<FxHashMap<Key, Group>>,
    /// Locations that were seen to be locks.
    locks: Mutex<FxHashSet<(TaskId, Location)>>,
    /// How many times findings were taken.
    taken: AtomicU32,
}

/// So many locks are remembered.
const LOCKS: usize = 1 << 16;

/// The finding of one pair of instructions.
#[derive(Clone, Debug)]
struct Group {
    finding: Finding,
    /// As long as all of its races are in doubt.
    doubt: Option<Doubt>,
    /// Races that were only counted, see [`Sink::again`].
    again: Again,
}

/// The contents of a sink, for another one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Collected {
    groups: Vec<(Finding, Option<Doubt>)>,
    locks: Vec<(TaskId, Location)>,
}

/// The counter of races of a pair of instructions that is known already.
pub(crate) type Again = Arc<AtomicU64>;

/// The order of findings: see [`rank`].
pub(crate) type Rank = (SideRank, SideRank);

/// Sites in order (tasks, where there are none), the class, the level, and what tells remedies of that class apart.
type Key = ([(Option<SiteId>, Option<TaskId>); 2], Class, Level, (Apart, bool));

impl Race<'_> {
    fn sides(&self) -> [Side; 2] {
        let Race { task, cell, old, new, me, either_first, ops, .. } = *self;
        let overlap = |e: &Entry| (cell + u64::from(e.bytes.trailing_zeros()), e.bytes.count_ones());
        let side = |e: &Entry, who: Who, op: u64| {
            let (address, size) = overlap(e);
            Side {
                site: Some(e.site),
                task,
                who: Actor::Thread { block: BlockId(who.block), thread: ThreadId(who.thread() as u16) },
                kind: e.class.kind(op),
                strength: e.class.strength(),
                proxy: e.class.proxy(),
                address,
                size,
            }
        };
        let other = self.other();
        let mut sides = [side(old, other, ops[0]), side(new, me, ops[1])];
        if either_first && me.block < other.block {
            sides.swap(0, 1);
        }
        sides
    }

    /// Returns what tells its remedy apart from others of that class, if no third thread has a part in it.
    pub(crate) fn remedy(&self, class: Class) -> (Apart, bool) {
        remedy(class, &self.sides(), &[])
    }

    /// The thread of the earlier access.
    fn other(&self) -> Who {
        self.old.who(self.lanes)
    }

    /// As [`rank`] of its sides.
    pub(crate) fn rank(&self) -> Rank {
        let other = self.other();
        let side = |e: &Entry, who: Who| {
            (
                self.task,
                actor(who.block, who.thread() as u16),
                self.cell + u64::from(e.bytes.trailing_zeros()),
            )
        };
        let (first, second) = (side(self.old, other), side(self.new, self.me));
        if self.either_first && self.me.block < other.block { (first, second) } else { (second, first) }
    }
}

impl Sink {
    pub(crate) fn new(shard: Shard) -> Self {
        Sink { shard, groups: Mutex::default(), locks: Mutex::default(), taken: AtomicU32::new(0) }
    }

    /// Returns whether races of this location are collected here. Of detectors that divide memory, one does.
    #[inline]
    pub(crate) fn owns(&self, space: Space, address: u64) -> bool {
        self.shard.owns(space, address)
    }

    /// Takes all that is collected, as it is: doubts stay.
    pub(crate) fn collected(&self) -> Collected {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        let locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        self.taken.fetch_add(1, Ordering::Relaxed);
        let whole = |mut group: Group| {
            group.finding.count += group.again.load(Ordering::Relaxed);
            (group.finding, group.doubt)
        };
        let mut groups: Vec<_> = groups.drain().map(|(_, group)| whole(group)).collect();
        groups.sort_by_cached_key(|(finding, _)| (rank(&finding.sides), finding.class, finding.level));
        Collected { groups, locks: locks.iter().copied().collect() }
    }

    /// Adds what another sink, of other memory, has collected.
    pub(crate) fn collect(&self, Collected { groups, locks }: Collected) {
        for (finding, doubt) in groups {
            self.insert(Group { finding, doubt, again: Again::default() });
        }
        self.locks.lock().unwrap_or_else(PoisonError::into_inner).extend(locks);
    }

    /// Returns the counter of a race of this class and the rank of the race that is shown, if one like it is
    /// shown before it. Otherwise the caller must explain the race.
    pub(crate) fn again(&self, race: &Race<'_>, class: Class) -> Option<(Again, Rank)> {
        let sides = race.sides();
        let groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            groups.get(&key(&sides, (class, race.level), &[])).filter(|group| group.doubt.is_none())?;
        let shown = rank(&known.finding.sides);
        (shown <= rank(&sides)).then(|| (Arc::clone(&known.again), shown))
    }

    /// As long as this is the same, so are the places where races are counted. (Of races that are counted at the very moment
    /// at which findings are taken, the count may go missing, but no finding.)
    pub(crate) fn taken(&self) -> u32 {
        self.taken.load(Ordering::Relaxed)
    }

    pub(crate) fn race(&self, race: &Race<'_>, opinion: Opinion) {
        if !self.owns(race.space, race.cell) {
            return;
        }
        let Opinion { class, notes, doubt } = opinion;
        let sides = race.sides();
        let finding = Finding {
            lens: "ptx".to_owned(),
            level: race.level,
            class,
            evidence: Evidence::Observed,
            space: race.space,
            sides,
            notes,
            count: 1,
        };
        self.insert(Group { finding, doubt, again: Again::default() });
    }

    /// Adds a finding that all detectors of parts of memory make: one of them has it.
    pub(crate) fn add(&self, finding: Finding) {
        if self.owns(finding.space, finding.sides[1].address) {
            self.add_own(finding);
        }
    }

    /// Adds a finding that no detector of another part of memory makes.
    pub(crate) fn add_own(&self, finding: Finding) {
        self.insert(Group { finding, doubt: None, again: Again::default() });
    }

    /// A location turned out to be a lock.
    pub(crate) fn is_lock(&self, task: TaskId, lock: Location) {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        if locks.len() > LOCKS {
            locks.clear();
        }
        locks.insert((task, lock));
    }

    fn insert(&self, new: Group) {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        let Finding { ref sides, class, level, ref notes, .. } = new.finding;
        let key = key(sides, (class, level), notes);
        match groups.entry(key) {
            hash_map::Entry::Vacant(entry) => {
                entry.insert(new);
            }
            hash_map::Entry::Occupied(mut entry) => entry.get_mut().join(new),
        }
    }

    /// Returns the findings since the last call, in a stable order.
    pub(crate) fn take(&self) -> Vec<Finding> {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        let locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        self.taken.fetch_add(1, Ordering::Relaxed);
        settled(groups.drain().map(|(_, group)| group), &locks)
    }

    /// The same, without taking it.
    pub(crate) fn so_far(&self) -> Vec<Finding> {
        let groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        let locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        settled(groups.values().cloned(), &locks)
    }
}

/// The findings, with nothing in doubt any more.
fn settled(groups: impl Iterator<Item = Group>, locks: &FxHashSet<(TaskId, Location)>) -> Vec<Finding> {
    let mut settled: FxHashMap<Key, Finding> = FxHashMap::default();
    for mut of in groups {
        of.settle(locks);
        of.finding.count += of.again.load(Ordering::Relaxed);
        let Finding { ref sides, class, level, ref notes, .. } = of.finding;
        let key = key(sides, (class, level), notes);
        group(&mut settled, key, of.finding, |finding| rank(&finding.sides));
    }
    // A pair of instructions that races is no hazard as well.
    let races: FxHashSet<Key> = settled.keys().filter(|key| key.2 == Level::Race).copied().collect();
    settled.retain(|&(sites, class, level, remedy), _| {
        level == Level::Race || !races.contains(&(sites, class, Level::Race, remedy))
    });
    sorted(settled.into_values().collect())
}

fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by_cached_key(|f| (rank(&f.sides), f.sides[0].site, f.sides[1].site, f.class));
    findings
}

fn key(sides: &[Side; 2], (class, level): (Class, Level), notes: &[SyncNote]) -> Key {
    let mut sites = sides.each_ref().map(|s| (s.site, s.site.is_none().then_some(s.task)));
    sites.sort();
    (sites, class, level, remedy(class, sides, notes))
}

impl Group {
    /// Its sides are those that come first by task, place and address, whichever was found first, so that the
    /// number of workers does not show.
    fn join(&mut self, new: Group) {
        let count = self.finding.count + new.finding.count;
        // A certain finding says more than the first one.
        let (old_rank, new_rank) = (
            (self.doubt.is_some(), rank(&self.finding.sides)),
            (new.doubt.is_some(), rank(&new.finding.sides)),
        );
        if new_rank < old_rank {
            (self.finding, self.doubt) = (new.finding, new.doubt);
        }
        // A hazard of a warp is told once by each observer.
        self.finding.count = if self.finding.class == Class::VolatileWarp { 1 } else { count };
    }

    /// Decides what was in doubt.
    fn settle(&mut self, locks: &FxHashSet<(TaskId, Location)>) {
        let Some(Doubt { locks: doubted, otherwise }) = self.doubt.take() else { return };
        let task = self.finding.sides[0].task;
        let is_lock = |lock: &Location| locks.contains(&(task, *lock));
        if !doubted.iter().any(is_lock) {
            (self.finding.class, self.finding.notes) = otherwise;
            return;
        }
        for note in &mut self.finding.notes {
            if let SyncNote::Locks { first, second } = note {
                first.retain(|lock| !doubted.contains(lock) || is_lock(lock));
                second.retain(|lock| !doubted.contains(lock) || is_lock(lock));
                // One of two locks may have been none.
                if first.is_empty() && second.is_empty() {
                    (self.finding.class, self.finding.notes) = otherwise;
                    return;
                }
                if first.is_empty() || second.is_empty() {
                    self.finding.class = Class::LockMissing;
                }
            }
        }
    }
}

/// Adds a finding to those of its key: the first by rank is kept, and stands for all.
pub(crate) fn group<K: Eq + Hash, R: Ord>(
    groups: &mut FxHashMap<K, Finding>,
    key: K,
    finding: Finding,
    rank: impl Fn(&Finding) -> R,
) {
    match groups.entry(key) {
        hash_map::Entry::Vacant(entry) => {
            entry.insert(finding);
        }
        hash_map::Entry::Occupied(mut entry) => {
            let kept = entry.get_mut();
            let count = kept.count + finding.count;
            if rank(&finding) < rank(kept) {
                *kept = finding;
            }
            kept.count = count;
        }
    }
}

type SideRank = (TaskId, u64, u64);

fn actor(block: u32, thread: u16) -> u64 {
    u64::from(block) << 16 | u64::from(thread)
}

fn rank([first, second]: &[Side; 2]) -> Rank {
    let side = |side: &Side| {
        let who = match side.who {
            Actor::Thread { block, thread } => actor(block.0, thread.0),
            Actor::Engine => u64::MAX,
            Actor::HostThread(thread) => 1 << 60 | u64::from(thread),
            Actor::Unseen => u64::MAX - 1,
        };
        (side.task, who, side.address)
    };
    (side(second), side(first))
}
