//! Streams that the program has made, and the default streams of its threads.

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
    /// By handle.
    made: HashMap<usize, StreamRecord>,
    /// By thread and device.
    of_threads: HashMap<(u32, u32), StreamKey>,
}

impl State {
    pub(crate) fn stream(&self, handle: usize) -> CudaResult<&StreamRecord> {
        self.streams.made.get(&handle).ok_or(CudaError::INVALID_RESOURCE_HANDLE)
    }

    /// Makes a stream; its handle. `flags` are those of `cudaStreamCreateWithFlags`.
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

    /// Those of a device go with its context.
    pub(super) fn drop_streams_of(&mut self, device: u32) {
        let streams = &self.streams.made;
        let handles: Vec<usize> =
            streams.iter().filter(|(_, s)| s.device == device).map(|(&handle, _)| handle).collect();
        for handle in handles {
            // It was there a moment ago.
            let _ = self.drop_stream(handle);
        }
    }

    /// A thread's own default stream on a device.
    pub(crate) fn thread_stream(&mut self, thread: u32, device: u32) -> StreamKey {
        let State { streams, order, .. } = self;
        let new = || order.new_stream(device, StreamKind::Blocking);
        *streams.of_threads.entry((thread, device)).or_insert_with(new)
    }

    /// A device's legacy default stream.
    pub(crate) fn legacy_stream(&self, device: u32) -> StreamKey {
        self.devices[device as usize].legacy()
    }

    /// What has been submitted to a stream so far, for its host to wait for.
    pub(crate) fn submitted_to(&self, stream: StreamKey) -> Known {
        self.order.stream(stream)
    }

    /// Marks a place in a stream: what is before it.
    pub(crate) fn mark(&mut self, stream: StreamKey) -> Known {
        self.order.mark(stream)
    }

    /// What comes next in a stream is after `what`.
    pub(crate) fn stream_waits(&mut self, stream: StreamKey, what: &Known) {
        self.order.wait(stream, what);
    }

    /// Where work stands that is submitted to a stream.
    pub(crate) fn place_in(&mut self, stream: StreamKey, work: &Work) -> Placed {
        match work {
            Work::Kernel(launch) => self.order.submit_kernel(stream, launch.overlaps),
            _ => self.order.submit(stream),
        }
    }

    /// Where work stands that is submitted to a chain, after `known`.
    pub(crate) fn place_after(&mut self, known: Known, chain: StreamId) -> Placed {
        self.order.submit_after(known, chain)
    }

    /// Where a kernel node of a graph with programmatic edges stands, see [`Order::submit_dependent`](crate::order::Order).
    pub(crate) fn place_dependent(
        &mut self,
        known: Known,
        chain: StreamId,
        early: &Known,
        with: &[(TaskId, StreamId, bool)],
    ) -> Placed {
        self.order.submit_dependent(known, chain, early, with)
    }

    /// Where work stands that all of some devices' work waits for, and that waits for theirs.
    pub(crate) fn place_serialized(&mut self, stream: StreamKey, devices: &[u32]) -> Placed {
        self.order.submit_serialized(stream, devices)
    }
}
