//! Devices: the program's settings, and lost contexts.

use super::{Memory, MemoryKind, Request, Runtime, State};
use crate::abi::error::{CudaError, CudaResult};
use crate::backend::{Heap, KernelWork, Refused};
use crate::order::StreamKey;
use events::TaskInfo;
use events::task::HostCall;
use protocol::{DeviceFailure, WeakOutcome};
use std::sync::MutexGuard;

pub(super) struct Device {
    legacy: StreamKey,
    /// The error of a failed kernel; every call returns it once the host has noticed it.
    fault: Option<CudaError>,
    noticed: bool,
    /// The devices whose memory it may access, as a bit mask.
    peers: u64,
    /// The used bytes of device memory.
    used: u64,
    flags: u32,
    limits: [usize; LIMITS],
    heap: Option<Heap>,
    cache_config: i32,
}

/// A device's limits for a kernel.
pub(crate) struct Resources {
    pub(crate) heap: Option<Heap>,
    /// The bytes of local memory per thread.
    pub(crate) stack: u32,
    /// The number of launches of one grid that wait.
    pub(crate) pending: u32,
}

/// Number of `cudaLimit` values.
const LIMITS: usize = 7;
const STACK_LIMIT: usize = 0;
const HEAP_LIMIT: usize = 2;
const PENDING_LIMIT: usize = 4;

impl Device {
    pub(super) fn new(legacy: StreamKey) -> Self {
        Device {
            legacy,
            fault: None,
            noticed: false,
            peers: 0,
            used: 0,
            flags: 0,
            // The limits are stack, printf buffer, heap, sync depth, pending launches, L2 granularity, and
            // persisting L2.
            limits: [1024, 1 << 20, 8 << 20, 2, 2048, 64, 0],
            heap: None,
            cache_config: 0,
        }
    }

    pub(super) fn legacy(&self) -> StreamKey {
        self.legacy
    }
}

/// Returns the slot of a `cudaLimit`.
fn limit_slot(limit: i32) -> CudaResult<usize> {
    usize::try_from(limit).ok().filter(|&slot| slot < LIMITS).ok_or(CudaError::UNSUPPORTED_LIMIT)
}

impl Runtime {
    /// Frees everything that the program has created on a device, after its work is done, and clears its
    /// failure.
    pub(crate) fn reset_device(&self, device: u32) -> CudaResult {
        let mut state = self.wait_device(self.lock(), device);
        let made = |m: &&Memory| m.device == device && m.name.is_none() && m.kind != MemoryKind::Heap;
        let mine: Vec<u64> = state.allocations().filter(made).map(|m| m.base).collect();
        for base in mine {
            self.withdraw(&mut state, base)?;
        }
        state.drop_streams_of(device);
        state.forget_events(device);
        let record = &mut state.devices[device as usize];
        record.peers = 0;
        record.fault = None;
        record.noticed = false;
        Ok(())
    }

    /// Switches a device's access to a peer's memory.
    pub(crate) fn switch_peer(&self, state: &mut State, device: u32, peer: u32, on: bool) -> CudaResult {
        if device == peer {
            return Err(CudaError::INVALID_DEVICE);
        }
        let bit = 1u64 << peer;
        let record = &mut state.devices[device as usize];
        match (on, record.peers & bit != 0) {
            (true, true) => return Err(CudaError::PEER_ACCESS_ALREADY_ENABLED),
            (false, false) => return Err(CudaError::PEER_ACCESS_NOT_ENABLED),
            _ => record.peers ^= bit,
        }
        for memory in state.allocations() {
            if memory.device == peer && !memory.kind.host_accessible() {
                self.backend.set_access(memory.base, state.accessors(memory));
            }
        }
        Ok(())
    }

    /// Waits for all work of all devices.
    pub(crate) fn wait_devices<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        for device in 0..state.device_count() {
            state = self.wait_device(state, device);
        }
        state
    }
}

impl State {
    pub(crate) fn device_count(&self) -> u32 {
        self.devices.len() as u32
    }

    /// Returns the device with the program's number.
    pub(crate) fn device(&self, number: i32) -> CudaResult<u32> {
        u32::try_from(number).ok().filter(|&n| n < self.device_count()).ok_or(CudaError::INVALID_DEVICE)
    }

    pub(crate) fn device_flags(&self, device: u32) -> u32 {
        self.devices[device as usize].flags
    }

    pub(crate) fn set_device_flags(&mut self, device: u32, flags: u32) {
        self.devices[device as usize].flags = flags;
    }

    pub(crate) fn cache_config(&self, device: u32) -> i32 {
        self.devices[device as usize].cache_config
    }

    pub(crate) fn set_cache_config(&mut self, device: u32, config: i32) {
        self.devices[device as usize].cache_config = config;
    }

    /// Implements `cudaDeviceGetLimit`.
    pub(crate) fn limit(&self, device: u32, limit: i32) -> CudaResult<usize> {
        Ok(self.devices[device as usize].limits[limit_slot(limit)?])
    }

    /// Implements `cudaDeviceSetLimit`.
    pub(crate) fn set_limit(&mut self, device: u32, limit: i32, value: usize) -> CudaResult {
        let slot = limit_slot(limit)?;
        let record = &mut self.devices[device as usize];
        if slot == HEAP_LIMIT && record.heap.is_some() {
            // The heap's size is fixed once a kernel may have used it.
            return Err(CudaError::INVALID_VALUE);
        }
        record.limits[slot] = value;
        Ok(())
    }

