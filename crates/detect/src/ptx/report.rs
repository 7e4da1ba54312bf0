//! From racing accesses to findings.

use super::cell::Entry;
use super::knowledge::{ALL_WARPS, Who};
use events::finding::Actor;
use events::{
    BlockId, Class, Evidence, Finding, LaneMask, Level, Side, SiteId, Space, SyncNote, TaskId, ThreadId,
};
use rustc_hash::FxHashMap;
use std::collections::hash_map;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

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
    pub(crate) class: Class,
    pub(crate) notes: Vec<SyncNote>,
    /// Which was first means nothing: blocks that cannot see each other, in any order.
    pub(crate) either_first: bool,
    /// Identifiers of the asynchronous operations, 0 for none.
    pub(crate) ops: [u64; 2],
}

/// Findings of all observers, grouped.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    groups: Mutex<FxHashMap<Key, Finding>>,
}

/// Sites in order, and the class.
type Key = (Option<SiteId>, Option<SiteId>, Class);

impl Sink {
    pub(crate) fn race(&self, race: Race<'_>) {
        let Race { task, space, cell, old, lanes, new, me, class, notes, either_first, ops } = race;
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
        // Of a merged access it is not known which thread it was.
        let warp = if old.warp == ALL_WARPS { 0 } else { old.warp };
        let lane = if old.warp == ALL_WARPS { 0 } else { lanes.trailing_zeros() as u8 };
        let other = Who { block: old.block, warp, lane };
        let mut sides = [side(old, other, ops[0]), side(new, me, ops[1])];
        if either_first && me.block < other.block {
            sides.swap(0, 1);
        }
        self.add(Finding {
            lens: "ptx".to_owned(),
            level: Level::Race,
            class,
            evidence: Evidence::Observed,
            space,
            sides,
            notes,
            count: 1,
        });
    }

    /// Adds a finding to its group. The group's sides are those that come first by task, place and
    /// address, whichever was found first, so that the number of workers does not show.
    pub(crate) fn add(&self, finding: Finding) {
        let sites = [finding.sides[0].site, finding.sides[1].site];
        let key = (sites[0].min(sites[1]), sites[0].max(sites[1]), finding.class);
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        group(&mut groups, key, finding, rank);
    }

    /// What was found since the last call, in a stable order.
    pub(crate) fn take(&self) -> Vec<Finding> {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        sorted(groups.drain().map(|(_, finding)| finding).collect())
    }

    /// The same, without taking it.
    pub(crate) fn so_far(&self) -> Vec<Finding> {
        let groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        sorted(groups.values().cloned().collect())
    }
}

fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by_cached_key(|f| (rank(f), f.sides[0].site, f.sides[1].site, f.class));
    findings
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

fn rank(finding: &Finding) -> (SideRank, SideRank) {
    let side = |side: &Side| {
        let who = match side.who {
            Actor::Thread { block, thread } => u64::from(block.0) << 16 | u64::from(thread.0),
            Actor::Engine => u64::MAX,
            Actor::HostThread(thread) => 1 << 60 | u64::from(thread),
        };
        (side.task, who, side.address)
    };
    (side(&finding.sides[1]), side(&finding.sides[0]))
}
