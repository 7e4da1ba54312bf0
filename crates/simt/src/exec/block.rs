//! A resident block: its warps, its shared memory, its barriers.

use crate::exec::generation::Barrier;
use crate::exec::mbarrier::Mbarrier;
use crate::exec::warp::Warp;
use crate::program::Line;
use events::{BlockId, Dim3};
use rustc_hash::FxHashMap;

#[derive(Debug)]
pub(crate) struct Block {
    pub id: BlockId,
    pub at: Dim3,
    /// A warp is taken out while it runs.
    pub warps: Vec<Option<Box<Warp>>>,
    shared: Vec<Line>,
    pub shared_bytes: u32,
    /// Threads that have not exited.
    pub alive: u32,
    pub barriers: [Barrier; 16],
    pub mbarriers: FxHashMap<u32, Mbarrier>,
    /// Warp instructions executed by this block, and what else makes `%clock` advance.
    pub clock: u64,
    /// Warp instructions since one of its threads ended or one of its barriers was completed.
    pub idle: u64,
    /// How often time was let pass for its loops that wait, since one of them went on.
    pub waited: u32,
    /// The first block of its cluster, and its rank in it.
    pub cluster: BlockId,
    pub rank: u32,
    /// The cluster's blocks, by rank: slots of the worker.
    pub peers: Vec<u32>,
    /// Where to look for the next warp to run.
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
            clock: 0,
            idle: 0,
            waited: 0,
            cluster: BlockId(0),
            rank: 0,
            peers: Vec::new(),
            next_warp: 0,
        }
    }

    /// Gives it zeroed shared memory of that size.
    pub(crate) fn reset_shared(&mut self, bytes: u32) {
        self.shared_bytes = bytes;
        self.shared.clear();
        self.shared.resize((bytes as usize).div_ceil(size_of::<Line>()), Line([0; 16]));
    }

    /// The host's address of a byte of its shared memory.
    pub(crate) fn shared_at(&self, offset: u32) -> *const u8 {
        self.shared.as_ptr().cast::<u8>().wrapping_add(offset as usize)
    }

    pub(crate) fn shared(&mut self) -> *mut u8 {
        self.shared.as_mut_ptr().cast()
    }
}
