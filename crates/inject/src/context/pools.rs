//! Memory pools. Attributes are stored, and memory comes from the device's arena.

use super::{Memory, MemoryKind, State};
use crate::abi::error::{CudaError, CudaResult};
use std::collections::{HashMap, HashSet};

#[derive(Debug)]
pub(crate) struct Pool {
    device: u32,
    pub(crate) attributes: [u64; 8],
    /// Other devices that may access the pool's memory, one bit each.
    access: u64,
}

impl Pool {
    pub(crate) fn device(&self) -> u32 {
        self.device
    }

    /// Returns whether a device may access the pool's memory.
    pub(crate) fn is_open_to(&self, device: u32) -> bool {
        device == self.device || self.access & 1 << device != 0
    }

    /// Opens the pool's memory to another device, or closes it.
    pub(crate) fn open(&mut self, device: u32, open: bool) {
        self.access = self.access & !(1 << device) | u64::from(open) << device;
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
    /// The pool that memory came of, by address.
    origins: HashMap<u64, usize>,
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
    pub(crate) fn allocated(&mut self, address: u64, pool: usize) {
        self.freed.remove(&address);
        self.origins.insert(address, pool);
    }

    /// The devices that memory's pool is open to, one bit each.
    fn access(&self, address: u64) -> u64 {
        self.origins.get(&address).and_then(|pool| self.pools.get(pool)).map_or(0, |pool| pool.access)
    }

    /// Records a free in stream order; returns false if the memory was already freed.
    pub(crate) fn free(&mut self, address: u64) -> bool {
        self.freed.insert(address)
    }
}

impl State {
    /// Devices that may access memory, one bit each: its own, those with peer access, and those that its pool is open to.
    pub(crate) fn accessors(&self, memory: &Memory) -> u64 {
        let pool = if memory.kind == MemoryKind::Pool { self.pools.access(memory.base) } else { 0 };
        self.accessible_from(memory.device) | pool
    }

    /// Creates a pool and returns its handle.
    pub(crate) fn create_pool(&mut self, device: u32) -> usize {
        let handle = self.handle();
        self.pools.pools.insert(handle, Pool { device, attributes: [1, 1, 1, 0, 0, 0, 0, 0], access: 0 });
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
