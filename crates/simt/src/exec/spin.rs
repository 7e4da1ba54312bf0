//! Loops that wait for memory to change.
//!
//! A group whose patience is used up is watched for one turn of its loop. If the turn changed no memory, and
//! the next turn repeats it as long as the bytes that it read do not change ([`super::lap`] decides that),
//! the group waits for a change of these bytes. If its next turn may differ, for example by a count of
//! attempts, it also waits once it has polled the same bytes often enough, but continues when nothing else
//! can run: such a loop may end on its own. A loop that reads no memory computes; it only lets other groups
//! run.

use super::Worker;
use super::data::peek;
use super::place::Part;
use crate::alu::row::Lanes;
use crate::exec::frame::{Frame, Registers};
use events::Observer;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::{Hash, Hasher};

/// The record of a watched turn of a loop.
#[derive(Debug)]
pub(crate) struct Watch {
    /// The loop's first instruction.
    pub pc: u32,
    pub frame: Frame,
    /// The registers at the turn's beginning.
    pub registers: Registers,
    /// The instructions of the turn, if a trace is requested.
    pub trace: Option<Vec<u32>>,
    /// Whether memory that others can read has changed.
    pub changed: bool,
    /// Whether local memory has changed.
    pub private: bool,
    /// Whether the turn read a clock.
    pub timed: bool,
    overflow: bool,
    polled: Vec<Polled>,
    /// For each start address, the number of bytes already in `polled`.
    known: FxHashMap<*const u8, u8>,
}

// SAFETY: the pointers are those of [`Polled`], which is `Send`.
unsafe impl Send for Watch {}

/// Bytes that the loop read, and their value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Polled {
    host: *const u8,
    bytes: u8,
    value: u128,
    /// The address in its space, for reports.
    address: u64,
    /// Whether the bytes lie outside the block, so that other blocks and tasks may change them.
    global: bool,
}

// SAFETY: the pointers are into regions or shared memory, read while these exist; any thread may read them.
unsafe impl Send for Polled {}

/// The events, beside a change of the polled memory, that can end a loop that polls in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// None: each turn repeats the last one.
    Never,
    /// The advance of clocks: control depends on clocks and on nothing else that changes.
    InTime,
    /// Possibly the number of turns.
    Perhaps,
}

/// A waiting loop.
#[derive(Clone, Debug)]
pub(crate) struct Spin {
    polled: Vec<Polled>,
    pub ends: Ends,
    /// Whether the loop reads a clock.
    pub timed: bool,
}

/// The number of bytes beyond which a turn does not count as polling.
const MOST: usize = 512;

impl Watch {
    pub(crate) fn new(pc: u32, frame: Frame, registers: Registers, trace: bool) -> Watch {
        Watch {
            pc,
            frame,
            registers,
            trace: trace.then(Vec::new),
            changed: false,
            private: false,
            timed: false,
            overflow: false,
            polled: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    /// Returns whether the turn changed no memory that others can read.
    pub(crate) fn idle(&self) -> bool {
        !self.changed && !self.overflow
    }

    /// Returns whether the turn read memory that others may change.
    pub(crate) fn polls(&self) -> bool {
        !self.polled.is_empty()
    }

    /// Returns a hash of the locations that the turn read.
    pub(crate) fn places(&self) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        for p in &self.polled {
            (p.host as usize, p.bytes).hash(&mut hasher);
        }
        hasher.finish()
    }

    pub(crate) fn into_spin(self, ends: Ends) -> Spin {
        Spin { polled: self.polled, ends, timed: self.timed }
    }
}

impl Spin {
    /// Returns whether some of the polled bytes have changed.
    pub(crate) fn wakes(&self) -> bool {
        // SAFETY: polled shared memory belongs to a block that is resident as long as this group is, or to
        // its cluster; global memory is mapped by `crate::memory`'s invariant.
        self.polled.iter().any(|p| unsafe { peek(p.host, p.bytes.into()) } != p.value)
    }

    /// Returns whether the loop reads the byte at a host address.
    pub(crate) fn polls(&self, host: *const u8) -> bool {
        self.polled.iter().any(|p| (host as usize).wrapping_sub(p.host as usize) < usize::from(p.bytes))
    }

