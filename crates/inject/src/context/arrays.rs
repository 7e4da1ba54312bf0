//! CUDA arrays: pitched device memory behind an opaque handle.

use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{ChannelFormat, Extent};
use crate::backend::copy::Pitch;
use std::collections::HashMap;

/// A CUDA array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array {
    pub(crate) base: u64,
    pub(crate) format: ChannelFormat,
    /// Bytes of a texel.
    pub(crate) texel: usize,
    /// The extents in texels; 0 for dimensions that it lacks.
    pub(crate) extent: Extent,
    pub(crate) pitch: Pitch,
    pub(crate) flags: u32,
}

/// All arrays by handle.
#[derive(Debug, Default)]
pub(crate) struct Arrays(HashMap<usize, Array>);

impl Arrays {
    pub(crate) fn get(&self, handle: usize) -> CudaResult<&Array> {
        self.0.get(&handle).ok_or(CudaError::INVALID_RESOURCE_HANDLE)
    }

    pub(crate) fn insert(&mut self, handle: usize, array: Array) {
        self.0.insert(handle, array);
    }

    pub(crate) fn remove(&mut self, handle: usize) {
        self.0.remove(&handle);
    }
}
