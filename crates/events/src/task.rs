//! The host's side: what runs, on which memory, and what orders it.

use crate::ids::{BlockId, Dim3, SiteId, StreamId, TaskId, ThreadId};
use serde::{Deserialize, Serialize};

/// A task begins. Every task it is ordered after, directly, is named; order is
/// the transitive closure of these edges. Two tasks that nothing orders may run at
/// the same time, whenever this run happened to run them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskInfo {
    pub id: TaskId,
    pub kind: TaskKind,
    /// The chain it belongs to (stream or host thread): its predecessor there, if any, is
    /// also named in `after`.
    pub stream: StreamId,
    pub after: Vec<TaskId>,
    /// The host call that made it, such as `cudaMemcpyAsync` at `main.cu:57`.
    pub call: HostCall,
    /// The device it runs on (0 for the host's own).
    pub device: u32,
    /// A launch that may begin before the kernel before it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap: Option<Overlap>,
    /// The thread of a kernel that made it, if the host did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launcher: Option<Launcher>,
}

/// A thread that launched a task (Programming Guide, "CUDA Dynamic Parallelism"). The task, the child, is after all
/// that its parent is after, and after what happens before the [launch](crate::Sync::Launch) in the parent; beside the
/// rest of it. `TaskInfo::after` names tasks of the same parent, and the parent itself if the child comes after all
/// of the parent's threads and their other children (a tail launch). Whatever is after the parent is after its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launcher {
    /// The parent.
    pub task: TaskId,
    pub block: BlockId,
    pub thread: ThreadId,
}

/// A programmatic dependent launch (Programming Guide, "Programmatic Dependent Launch"): what a thread does before
/// a `griddepcontrol.wait` happens before it, by itself or by another thread, is not ordered after all
/// that [`TaskInfo::after`] names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlap {
    /// The kernels beside which it may begin; `TaskInfo::after` covers them. A stream has one, a node of a graph one for
    /// each programmatic edge.
    #[serde(deserialize_with = "one_or_several")]
    pub with: Vec<TaskId>,
    /// Those of `with` whose blocks need only have begun (`cudaGraphKernelNodePortLaunchCompletion`). The others' blocks
    /// have all triggered or ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub begun: Vec<TaskId>,
    /// The tasks that all of the launch comes after, directly. If a kernel of `with` may have begun early,
    /// too, the tasks that it waits for are not among them, and are ordered only if it waited for them before
    /// the launch could begin.
    pub after: Vec<TaskId>,
}

/// Reads one task, as older traces have it, or a list.
fn one_or_several<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<TaskId>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        One(TaskId),
        Several(Vec<TaskId>),
    }
    Ok(match Form::deserialize(from)? {
        Form::One(task) => vec![task],
        Form::Several(tasks) => tasks,
    })
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HostCall {
    pub api: String,
    /// The program's site of the call, if it could be found (needs `-g`).
    pub site: Option<SiteId>,
    /// The test and the ranges of the program at the call, if it names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Box<Surroundings>>,
}

/// The test that runs and the NVTX ranges that are open, as the program names them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Surroundings {
    /// The test's name as its framework writes it, such as `Suite.Name` or `test_sum.py::test_large`; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub test: String,
    /// The open NVTX ranges: those that the process has started, then those that the thread has pushed, outermost first.
    /// A range of a named domain is `DOMAIN@RANGE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TaskKind {
    Launch(LaunchInfo),
    /// Copies and memsets report their accesses as ranges, see `Observer::range`.
    Copy,
    Memset,
    HostFunction,
    /// A stretch of a host thread between two synchronising calls.
    HostSegment {
        thread: u32,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchInfo {
    /// Mangled, as in PTX.
    pub kernel: String,
    pub grid: Dim3,
    pub block: Dim3,
    /// `Dim3::ONE` without clusters.
    pub cluster: Dim3,
    pub cooperative: bool,
    /// Bytes of shared memory of each block, static and dynamic.
    pub shared_bytes: u32,
    /// Static synchronisation vocabulary of the kernel and all it may call.
    pub uses: SyncUse,
}

/// The facts of a launch beside its geometry and its memory: enough to say what its kernel may do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchFacts {
    /// Bytes of shared memory that the launch asked for, beside the kernel's own.
    pub dynamic_shared: u32,
    /// The parameters' bytes, one after the other with the gaps that alignment asks for.
    pub bytes: Vec<u8>,
    /// The place of each parameter in them.
    pub parameters: Vec<Parameter>,
    /// Variables in the shared memory of each block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<SharedVariable>,
}