    /// Returns whether an event outside its block may wake the loop.
    pub(crate) fn global(&self) -> bool {
        self.polled.iter().any(|p| p.global)
    }

    pub(crate) fn address(&self) -> Option<u64> {
        self.polled.last().map(|p| p.address)
    }
}

/// Locations that loops polled in vain, in units of eight bytes.
///
/// A group that changes one of them by a strong operation yields to other groups. Otherwise it might change
/// the location again before the waiting loops have read it, and they would acquire more than the change they
/// waited for.
#[derive(Debug, Default)]
pub(crate) struct Awaited {
    places: FxHashSet<usize>,
}

impl Awaited {
    /// The number of locations beyond which the set is cleared, since it then no longer identifies waiting
    /// loops.
    const MOST: usize = 1 << 12;

    pub(crate) fn add(&mut self, watch: &Watch) {
        if self.places.len() > Self::MOST {
            self.places.clear();
        }
        self.places.extend(watch.polled.iter().map(|p| p.host.addr() >> 3));
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Removes a location; returns whether it was present. Polling it in vain adds it again.
    #[inline]
    pub(super) fn changes(&mut self, host: *const u8) -> bool {
        !self.places.is_empty() && self.places.remove(&(host.addr() >> 3))
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Records changes of memory by strong stores or atomics of `lanes`.
    #[inline]
    pub(super) fn changed_strongly(&mut self, part: &Part, addresses: &[u64; 32], lanes: u32) {
        if self.s.awaited.places.is_empty() {
            return;
        }
        let mut last = None;
        for lane in Lanes(lanes) {
            if last.replace(addresses[lane]) != Some(addresses[lane]) {
                self.s.gives_way |= self.s.awaited.changes(part.host(addresses[lane]));
            }
        }
    }

    /// Records the reads of a watched turn.
    #[cold]
    pub(super) fn watch_read(&mut self, part: &Part, addresses: &[u64; 32], bytes: u64) {
        let Some(watch) = &mut self.s.watch else { return };
        // Local memory is private to the thread; parameters do not change.
        let Some(space) = part.space else { return };
        // The turn is already known not to be polling.
        if watch.overflow {
            return;
        }
        for lane in Lanes(part.mask) {
            let (host, address) = (part.host(addresses[lane]).cast_const(), addresses[lane]);
            if watch.known.get(&host).is_some_and(|&n| u64::from(n) >= bytes.min(16)) {
                continue;
            }
            if watch.polled.len() >= MOST {
                watch.overflow = true;
                return;
            }
            let mut at = 0;
            while at < bytes {
                let n = (bytes - at).min(16);
                let host = host.wrapping_add(at as usize);
                // SAFETY: `place` checked the lane's address range.
                let value = unsafe { peek(host, n as usize) };
                let known = watch.known.entry(host).or_default();
                *known = (*known).max(n as u8);
                let global = space == events::Space::Global;
                watch.polled.push(Polled { host, bytes: n as u8, value, address: address + at, global });
                at += n;
            }
        }
    }

    #[inline]
    pub(super) fn watch_changed(&mut self) {
        if let Some(watch) = &mut self.s.watch {
            watch.changed = true;
        }
    }

    /// Records a change of memory by a store or an atomic operation.
    pub(super) fn watch_stored(&mut self, part: &Part) {
        if let Some(watch) = &mut self.s.watch {
            match part.space {
                Some(_) => watch.changed = true,
                None => watch.private = true,
            }
        }
    }

    /// Returns the current bytes at the lanes' addresses.
    #[cold]
    pub(super) fn snapshot(part: &Part, addresses: &[u64; 32], bytes: u64) -> Vec<[u128; 2]> {
        Lanes(part.mask)
            .map(|lane| {
                let p = part.host(addresses[lane]);
                // SAFETY: `place` checked the lane's address range.
                unsafe {
                    let high = if bytes > 16 { peek(p.wrapping_add(16), bytes as usize - 16) } else { 0 };
                    [peek(p, bytes as usize), high]
                }
            })
            .collect()
    }
}
