//! The memory whose accesses by the host's own instructions are watched, and the tasks that require it.
//!
//! This module manages pages; `hostmem` selects the memory that a task keeps watched, and handles the
//! accesses there.

use crate::arena::{PAGE, protect};
use crate::order::Known;
use events::{StreamId, TaskId};
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut, Range};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Limits the faults in one stretch; more would slow the program down too much.
const BUDGET: u32 = 50_000;

/// Tasks in flight, and the allocations that they keep watched.
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

/// The fault handler's data. The lock is held briefly, and never while the program's view is touched.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Watched allocations: base to end and the number of tasks that keep them watched.
    ranges: BTreeMap<u64, Watched>,
    /// All memory that may be watched: base to its end and second view.
    shared: BTreeMap<u64, Shared>,
    faults: u32,
    /// Whether watching has ended for good.
    ended: bool,
    /// Whether there were too many faults: nothing is watched until the host is ordered after everything in
    /// flight.
    given_up: bool,
}

#[derive(Clone, Copy, Debug)]
struct Watched {
    end: u64,
    holders: u32,
}

#[derive(Clone, Copy, Debug)]
struct Shared {
    end: u64,
    /// The engine's address of the memory's base.
    engine: u64,
    /// Whether the program needs the memory to be always accessible.
    exempt: bool,
}

static WATCH: Mutex<Watch> = Mutex::new(Watch {
    ranges: BTreeMap::new(),
    shared: BTreeMap::new(),
    faults: 0,
    ended: false,
    given_up: false,
});

/// Whether anything is watched, for quick checks.
static ACTIVE: AtomicBool = AtomicBool::new(false);

/// The locked watch. This thread's system calls count as the library's meanwhile.
pub(crate) struct Locked {
    watch: MutexGuard<'static, Watch>,
    _quiet: Quiet,
}

#[cfg(target_arch = "x86_64")]
type Quiet = host::calls::threads::Quiet;
#[cfg(not(target_arch = "x86_64"))]
type Quiet = ();

impl Deref for Locked {
    type Target = Watch;

    fn deref(&self) -> &Watch {
        &self.watch
    }
}

impl DerefMut for Locked {
    fn deref_mut(&mut self) -> &mut Watch {
        &mut self.watch
    }
}

/// Locks the watch.
pub(crate) fn watch() -> Locked {
    #[cfg(target_arch = "x86_64")]
    let quiet = host::calls::quiet();
    #[cfg(not(target_arch = "x86_64"))]
    let quiet = ();
    Locked { watch: WATCH.lock().unwrap_or_else(PoisonError::into_inner), _quiet: quiet }
}

/// Records memory that may be watched, for which the engine has a view.
pub(crate) fn allocated(base: u64, bytes: u64, engine: u64) {
    let end = (base + bytes).next_multiple_of(PAGE);
    watch().shared.insert(base, Shared { end, engine, exempt: false });
    #[cfg(target_arch = "x86_64")]
    host::calls::set_range(base, end);
}

/// Returns whether anything is watched at the moment.
pub(crate) fn active() -> bool {
    ACTIVE.load(Ordering::Acquire)
}

/// Watches the allocations that a submitted task may access, until the host is ordered after the task.
pub(crate) fn flies(flights: &mut Flights, chain: StreamId, task: TaskId, touched: &[Range<u64>]) {
    let mut watch = watch();
    if !watch.given_up {
        for range in touched {
            if !watch.may_watch(range.start) {
                continue;
            }
            let end = range.end.next_multiple_of(PAGE);
            let entry = watch.ranges.entry(range.start).or_insert(Watched { end, holders: 0 });
            entry.holders += 1;
            // Watched memory is protected again, since single pages may have been opened.
            protect(range.start, range.end - range.start, libc::PROT_NONE);
        }
        ACTIVE.store(true, Ordering::Release);
    }
    drop(watch);
    let allocations = touched.iter().map(|range| range.start).collect();
    flights.tasks.push(Flight { chain, task, allocations });
}

/// Updates the host's clock, and opens memory that no task in flight accesses.
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
        watch.given_up = watch.ended;
        watch.faults = 0;
    }
}

/// Forgets an allocation that is being freed.
pub(crate) fn withdrawn(flights: &mut Flights, base: u64) {
    for flight in &mut flights.tasks {
        flight.allocations.retain(|b| *b != base);
    }
    let mut watch = watch();
    watch.open(base);
    watch.shared.remove(&base);
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

    /// Returns the base and the end of the watched allocation that contains an address.
    pub(crate) fn find(&self, address: u64) -> Option<(u64, u64)> {
        let (&base, range) = self.ranges.range(..=address).next_back()?;
        (address < range.end).then_some((base, range.end))
    }

    /// Returns whether any part of a buffer is watched.
    pub(crate) fn overlaps(&self, buffer: Range<u64>) -> bool {
        self.ranges.iter().any(|(&base, range)| base < buffer.end && buffer.start < range.end)
    }

    /// Returns the engine's view of an address in memory that may be watched, and the number of bytes that
    /// follow in its pages.
    pub(crate) fn view(&self, address: u64) -> Option<(u64, u64)> {
        let (base, shared) = self.shared.range(..=address).next_back()?;
        (address < shared.end).then(|| (shared.engine + (address - base), shared.end - address))
    }

    /// Returns whether memory may be watched.
    fn may_watch(&self, base: u64) -> bool {
        self.shared.get(&base).is_none_or(|shared| !shared.exempt)
    }

    /// Makes the memory at an address accessible for good; returns true if it was not exempt before.
    pub(crate) fn exempt(&mut self, address: u64) -> bool {
        let Some((&base, shared)) = self.shared.range_mut(..=address).next_back() else { return false };
        let new = address < shared.end && !std::mem::replace(&mut shared.exempt, true);
        if new {
            self.open(base);
        }
        new
    }

    /// Ends watching for good; returns true the first time.
    pub(crate) fn end(&mut self) -> bool {
        self.give_up();
        !std::mem::replace(&mut self.ended, true)
    }

    /// Returns whether nothing is watched until the host is ordered after everything in flight.
    pub(crate) fn has_given_up(&self) -> bool {
        self.given_up
    }

    /// Counts a fault; returns false if there were too many in this stretch.
    pub(crate) fn can_afford_another(&mut self) -> bool {
        self.faults += 1;
        self.faults <= BUDGET
    }

    /// Stops watching until the host is ordered after everything in flight.
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
