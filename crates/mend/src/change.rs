//! What is changed, stated once for the source and for PTX.

use crate::text::Region;
use report::advice::{MemoryOrder, Reach};
use serde::Serialize;
use std::ops::Range;

/// A statement that is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Call {
    Block,
    Warp,
    Cluster,
    Fence(Reach),
    /// A wait for all `cp.async` of the thread.
    Copies,
    /// A wait for all bulk groups of the thread.
    BulkGroups,
    /// A wait until all bulk groups of the thread have read their source.
    BulkReads,
    /// A wait for the kernel before, in a programmatic dependent launch.
    PreviousKernel,
    AsyncProxy,
}

impl Call {
    pub(crate) fn barrier(group: report::advice::Group) -> Option<Call> {
        use report::advice::Group;
        match group {
            Group::Warp => Some(Call::Warp),
            Group::Block => Some(Call::Block),
            Group::Cluster => Some(Call::Cluster),
            // This needs a cooperative launch.
            Group::Grid => None,
        }
    }

    /// Returns the statement in CUDA C++.
    pub fn source(self) -> &'static str {
        match self {
            Call::Block => "__syncthreads();",
            Call::Warp => "__syncwarp();",
            Call::Cluster => {
                r#"asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");"#
            }
            Call::Fence(Reach::Block) => "__threadfence_block();",
            Call::Fence(Reach::Cluster | Reach::Device) => "__threadfence();",
            Call::Fence(Reach::System) => "__threadfence_system();",
            Call::Copies => r#"asm volatile("cp.async.wait_all;" ::: "memory");"#,
            Call::BulkGroups => r#"asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");"#,
            Call::BulkReads => r#"asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");"#,
            Call::PreviousKernel => "cudaGridDependencySynchronize();",
            Call::AsyncProxy => r#"asm volatile("fence.proxy.async;" ::: "memory");"#,
        }
    }

    /// Returns the instructions that nvcc makes of the statement.
    pub fn ptx(self) -> &'static [&'static str] {
        match self {
            Call::Block => &["bar.sync 0;"],
            Call::Warp => &["bar.warp.sync -1;"],
            Call::Cluster => &["barrier.cluster.arrive.aligned;", "barrier.cluster.wait.aligned;"],
            Call::Fence(Reach::Block) => &["membar.cta;"],
            Call::Fence(Reach::Cluster | Reach::Device) => &["membar.gl;"],
            Call::Fence(Reach::System) => &["membar.sys;"],
            Call::Copies => &["cp.async.wait_all;"],
            Call::BulkGroups => &["cp.async.bulk.wait_group 0;"],
            Call::BulkReads => &["cp.async.bulk.wait_group.read 0;"],
            Call::PreviousKernel => &["griddepcontrol.wait;"],
            Call::AsyncProxy => &["fence.proxy.async;"],
        }
    }

    /// Returns whether all threads of the block, or of the cluster, have to execute the statement.
    pub fn is_collective(self) -> bool {
        matches!(self, Call::Block | Call::Cluster)
    }
}

/// How an atomic access is written: as a function of CUDA, or through `volatile`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    /// `atomicAdd`, `atomicOr`, `atomicAnd`, `atomicXor` in place of a read, an operation and a write.
    Update,
    /// `x = atomicAdd(&y, 1)`, whose old value is used.
    Fetch,
    /// `atomicExch` in place of a store.
    Store,
    /// A `volatile` load.
    Load,
}

/// A change of the device code, by places of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    Insert {
        file: String,
        region: Region,
        call: Call,
    },
    /// A barrier between the reads and the writes of a statement.
    Split {
        file: String,
        function: Range<u32>,
        line: u32,
        call: Call,
    },
    /// A wider scope for fences and atomics of these lines; of all lines, if there are none.
    Widen {
        file: String,
        lines: Vec<u32>,
        reach: Reach,
    },
    /// `release` or `acquire` in place of `relaxed`.
    Order {
        file: String,
        line: u32,
        order: MemoryOrder,
    },
    Atomic {
        file: String,
        line: u32,
        form: Atomic,
    },
    /// Without the barriers and fences of a line.
    Remove {
        file: String,
        line: u32,
    },
    /// A narrower scope for the fences and atomics of a line.
    Narrow {
        file: String,
        line: u32,
        reach: Reach,
    },
}

impl Edit {
    pub fn file(&self) -> &str {
        match self {
            Edit::Insert { file, .. }
            | Edit::Split { file, .. }
            | Edit::Widen { file, .. }
            | Edit::Order { file, .. }
            | Edit::Atomic { file, .. }
            | Edit::Remove { file, .. }
            | Edit::Narrow { file, .. } => file,
        }
    }
}
