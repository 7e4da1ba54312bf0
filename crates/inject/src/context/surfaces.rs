//! Surface objects.

use crate::abi::error::{CudaError, CudaResult};
use std::collections::HashMap;

/// The arrays of surface objects, by the objects' handles.
#[derive(Debug, Default)]
pub(crate) struct Surfaces(HashMap<u64, usize>);

impl Surfaces {
    pub(crate) fn array(&self, surface: u64) -> CudaResult<usize> {
        self.0.get(&surface).copied().ok_or(CudaError::INVALID_VALUE)
    }

    pub(crate) fn insert(&mut self, surface: u64, array: usize) {
        self.0.insert(surface, array);
    }

    pub(crate) fn remove(&mut self, surface: u64) -> CudaResult<usize> {
        self.0.remove(&surface).ok_or(CudaError::INVALID_VALUE)
    }
}
