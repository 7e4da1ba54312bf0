//! Finds the memory through which the two threads of a finding may synchronise, and the other threads that
//! use it.

use super::located::{Found, Key};
use super::walk::{Thread, Walk};
use events::access::Warp;
use events::{Access, LaneMask, Space, Strength, ThreadId};
use std::collections::{BTreeMap, HashSet};

/// Collects the memory through which the two threads may synchronise.
pub(super) struct Shared<'f> {
    found: &'f Found,
    pub(super) keys: BTreeMap<Order, Key>,
}

pub(super) type Order = (bool, u32, u64);

pub(super) fn order(key: Key) -> Order {
    match key.0 {
        Space::Global => (false, 0, key.1),
        Space::Shared(block) | Space::Tensor(block) => (true, block.0, key.1),
    }
}

pub(super) fn lane_of(found: &Found, party: usize, warp: Warp, mask: LaneMask) -> Option<u32> {
    let thread = found.threads[party];
    let mine = warp.task == thread.task
        && warp.block == thread.block
        && warp.warp == thread.thread.warp()
        && mask >> thread.thread.lane() & 1 != 0;
    mine.then(|| thread.thread.lane())
}

pub(super) const fn is_strong(access: &Access<'_>) -> bool {
    !matches!(access.strength, Strength::Weak)
}

impl<'f> Shared<'f> {
    pub(super) fn new(found: &'f Found) -> Self {
        Shared { found, keys: BTreeMap::new() }
    }
}

impl Walk for Shared<'_> {
    fn access(&mut self, number: u64, access: &Access<'_>) {
        if number > self.found.event || !is_strong(access) {
            return;
        }
        for party in 0..2 {
            if let Some(lane) = lane_of(self.found, party, access.warp, access.mask) {
                let key = (access.space, access.addresses[lane as usize]);
                self.keys.insert(order(key), key);
            }
        }
    }
}

/// Collects those threads of both blocks that take part in the synchronisation.
pub(super) struct Actors<'f> {
    pub(super) found: &'f Found,
    pub(super) keys: BTreeMap<Order, Key>,
    pub(super) threads: HashSet<Thread>,
}

impl<'f> Actors<'f> {
    pub(super) fn new(shared: Shared<'f>) -> Self {
        Actors { found: shared.found, keys: shared.keys, threads: HashSet::new() }
    }
}

impl Walk for Actors<'_> {
    fn access(&mut self, number: u64, access: &Access<'_>) {
        let near = |t: &Thread| (t.task, t.block) == (access.warp.task, access.warp.block);
        if number > self.found.event || !is_strong(access) || !self.found.threads.iter().any(near) {
            return;
        }
        for lane in (0..32).filter(|lane| access.mask >> lane & 1 != 0) {
            if self.keys.contains_key(&order((access.space, access.addresses[lane as usize]))) {
                self.threads.insert(thread_of(access.warp, lane));
            }
        }
    }
}

pub(super) const fn thread_of(warp: Warp, lane: u32) -> Thread {
    Thread { task: warp.task, block: warp.block, thread: ThreadId::of(warp.warp, lane) }
}
