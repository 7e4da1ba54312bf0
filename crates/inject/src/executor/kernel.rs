//! One kernel launch: what it needs, and what became of it.

use crate::engine::{Engine, RunningGrid};
use crate::runtime::Runtime;
use events::{Dim3, TaskId};
use report::protocol::{DeviceFailure, FailureKind, Waiting};
use simt::schedule::Seeded;
use simt::schedule::path::Log;
use simt::{Failure, Host, Launch, Module, Schedule, WaitingFor};
use std::sync::{Arc, Mutex};

/// A submitted launch.
#[derive(Clone)]
pub(crate) struct KernelWork {
    pub(crate) module: Arc<Module>,
    pub(crate) kernel: usize,
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) cluster: Dim3,
    pub(crate) dynamic_shared: u32,
    pub(crate) cooperative: bool,
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

    /// The name for people: demangled, without parameters.
    pub(super) fn short_name(&self) -> String {
        report::names::short(self.name())
    }

    /// Begins to run it, the process's `number`-th launch.
    pub(crate) fn begin(
        &self,
        runtime: &Runtime,
        task: TaskId,
        device: u32,
        number: u64,
    ) -> Result<Box<dyn RunningGrid>, simt::LaunchError> {
        let host = runtime.output.clone();
        let Seeded { schedule, seed } = super::explore::own_schedule(runtime, number);
        self.begin_with(runtime, &*runtime.engine, host, task, device, schedule, seed, None)
    }

    /// Begins to run it on `engine` under `schedule`.
    #[allow(clippy::too_many_arguments, reason = "what a launch is, and how this one differs")]
    pub(crate) fn begin_with(
        &self,
        runtime: &Runtime,
        engine: &dyn Engine,
        host: Arc<dyn Host>,
        task: TaskId,
        device: u32,
        schedule: Schedule,
        seed: u64,
        log: Option<Arc<Mutex<Log>>>,
    ) -> Result<Box<dyn RunningGrid>, simt::LaunchError> {
        let launch = Launch {
            module: self.module.clone(),
            kernel: self.kernel,
            grid: self.grid,
            block: self.block,
            cluster: self.cluster,
            dynamic_shared: self.dynamic_shared,
            cooperative: self.cooperative,
            params: self.params.clone(),
            task,
            device,
        };
        let (heap, stack) = runtime.lock().kernel_resources(runtime, device);
        let options = simt::Options {
            schedule,
            seed,
            jobs: runtime.options.jobs.max(1),
            resident_blocks: None,
            heap,
            stack_limit: stack,
            max_instructions: runtime.options.max_instructions.unwrap_or(simt::Options::MAX_INSTRUCTIONS),
            log,
        };
        engine.grid(launch, options, host, self.checked)
    }
}

/// Describes a failure for the result file.
pub(crate) fn describe(failure: &Failure, work: &KernelWork, task: TaskId) -> DeviceFailure {
    use simt::FailureKind as Kind;
    let (what, address) = match &failure.kind {
        Kind::IllegalAddress { address, .. } => (FailureKind::IllegalAddress, Some(*address)),
        Kind::Misaligned { address, .. } => (FailureKind::Misaligned, Some(*address)),
        Kind::Trap => (FailureKind::Trap, None),
        Kind::Assert { .. } => (FailureKind::Assert, None),
        Kind::Unsupported { .. } => (FailureKind::Unsupported, None),
        Kind::IllegalInstruction { .. } => (FailureKind::IllegalInstruction, None),
        Kind::Deadlock { .. } => (FailureKind::Deadlock, None),
        Kind::Membermask { .. } => (FailureKind::Membermask, None),
        Kind::NoEnd { .. } => (FailureKind::NoEnd, None),
        _ => (FailureKind::Other, None),
    };
    let waiting = match &failure.kind {
        Kind::Deadlock { waiting } | Kind::Membermask { waiting, .. } | Kind::NoEnd { waiting, .. } => {
            waiting.iter().map(|w| waits(w, work)).collect()
        }
        _ => Vec::new(),
    };
    let error = crate::abi::error::CudaError(failure.kind.cuda_error() as i32);
    DeviceFailure {
        task,
        kernel: work.name().to_owned(),
        what,
        site: failure.site,
        block: failure.block,
        thread: failure.thread,
        address,
        allocation: None,
        waiting,
        error: error.name().to_string_lossy().into_owned(),
        text: failure.kind.to_string(),
    }
}

fn waits(w: &simt::Waiting, work: &KernelWork) -> Waiting {
    let what = match w.what {
        WaitingFor::Barrier { id, arrived, expected } => {
            format!("barrier {id} ({arrived} of {expected} threads arrived)")
        }
        WaitingFor::ClusterBarrier => "the cluster's barrier".to_owned(),
        WaitingFor::Lanes { missing } => {
            format!("{} lane(s) of its warp (mask {missing:#010x})", missing.count_ones())
        }
        WaitingFor::ForeignLanes { member } => {
            format!("lanes of its warp, with a membermask ({member:#010x}) that does not name all who wait")
        }
        WaitingFor::Mbarrier { address, replaced: None } => {
            format!("the mbarrier at shared address {address:#x}")
        }
        WaitingFor::Mbarrier { address, replaced: Some(_) } => format!(
            "the mbarrier at shared address {address:#x}, which `mbarrier.init` began anew while it was in use"
        ),
        WaitingFor::Spin { address: Some(address) } => format!("a change of memory at {address:#x}"),
        WaitingFor::Nothing => "nothing: it runs".to_owned(),
        WaitingFor::Spin { address: None } => "a loop that changes nothing".to_owned(),
    };
    Waiting {
        site: w.site,
        block: work.grid.coordinates(u64::from(w.block.0)),
        first_thread: events::ThreadId::of(w.warp, w.lanes.trailing_zeros() % 32),
        threads: w.lanes.count_ones(),
        what,
    }
}
