//! Devices: what the program has set, and whether their contexts are lost.

use super::{Memory, MemoryKind, Request, Runtime, State};
use crate::abi::error::{CudaError, CudaResult};
use crate::backend::{Heap, KernelWork, Refused};
use crate::order::StreamKey;
use events::TaskInfo;
use events::task::HostCall;
use protocol::DeviceFailure;

pub(crate) struct Device {
    pub(crate) legacy: StreamKey,
    /// What a kernel failed with; every call reports it once the host has noticed.
    fault: Option<CudaError>,
    noticed: bool,
    pub(crate) peers: u64,
    pub(crate) used: u64,
    pub(crate) flags: u32,
    pub(crate) limits: [usize; 8],
    pub(crate) heap: Option<Heap>,
    pub(crate) cache_config: i32,
}

impl Device {
    pub(super) fn new(legacy: StreamKey) -> Self {
        Device {
            legacy,
            fault: None,
            noticed: false,
            peers: 0,
            used: 0,
            flags: 0,
            // Stack, printf buffer, heap, sync depth, pending launches, L2 granularity, persisting L2.
            limits: [1024, 1 << 20, 8 << 20, 2, 2048, 64, 0, 0],
            heap: None,
            cache_config: 0,
        }
    }
}

impl State {
    /// The error of a lost context, once the host has synchronised with it.
    pub(crate) fn check(&self, device: u32) -> CudaResult {
        if self.lost_to_fork {
            return Err(CudaError::INITIALIZATION_ERROR);
        }
        match self.devices.get(device as usize) {
            Some(Device { fault: Some(error), noticed: true, .. }) => Err(*error),
            _ => Ok(()),
        }
    }

    /// Did a kernel of the device fail, whether or not the host has noticed?
    pub(crate) fn is_lost(&self, device: u32) -> bool {
        self.devices.get(device as usize).is_some_and(|d| d.fault.is_some())
    }

    /// The host has waited for the device, or asked after it: from now on it sees its error.
    pub(crate) fn notice(&mut self, device: u32) -> CudaResult {
        if let Some(device) = self.devices.get_mut(device as usize) {
            device.noticed = device.fault.is_some();
        }
        self.check(device)
    }

    /// `cudaDeviceReset`
    pub(crate) fn forget_fault(&mut self, device: u32) {
        if let Some(device) = self.devices.get_mut(device as usize) {
            device.fault = None;
            device.noticed = false;
        }
    }

    /// Devices that may access memory of `device`.
    pub(crate) fn accessible_from(&self, device: u32) -> u64 {
        let mut mask = 1 << device;
        for (other, record) in self.devices.iter().enumerate() {
            if record.peers & (1 << device) != 0 {
                mask |= 1 << other;
            }
        }
        mask
    }

    /// Heap and stack limit for a kernel.
    pub(crate) fn kernel_resources(&mut self, runtime: &Runtime, device: u32) -> (Option<Heap>, u32) {
        let Some(record) = self.devices.get(device as usize) else { return (None, 1024) };
        // The default stack limit is what hardware starts with and grows by the compiler's
        // knowledge; local memory here costs nothing until used.
        let stack = record.limits[0].max(512 << 10) as u32;
        if record.heap.is_none() {
            let bytes = record.limits[2] as u64;
            let request = Request {
                bytes,
                align: 512,
                kind: MemoryKind::Heap,
                device,
                flags: 0,
                call: HostCall::default(),
                name: None,
            };
            if let Ok(base) = runtime.allocate(self, request) {
                self.devices[device as usize].heap = Some(Heap { base, bytes });
            }
        }
        (self.devices[device as usize].heap, stack)
    }

    /// Has a kernel used the device's heap, so that its size is fixed?
    pub(crate) fn heap_made(&self, device: u32) -> bool {
        self.devices.get(device as usize).is_some_and(|d| d.heap.is_some())
    }

    /// A kernel failed: its device's context is lost.
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

    /// The back end refused a launch that the API had accepted.
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
