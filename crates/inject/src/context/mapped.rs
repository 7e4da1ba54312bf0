//! Address ranges that programs reserve, physical memory that they create, and which is mapped where.
//!
//! Physical memory has a place only while it is mapped: its bytes are taken along when it is mapped again. It can be mapped at
//! one place at a time, so that each byte has one address.

use super::memory::{Memory, MemoryKind};
use super::{Runtime, State};
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::properties;
use crate::arena::{Block, Visibility};
use events::task::HostCall;
use std::collections::BTreeMap;
use std::sync::MutexGuard;

/// Memory that `cuMemCreate` has made.
#[derive(Debug)]
struct Physical {
    device: u32,
    bytes: u64,
    /// Handles that were not released.
    handles: u32,
    /// Where it is mapped.
    at: Option<u64>,
    /// Its bytes, once it was unmapped.
    kept: Option<Vec<u8>>,
}

/// What programs manage themselves.
#[derive(Debug, Default)]
pub(super) struct Mapped {
    /// Reserved ranges, by their first address.
    ranges: BTreeMap<u64, Block>,
    /// By handle.
    physical: BTreeMap<u64, Physical>,
}

impl Mapped {
    fn get(&mut self, handle: u64) -> CudaResult<&mut Physical> {
        self.physical.get_mut(&handle).ok_or(CudaError::INVALID_VALUE)
    }

    /// Returns whether `bytes` from `base` are inside one range.
    fn covers(&self, base: u64, bytes: u64) -> bool {
        let range = self.ranges.range(..=base).next_back();
        range.is_some_and(|(start, block)| base.saturating_add(bytes) <= start + block.bytes)
    }

    /// Forgets memory of no handle and no place.
    fn forget_unused(&mut self, handle: u64) {
        if self.physical.get(&handle).is_some_and(|p| p.handles == 0 && p.at.is_none()) {
            self.physical.remove(&handle);
        }
    }
}

impl State {
    /// Reserves addresses; the first one.
    pub(crate) fn reserve_range(&mut self, bytes: u64, align: u64) -> CudaResult<u64> {
        let reserved = self.memory.reserve();
        reserved.map_err(|why| self.no_room(&why.to_string()))?;
        let arena = self.memory.arena().ok_or(CudaError::MEMORY_ALLOCATION)?;
        let block = arena.allocate(bytes, align, Visibility::Device).ok_or(CudaError::MEMORY_ALLOCATION)?;
        self.mapped.ranges.insert(block.base, block);
        Ok(block.base)
    }

    /// Gives a whole range back, of which nothing is mapped.
    pub(crate) fn free_range(&mut self, base: u64, bytes: u64) -> CudaResult {
        let block = self.mapped.ranges.get(&base).filter(|block| block.bytes == bytes);
        let block = *block.ok_or(CudaError::INVALID_VALUE)?;
        let inside = |p: &Physical| p.at.is_some_and(|at| (base..base + bytes).contains(&at));
        if self.mapped.physical.values().any(inside) {
            return Err(CudaError::INVALID_VALUE);
        }
        self.mapped.ranges.remove(&base);
        if let Some(arena) = self.memory.arena() {
            arena.free(block);
        }
        Ok(())
    }

    /// Makes physical memory of a device; its handle.
    pub(crate) fn create_physical(&mut self, device: u32, bytes: u64) -> CudaResult<u64> {
        if self.used(device) + bytes > properties::MEMORY {
            return Err(CudaError::MEMORY_ALLOCATION);
        }
        self.uses_more(device, bytes);
        let handle = self.handle() as u64;
        self.mapped.physical.insert(handle, Physical { device, bytes, handles: 1, at: None, kept: None });
        Ok(handle)
    }

    /// Releases a handle. Memory that is mapped stays until it is unmapped.
    pub(crate) fn release_physical(&mut self, handle: u64) -> CudaResult {
        let physical = self.mapped.get(handle)?;
        physical.handles = physical.handles.checked_sub(1).ok_or(CudaError::INVALID_VALUE)?;
        let (device, bytes, gone) =
            (physical.device, physical.bytes, physical.handles == 0 && physical.at.is_none());
        if gone {
            self.uses_less(device, bytes);
        }
        self.mapped.forget_unused(handle);
        Ok(())
    }