    /// Returns the used bytes of a device's memory.
    pub(crate) fn used(&self, device: u32) -> u64 {
        self.devices.get(device as usize).map_or(0, |d| d.used)
    }

    pub(super) fn uses_more(&mut self, device: u32, bytes: u64) {
        self.devices[device as usize].used += bytes;
    }

    pub(super) fn uses_less(&mut self, device: u32, bytes: u64) {
        if let Some(device) = self.devices.get_mut(device as usize) {
            device.used = device.used.saturating_sub(bytes);
        }
    }

    /// Places a device's heap where a saved launch had it.
    pub(crate) fn restore_heap(&mut self, device: u32, heap: Heap) {
        self.devices[device as usize].heap = Some(heap);
    }

    /// Sets the stack limit of a saved launch.
    pub(crate) fn restore_stack_limit(&mut self, device: u32, bytes: u32) {
        self.devices[device as usize].limits[STACK_LIMIT] = bytes as usize;
    }

    /// Returns the error of a lost context, once the host has synchronised with it.
    pub(crate) fn check(&self, device: u32) -> CudaResult {
        if self.lost_to_fork {
            return Err(CudaError::INITIALIZATION_ERROR);
        }
        match self.devices.get(device as usize) {
            Some(Device { fault: Some(error), noticed: true, .. }) => Err(*error),
            _ => Ok(()),
        }
    }

    /// Returns whether a kernel of the device has failed, whether or not the host has noticed.
    pub(crate) fn is_lost(&self, device: u32) -> bool {
        self.devices.get(device as usize).is_some_and(|d| d.fault.is_some())
    }

    /// Records that the host has waited for the device or queried it, so that it sees the device's error from
    /// now on.
    pub(crate) fn notice(&mut self, device: u32) -> CudaResult {
        if let Some(device) = self.devices.get_mut(device as usize) {
            device.noticed = device.fault.is_some();
        }
        self.check(device)
    }

    /// Returns the devices that may access memory of `device`, as a bit mask.
    pub(crate) fn accessible_from(&self, device: u32) -> u64 {
        let mut mask = 1 << device;
        for (other, record) in self.devices.iter().enumerate() {
            if record.peers & (1 << device) != 0 {
                mask |= 1 << other;
            }
        }
        mask
    }

    /// Returns a device's limits for a kernel.
    pub(crate) fn kernel_resources(&mut self, runtime: &Runtime, device: u32) -> Resources {
        let Some(record) = self.devices.get(device as usize) else {
            return Resources { heap: None, stack: 1024, pending: 0 };
        };
        let pending = u32::try_from(record.limits[PENDING_LIMIT]).unwrap_or(u32::MAX);
        // On hardware the default stack limit is a starting value that the compiler's knowledge raises. Here
        // local memory costs nothing until it is used, so the limit is raised at once.
        let stack = record.limits[STACK_LIMIT].max(512 << 10) as u32;
        if record.heap.is_none() {
            let bytes = record.limits[HEAP_LIMIT] as u64;
            let request = Request::new(bytes, MemoryKind::Heap, device, HostCall::default());
            if let Ok(base) = runtime.allocate(self, request) {
                self.devices[device as usize].heap = Some(Heap { base, bytes });
            }
        }
        Resources { heap: self.devices[device as usize].heap, stack, pending }
    }

    /// Keeps values of a run with weak memory.
    pub(crate) fn keep_outcomes(&mut self, outcomes: Vec<WeakOutcome>) {
        for mut outcome in outcomes {
            if !outcome.shared {
                outcome.allocation = self.find(outcome.address).map(Memory::description);
            }
            self.results.showed(outcome);
        }
    }

    /// Records that a kernel failed: its device's context is lost.
    pub(crate) fn faulted(&mut self, device: u32, mut failure: DeviceFailure, task: &TaskInfo) {
        let code = error_code(&failure);
        if let Some(address) = failure.address {
            failure.allocation = self.near(address).map(Memory::description);
        }
        debug_assert_eq!(failure.task, task.id);
        self.results.failure(failure);
        if let Some(device) = self.devices.get_mut(device as usize) {
            device.fault.get_or_insert(code);
        }
    }

    /// Records that the back end refused a launch that the API had accepted.
    pub(crate) fn refused(&mut self, work: &KernelWork, task: TaskInfo, device: u32, refused: &Refused) {
        self.results.refused(work, task.id, refused);
        if let Some(device) = self.devices.get_mut(device as usize) {
            device.fault.get_or_insert(refused.error);
        }
    }
}

fn error_code(failure: &DeviceFailure) -> CudaError {
    use protocol::FailureKind as Kind;
    match failure.what {
        Kind::IllegalAddress => CudaError::ILLEGAL_ADDRESS,
        Kind::Misaligned => CudaError::MISALIGNED_ADDRESS,
        Kind::Assert => CudaError::ASSERT,
        Kind::Unsupported => CudaError::NOT_SUPPORTED,
        Kind::IllegalInstruction | Kind::Membermask => CudaError::ILLEGAL_INSTRUCTION,
        Kind::Deadlock | Kind::NoEnd => CudaError::LAUNCH_TIMEOUT,
        Kind::Other => CudaError::ILLEGAL_ADDRESS,
        Kind::Trap | Kind::Launch => CudaError::LAUNCH_FAILURE,
    }
}
