//! The program's streams, and the default streams of its threads.

use super::{State, Work};
use crate::abi::error::{CudaError, CudaResult};
use crate::order::{Known, Placed, StreamKey, StreamKind};
use events::{StreamId, TaskId};
use std::collections::HashMap;

/// `cudaStreamNonBlocking`
const NON_BLOCKING: u32 = 1;

#[derive(Debug)]
pub(crate) struct StreamRecord {
    pub(crate) key: StreamKey,
    pub(crate) device: u32,
    pub(crate) flags: u32,
    pub(crate) priority: i32,
    pub(crate) id: u64,
}

#[derive(Debug, Default)]
pub(super) struct Streams {
    /// Streams by handle.
    made: HashMap<usize, StreamRecord>,
    /// Per-thread default streams by thread and device.
    of_threads: HashMap<(u32, u32), StreamKey>,
}

impl State {
    pub(crate) fn stream(&self, handle: usize) -> CudaResult<&StreamRecord> {
        self.streams.made.get(&handle).ok_or(CudaError::INVALID_RESOURCE_HANDLE)
    }

    /// Returns whether the program has no stream but the legacy ones.
    pub(super) fn has_no_streams(&self) -> bool {
        self.streams.made.is_empty() && self.streams.of_threads.is_empty()
    }

    /// Creates a stream and returns its handle. `flags` are those of `cudaStreamCreateWithFlags`.
    pub(crate) fn create_stream(&mut self, device: u32, flags: u32, priority: i32) -> CudaResult<usize> {
        let kind = match flags {
            0 => StreamKind::Blocking,
            NON_BLOCKING => StreamKind::NonBlocking,
            _ => return Err(CudaError::INVALID_VALUE),
        };
        let key = self.order.new_stream(device, kind);
        // The default streams have the first ids.
        let id = u64::from(key.0) + 8;
        let handle = self.handle();
        let record = StreamRecord { key, device, flags, priority: priority.clamp(-5, 0), id };
        self.streams.made.insert(handle, record);
        Ok(handle)
    }

    pub(crate) fn destroy_stream(&mut self, handle: usize) -> CudaResult {
        let key = self.drop_stream(handle)?;
        self.graphs.stream_destroyed(key);
        Ok(())
    }

    fn drop_stream(&mut self, handle: usize) -> CudaResult<StreamKey> {
        let record = self.streams.made.remove(&handle).ok_or(CudaError::INVALID_RESOURCE_HANDLE)?;
        self.order.destroy_stream(record.key);
        Ok(record.key)
    }

    /// Drops the streams of a device, whose context they belong to.
    pub(super) fn drop_streams_of(&mut self, device: u32) {
        let streams = &self.streams.made;
        let handles: Vec<usize> =
            streams.iter().filter(|(_, s)| s.device == device).map(|(&handle, _)| handle).collect();
        for handle in handles {
            // The stream existed just before.
            let _ = self.drop_stream(handle);
        }
    }

    /// Returns a thread's own default stream on a device.
    pub(crate) fn thread_stream(&mut self, thread: u32, device: u32) -> StreamKey {
        let State { streams, order, .. } = self;
        let new = || order.new_stream(device, StreamKind::Blocking);
        *streams.of_threads.entry((thread, device)).or_insert_with(new)
    }

    /// Returns a device's legacy default stream.
    pub(crate) fn legacy_stream(&self, device: u32) -> StreamKey {
        self.devices[device as usize].legacy()
    }

    /// Returns the clock of a stream's work so far, for a host that waits for it.
    pub(crate) fn submitted_to(&self, stream: StreamKey) -> Known {
        self.order.stream(stream)
    }

    /// Marks a place in a stream, and returns the clock of the work before it.
    pub(crate) fn mark(&mut self, stream: StreamKey) -> Known {
        self.order.mark(stream)
    }

    /// Orders the next work of a stream after `what`.
    pub(crate) fn stream_waits(&mut self, stream: StreamKey, what: &Known) {
        self.order.wait(stream, what);
    }

    /// Assigns work that is submitted to a stream its place in the order.
    pub(crate) fn place_in(&mut self, stream: StreamKey, work: &Work) -> Placed {
        match work {
            Work::Kernel(launch) => self.order.submit_kernel(stream, launch.overlaps),
            _ => self.order.submit(stream),
        }
    }

    /// Assigns work that is submitted to a chain, after `known`, its place in the order.
    pub(crate) fn place_after(&mut self, known: Known, chain: StreamId) -> Placed {
        self.order.submit_after(known, chain)
    }

    /// Assigns a graph's kernel node with programmatic edges its place: see
    /// [`Order::submit_dependent`](crate::order::Order).
    pub(crate) fn place_dependent(
        &mut self,
        known: Known,
        chain: StreamId,
        early: &Known,
        with: &[(TaskId, StreamId, bool)],
    ) -> Placed {
        self.order.submit_dependent(known, chain, early, with)
    }

    /// Assigns a place to work that is ordered before and after all other work of some devices.
    pub(crate) fn place_serialized(&mut self, stream: StreamKey, devices: &[u32]) -> Placed {
        self.order.submit_serialized(stream, devices)
    }
}
