//! Loops that wait for memory to change.
//!
//! A group whose patience is used up is watched for one turn of its loop. If the turn changed no memory, and
//! the next one will be the same as long as the bytes that it read do not change, the group waits for that
//! ([`super::lap`] says how this is known). If its next turn may differ, by a count of attempts, it waits, too,
//! once it has polled the same bytes often enough, but goes on when nothing else can run: such a loop may give
//! up by itself. A loop that reads no memory computes; it only lets others have their turn.

use super::Worker;
use super::data::peek;
use super::place::Part;
use crate::alu::row::Lanes;
use crate::exec::frame::{Frame, Registers};
use events::Observer;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::{Hash, Hasher};

/// What a watched turn of a loop has done so far.
#[derive(Debug)]
pub(crate) struct Watch {
    /// The loop's first instruction.
    pub pc: u32,
    pub frame: Frame,
    /// At the turn's beginning.
    pub registers: Registers,
    /// The instructions of the turn, if somebody wants to know.
    pub trace: Option<Vec<u32>>,
    /// Memory that others can see.
    pub changed: bool,
    /// Local memory.
    pub private: bool,
    /// It read a clock.
    pub timed: bool,
    overflow: bool,
    polled: Vec<Polled>,
    /// By where they begin, how many of the bytes are known to be polled.
    known: FxHashMap<*const u8, u8>,
}

// SAFETY: as of [`Polled`].
unsafe impl Send for Watch {}

/// Bytes that the loop read, and what they were.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Polled {
    host: *const u8,
    bytes: u8,
    value: u128,
    /// The address in its space, for reports.
    address: u64,
    /// Outside of the block: others than it may change it.
    global: bool,
}

// SAFETY: the pointers are into regions or shared memory, read while these exist; which thread does so does not matter.
unsafe impl Send for Polled {}

/// What lets a loop go on that polls memory in vain, besides a change of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// Nothing: each turn is as the last one.
    Never,
    /// Its way depends on clocks and on nothing else that changes.
    InTime,
    /// Perhaps the number of its turns.
    Perhaps,
}

/// A waiting loop.
#[derive(Clone, Debug)]
pub(crate) struct Spin {
    polled: Vec<Polled>,
    pub ends: Ends,
    /// It reads a clock.
    pub timed: bool,
}

/// A turn that reads more than this is no polling.
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

    /// Did the turn change no memory that others can see?
    pub(crate) fn idle(&self) -> bool {
        !self.changed && !self.overflow
    }

    /// Did it read memory that others may change?
    pub(crate) fn polls(&self) -> bool {
        !self.polled.is_empty()
    }

    /// A digest of where it read.
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
    /// Has something that it waits for changed?
    pub(crate) fn wakes(&self) -> bool {
        // SAFETY: polled shared memory belongs to a block that is resident as long as this group is, or to
        // its cluster; global memory is mapped by `crate::memory`'s invariant.
        self.polled.iter().any(|p| unsafe { peek(p.host, p.bytes.into()) } != p.value)
    }

    /// Does it read the byte at a host address?
    pub(crate) fn polls(&self, host: *const u8) -> bool {
        self.polled.iter().any(|p| (host as usize).wrapping_sub(p.host as usize) < usize::from(p.bytes))
    }

    /// May something outside of its block wake it?
    pub(crate) fn global(&self) -> bool {
        self.polled.iter().any(|p| p.global)
    }

    pub(crate) fn address(&self) -> Option<u64> {
        self.polled.last().map(|p| p.address)
    }
}

/// Places that loops were seen to poll in vain, in groups of eight bytes.
///
/// Whoever changes one of them by a strong operation lets others go first: else it might change it again before those
/// who wait have looked, and what they acquire would be more than what they waited for.
#[derive(Debug, Default)]
pub(crate) struct Awaited {
    places: FxHashSet<usize>,
}

impl Awaited {
    /// Places beyond which all are forgotten: then there is no telling any more who waits for what.
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

    /// Forgets a place; was it one? It will be again, if it is polled in vain again.
    #[inline]
    pub(super) fn changes(&mut self, host: *const u8) -> bool {
        !self.places.is_empty() && self.places.remove(&(host.addr() >> 3))
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Strong stores or atomics of `lanes` changed memory.
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

    /// Notes what a watched turn reads.
    #[cold]
    pub(super) fn watch_read(&mut self, part: &Part, addresses: &[u64; 32], bytes: u64) {
        let Some(watch) = &mut self.s.watch else { return };
        // Local memory is the thread's own; parameters do not change.
        let Some(space) = part.space else { return };
        // The turn is no polling, whatever else it reads.
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

    /// A store or an atomic operation changed memory.
    pub(super) fn watch_stored(&mut self, part: &Part) {
        if let Some(watch) = &mut self.s.watch {
            match part.space {
                Some(_) => watch.changed = true,
                None => watch.private = true,
            }
        }
    }

    /// What the lanes' bytes are now.
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
