//! Shared memory of a cluster's other blocks: whether it is still there when it is accessed.
//!
//! Source: CUDA Programming Guide, "Distributed Shared Memory": a block's shared memory is there as long as the block runs, so an
//! access by a peer has to be complete before the block exits. A block exits once all of its threads have; so an access is safe if
//! it is ordered before the exit of *one* of them. Two things order it:
//!
//! * causality: the thread that exits knows of the access;
//! * waiting: the accessing thread arrived later at a barrier of the cluster, or at an mbarrier of the block, for which a thread of
//!   the block has waited. To wait is enough to stay alive, however relaxed the arrival was.
//!
//! What a schedule happened to do first is no order: an access of a block that is still there in this run is judged when the
//! block exits, and one that comes later races for certain.

use crate::ptx::access::entry::Entry;
use crate::ptx::access::thread::Who;
use crate::ptx::access::touches::lanes;
use crate::ptx::order::async_ops::Ops;
use crate::ptx::order::knowledge::BlockState;
use clocks::compressed::WarpIndex;
use events::{LaneMask, SiteId};
use rustc_hash::FxHashMap;

/// Accesses and arrivals kept of what peers do in one block's shared memory.
const KEPT: usize = 256;

/// How often the lanes of a warp have arrived at their cluster's barrier, and waited there.
#[derive(Clone, Copy, Debug, Default)]
struct Turns {
    arrived: u32,
    /// The lanes that have arrived so often. Lanes of a divergent warp arrive one after the other.
    lanes: LaneMask,
    waited: u32,
}

/// The last access of some lanes to a peer's shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Remote {
    pub(crate) entry: Entry,
    pub(crate) address: u64,
    pub(crate) bytes: u32,
    /// The generation of the cluster's barrier at which its warp arrives next.
    turn: u32,
    /// Its place among all that peers did.
    place: u64,
}

/// An arrival of a peer at an mbarrier of the block.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    block: u32,
    warp: u16,
    lane: u8,
    object: u64,
    phase: u64,
    place: u64,
}

/// The end of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit {
    pub(crate) site: Option<SiteId>,
    pub(crate) who: Who,
}

/// Accesses of the shared memory of one block from outside.
#[derive(Debug, Default)]
struct Owner {
    remotes: Vec<Remote>,
    arrivals: Vec<Arrival>,
    /// For each mbarrier, the last phase for which a thread of the block has waited.
    phases: FxHashMap<u64, u64>,
    exit: Option<Exit>,
    ended: bool,
    /// The first block of its cluster.
    cluster: u32,
}

/// The clusters of one observer's blocks.
#[derive(Debug, Default)]
pub(crate) struct Clusters {
    /// Generations of each cluster's barrier that are complete, by its first block.
    completed: FxHashMap<u32, u32>,
    turns: FxHashMap<WarpIndex, Turns>,
    owners: FxHashMap<u32, Owner>,
    /// Blocks of each cluster that have ended.
    ended: FxHashMap<u32, u32>,
    places: u64,
}

impl Clusters {
    pub(crate) fn arrives(&mut self, cluster: u32, by: WarpIndex, lanes: LaneMask) {
        let next = self.completed.get(&cluster).copied().unwrap_or(0) + 1;
        let turns = self.turns.entry(by).or_default();
        if turns.arrived != next {
            (turns.arrived, turns.lanes) = (next, 0);
        }
        turns.lanes |= lanes;
    }

    pub(crate) fn completes(&mut self, cluster: u32) {
        *self.completed.entry(cluster).or_default() += 1;
    }

    pub(crate) fn waits(&mut self, by: WarpIndex) {
        let turns = self.turns.entry(by).or_default();
        turns.waited = turns.arrived;
    }

    /// Returns the generation at which the first of some lanes arrives next.
    pub(crate) fn turn(&self, cluster: u32, by: WarpIndex, lanes: LaneMask) -> u32 {
        let have = |turns: &Turns| if lanes & !turns.lanes == 0 { turns.arrived } else { 0 };
        let arrived = self.turns.get(&by).map_or(0, have);
        arrived.max(self.completed.get(&cluster).copied().unwrap_or(0))
    }

    /// Returns how many generations a warp has waited for.
    pub(crate) fn waited(&self, by: WarpIndex) -> u32 {
        self.turns.get(&by).map_or(0, |turns| turns.waited)
    }

    /// A peer arrives at an mbarrier of `owner`.
    pub(crate) fn arrives_at(&mut self, owner: u32, by: Who, (object, phase): (u64, u64)) {
        self.places += 1;
        let Who { block, warp, lane } = by;
        let arrivals = &mut self.owners.entry(owner).or_default().arrivals;
        arrivals.retain(|old| (old.block, old.warp, old.lane, old.object) != (block, warp, lane, object));
        if arrivals.len() >= KEPT {
            arrivals.remove(0);
        }
        arrivals.push(Arrival { block, warp, lane, object, phase, place: self.places });
    }

