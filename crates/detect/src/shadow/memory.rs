//! How much memory a detector may hold.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The bytes that the detector holds, and the most that it may hold.
///
/// What is remembered of locations is counted as it grows, and what synchronisation needs is measured from time to
/// time. Locations are what is given up: to forget an access can lose a race, to forget order could invent one.
#[derive(Debug)]
pub(crate) struct Memory {
    locations: AtomicU64,
    synchronisation: AtomicU64,
    cap: Option<u64>,
    refused: AtomicBool,
    tasks_refused: AtomicBool,
    /// Accesses of threads, and those of them that were not remembered. Counted only if there is a cap.
    heard: AtomicU64,
    unchecked: AtomicU64,
    /// Kernels whose synchronisation alone was too much.
    stopped: Mutex<Vec<String>>,
}

impl Memory {
    pub(crate) fn new(cap: Option<u64>) -> Self {
        Memory {
            locations: AtomicU64::new(0),
            synchronisation: AtomicU64::new(0),
            cap,
            refused: AtomicBool::new(false),
            tasks_refused: AtomicBool::new(false),
            heard: AtomicU64::new(0),
            unchecked: AtomicU64::new(0),
            stopped: Mutex::default(),
        }
    }

    pub(crate) fn capped(&self) -> bool {
        self.cap.is_some()
    }

    pub(crate) fn grew(&self, bytes: u64) {
        self.locations.fetch_add(bytes, Relaxed);
    }

    pub(crate) fn shrank(&self, bytes: u64) {
        take(&self.locations, bytes);
    }

    /// Records a new measurement of what synchronisation needs.
    pub(crate) fn measured(&self, before: u64, now: u64) {
        self.synchronisation.fetch_add(now, Relaxed);
        take(&self.synchronisation, before);
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.locations.load(Relaxed) + self.synchronisation.load(Relaxed)
    }

    pub(crate) fn synchronisation(&self) -> u64 {
        self.synchronisation.load(Relaxed)
    }

    /// Returns whether the detector holds more bytes than `--max-memory` allows.
    #[inline]
    pub(crate) fn over(&self) -> bool {
        self.cap.is_some_and(|cap| self.bytes() > cap)
    }

    /// Returns whether the order of threads alone takes more bytes than `--max-memory` allows.
    pub(crate) fn hopeless(&self) -> bool {
        self.cap.is_some_and(|cap| self.synchronisation() > cap)
    }

    /// Returns whether locations may take more memory.
    pub(crate) fn may_grow(&self) -> bool {
        self.cap.is_none_or(|cap| self.bytes() < cap)
    }

    /// Something is not remembered that should have been.
    pub(crate) fn refuse(&self) {
        self.refused.store(true, Relaxed);
    }

    /// Returns whether something is not remembered that should have been.
    pub(crate) fn has_refused(&self) -> bool {
        self.refused.load(Relaxed)
    }

    /// Records that the accesses of a task are not compared with those of later ones.
    pub(crate) fn refuse_tasks(&self) {
        self.tasks_refused.store(true, Relaxed);
        self.refuse();
    }

    pub(crate) fn count(&self, heard: u64, unchecked: u64) {
        self.heard.fetch_add(heard, Relaxed);
        self.unchecked.fetch_add(unchecked, Relaxed);
    }

    pub(crate) fn stop(&self, kernel: &str) {
        let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        if !stopped.iter().any(|known| known == kernel) {
            stopped.push(kernel.to_owned());
        }
        self.refuse();
    }

    /// Returns the cost of the cap, as text.
    pub(crate) fn limits(&self) -> Vec<String> {
        let Some(cap) = self.cap.filter(|_| self.refused.load(Relaxed)) else { return Vec::new() };
        let (heard, unchecked) = (self.heard.load(Relaxed).max(1), self.unchecked.load(Relaxed));
        let share = (unchecked as f64 / heard as f64 * 100.0).ceil().min(100.0);
        let tasks = if self.tasks_refused.load(Relaxed) {
            ", and some were not compared with those of other kernels, copies and the host"
        } else {
            ""
        };
        let mut limits = vec![format!(
            "the memory limit of {cap} bytes (--max-memory) was reached: {share:.0} % of the accesses were not \
             checked{tasks}"
        )];
        for kernel in self.stopped.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            limits.push(format!(
                "{kernel}: not checked to its end, because the order of its threads alone takes more than the memory \
                 limit of {cap} bytes (--max-memory)"
            ));
        }
        limits
    }
}

/// Subtracts what is there to be subtracted: sizes are measured in more than one way, which do not agree to the byte.
/// Tells how much it was.
pub(crate) fn take(from: &AtomicU64, bytes: u64) -> u64 {
    let old =
        from.fetch_update(Relaxed, Relaxed, |held| Some(held.saturating_sub(bytes))).unwrap_or_default();
    old.min(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_remembered() {
        let memory = Memory::new(Some(10));
        memory.grew(9);
        assert!(memory.may_grow() && memory.limits().is_empty());
        memory.grew(1);
        assert!(!memory.may_grow() && memory.limits().is_empty());
        memory.refuse();
        memory.shrank(5);
        assert!(memory.may_grow() && memory.limits().len() == 1);
    }

    #[test]
    fn synchronisation_counts_beside_locations() {
        let memory = Memory::new(Some(10));
        memory.grew(4);
        memory.measured(0, 7);
        assert!(memory.over() && !memory.hopeless());
        memory.measured(7, 11);
        assert!(memory.hopeless());
        memory.measured(11, 0);
        assert!(memory.bytes() == 4 && memory.may_grow());
    }
}
