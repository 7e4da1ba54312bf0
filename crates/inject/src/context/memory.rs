//! Memory that kernels may access: its allocation and deallocation.

use super::{Runtime, State};
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::properties;
use crate::arena::{Arena, Block, Visibility};
use crate::backend::Region;
use crate::watch;
use events::RangeAccess;
use events::task::{AllocKind, HostCall};
use events::{Allocation, ObservedMemory, TaskInfo, Tell};
use std::collections::BTreeMap;
use std::io;
use std::sync::MutexGuard;

/// Limits the allocations in the facts of one launch.
const MOST_OBSERVED: usize = 4096;

/// The origin of device memory, as far as the API distinguishes origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryKind {
    Device,
    /// `cudaMallocAsync` and its pools.
    Pool,
    Managed,
    /// `cudaHostAlloc`, `cudaMallocHost`
    Pinned,
    /// `cudaHostRegister`: the program's own pages.
    Registered,
    Variable,
    Heap,
    /// `cuMemMap`
    Mapped,
}

impl MemoryKind {
    pub(crate) fn event_kind(self) -> AllocKind {
        match self {
            MemoryKind::Device | MemoryKind::Pool | MemoryKind::Mapped => AllocKind::Device,
            MemoryKind::Managed => AllocKind::Managed,
            MemoryKind::Pinned | MemoryKind::Registered => AllocKind::HostMapped,
            MemoryKind::Variable => AllocKind::Variable,
            MemoryKind::Heap => AllocKind::DeviceHeap,
        }
    }

    /// Returns whether the host may access it.
    pub(crate) fn host_accessible(self) -> bool {
        matches!(self, MemoryKind::Managed | MemoryKind::Pinned | MemoryKind::Registered)
    }

    /// Returns whether it is page-locked: asynchronous copies from and to it need no staging.
    pub(crate) fn pinned(self) -> bool {
        matches!(self, MemoryKind::Pinned | MemoryKind::Registered)
    }
}

/// An allocation that kernels may access.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) base: u64,
    pub(crate) bytes: u64,
    pub(crate) kind: MemoryKind,
    pub(crate) device: u32,
    pub(crate) flags: u32,
    /// The engine's address of `base`.
    pub(crate) engine: usize,
    /// The arena's block; `None` for registered memory.
    pub(crate) block: Option<Block>,
    pub(crate) call: HostCall,
    pub(crate) name: Option<String>,
}

impl Memory {
    pub(crate) fn description(&self) -> Allocation {
        Allocation {
            base: self.base,
            bytes: self.bytes,
            kind: self.kind.event_kind(),
            name: self.name.clone(),
            call: self.call.clone(),
            device: self.device,
        }
    }
}

/// The parameters of an allocation.
pub(crate) struct Request {
    pub(crate) bytes: u64,
    pub(crate) align: u64,
    pub(crate) kind: MemoryKind,
    pub(crate) device: u32,
    pub(crate) flags: u32,
    pub(crate) call: HostCall,
    pub(crate) name: Option<String>,
}

impl Request {
    /// Returns the request for unnamed memory with the API's alignment.
    pub(crate) fn new(bytes: u64, kind: MemoryKind, device: u32, call: HostCall) -> Request {
        Request { bytes, align: 512, kind, device, flags: 0, call, name: None }
    }
}

/// All memory by address.
#[derive(Default)]
pub(super) struct Memories {
    /// The source of device memory, created on first use.
    arena: Option<Arena>,
    known: BTreeMap<u64, Memory>,
}

impl Memories {
    /// Returns the allocation that contains an address.
    fn find(&self, address: u64) -> Option<&Memory> {
        self.last_before(address.checked_add(1)?).filter(|m| address < m.base + m.bytes)
    }

    /// Returns the last allocation that begins before `end`.
    fn last_before(&self, end: u64) -> Option<&Memory> {
        self.known.range(..end).next_back().map(|(_, memory)| memory)
    }

    /// Returns the allocation that contains an address, in the form of a report.
    pub(super) fn holder(&self, address: u64) -> Option<Allocation> {
        self.find(address).map(Memory::description)
    }

    pub(super) fn is_reserved(&self) -> bool {
        self.arena.is_some()
    }

    pub(super) fn arena(&mut self) -> Option<&mut Arena> {
        self.arena.as_mut()
    }

