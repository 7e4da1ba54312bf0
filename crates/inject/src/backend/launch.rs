//! A kernel launch: what it needs, how it goes, and what becomes of it.

use super::Module;
use crate::abi::error::CudaError;
use events::task::Parameter;
use events::{Dim3, Finding, LaunchFacts, SharedVariable, TaskId, TaskInfo};
use protocol::DeviceFailure;
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
    /// Has it run as it is, on some device that had room for its blocks?
    pub(crate) has_run: bool,
    pub(crate) params: Vec<u8>,
    /// May it begin before the kernel ahead of it in the stream has ended?
    pub(crate) overlaps: bool,
    /// Does the detector listen?
    pub(crate) checked: bool,
}

impl KernelWork {
    pub(crate) fn name(&self) -> &str {
        &self.module.kernels()[self.kernel].name
    }

    /// What it is given, for listeners.
    pub(crate) fn facts(&self) -> LaunchFacts {
        let params = &self.module.kernels()[self.kernel].params;
        LaunchFacts {
            dynamic_shared: self.dynamic_shared,
            bytes: self.params.clone(),
            parameters: params.iter().map(|p| Parameter { offset: p.offset, bytes: p.size }).collect(),
            shared: self.shared(),
        }
    }

    /// Variables in the shared memory of each of its blocks.
    pub(crate) fn shared(&self) -> Vec<SharedVariable> {
        let variables = self.module.kernels()[self.kernel].shared_variables.iter();
        let named = |v: &kernels::NamedShared| SharedVariable {
            name: v.name.clone(),
            offset: v.offset.into(),
            bytes: v.bytes.map(u64::from),
        };
        variables.map(named).collect()
    }

    /// The name for people: demangled, without parameters.
    pub(crate) fn short_name(&self) -> String {
        protocol::names::short(self.name())
    }
}

/// Where and when a launch runs.
#[derive(Clone, Copy)]
pub(crate) struct Terms<'a> {
    pub(crate) task: &'a TaskInfo,
    pub(crate) device: u32,
    /// Which launch of the process it is, from 1.
    pub(crate) number: u64,
    /// For device-side `malloc`.
    pub(crate) heap: Option<Heap>,
    /// Bytes of local memory per thread, at most.
    pub(crate) stack_limit: u32,
}

/// A device's heap, which lives as long as its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heap {
    pub(crate) base: u64,
    pub(crate) bytes: u64,
}

/// A launch in progress. It is run in portions.
pub(crate) trait Running {
    /// Goes on for about `fuel` warp instructions.
    fn run(&mut self, fuel: u64) -> Progress;

    fn stats(&self) -> Stats;

    /// To be called after a stall if nobody outside can help: lets time pass for loops that wait with an eye on a
    /// clock. False if there are none.
    fn pass_time(&mut self) -> bool;

    /// How it failed, if after a stall nobody can help any more.
    fn stuck(&mut self) -> DeviceFailure;
}

/// Where a portion of a run ended.
pub(crate) enum Progress {
    Finished,
    /// The fuel is used up.
    Running,
    /// It does nothing but wait. If some loops may give up by themselves, it `may_end`; else only others can help.
    Stalled {
        may_end: bool,
    },
    Failed(Box<DeviceFailure>),
}

/// What a launch has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stats {
    pub(crate) warp_instructions: u64,
    pub(crate) thread_instructions: u64,
    /// Accesses to global and shared memory, one per thread and instruction.
    pub(crate) accesses: u64,
    pub(crate) blocks_done: u64,
    /// How many blocks run, if not all do.
    pub(crate) sampled: Option<u64>,
}

/// A launch that the API had accepted and the back end does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// What the program is told.
    pub(crate) error: CudaError,
    pub(crate) why: String,
}

/// Where a back end leaves what it learns beside a launch's own events.
pub(crate) trait Ledger {
    /// Something was not looked at.
    fn limit(&self, text: String);

    fn keep(&self, findings: Vec<Finding>);

    /// A launch is being run in another way, beforehand; `replay` repeats that. `None`: it is no longer.
    fn explores(&self, task: TaskId, replay: Option<&str>);
}
