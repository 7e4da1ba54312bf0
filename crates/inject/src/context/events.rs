//! Events: their records, and the times at which these were reached.

use super::queue::Mark;
use super::{SharedEvent, State};
use crate::abi::error::{CudaError, CudaResult};
use crate::order::Known;
use std::time::{Duration, Instant};

#[derive(Clone, Debug, Default)]
pub(crate) struct EventRecord {
    pub(crate) device: u32,
    pub(crate) flags: u32,
    pub(crate) recorded: Option<Recorded>,
    pub(crate) shared: Option<SharedEvent>,
}

#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) known: Known,
    /// The number of the event's record.
    serial: u64,
    /// The time at which everything before the record was complete.
    pub(crate) at: Option<Instant>,
}

/// Numbers records and assigns their times.
#[derive(Debug, Default)]
pub(super) struct Stamps {
    records: u64,
    last: Option<Instant>,
}

impl Stamps {
    fn next(&mut self) -> u64 {
        self.records += 1;
        self.records
    }

    /// Returns the current time, later than all earlier results: programs divide by differences.
    fn now(&mut self) -> Instant {
        let now = Instant::now();
        let now = self.last.map_or(now, |last| now.max(last + Duration::from_nanos(1000)));
        *self.last.insert(now)
    }
}

impl State {
    pub(crate) fn event(&self, handle: usize) -> CudaResult<&EventRecord> {
        self.events.get(&handle).ok_or(CudaError::INVALID_RESOURCE_HANDLE)
    }

    pub(crate) fn add_event(&mut self, handle: usize, event: EventRecord) {
        self.events.insert(handle, event);
    }

    pub(crate) fn remove_event(&mut self, handle: usize) -> CudaResult {
        self.events.remove(&handle).map(|_| ()).ok_or(CudaError::INVALID_RESOURCE_HANDLE)
    }

    /// Forgets the events of a device, whose context they belong to.
    pub(crate) fn forget_events(&mut self, device: u32) {
        self.events.retain(|_, event| event.device != device);
    }

    /// Records an event at the point where `known` is complete.
    pub(crate) fn record(&mut self, event: usize, known: Known) {
        let serial = self.stamps.next();
        let after = known.heads().collect();
        if let Some(event) = self.events.get_mut(&event) {
            if let Some(shared) = &mut event.shared {
                let gate = shared.cell.record();
                shared.recorded(gate);
                if self.shared.is_used() {
                    self.shared.publish(&known);
                }
                self.shared.await_signal(serial, gate, known.clone());
            }
            event.recorded = Some(Recorded { known, serial, at: None });
        }
        self.queue.mark(Mark { event, serial, after });
        self.stamp_reached();
    }

    /// Stamps the records that have been reached.
    pub(crate) fn stamp_reached(&mut self) {
        for mark in self.queue.reached() {
            if let Some((gate, known)) = self.shared.reached(mark.serial) {
                // Other processes may learn of the record from now on, and may signal this process's host.
                if self.shared.is_used() {
                    self.host_learns(&known);
                }
                gate.reach();
            }
            let now = self.stamps.now();
            if let Some(EventRecord { recorded: Some(recorded), .. }) = self.events.get_mut(&mark.event)
                && recorded.serial == mark.serial
            {
                recorded.at = Some(now);
            }
        }
    }
}
