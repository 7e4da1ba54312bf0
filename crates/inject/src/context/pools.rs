//! Memory pools. Attributes are stored, and memory comes from the device's arena.

use super::State;
use crate::abi::error::{CudaError, CudaResult};
use std::collections::{HashMap, HashSet};

#[derive(Debug)]
pub(crate) struct Pool {
    device: u32,
    pub(crate) attributes: [u64; 8],
}

impl Pool {
    pub(crate) fn device(&self) -> u32 {
        self.device
    }
}

/// All pools by handle.
#[derive(Debug, Default)]
pub(crate) struct Pools {
    pools: HashMap<usize, Pool>,
    /// The default pools by device.
    defaults: HashMap<u32, usize>,
    current: HashMap<u32, usize>,
    /// Memory freed by `cudaFreeAsync`, whose free may not have been executed yet.
    freed: HashSet<u64>,
}

impl Pools {
    pub(crate) fn get(&self, handle: usize) -> CudaResult<&Pool> {
        self.pools.get(&handle).ok_or(CudaError::INVALID_VALUE)
    }

    pub(crate) fn get_mut(&mut self, handle: usize) -> CudaResult<&mut Pool> {
        self.pools.get_mut(&handle).ok_or(CudaError::INVALID_VALUE)
    }

    pub(crate) fn destroy(&mut self, handle: usize) -> CudaResult {
        self.current.retain(|_, pool| *pool != handle);
        self.pools.remove(&handle).map(|_| ()).ok_or(CudaError::INVALID_VALUE)
    }

    /// Makes a pool the source of a device's memory.
    pub(crate) fn set_current(&mut self, device: u32, handle: usize) -> CudaResult {
        self.get(handle)?;
        self.current.insert(device, handle);
        Ok(())
    }

    /// Records an allocation, after which its address may be freed again.
    pub(crate) fn allocated(&mut self, address: u64) {
        self.freed.remove(&address);
    }

    /// Records a free in stream order; returns false if the memory was already freed.
    pub(crate) fn free(&mut self, address: u64) -> bool {
        self.freed.insert(address)
    }
}

impl State {
    /// Creates a pool and returns its handle.
    pub(crate) fn create_pool(&mut self, device: u32) -> usize {
        let handle = self.handle();
        self.pools.pools.insert(handle, Pool { device, attributes: [1, 1, 1, 0, 0, 0, 0, 0] });
        handle
    }

    pub(crate) fn default_pool(&mut self, device: u32) -> usize {
        if let Some(&pool) = self.pools.defaults.get(&device) {
            return pool;
        }
        let handle = self.create_pool(device);
        self.pools.defaults.insert(device, handle);
        handle
    }

    pub(crate) fn current_pool(&mut self, device: u32) -> usize {
        match self.pools.current.get(&device) {
            Some(&pool) => pool,
            None => self.default_pool(device),
        }
    }
}
