//! Streams that the program has made, and the default streams of its threads.

use super::State;
use crate::abi::error::{CudaError, CudaResult};
use crate::order::{StreamKey, StreamKind};
use std::collections::HashMap;

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

    /// The handle of a stream that was made.
    pub(crate) fn add_stream(&mut self, record: StreamRecord) -> usize {
        let handle = self.handle();
        self.streams.made.insert(handle, record);
        handle
    }

    pub(crate) fn remove_stream(&mut self, handle: usize) -> CudaResult<StreamRecord> {
        self.streams.made.remove(&handle).ok_or(CudaError::INVALID_RESOURCE_HANDLE)
    }

    pub(crate) fn streams_of(&self, device: u32) -> Vec<usize> {
        self.streams.made.iter().filter(|(_, s)| s.device == device).map(|(&handle, _)| handle).collect()
    }

    /// A thread's own default stream on a device.
    pub(crate) fn thread_stream(&mut self, thread: u32, device: u32) -> StreamKey {
        let State { streams, order, .. } = self;
        let new = || order.new_stream(device, StreamKind::Blocking);
        *streams.of_threads.entry((thread, device)).or_insert_with(new)
    }
}
