//! A kernel launch: its inputs, its progress, and its outcome.

use super::Module;
use super::copy::{Pitch, Shape};
use crate::abi::error::CudaError;
use events::task::Parameter;
use events::{Dim3, Finding, LaunchFacts, Launcher, SharedVariable, SiteId, StreamId, TaskId, TaskInfo};
use protocol::{DeviceFailure, WeakOutcome};
use std::sync::Arc;

/// A submitted launch.
#[derive(Clone)]
pub(crate) struct KernelWork {
    pub(crate) module: Arc<dyn Module>,
    pub(crate) kernel: usize,
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) cluster: Dim3,
    pub(crate) dynamic_shared: u32,
    pub(crate) cooperative: bool,
    /// Whether this launch has run unchanged on a device that had room for its blocks.
    pub(crate) has_run: bool,
    pub(crate) params: Vec<u8>,
    /// Whether it may begin before its predecessor kernel in the stream has ended.
    pub(crate) overlaps: bool,
    /// Whether the options for NVTX ranges let it be checked.
    pub(crate) chosen: bool,
    /// Whether the detector receives its events.
    pub(crate) checked: bool,
}

impl KernelWork {
    pub(crate) fn name(&self) -> &str {
        &self.module.kernels()[self.kernel].name
    }

    /// Returns the launch's inputs for listeners.
    pub(crate) fn facts(&self) -> LaunchFacts {
        let params = &self.module.kernels()[self.kernel].params;
        LaunchFacts {
            dynamic_shared: self.dynamic_shared,
            bytes: self.params.clone(),
            parameters: params.iter().map(|p| Parameter { offset: p.offset, bytes: p.size }).collect(),
            shared: self.shared(),
        }
    }

    /// Returns the variables in the shared memory of each block.
    pub(crate) fn shared(&self) -> Vec<SharedVariable> {
        let variables = self.module.kernels()[self.kernel].shared_variables.iter();
        let named = |v: &kernels::NamedShared| SharedVariable {
            name: v.name.clone(),
            offset: v.offset.into(),
            bytes: v.bytes.map(u64::from),
        };
        variables.map(named).collect()
    }

    /// Returns a short name for messages: demangled, without parameters.
    pub(crate) fn short_name(&self) -> String {
        names::symbol::short(self.name())
    }
}

/// The circumstances under which a launch runs.
#[derive(Clone, Copy)]
pub(crate) struct Terms<'a> {
    pub(crate) task: &'a TaskInfo,
    pub(crate) device: u32,
    /// The number of the launch in the process, from 1.
    pub(crate) number: u64,
    /// The heap for device-side `malloc`.
    pub(crate) heap: Option<Heap>,
    /// Limits the local memory per thread in bytes.
    pub(crate) stack_limit: u32,
    /// The number of launches by kernels that it is inside of.
    pub(crate) depth: u32,
    /// The value of `cudaLimitDevRuntimePendingLaunchCount`.
    pub(crate) pending: u32,
}

/// What a thread of a kernel has launched.
pub(crate) struct Child {
    pub(crate) task: TaskId,
    pub(crate) chain: StreamId,
    /// Tasks that it comes after directly: other children, and the parent of a tail launch.
    pub(crate) after: Vec<TaskId>,
    /// Whether it comes after the parent and all of the parent's children that do not.
    pub(crate) tail: bool,
    /// The launching instruction.
    pub(crate) site: SiteId,
    pub(crate) launcher: Launcher,
    pub(crate) work: ChildWork,
}

/// What a thread has launched. Copies and memsets are of `shape`.
pub(crate) enum ChildWork {
    Kernel(Box<KernelWork>),
    Copy { dst: (u64, Pitch), src: (u64, Pitch), shape: Shape },
    Fill { dst: (u64, Pitch), value: u8, shape: Shape },
}

/// A device's heap, which lives as long as its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heap {
    pub(crate) base: u64,
    pub(crate) bytes: u64,
}

/// A launch in progress, which is run in portions.
pub(crate) trait Running {
    /// Continues for about `fuel` warp instructions.
    fn run(&mut self, fuel: u64) -> Progress;

    fn stats(&self) -> Stats;

    /// Returns the kernels that threads have launched since the last call, in the order of the launches.
    fn children(&mut self) -> Vec<Child> {
        Vec::new()
    }

    /// Returns values of weak memory that no interleaving explains.
    fn outcomes(&self) -> Vec<WeakOutcome> {
        Vec::new()
    }

    /// Lets time pass for loops that wait with a clock, and returns false if there are none. Callers use this
    /// after a stall that no other work can resolve.
    fn pass_time(&mut self) -> bool;

    /// Returns the failure of a launch that has stalled for good.
    fn stuck(&mut self) -> DeviceFailure;
}

/// The state at the end of a portion.
pub(crate) enum Progress {
    Finished,
    /// The fuel is used up.
    Running,
    /// All threads wait. If some loops may give up by themselves, the launch `may_end`; otherwise only other
    /// work can resolve the stall.
    Stalled {
        may_end: bool,
    },
    Failed(Box<DeviceFailure>),
}

/// Counters of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stats {
    pub(crate) warp_instructions: u64,
    pub(crate) thread_instructions: u64,
    /// Accesses to global and shared memory, one per thread and instruction.
    pub(crate) accesses: u64,
    pub(crate) blocks_done: u64,
    /// The number of blocks that run, if the launch is a sample.
    pub(crate) sampled: Option<u64>,
}

/// A launch that the API has accepted and the back end rejects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The error that the program receives.
    pub(crate) error: CudaError,
    pub(crate) why: String,
}

/// Receives facts from the back end that are not events of a launch.
pub(crate) trait Ledger {
    /// Records a limit of the checks.
    fn limit(&self, text: String);

    /// Records a reason that makes a clean verdict impossible.
    fn doubt(&self, text: String);

    /// Records values of a run with weak memory.
    fn showed(&self, outcomes: Vec<WeakOutcome>);

    fn keep(&self, findings: Vec<Finding>);

    /// Records that a launch is being explored in advance; `replay` repeats the exploration. `None` ends it.
    fn explores(&self, task: TaskId, replay: Option<&str>);
}
