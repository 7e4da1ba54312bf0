//! A resident block: its warps, its shared memory, its barriers.

use crate::exec::generation::Barrier;
use crate::exec::mbarrier::Mbarrier;
use crate::exec::products::Warpgroup;
use crate::exec::tcgen05::TensorMemory;
use crate::exec::warp::Warp;
use crate::program::Line;
use events::{BlockId, Dim3};
use rustc_hash::FxHashMap;

#[derive(Debug)]
pub(crate) struct Block {
    pub id: BlockId,
    pub at: Dim3,
    /// The warps; a running warp is taken out.
    pub warps: Vec<Option<Box<Warp>>>,
    shared: Vec<Line>,
    pub shared_bytes: u32,
    /// Threads that have not exited.
    pub alive: u32,
    pub barriers: [Barrier; 16],
    pub mbarriers: FxHashMap<u32, Mbarrier>,
    /// The outstanding matrix products, by warpgroup.
    pub warpgroups: Vec<Warpgroup>,
    /// Tensor memory; `None` until it is used.
    pub tensor: Option<Box<TensorMemory>>,
    /// The block's `%clock`: its warp instructions, and time that was passed for waiting loops.
    pub clock: u64,
    /// Warp instructions since one of its threads exited or one of its barriers completed.
    pub idle: u64,
    /// How often time was passed for its waiting loops since one of them made progress.
    pub waited: u32,
    /// The first block of its cluster; `rank` is its rank there.
    pub cluster: BlockId,
    pub rank: u32,
    /// The worker's slots of the cluster's blocks, by rank.
    pub peers: Vec<u32>,
    /// The index of the warp from which the search for a runnable warp begins.
    pub next_warp: usize,
}

impl Block {
    pub(crate) fn new() -> Block {
        Block {
            id: BlockId(0),
            at: Dim3::ONE,
            warps: Vec::new(),
            shared: Vec::new(),
            shared_bytes: 0,
            alive: 0,
            barriers: Default::default(),
            mbarriers: FxHashMap::default(),
            warpgroups: Vec::new(),
            tensor: None,
            clock: 0,
            idle: 0,
            waited: 0,
            cluster: BlockId(0),
            rank: 0,
            peers: Vec::new(),
            next_warp: 0,
        }
    }

    /// Allocates zeroed shared memory of that size.
    pub(crate) fn reset_shared(&mut self, bytes: u32) {
        self.shared_bytes = bytes;
        self.shared.clear();
        self.shared.resize((bytes as usize).div_ceil(size_of::<Line>()), Line([0; 16]));
    }

    /// Returns the host address of a byte of its shared memory.
    pub(crate) fn shared_at(&self, offset: u32) -> *const u8 {
        self.shared.as_ptr().cast::<u8>().wrapping_add(offset as usize)
    }

    pub(crate) fn shared(&mut self) -> *mut u8 {
        self.shared.as_mut_ptr().cast()
    }
}
