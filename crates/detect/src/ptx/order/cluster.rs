//! Shared memory of a cluster's other blocks: whether it is still there when it is accessed.
//!
//! Source: CUDA Programming Guide, "Distributed Shared Memory": a block's shared memory is there as long as the block runs, so an
//! access by a peer has to be complete before the block exits. A block exits once all of its threads have; so an access is safe if
//! it is ordered before the exit of *one* of them. Two things order it:
//!
//! * causality: the thread that exits knows of the access;
//! * waiting: the accessing thread arrived later at a barrier of the cluster, or at an mbarrier of the block, for which a thread of
//!   the block has waited. To wait is enough to stay alive, however relaxed the arrival was. An asynchronous access has no thread that
//!   arrives behind it: any that knows that it is complete will do, at an mbarrier.
//!
//! What a schedule happened to do first is no order: an access of a block that is still there in this run is judged when the
//! block exits, and one that comes later races for certain.

use crate::ptx::access::entry::Entry;
use crate::ptx::access::thread::Who;
use crate::ptx::access::touches::lanes;
use crate::ptx::order::async_ops::Ops;
use crate::ptx::order::knowledge::BlockState;
use clocks::Tick;
use clocks::compressed::WarpIndex;
use events::{LaneMask, SiteId};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Accesses of one block's shared memory at which those that are ordered before its end are forgotten for the first time.
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

/// An arrival of a peer's lane at an mbarrier of the block.
#[derive(Clone, Copy, Debug)]
struct Arrival {
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

/// The accesses and arrivals of one warp of a peer in the shared memory of a block.
#[derive(Debug, Default)]
struct Peer {
    /// Asynchronous ones, and the last other one of each lane.
    remotes: Vec<Remote>,
    /// The first arrival of each lane at each object behind the lane's last access.
    arrivals: Vec<Arrival>,
}

/// Accesses of the shared memory of one block from outside.
#[derive(Debug, Default)]
struct Owner {
    peers: FxHashMap<WarpIndex, Peer>,
    /// Accesses of all peers.
    accesses: usize,
    /// Accesses that were left when those that are ordered were forgotten.
    left: usize,
    /// For each mbarrier, the last phase for which a thread of the block has waited.
    phases: FxHashMap<u64, u64>,
    /// For each asynchronous access, the objects and phases at which peers arrived first that knew that it was complete.
    told: FxHashMap<Tick, SmallVec<[(u64, u64); 2]>>,
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
        let place = self.places;
        let owner = self.owners.entry(owner).or_default();
        if let Some(peer) = owner.peers.get_mut(&by.at()) {
            peer.arrives(Arrival { lane: by.lane, object, phase, place });
        }
    }

    /// A peer arrives at an mbarrier of `owner`, and knows which asynchronous accesses are complete: of an operation's number, and
    /// whether it wrote.
    pub(crate) fn tells(
        &mut self,
        owner: u32,
        (object, phase): (u64, u64),
        knows: impl Fn(Tick, bool) -> bool,
    ) {
        let Some(Owner { peers, told, .. }) = self.owners.get_mut(&owner) else { return };
        let all = peers.values().flat_map(|peer| &peer.remotes);
        for Entry { tick, class, .. } in all.map(|remote| remote.entry).filter(|e| e.class.asynchronous()) {
            let is_first = told.get(&tick).is_none_or(|at| at.iter().all(|at| at.0 != object));
            if is_first && knows(tick, class.writes()) {
                told.entry(tick).or_default().push((object, phase));
            }
        }
    }

    /// A thread of `owner` has waited for a phase of its mbarrier.
    pub(crate) fn awaits(&mut self, owner: u32, object: u64, phase: u64) {
        let last = self.owners.entry(owner).or_default().phases.entry(object).or_default();
        *last = (*last).max(phase);
    }

    /// An mbarrier of `block` begins anew, whose phases are counted from zero: what the phases so far have ordered is settled, and
    /// they order nothing that follows.
    pub(crate) fn renews(&mut self, block: u32, object: u64, state: Option<&BlockState>, ops: &Ops) {
        if self.owners.get(&block).is_some_and(|owner| owner.phases.contains_key(&object)) {
            self.forgets_ordered(block, state, ops);
        }
        let Some(owner) = self.owners.get_mut(&block) else { return };
        owner.phases.remove(&object);
        owner.peers.values_mut().for_each(|peer| peer.arrivals.retain(|arrival| arrival.object != object));
        owner.told.values_mut().for_each(|at| at.retain(|at| at.0 != object));
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
        let peer = owner.peers.entry(entry.at()).or_default();
        let before = peer.remotes.len();
        peer.accesses(new);
        owner.accesses = (owner.accesses + peer.remotes.len()).saturating_sub(before);
        None
    }

    /// Returns whether so many accesses are kept of a block that it is time to forget those that are ordered.
    pub(crate) fn is_full(&self, owner: u32) -> bool {
        self.owners.get(&owner).is_some_and(|owner| owner.accesses >= KEPT.max(2 * owner.left))
    }

