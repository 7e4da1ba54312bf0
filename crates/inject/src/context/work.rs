//! Work as a stream or a graph's node holds it.

use crate::abi::types::{HostFn, Stream, StreamCallback};
use crate::backend::{Copy, Fill, KernelWork};
use crate::ipc::Gate;
use events::LaunchInfo;
use events::task::TaskKind;

/// It can be submitted many times.
#[derive(Clone)]
pub(crate) enum Work {
    Kernel(Box<KernelWork>),
    Copy(Box<Copy>),
    Fill(Fill),
    HostFunction(HostFunction),
    /// `cudaMallocAsync`: the memory is there already, but only what comes after this may use it.
    Allocate {
        address: u64,
        bytes: u64,
    },
    /// `cudaFreeAsync`
    Free {
        address: u64,
    },
    /// Waits for another process's record of an event.
    Gate(Gate),
}

impl Work {
    /// As listeners know it.
    pub(crate) fn kind(&self) -> TaskKind {
        match self {
            Work::Kernel(work) => {
                let kernel = &work.module.kernels()[work.kernel];
                TaskKind::Launch(LaunchInfo {
                    kernel: kernel.name.clone(),
                    grid: work.grid,
                    block: work.block,
                    cluster: work.cluster,
                    cooperative: work.cooperative,
                    shared_bytes: kernel.static_shared + work.dynamic_shared,
                    uses: kernel.uses,
                })
            }
            Work::Copy(_) => TaskKind::Copy,
            Work::Fill(_) | Work::Allocate { .. } | Work::Free { .. } => TaskKind::Memset,
            Work::HostFunction(_) | Work::Gate(_) => TaskKind::HostFunction,
        }
    }
}

/// A function of the program to be called in stream order.
#[derive(Clone, Copy)]
pub(crate) enum HostFunction {
    Function {
        function: HostFn,
        data: usize,
    },
    /// `cudaStreamAddCallback`
    Callback {
        function: StreamCallback,
        stream: usize,
        data: usize,
    },
}

impl HostFunction {
    /// Calls it.
    ///
    /// # Safety
    /// The program passed the function and its argument to be called just so.
    pub(crate) unsafe fn call(self, status: i32) {
        // SAFETY: the caller's promise.
        unsafe {
            match self {
                HostFunction::Function { function: Some(function), data } => function(data as *mut _),
                HostFunction::Callback { function: Some(function), stream, data } => {
                    function(stream as Stream, status, data as *mut _);
                }
                _ => {}
            }
        }
    }
}
