//! Work of a stream or of a graph's node.

use crate::abi::types::{HostFn, Stream, StreamCallback};
use crate::backend::{Copy, Fill, KernelWork};
use crate::ipc::Gate;
use events::LaunchInfo;
use events::task::TaskKind;
use std::ops::Range;

/// Work, which can be submitted several times.
#[derive(Clone)]
pub(crate) enum Work {
    Kernel(Box<KernelWork>),
    Copy(Box<Copy>),
    Fill(Fill),
    HostFunction(HostFunction),
    /// `cudaMallocAsync`: the memory exists already, but only work that is ordered after this may use it.
    Allocate {
        address: u64,
        bytes: u64,
    },
    /// `cudaFreeAsync`
    Free {
        address: u64,
    },
    /// An operator that the host has computed: the ranges that it read (`false`) and wrote (`true`).
    Operator(Vec<(Range<u64>, bool)>),
    /// Waits for another process's record of an event.
    Gate(Gate),
}

impl Work {
    /// Returns the ranges that a copy, a memset or the like reads (`false`) and writes (`true`), as far as they are known.
    pub(crate) fn accesses(&self) -> Vec<(Range<u64>, bool)> {
        match self {
            Work::Copy(copy) => copy.accesses(),
            Work::Fill(fill) => fill.accesses(),
            Work::Operator(ranges) => ranges.clone(),
            Work::Allocate { address, .. } | Work::Free { address } => vec![(*address..address + 1, true)],
            Work::Kernel(_) | Work::HostFunction(_) | Work::Gate(_) => Vec::new(),
        }
    }

    /// Returns the kind of task for listeners.
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
            Work::Copy(_) | Work::Operator(_) => TaskKind::Copy,
            Work::Fill(_) | Work::Allocate { .. } | Work::Free { .. } => TaskKind::Memset,
            Work::HostFunction(_) | Work::Gate(_) => TaskKind::HostFunction,
        }
    }
}

/// A function of the program that is called in stream order.
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
    /// Calls the function.
    ///
    /// # Safety
    /// The program passed the function and its argument for this call.
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
