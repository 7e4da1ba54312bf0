//! What an execution treated as stronger than PTX requires: everything written before became visible.

use events::{Access, AccessKind, Proxy, Sync};
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stronger {
    /// Asynchronous copies of tensors, reductions, matrix products and stores.
    AsyncCopies,
    /// Reductions of surfaces and accesses of tensor maps.
    Proxies,
    /// Read-modify-writes of bytes that are also accessed in another size.
    Sizes,
    /// Accesses of 16 bytes.
    Wide,
    /// Loads and stores of matrices.
    Matrices,
    TensorMemory,
    /// `griddepcontrol`.
    Grids,
    /// Device-side `malloc` and `free`.
    Heap,
    /// Kernels that kernels launch.
    Launches,
}

impl Stronger {
    /// Returns the kind of a synchronisation whose order the memory does not model; `None` for others.
    pub(crate) fn of_sync(sync: &Sync<'_>) -> Option<Stronger> {
        use Sync::{BarrierArrive, BarrierComplete, ClusterWait, Fence, ProxyFence, WarpSync};
        use Sync::{BlockEnd, BlockStart, ClusterExit, Converge, Exit, Misuse, Rendezvous};
        match sync {
            Fence { .. } | ProxyFence { .. } | BarrierArrive { .. } | BarrierComplete { .. } => None,
            ClusterWait { .. } | WarpSync { .. } => None,
            // These order no memory.
            Rendezvous { .. } | Converge { .. } | Misuse { .. } | Exit { .. } => None,
            Sync::MbarrierBytes { .. } | Sync::ProductCommitted { .. } => None,
            ClusterExit { .. } | BlockStart { .. } | BlockEnd { .. } => None,
            Sync::MbarrierInit { .. } | Sync::MbarrierInval { .. } | Sync::MbarrierFence { .. } => None,
            Sync::MbarrierArrive { .. } | Sync::MbarrierWait { .. } | Sync::MbarrierTouch { .. } => None,
            Sync::AsyncWaited { .. } | Sync::AsyncArrive { .. } | Sync::MbarrierCompleteTx { .. } => {
                Some(Stronger::AsyncCopies)
            }
            Sync::Heap { .. } => Some(Stronger::Heap),
            Sync::Tensor { .. } => Some(Stronger::TensorMemory),
            Sync::GridDependency { .. } => Some(Stronger::Grids),
            Sync::Launch { .. } => Some(Stronger::Launches),
        }
    }

    /// Returns the kind of an access that the engine performed by other means.
    pub(crate) fn of_access(access: &Access<'_>) -> Stronger {
        match (access.kind, access.proxy) {
            (AccessKind::AsyncRead { .. } | AccessKind::AsyncWrite { .. }, _) => Stronger::AsyncCopies,
            (_, Proxy::Generic) => Stronger::Matrices,
            _ => Stronger::Proxies,
        }
    }
}

impl fmt::Display for Stronger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stronger::AsyncCopies => "asynchronous operations other than copies of bytes",
            Stronger::Proxies => "reductions of surfaces and accesses of tensor maps",
            Stronger::Sizes => "atomic operations on bytes that are accessed in several sizes",
            Stronger::Wide => "accesses of 16 bytes",
            Stronger::Matrices => "loads and stores of matrices",
            Stronger::TensorMemory => "tensor memory",
            Stronger::Grids => "`griddepcontrol`",
            Stronger::Heap => "device-side `malloc`",
            Stronger::Launches => "launches by kernels",
        })
    }
}