    /// Forgets accesses that are ordered before the end of `block`, whose threads know what `state` says.
    pub(crate) fn forgets_ordered(&mut self, block: u32, state: Option<&BlockState>, ops: &Ops) {
        let waited = self.longest_wait(block, state);
        let Some(mut owner) = self.owners.remove(&block) else { return };
        let mut peers = std::mem::take(&mut owner.peers);
        for peer in peers.values_mut() {
            let arrivals = &peer.arrivals;
            peer.remotes.retain(|remote| !owner.is_ordered(remote, arrivals, block, (state, waited), ops));
        }
        peers.retain(|_, peer| !peer.remotes.is_empty());
        owner.accesses = peers.values().map(|peer| peer.remotes.len()).sum();
        let numbers: FxHashSet<Tick> =
            peers.values().flat_map(|peer| &peer.remotes).map(|remote| remote.entry.tick).collect();
        owner.told.retain(|number, _| numbers.contains(number));
        (owner.left, owner.peers) = (owner.accesses, peers);
        self.owners.insert(block, owner);
    }

    /// Returns the last generation of the cluster's barrier for which a warp of a block has waited.
    fn longest_wait(&self, block: u32, state: Option<&BlockState>) -> u32 {
        let warps = state.map_or(0, |state| state.warps.len()) as u16;
        (0..warps).map(|warp| self.waited(WarpIndex { block, warp })).max().unwrap_or(0)
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
        self.forgets_ordered(block, state, ops);
        let owner = self.owners.entry(block).or_default();
        (owner.ended, owner.cluster) = (true, cluster);
        if let Some(exit) = owner.exit {
            let mut rest: Vec<Remote> =
                owner.peers.values().flat_map(|peer| &peer.remotes).copied().collect();
            rest.sort_unstable_by_key(|remote| remote.place);
            rest.iter().for_each(|remote| late(remote, exit));
        }
        owner.peers = FxHashMap::default();
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

impl Peer {
    fn accesses(&mut self, new: Remote) {
        let entry = &new.entry;
        let alike = |old: &Entry| old.class.asynchronous() == entry.class.asynchronous();
        if let Some(last) = self.remotes.last_mut()
            && alike(&last.entry)
            && (last.entry.lanes, last.entry.tick) == (entry.lanes, entry.tick)
        {
            // Program order: the later one stands for both.
            *last = new;
            return;
        }
        if !entry.class.asynchronous() {
            self.remotes.retain_mut(|old| {
                if alike(&old.entry) {
                    old.entry.lanes &= !entry.lanes;
                }
                old.entry.lanes != 0
            });
        }
        self.remotes.push(new);
    }

    fn arrives(&mut self, new: Arrival) {
        let by_lane = |old: &&Remote| !old.entry.class.asynchronous() && old.entry.lanes >> new.lane & 1 != 0;
        let Some(access) = self.remotes.iter().find(by_lane) else { return };
        let alike = |old: &Arrival| (old.lane, old.object) == (new.lane, new.object);
        self.arrivals.retain(|old| !alike(old) || old.place >= access.place);
        if !self.arrivals.iter().any(alike) {
            self.arrivals.push(new);
        }
    }
}

impl Owner {
    /// Returns whether a thread of the block has waited for a phase of its mbarrier, or for a later one.
    fn has_awaited(&self, object: u64, phase: u64) -> bool {
        self.phases.get(&object).is_some_and(|&last| last >= phase)
    }

    /// Returns whether an access is ordered before the end of the block, some warp of which has waited for `waited` generations.
    fn is_ordered(
        &self,
        remote: &Remote,
        arrivals: &[Arrival],
        block: u32,
        (state, waited): (Option<&BlockState>, u32),
        ops: &Ops,
    ) -> bool {
        let waits = remote.turn < waited && !remote.entry.class.asynchronous();
        waits || state.is_some_and(|state| self.is_known(remote, arrivals, block, state, ops))
    }

    /// Returns whether a thread of the block knows that an access is complete, or has waited for a later arrival of its threads.
    fn is_known(
        &self,
        remote: &Remote,
        arrivals: &[Arrival],
        block: u32,
        state: &BlockState,
        ops: &Ops,
    ) -> bool {
        let Entry { block: by, warp, tick, class, .. } = remote.entry;
        let threads = || {
            let warps = (0..).zip(&state.warps);
            warps.flat_map(|(warp, known)| {
                let lanes = lanes(if known.uniform() { 1 } else { known.full });
                lanes.map(move |lane| (known, Who { block, warp, lane: lane as u8 }))
            })
        };
        if class.asynchronous() {
            let told = self.told.get(&tick);
            return threads().any(|(known, who)| ops.known(known, who, tick, class.writes()))
                || told.is_some_and(|at| at.iter().any(|&(object, phase)| self.has_awaited(object, phase)));
        }
        let known =
            |lanes: LaneMask| threads().any(|(known, who)| known.unknown(who, by, warp, lanes, tick) == 0);
        let awaited = |lane: u8| {
            arrivals.iter().any(|arrival| {
                arrival.lane == lane
                    && arrival.place >= remote.place
                    && self.has_awaited(arrival.object, arrival.phase)
            })
        };
        let rest = remote.entry.lanes;
        known(rest) || lanes(rest).all(|lane| known(1 << lane) || awaited(lane as u8))
    }
}
