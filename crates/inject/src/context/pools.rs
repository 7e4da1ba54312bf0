//! Memory pools: attributes are kept, memory comes from the device's arena.

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

/// All pools, by handle.
#[derive(Debug, Default)]
pub(crate) struct Pools {
    pools: HashMap<usize, Pool>,
    /// By device.
    defaults: HashMap<u32, usize>,
    current: HashMap<u32, usize>,
    /// Freed by `cudaFreeAsync`, perhaps not yet carried out.
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

    /// From now on the device's memory comes from this pool.
    pub(crate) fn set_current(&mut self, device: u32, handle: usize) -> CudaResult {
        self.get(handle)?;
        self.current.insert(device, handle);
        Ok(())
    }

    /// Memory was handed out: it may be freed again.
    pub(crate) fn allocated(&mut self, address: u64) {
        self.freed.remove(&address);
    }

    /// Memory is to be freed in stream order; false if it was already.
    pub(crate) fn free(&mut self, address: u64) -> bool {
        self.freed.insert(address)
    }
}

impl State {
    /// A new pool's handle.
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