    /// Reserves the address space of device memory, once. The error is the system's reason.
    pub(super) fn reserve(&mut self) -> io::Result<()> {
        if self.arena.is_none() {
            self.arena = Some(Arena::new()?);
        }
        Ok(())
    }
}

impl Runtime {
    /// Allocates memory and maps it for kernels and the detector. Fails if there is no room.
    pub(crate) fn allocate(&self, state: &mut State, request: Request) -> CudaResult<u64> {
        let Request { bytes, align, kind, device, flags, call, name } = request;
        let reserved = state.memory.reserve();
        reserved.map_err(|why| state.no_room(&why.to_string()))?;
        let limited = !kind.host_accessible();
        let used = state.used(device);
        if bytes > properties::MEMORY || (limited && used + bytes > properties::MEMORY) {
            return Err(CudaError::MEMORY_ALLOCATION);
        }
        let visibility = if kind.host_accessible() {
            Visibility::Host
        } else if kind == MemoryKind::Heap {
            Visibility::Heap
        } else {
            Visibility::Device
        };
        let arena = state.memory.arena.as_mut().ok_or(CudaError::MEMORY_ALLOCATION)?;
        let Some(block) = arena.allocate(bytes, align, visibility) else {
            // The device itself would have had room.
            return Err(state.no_room("what the system grants of it is used up"));
        };
        let engine = arena.engine_view(block.base) as usize;
        let memory =
            Memory { base: block.base, bytes, kind, device, flags, engine, block: Some(block), call, name };
        self.publish(state, memory)?;
        if limited {
            state.uses_more(device, bytes);
        }
        Ok(block.base)
    }

    /// Maps memory for kernels and the detector.
    pub(crate) fn publish(&self, state: &mut State, memory: Memory) -> CudaResult {
        let mask =
            if memory.kind.host_accessible() { u64::MAX } else { state.accessible_from(memory.device) };
        let region = Region {
            base: memory.base,
            bytes: memory.bytes,
            host: memory.engine,
            kind: memory.kind.event_kind(),
            device: memory.device,
            accessible_from: mask,
        };
        self.backend.map(region).map_err(|_| CudaError::MEMORY_ALLOCATION)?;
        state.gave_away();
        self.backend.listener().alloc(&memory.description());
        state.results.allocated(|| memory.description());
        state.results.counters().allocations += 1;
        if memory.kind.host_accessible() && memory.block.is_some() {
            watch::allocated(memory.base, memory.bytes, memory.engine as u64);
        }
        state.memory.known.insert(memory.base, memory);
        Ok(())
    }

    /// Maps the program's own pages for kernels and the detector.
    pub(crate) fn register(
        &self,
        state: &mut State,
        (base, bytes): (u64, u64),
        device: u32,
        flags: u32,
        call: HostCall,
    ) -> CudaResult {
        if base == 0 || bytes == 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        let overlaps = state.memory.last_before(base.saturating_add(bytes));
        if overlaps.is_some_and(|m| m.base + m.bytes > base) {
            return Err(CudaError::HOST_MEMORY_ALREADY_REGISTERED);
        }
        let memory = Memory {
            base,
            bytes,
            kind: MemoryKind::Registered,
            device,
            flags,
            engine: base as usize,
            block: None,
            call,
            name: None,
        };
        self.publish(state, memory).map_err(|_| CudaError::HOST_MEMORY_ALREADY_REGISTERED)
    }

