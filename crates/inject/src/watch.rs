//! Memory whose accesses by the host's own instructions are watched, and the tasks that keep it so.
//!
//! This knows pages; `hostmem` says which memory a task keeps watched, and handles what happens there.

use crate::arena::{PAGE, protect};
use crate::order::Known;
use events::{StreamId, TaskId};
use std::collections::BTreeMap;
use std::ops::Range;
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

/// What is watched, locked.
pub(crate) fn watch() -> MutexGuard<'static, Watch> {
    WATCH.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Is anything watched at the moment?
pub(crate) fn active() -> bool {
    ACTIVE.load(Ordering::Acquire)
}

/// A task is submitted that may touch these allocations: watches them until the host knows its end.
pub(crate) fn flies(flights: &mut Flights, chain: StreamId, task: TaskId, touched: &[Range<u64>]) {
    let mut watch = watch();
    if !watch.given_up {
        for range in touched {
            let end = range.end.next_multiple_of(PAGE);
            let entry = watch.ranges.entry(range.start).or_insert(Watched { end, holders: 0 });
            entry.holders += 1;
            // Again even if it was watched: single pages may have been opened.
            protect(range.start, range.end - range.start, libc::PROT_NONE);
        }
        ACTIVE.store(true, Ordering::Release);
    }
    drop(watch);
    let allocations = touched.iter().map(|range| range.start).collect();
    flights.tasks.push(Flight { chain, task, allocations });
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
    pub(crate) fn find(&self, address: u64) -> Option<(u64, u64)> {
        let (&base, range) = self.ranges.range(..=address).next_back()?;
        (address < range.end).then_some((base, range.end))
    }

    /// The watched parts of a buffer.
    pub(crate) fn parts(&self, buffer: Range<u64>) -> Vec<(u64, u64)> {
        let hit = self.ranges.iter().filter(|&(&base, range)| base < buffer.end && buffer.start < range.end);
        hit.map(|(&base, range)| (buffer.start.max(base), buffer.end.min(range.end))).collect()
    }

    /// Is nothing watched until everything in flight is known to the host?
    pub(crate) fn has_given_up(&self) -> bool {
        self.given_up
    }

    /// Counts a fault; false if there were too many in this stretch.
    pub(crate) fn can_afford_another(&mut self) -> bool {
        self.faults += 1;
        self.faults <= BUDGET
    }

    /// Stops watching until everything in flight is known to the host.
    pub(crate) fn give_up(&mut self) {
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
