//! Machine-readable advice about a finding, for an editor, a bot, and the test that applies it. A report's
//! help text is made from this value and from nothing else, so the two cannot disagree.

mod choose;
mod merge;
mod roles;
mod words;

pub use choose::Chooser;
pub(crate) use merge::both;
pub use words::help;

use events::TensorGap;
use events::access::Scope;
use serde::{Deserialize, Serialize};

/// One way to mend a race. All its steps are needed; of several ways any one is enough, the best comes first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Way {
    pub steps: Vec<Step>,
}

impl Way {
    fn new(steps: impl Into<Vec<Step>>) -> Self {
        Way { steps: steps.into() }
    }
}

/// One change of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum Step {
    /// `__syncwarp()`, `__syncthreads()`, `cluster.sync()` or `grid.sync()`, by `group`.
    InsertBarrier { group: Group, at: Position },
    /// A barrier of those threads of a block that take one way of the branch at a line of the source (0 if unknown): others
    /// never reach `at`, so that `__syncthreads()` there would wait forever.
    InsertRoleBarrier { branch: u32, at: Position },
    /// Hand over from one way of a branch to the other by an mbarrier or a named barrier: no place is reached by both.
    HandOver { branch: u32, at: Position },
    /// Let every thread whose accesses are handed over arrive at the mbarrier.
    ArriveByAll { at: Spot },
    /// `__threadfence_block()`, `__threadfence()` or `__threadfence_system()`, by `reach`.
    InsertFence { reach: Reach, at: Position },
    /// Give operations that are there a wider scope.
    WidenScope { what: Scoped, reach: Reach, at: Vec<Spot> },
    /// Let an operation that is there release or acquire.
    Order { order: MemoryOrder, reach: Reach, at: Spot },
    /// Make ordinary accesses atomic: `atomicAdd`, `atomicExch`, a relaxed `cuda::atomic_ref`.
    MakeAtomic { reach: Reach, at: Vec<Spot> },
    /// Let accesses of one location have one size and one place.
    UseOneSize { at: Vec<Spot> },
    /// Discard only memory that no other thread reads or writes any more.
    Discard { at: Spot },
    /// Move an operation that is there.
    Move { what: Spot, to: Position },
    /// Read into a variable, meet at a barrier of `group`, then write.
    SplitStatement { group: Group, at: Spot },
    /// Let one thread of `group` make the access.
    OneThread { group: Group, at: Spot },
    /// Let each thread, block or task have memory of its own.
    SeparateElements { owner: Owner, at: Vec<Spot> },
    /// End the kernel there, and do the rest in another one.
    SplitKernel { at: Position },
    /// Wait for an asynchronous operation, or at a barrier that was only arrived at.
    WaitFor { what: Awaited, at: Position },
    /// Count all bytes of an asynchronous copy at its mbarrier, before a phase can complete.
    ExpectBytes { at: Spot },
    /// Take and release a lock around accesses; `lock` is its name, if the report knows which.
    TakeLock {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lock: Option<String>,
        at: Vec<Spot>,
    },
    /// `fence.proxy.…` between accesses through two proxies.
    InsertProxyFence { proxy: String, at: Position },
    /// `wgmma.fence` between an access of a register and the matrix product that accesses it, too.
    InsertProductFence { at: Position },
    /// Put the ordering instruction that is missing between two operations on tensor memory.
    OrderTensorMemory { gap: TensorGap, at: Position },
    /// Let all threads of the block reach one `__syncthreads()` instead of several.
    MeetAtOne { at: Vec<Spot> },
    /// Name all lanes that execute a warp-wide instruction in its mask.
    NameLanes { at: Spot },
    /// Write memory before it is read.
    Initialize { at: Spot },
    /// Put host operations into an order.
    OrderTasks { by: TaskOrder, at: Position },
}

/// The threads that meet at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    Warp,
    Block,
    Cluster,
    Grid,
}

/// PTX's scopes, by their CUDA names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reach {
    Block,
    Cluster,
    Device,
    System,
}

impl From<Scope> for Reach {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Cta => Reach::Block,
            Scope::Cluster => Reach::Cluster,
            Scope::Gpu => Reach::Device,
            Scope::Sys => Reach::System,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scoped {
    /// A fence.
    Fence,
    /// An operation that releases or acquires: a store, a load, an atomic, an mbarrier's arrive or wait.
    Flag,
    Atomic,
    /// The atomics and fences by which a lock is taken and given back.
    Lock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryOrder {
    Release,
    Acquire,
}

/// Whose own memory it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Owner {
    Thread,
    Block,
    /// A kernel, copy or stretch of host code.
    Task,
}

/// An asynchronous operation, which has to be waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Awaited {
    /// `cp.async`: its group, its pipeline stage, or the mbarrier that it arrives on.
    Copy,
    /// A bulk copy or `st.async`: the mbarrier that counts its bytes.
    Transaction,
    /// A bulk copy of a bulk group: the whole of it.
    BulkGroup,
    /// The same, but its reads are enough.
    BulkGroupRead,
    /// The matrix products of a warpgroup: their group.
    ProductGroup,
    /// The mbarrier at which a `tcgen05.commit` arrives.
    Commit,
    /// All threads that use a buffer, before it is filled anew: a barrier, or an mbarrier at which they
    /// arrive.
    Users,
    /// A barrier, latch or mbarrier at which the thread has arrived, or that others arrive at.
    Barrier,
    /// The kernel before, in a programmatic dependent launch.
    PreviousKernel,
    /// The kernel before, by the kernel launched between the two accesses' kernels.
    KernelBeforeTheOneBetween,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskOrder {
    SameStream,
    /// `cudaEventRecord` after the one, `cudaStreamWaitEvent` before the other.
    Event,
    /// `cudaStreamSynchronize`, `cudaDeviceSynchronize`, `cudaEventSynchronize`.
    Synchronise,
    /// An edge between the two nodes of a graph.
    GraphEdge,
    /// The launching kernel's access before the launch, or before a barrier that the launching thread passes before it.
    BeforeLaunch,
    /// A kernel in the tail stream makes the launching kernel's access.
    TailLaunch,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    /// After the one and before the other, whichever the program runs first.
    Between(Spot, Spot),
    /// Between one round of the loop that both are in and the next.
    BetweenRounds(Spot, Spot),
    Before(Spot),
    After(Spot),
}

/// A place of the program, and what it is to the finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spot {
    pub role: Role,
    /// Empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// 0 if unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
    /// The line of the outermost branch that only some threads of a block take to come here: a barrier of the whole block
    /// belongs outside of it. 0 if there is none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub branch: u32,
    /// The PTX instruction; empty for host calls.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instruction: String,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Access (1) of the report.
    First,
    /// Access (2).
    Second,
    /// The store or atomic that sets a flag.
    FlagSet,
    /// The load or atomic that sees the flag.
    FlagRead,
    Fence,
    /// An arrival at a barrier.
    Arrive,
    /// A wait for an mbarrier.
    Wait,
    /// A barrier at which threads meet.
    Barrier,
    /// The host call that submitted the task of (1).
    FirstCall,
    /// The host call that submitted the task of (2).
    SecondCall,
}