    /// Frees memory of one of the given kinds, after all work that may use it.
    pub(crate) fn free<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        base: u64,
        kinds: &[MemoryKind],
    ) -> CudaResult {
        let own = !state.shared.is_import(base);
        let memory = state.allocation(base).filter(|m| own && kinds.contains(&m.kind));
        let device = memory.ok_or(CudaError::INVALID_VALUE)?.device;
        let mut state = self.wait_device(state, device);
        for other in (0..state.device_count()).filter(|&other| other != device) {
            state = self.wait_device(state, other);
        }
        state.notice(device)?;
        if !state.graphs.owns_memory(base) {
            self.withdraw(&mut state, base)?;
        }
        Ok(())
    }

    /// Withdraws memory. The caller has waited for all work that may access it.
    pub(crate) fn withdraw(&self, state: &mut State, base: u64) -> CudaResult<Memory> {
        let memory = self.unmap(state, base)?;
        // No later access can race with an access to the freed memory.
        self.backend.listener().free(base, memory.bytes);
        Ok(memory)
    }

    /// Unmaps memory.
    fn unmap(&self, state: &mut State, base: u64) -> CudaResult<Memory> {
        // Findings refer to the allocation, so they are collected while it is known.
        let findings = self.backend.listener().findings();
        state.keep_findings(findings);
        let memory = state.memory.known.remove(&base).ok_or(CudaError::INVALID_VALUE)?;
        watch::withdrawn(&mut state.flights, base);
        state.gave_back();
        self.backend.unmap(base);
        if !memory.kind.host_accessible() {
            state.uses_less(memory.device, memory.bytes);
        }
        if let (Some(block), Some(arena)) = (memory.block, state.memory.arena.as_mut()) {
            arena.free(block);
        }
        Ok(memory)
    }

    /// Returns whether there is memory at this address that the host may access.
    pub(crate) fn is_open_host_memory(&self, address: u64) -> bool {
        // The fault may be a crash inside this library while the state is locked.
        let state = match self.state.try_lock() {
            Ok(state) => state,
            Err(_) if crate::caller::inside() => return false,
            Err(_) => self.lock(),
        };
        state.find(address).is_some_and(|m| matches!(m.kind, MemoryKind::Managed | MemoryKind::Pinned))
    }

    /// Executes `cudaFreeAsync` in stream order. All work that uses the memory must be ordered before it
    /// (Programming Guide, "Stream Ordered Memory Allocator"), so for the detector it is a write of the whole
    /// range. The access history stays until the addresses are allocated again, since other streams' kernels
    /// may still be running.
    pub(crate) fn release(&self, address: u64, task: &TaskInfo) {
        let bytes = self.lock().allocation(address).map_or(0, |memory| memory.bytes);
        self.backend.listener().range(&RangeAccess {
            task: task.id,
            site: task.call.site,
            address,
            bytes,
            write: true,
        });
        self.backend.listener().task_end(task.id);
        // A second free of the same memory was refused at submission.
        let _ = self.unmap(&mut self.lock(), address);
    }
}

impl State {
    /// Returns the allocation that begins at an address.
    pub(crate) fn allocation(&self, base: u64) -> Option<&Memory> {
        self.memory.known.get(&base)
    }

    /// Returns all allocations by address.
    pub(crate) fn allocations(&self) -> impl Iterator<Item = &Memory> {
        self.memory.known.values()
    }

    /// Returns all memory that kernels may access, as facts of a launch, without contents.
    pub(crate) fn observed_memory(&self) -> Vec<ObservedMemory> {
        let described = |memory: &Memory| {
            let Allocation { base, bytes, kind, name, .. } = memory.description();
            ObservedMemory { base, bytes, kind, name, contents: None }
        };
        self.allocations().take(MOST_OBSERVED).map(described).collect()
    }

    /// Returns the engine's address for an address in an allocation.
    pub(crate) fn engine_address(&self, address: u64) -> Option<usize> {
        self.find(address).map(|m| m.engine + (address - m.base) as usize)
    }

    /// Bytes from an address on that are memory of one kind: what is mapped side by side is one to copies.
    pub(crate) fn reach(&self, address: u64) -> u64 {
        let mut end = address;
        while let Some(memory) = self.find(end) {
            if end != address && memory.kind != MemoryKind::Mapped {
                break;
            }
            end = memory.base + memory.bytes;
            if memory.kind != MemoryKind::Mapped {
                break;
            }
        }
        end - address
    }

    /// The allocation that contains an address.
    pub(crate) fn find(&self, address: u64) -> Option<&Memory> {
        self.memory.find(address)
    }

    /// Returns the allocation that contains an address, or the one that ends shortly before it.
    pub(super) fn near(&self, address: u64) -> Option<&Memory> {
        let (_, memory) = self.memory.known.range(..=address).next_back()?;
        (address < memory.base + memory.bytes + (1 << 20)).then_some(memory)
    }

    /// Returns `cudaErrorMemoryAllocation`, and makes the verdict inconclusive, since the cause is this
    /// machine and not the program's own demand.
    pub(super) fn no_room(&mut self, why: &str) -> CudaError {
        self.results.inconclusive(format!(
            "the virtual GPU could not reserve address space for device memory: {why}; raise or remove the limit \
             (`ulimit -v unlimited`)"
        ));
        CudaError::MEMORY_ALLOCATION
    }
}
