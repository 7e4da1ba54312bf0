//! What the host's own instructions do with memory that kernels may touch.
//!
//! An access of the host can race only with tasks that were submitted before it and that the
//! host has not yet waited for. While there are such tasks, the managed and pinned
//! allocations they may touch are *watched*: the program's view of them is made
//! inaccessible. A host instruction that touches them faults; the handler ([`fault`]) finds
//! address and size by decoding it ([`decode`]), lets that one instruction through while the
//! engine pauses, and reports it as the host segment's access. What cannot be decoded is let
//! through unreported.
//!
//! Watching never invents a race: an allocation that is not watched, or no longer, only loses some.
//! The one danger is an acquire that goes unseen: once that may have happened, nothing
//! more is reported until the host has synchronised in a way that can be seen.
//!
//! Memory registered by `cudaHostRegister` has no second view and is not watched.

#[cfg(target_arch = "x86_64")]
mod decode;
#[cfg(target_arch = "x86_64")]
pub(crate) mod fault;
pub(crate) mod libc_calls;
mod signals;

use crate::arena::{PAGE, protect};
use crate::backend::copy::Side;
use crate::context::{Memory, MemoryKind, State};
use crate::order::Known;
use crate::submit::Action;
use events::{StreamId, TaskId};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// So many faults in one stretch are too slow to go on.
const BUDGET: u32 = 50_000;

/// Tasks in flight, and the allocations they keep watched.
#[derive(Debug, Default)]
pub(crate) struct Flights {
    tasks: Vec<Flight>,
}

#[derive(Debug)]
struct Flight {
    chain: StreamId,
    task: TaskId,
    allocations: Vec<u64>,
}

/// What the fault handler looks at. Held for moments only, and never while touching the
/// program's view.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Watched allocations: base to end and the number of tasks that keep them so.
    ranges: BTreeMap<u64, Watched>,
    faults: u32,
    /// Too many faults: nothing is watched until all that is in flight is known to the host.
    given_up: bool,
}

#[derive(Clone, Copy, Debug)]
struct Watched {
    end: u64,
    holders: u32,
}

static WATCH: Mutex<Watch> = Mutex::new(Watch { ranges: BTreeMap::new(), faults: 0, given_up: false });

/// Is anything watched? For quick checks.
static ACTIVE: AtomicBool = AtomicBool::new(false);

fn watch() -> MutexGuard<'static, Watch> {
    WATCH.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Is anything watched at the moment?
pub(crate) fn active() -> bool {
    ACTIVE.load(Ordering::Acquire)
}

/// Allocations an action may touch, as far as its arguments tell.
fn touched(state: &State, action: &Action) -> Vec<u64> {
    let watchable = |m: &&Memory| matches!(m.kind, MemoryKind::Managed | MemoryKind::Pinned);
    let at = |address: u64| state.find(address).filter(watchable).map(|m| m.base);
    let mut bases: Vec<u64> = match action {
        Action::Kernel(work) => {
            let words = work.params.chunks_exact(8).filter_map(|w| w.try_into().ok().map(u64::from_le_bytes));
            let mut bases: Vec<u64> = words.filter_map(at).collect();
            // Managed memory may be reached through pointers in managed memory, and managed
            // variables by name.
            let managed = |m: &&Memory| m.kind == MemoryKind::Managed;
            let reached = bases.iter().any(|b| state.memory.get(b).is_some_and(|m| managed(&m)));
            bases.extend(
                state.memory.values().filter(|m| managed(m) && (reached || m.name.is_some())).map(|m| m.base),
            );
            bases
        }
        Action::Copy(copy) => [&copy.src, &copy.dst]
            .into_iter()
            .filter_map(|side| match side {
                Side::Memory { address, tracked: true, .. } => at(*address),
                _ => None,
            })
            .collect(),
        Action::Fill(fill) => at(fill.address).into_iter().collect(),
        Action::Host(_) | Action::Free { .. } | Action::Gate(_) => Vec::new(),
    };
    bases.sort_unstable();
    bases.dedup();
    bases
}

/// A task is about to be submitted: watches what it may touch.
pub(crate) fn submitted(state: &mut State, chain: StreamId, task: TaskId, action: &Action) {
    if !cfg!(target_arch = "x86_64") || !state.watches_host {
        return;
    }
    let allocations = touched(state, action);
    if allocations.is_empty() {
        return;
    }
    signals::install();
    let mut watch = watch();
    if !watch.given_up {
        for base in &allocations {
            let Some(memory) = state.memory.get(base) else { continue };
            let end = (memory.base + memory.bytes).next_multiple_of(PAGE);
            let entry = watch.ranges.entry(*base).or_insert(Watched { end, holders: 0 });
            entry.holders += 1;
            // Again even if it was watched: single pages may have been opened.
            protect(memory.base, memory.bytes, libc::PROT_NONE);
        }
        ACTIVE.store(true, Ordering::Release);
    }
    drop(watch);
    state.flights.tasks.push(Flight { chain, task, allocations });
}

/// The host has learned more: what nobody in flight touches is ordinary memory again.
pub(crate) fn learned(flights: &mut Flights, host: &Known) {
    if flights.tasks.is_empty() {
        return;
    }
    let mut watch = watch();
    flights.tasks.retain(|flight| {
        let over = host.covers(flight.chain, flight.task);
        if over {
            for base in &flight.allocations {
                watch.release(*base);
            }
        }
        !over
    });
    if flights.tasks.is_empty() {
        watch.given_up = false;
        watch.faults = 0;
    }
}

/// An allocation goes away.
pub(crate) fn withdrawn(flights: &mut Flights, base: u64) {
    for flight in &mut flights.tasks {
        flight.allocations.retain(|b| *b != base);
    }
    let mut watch = watch();
    if watch.ranges.contains_key(&base) {
        watch.open(base);
    }
}

impl Watch {
    fn release(&mut self, base: u64) {
        if let Some(range) = self.ranges.get_mut(&base) {
            range.holders -= 1;
            if range.holders == 0 {
                self.open(base);
            }
        }
    }

    fn open(&mut self, base: u64) {
        if let Some(range) = self.ranges.remove(&base) {
            protect(base, range.end - base, libc::PROT_READ | libc::PROT_WRITE);
        }
        if self.ranges.is_empty() {
            ACTIVE.store(false, Ordering::Release);
        }
    }

    /// The watched allocation that contains an address, as base and end of its pages.
    fn find(&self, address: u64) -> Option<(u64, u64)> {
        let (&base, range) = self.ranges.range(..=address).next_back()?;
        (address < range.end).then_some((base, range.end))
    }

    /// Stops watching until everything in flight is known to the host.
    fn give_up(&mut self) {
        self.given_up = true;
        let bases: Vec<u64> = self.ranges.keys().copied().collect();
        for base in bases {
            self.open(base);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_found_by_any_address_in_their_pages() {
        let mut watch = Watch::default();
        watch.ranges.insert(0x1000, Watched { end: 0x3000, holders: 1 });
        watch.ranges.insert(0x5000, Watched { end: 0x6000, holders: 1 });
        assert_eq!(watch.find(0x2fff), Some((0x1000, 0x3000)));
        assert_eq!(watch.find(0x3000), None);
        assert_eq!(watch.find(0x5000), Some((0x5000, 0x6000)));
        assert_eq!(watch.find(0xfff), None);
    }
}