    /// A thread of `owner` has waited for a phase of its mbarrier.
    pub(crate) fn awaits(&mut self, owner: u32, object: u64, phase: u64) {
        let last = self.owners.entry(owner).or_default().phases.entry(object).or_default();
        *last = (*last).max(phase);
    }

    /// A peer accesses the shared memory of `owner`. Returns the block's exit, if it has ended already.
    pub(crate) fn accesses(
        &mut self,
        owner: u32,
        cluster: u32,
        entry: Entry,
        address: u64,
        bytes: u32,
    ) -> Option<(Remote, Exit)> {
        self.places += 1;
        let turn = self.turn(cluster, entry.at(), entry.lanes);
        let new = Remote { entry, address, bytes, turn, place: self.places };
        let owner = self.owners.entry(owner).or_default();
        if owner.ended {
            return owner.exit.map(|exit| (new, exit));
        }
        let alike = |old: &Entry| {
            (old.block, old.warp, old.class.asynchronous())
                == (entry.block, entry.warp, entry.class.asynchronous())
        };
        if let Some(last) = owner.remotes.last_mut()
            && alike(&last.entry)
            && (last.entry.lanes, last.entry.tick) == (entry.lanes, entry.tick)
        {
            // Program order: the later one stands for both.
            *last = new;
            return None;
        }
        if !entry.class.asynchronous() {
            owner.remotes.retain_mut(|old| {
                if alike(&old.entry) {
                    old.entry.lanes &= !entry.lanes;
                }
                old.entry.lanes != 0
            });
        }
        if owner.remotes.len() >= KEPT {
            owner.remotes.remove(0);
        }
        owner.remotes.push(new);
        None
    }

    /// Lanes of a block exit.
    pub(crate) fn exits(&mut self, who: Who, site: Option<SiteId>) {
        self.owners.entry(who.block).or_default().exit = Some(Exit { site, who });
    }

    /// A block has ended, whose threads know what `state` says. Calls `late` for each access that is not ordered before that.
    pub(crate) fn ends(
        &mut self,
        (block, cluster, blocks): (u32, u32, u32),
        state: Option<&BlockState>,
        ops: &Ops,
        mut late: impl FnMut(&Remote, Exit),
    ) {
        let warps = state.map_or(0, |state| state.warps.len()) as u16;
        let waited = (0..warps).map(|warp| self.waited(WarpIndex { block, warp })).max().unwrap_or(0);
        let owner = self.owners.entry(block).or_default();
        (owner.ended, owner.cluster) = (true, cluster);
        let owner = &*owner;
        if let Some(exit) = owner.exit {
            for remote in &owner.remotes {
                let waits = remote.turn < waited && !remote.entry.class.asynchronous();
                let known = || state.is_some_and(|state| owner.is_known(remote, block, state, ops));
                if !waits && !known() {
                    late(remote, exit);
                }
            }
        }
        // After the last block of the cluster no access follows.
        let ended = self.ended.entry(cluster).or_default();
        *ended += 1;
        if *ended == blocks {
            let over = |owner: &Owner| owner.ended && owner.cluster == cluster;
            self.turns.retain(|member, _| !self.owners.get(&member.block).is_some_and(over));
            self.owners.retain(|_, owner| !over(owner));
            self.ended.remove(&cluster);
            self.completed.remove(&cluster);
        }
    }

    /// Forgets a block that is a cluster of its own and has ended.
    pub(crate) fn forgets(&mut self, block: u32) {
        if self.completed.remove(&block).is_some() {
            self.turns.retain(|member, _| member.block != block);
        }
    }
}

impl Owner {
    /// Returns whether a thread of the block knows that an access is complete, or has waited for a later arrival of its threads.
    fn is_known(&self, remote: &Remote, block: u32, state: &BlockState, ops: &Ops) -> bool {
        let Entry { block: by, warp, tick, class, .. } = remote.entry;
        let threads = || {
            let warps = (0..).zip(&state.warps);
            warps.flat_map(|(warp, known)| {
                let lanes = lanes(if known.uniform() { 1 } else { known.full });
                lanes.map(move |lane| (known, Who { block, warp, lane: lane as u8 }))
            })
        };
        if class.asynchronous() {
            return threads().any(|(known, who)| ops.known(known, who, tick, class.writes()));
        }
        let known =
            |lanes: LaneMask| threads().any(|(known, who)| known.unknown(who, by, warp, lanes, tick) == 0);
        let awaited = |lane: u8| {
            self.arrivals.iter().any(|arrival| {
                (arrival.block, arrival.warp, arrival.lane) == (by, warp, lane)
                    && arrival.place >= remote.place
                    && self.phases.get(&arrival.object).is_some_and(|&phase| phase >= arrival.phase)
            })
        };
        let rest = remote.entry.lanes;
        known(rest) || lanes(rest).all(|lane| known(1 << lane) || awaited(lane as u8))
    }
}
