//! Memory accesses, one event per warp instruction.

use crate::ids::{AsyncOpId, BlockId, LaneMask, SiteId, TaskId, WarpId};
use crate::written::Written;
use serde::{Deserialize, Serialize};

/// Which memory an address is in. Generic addresses are resolved by the engine
/// before the event. Local memory and parameters never race and are never reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Space {
    /// Global memory, managed and mapped host memory included; addresses are
    /// device virtual addresses, one space for all devices. Constant variables are global memory that
    /// kernels only read: of each load of them an engine need report each element once in a launch.
    Global,
    /// Shared memory of the given block (for distributed shared memory, not
    /// necessarily the accessing one); addresses are offsets into it.
    Shared(BlockId),
    /// Tensor memory of the given block; an address is the ISA's: a lane in the upper, a column in the lower 16
    /// bits. Its accesses are [`crate::Tensor`] events.
    Tensor(BlockId),
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Location {
    pub space: Space,
    pub address: u64,
}

/// Scopes of PTX §8.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Scope {
    Cta,
    Cluster,
    Gpu,
    Sys,
}

/// Ordering semantics of a strong operation or a fence, PTX §8.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sem {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    /// Fences only.
    Sc,
}

impl Sem {
    #[inline]
    pub const fn acquires(self) -> bool {
        matches!(self, Sem::Acquire | Sem::AcqRel | Sem::Sc)
    }

    #[inline]
    pub const fn releases(self) -> bool {
        matches!(self, Sem::Release | Sem::AcqRel | Sem::Sc)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Strength {
    Weak,
    /// `volatile`: by PTX §8.4.2 relaxed at system scope; kept apart because
    /// `--volatile weak` and other lenses read it differently.
    Volatile,
    Strong {
        sem: Sem,
        scope: Scope,
    },
}

/// PTX §8.6. `cp.async` (non-bulk), `st.async` and `red.async` are generic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Proxy {
    Generic,
    /// `cp.async.bulk`, `wgmma` operands, …
    Async,
    Tensormap,
    Texture,
    Surface,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AtomicOp {
    And,
    Or,
    Xor,
    Exch,
    Cas,
    Add,
    Inc,
    Dec,
    Min,
    Max,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AccessKind {
    Read,
    Write,
    /// `atom` (`returns`) or `red` (not). A failed compare-and-swap is one, too;
    /// [`Access::stored`] tells which lanes changed memory.
    Atomic {
        op: AtomicOp,
        returns: bool,
    },
    /// A copy engine's or async unit's access on behalf of the warp that issued it,
    /// not in program order with it (PTX §9.7.9.25). It is reported when it is issued; the bytes may move at
    /// any time until its completion is. `op` is the lowest lane's operation, see [`AsyncOpId`].
    AsyncRead {
        op: AsyncOpId,
    },
    AsyncWrite {
        op: AsyncOpId,
    },
}

// Takes the kind by reference: copying a kind that was just stored in parts loads it in one, and waits for
// the stores.
impl AccessKind {
    #[inline]
    pub const fn writes(&self) -> bool {
        matches!(self, AccessKind::Write | AccessKind::Atomic { .. } | AccessKind::AsyncWrite { .. })
    }

    #[inline]
    pub const fn reads(&self) -> bool {
        !matches!(self, AccessKind::Write | AccessKind::AsyncWrite { .. })
    }

    /// The operation of asynchronous ones.
    #[inline]
    pub const fn operation(&self) -> Option<AsyncOpId> {
        match *self {
            AccessKind::AsyncRead { op } | AccessKind::AsyncWrite { op } => Some(op),
            _ => None,
        }
    }

    /// Returns the kind of one lane of an access by `lanes`: it differs for asynchronous ones.
    pub const fn of_lane(self, lanes: LaneMask, lane: u32) -> AccessKind {
        match self {
            AccessKind::AsyncRead { op } => AccessKind::AsyncRead { op: op.of_lane(lanes, lane) },
            AccessKind::AsyncWrite { op } => AccessKind::AsyncWrite { op: op.of_lane(lanes, lane) },
            kind => kind,
        }
    }
}

/// The warp that speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Warp {
    pub task: TaskId,
    pub block: BlockId,
    pub warp: WarpId,
}

/// One access by the active lanes of one warp instruction.
///
/// A vector access (`ld.v4.u32`) is one event: `size` is the element's size and
/// `elements` their number; elements are adjacent from the lane's address. By PTX
/// §8.2.2 a vector access is a set of scalar accesses in unspecified order. So is, by §8.2.5, an access
/// of a packed type such as `f16x2`: each half is an element.
/// Lanes of an atomic are performed in lane order; all others at once.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    pub warp: Warp,
    pub site: SiteId,
    pub space: Space,
    pub kind: AccessKind,
    pub strength: Strength,
    pub proxy: Proxy,
    /// Bytes of one element: 1, 2, 4, 8 or 16. For asynchronous bulk accesses, which are made
    /// by one lane, the byte count of the whole transfer.
    pub size: u32,
    pub elements: u8,
    /// Lanes that perform the access. Never 0.
    pub mask: LaneMask,
    /// Addresses by lane; meaningful where `mask` has a bit.
    pub addresses: &'a [u64; 32],
    /// How many bytes each lane's address is behind that of the lane before, if the engine knows that to be the same for all
    /// lanes of `mask`: 0 where all access one address. It saves asking all lanes again.
    pub stride: Option<u64>,
    /// Lanes whose access changed memory, a subset of `mask`: differs from it for
    /// failed compare-and-swaps only, and is 0 for reads.
    pub stored: LaneMask,
    /// Values by lane for strong operations of at most 8 bytes and one element: `(read, written)`. `None` for
    /// all others, and for loads and stores if no observer [wants](crate::Observer::wants_values) them.
    /// Detectors that infer locks need them.
    pub values: Option<&'a [(u64, u64); 32]>,
    /// The bytes that the lanes of a write stored, for the case that they overlap.
    pub written: Written<'a>,
}

impl Access<'_> {
    /// Returns whether [`Access::stride`] is true of the addresses. Engines check it in debug builds.
    pub fn keeps_stride(&self) -> bool {
        let first = self.mask.trailing_zeros() as usize & 31;
        let expected = |lane: usize, stride: u64| {
            self.addresses[first].wrapping_add(((lane - first) as u64).wrapping_mul(stride))
        };
        let keeps =
            |stride| (first..32).all(|i| self.mask >> i & 1 == 0 || self.addresses[i] == expected(i, stride));
        self.stride.is_none_or(keeps)
    }
}

/// An access of `bytes` bytes from `address` by a task that is not a kernel (copy, memset, host function, host
/// segment).
///
/// Copies and memsets are weak. What a host segment or host function does with 1, 2, 4 or 8
/// naturally aligned bytes is one machine instruction that the program may mean as an
/// atomic; it cannot be told. A detector that must not cry wolf takes it as strong at system
/// scope, a read as an acquire and a write as a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeAccess {
    pub task: TaskId,
    pub site: Option<SiteId>,
    pub address: u64,
    pub bytes: u64,
    pub write: bool,
}
