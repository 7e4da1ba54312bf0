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
    /// A barrier of all blocks of a cooperative launch.
    Grid,
    /// `wgmma.fence`, between accesses of registers and the matrix products that access them.
    ProductFence,
    /// A wait for all matrix products of the warpgroup.
    Products,
    /// A wait for all loads from tensor memory of the warp.
    TensorLoads,
    /// A wait for all stores to tensor memory of the warp.
    TensorStores,
    /// The fence of tensor memory in front of a synchronisation of threads.
    TensorBefore,
    /// The fence of tensor memory behind a synchronisation of threads.
    TensorAfter,
}

impl Call {
    pub(crate) fn barrier(group: report::advice::Group) -> Option<Call> {
        use report::advice::Group;
        match group {
            Group::Warp => Some(Call::Warp),
            Group::Block => Some(Call::Block),
            Group::Cluster => Some(Call::Cluster),
            Group::Grid => Some(Call::Grid),
        }
    }

    pub(crate) fn tensor(gap: events::TensorGap) -> Option<Call> {
        use events::TensorGap;
        match gap {
            TensorGap::Load => Some(Call::TensorLoads),
            TensorGap::Store => Some(Call::TensorStores),
            TensorGap::Before => Some(Call::TensorBefore),
            TensorGap::After => Some(Call::TensorAfter),
            TensorGap::Commit | TensorGap::Phase | TensorGap::Threads => None,
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
            Call::Grid => "cooperative_groups::this_grid().sync();",
            Call::ProductFence => r#"asm volatile("wgmma.fence.sync.aligned;" ::: "memory");"#,
            Call::Products => {
                r#"asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");"#
            }
            Call::TensorLoads => r#"asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");"#,
            Call::TensorStores => r#"asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");"#,
            Call::TensorBefore => r#"asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");"#,
            Call::TensorAfter => r#"asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");"#,
        }
    }

    /// Returns the instructions that nvcc makes of the statement; `None` if only a compiler knows: for a call of
    /// a library, and for waits that order registers.
    pub fn ptx(self) -> Option<&'static [&'static str]> {
        Some(match self {
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
            Call::TensorLoads => &["tcgen05.wait::ld.sync.aligned;"],
            Call::TensorStores => &["tcgen05.wait::st.sync.aligned;"],
            Call::TensorBefore => &["tcgen05.fence::before_thread_sync;"],
            Call::TensorAfter => &["tcgen05.fence::after_thread_sync;"],
            Call::Grid | Call::ProductFence | Call::Products => return None,
        })
    }

    /// Returns whether all threads of the block, of the cluster or of the grid have to execute the statement.
    pub fn is_collective(self) -> bool {
        matches!(self, Call::Block | Call::Cluster | Call::Grid)
    }

    /// Returns whether all lanes of a warp have to execute the statement together.
    pub fn is_of_warp(self) -> bool {
        matches!(self, Call::Warp | Call::TensorLoads | Call::TensorStores)
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