/// A variable in shared memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedVariable {
    /// Mangled.
    pub name: String,
    pub offset: u64,
    /// `None` for `extern __shared__`, which goes on to the end.
    pub bytes: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    pub offset: u32,
    pub bytes: u32,
}

impl LaunchFacts {
    /// The bytes of the parameter with this number.
    pub fn parameter(&self, number: usize) -> Option<&[u8]> {
        let Parameter { offset, bytes } = *self.parameters.get(number)?;
        self.bytes.get(offset as usize..offset.checked_add(bytes)? as usize)
    }
}

/// The kinds of synchronisation of a kernel, found statically. A detector may choose a cheaper algorithm by
/// it; it is a promise, not a hint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncUse {
    /// `bar.warp.sync` or partial block barriers (`count` operand, `bar.arrive`, ids other than 0).
    pub partial_barriers: bool,
    /// Fences, or strong operations other than relaxed atomics whose result is unused.
    pub fences_or_strong: bool,
    /// If there are any of those: no fences, and no strong operation that acquires or releases.
    #[serde(default)]
    pub relaxed: bool,
    /// If there are any of those: nothing but fences acquires what others have released.
    #[serde(default)]
    pub fences_acquire: bool,
    /// Atomics of any kind.
    pub atomics: bool,
    /// mbarrier objects or asynchronous copies.
    pub asynchronous: bool,
    /// If there are any of those: nothing but `cp.async`, whose threads wait for their own groups.
    #[serde(default)]
    pub groups_only: bool,
    pub cluster: bool,
    /// Whether a `fence.sc` is of narrower scope than the device.
    #[serde(default = "unknown")]
    pub narrow_fences: bool,
    /// Whether it may let a dependent launch begin (`griddepcontrol.launch_dependents`). Older traces do not
    /// say.
    #[serde(default = "unknown")]
    pub triggers: bool,
    /// Whether its threads may launch kernels.
    #[serde(default)]
    pub launches: bool,
    /// Whether a block's behaviour may depend on another block's actions (strong reads, atomics with results,
    /// on global memory). Engines run such kernels on one worker, in a set order.
    pub blocks_communicate: bool,
}

/// Traces of older versions do not tell.
const fn unknown() -> bool {
    true
}

impl SyncUse {
    /// Nothing but whole-block barriers: order is a comparison of phases.
    pub const fn barrier_only(self) -> bool {
        !self.fences_or_strong && self.order_by_barriers()
    }

    /// Relaxed operations observe each other, but order nothing else: it is still a comparison of phases.
    pub const fn order_by_barriers(self) -> bool {
        let strong = self.fences_or_strong && !self.relaxed;
        !(self.partial_barriers || strong || self.asynchronous || self.cluster)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AllocKind {
    Device,
    Managed,
    /// Pinned host memory that kernels may touch.
    HostMapped,
    /// A `__device__` or `__managed__` variable.
    Variable,
    /// Device-side `malloc`.
    DeviceHeap,
}

/// A range of global memory with an identity, for reports and for resetting shadow state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Allocation {
    pub base: u64,
    pub bytes: u64,
    pub kind: AllocKind,
    /// The variable's name, for `AllocKind::Variable`.
    pub name: Option<String>,
    pub call: HostCall,
    pub device: u32,
}