    pub(crate) fn is_mapped(&mut self, handle: u64) -> CudaResult<bool> {
        Ok(self.mapped.get(handle)?.at.is_some())
    }

    pub(crate) fn device_of_physical(&mut self, handle: u64) -> CudaResult<u32> {
        Ok(self.mapped.get(handle)?.device)
    }

    /// One more handle of the memory that an address is in.
    pub(crate) fn retain_physical_at(&mut self, address: u64) -> CudaResult<u64> {
        let holds = |p: &Physical| p.at.is_some_and(|at| (at..at + p.bytes).contains(&address));
        let found = self.mapped.physical.iter_mut().find(|(_, p)| holds(p));
        let (&handle, physical) = found.ok_or(CudaError::INVALID_VALUE)?;
        physical.handles += 1;
        Ok(handle)
    }
}

impl Runtime {
    /// Maps physical memory into a reserved range.
    pub(crate) fn map_physical(
        &self,
        state: &mut State,
        (base, bytes): (u64, u64),
        handle: u64,
        call: HostCall,
    ) -> CudaResult {
        let covered = state.mapped.covers(base, bytes);
        let physical = state.mapped.get(handle)?;
        if !covered || physical.bytes != bytes {
            return Err(CudaError::INVALID_VALUE);
        }
        let (device, kept) = (physical.device, physical.kept.take());
        if state.allocations().any(|m| m.base < base + bytes && base < m.base + m.bytes) {
            return Err(CudaError::INVALID_VALUE);
        }
        let arena = state.memory.arena().ok_or(CudaError::INVALID_VALUE)?;
        let engine = arena.engine_view(base) as usize;
        let kind = MemoryKind::Mapped;
        let memory = Memory { base, bytes, kind, device, flags: 0, engine, block: None, call, name: None };
        self.publish(state, memory)?;
        // Nothing may touch it before the program gives access.
        self.backend.set_access(base, 0);
        if let Some(bytes) = kept {
            self.backend.write(base, &bytes).map_err(|_| CudaError::INVALID_VALUE)?;
        }
        state.mapped.get(handle)?.at = Some(base);
        Ok(())
    }

    /// Unmaps all memory of a range, once what may use it is done.
    pub(crate) fn unmap_range(&self, state: MutexGuard<'_, State>, base: u64, bytes: u64) -> CudaResult {
        let mut state = self.wait_devices(state);
        let inside = |p: &Physical| p.at.is_some_and(|at| base <= at && at + p.bytes <= base + bytes);
        let found = state.mapped.physical.iter().filter(|(_, p)| inside(p));
        let found: Vec<(u64, u64)> = found.filter_map(|(&handle, p)| Some((handle, p.at?))).collect();
        let whole: u64 =
            found.iter().filter_map(|(handle, _)| Some(state.mapped.physical.get(handle)?.bytes)).sum();
        if whole != bytes {
            return Err(CudaError::INVALID_VALUE);
        }
        for (handle, at) in found {
            let physical = state.mapped.get(handle)?;
            let (device, bytes, handles) = (physical.device, physical.bytes, physical.handles);
            let mut kept = vec![0; if handles > 0 { bytes as usize } else { 0 }];
            self.backend.read(at, &mut kept).map_err(|_| CudaError::INVALID_VALUE)?;
            self.withdraw(&mut state, at)?;
            if handles > 0 {
                // It takes memory as long as it has a handle.
                state.uses_more(device, bytes);
            }
            let physical = state.mapped.get(handle)?;
            physical.at = None;
            physical.kept = (handles > 0).then_some(kept);
            state.mapped.forget_unused(handle);
        }
        Ok(())
    }

    /// Says which devices may access what is mapped in a range.
    pub(crate) fn set_range_access(&self, state: &State, base: u64, bytes: u64, devices: u64) -> CudaResult {
        let mut covered = 0;
        for memory in state.allocations() {
            let inside = base <= memory.base && memory.base + memory.bytes <= base + bytes;
            if memory.kind == MemoryKind::Mapped && inside {
                covered += memory.bytes;
                self.backend.set_access(memory.base, devices);
            }
        }
        if covered == bytes { Ok(()) } else { Err(CudaError::INVALID_VALUE) }
    }
}
