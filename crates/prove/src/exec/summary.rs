//! What execution has learned of a kernel.

use super::{Cluster, Together};
use crate::access::{Access, Doer, Fence};
use crate::cfg::Shape;
use crate::cond::Cond;
use crate::facts::Assumed;
use crate::pending::GroupStep;
use crate::pipeline::Pipelines;
use crate::poly::{Poly, Sym};
use crate::syms::{Kind, Syms};
use ptx::cfg::{BlockId, Cfg};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A kernel, understood.
#[derive(Debug)]
pub struct Summary {
    pub syms: Syms,
    pub accesses: Vec<Access>,
    /// Block barriers that all threads of a block meet together, by instruction.
    pub barriers: Vec<usize>,
    /// Are some of them mbarriers, or a cluster's?
    pub other_barriers: bool,
    /// Threads that wait for each other by mbarriers, if these are no barriers of the block.
    pub pipelines: Option<Pipelines>,
    /// Those barriers behind which all blocks of the grid have met.
    pub grids: Vec<usize>,
    /// If it makes addresses in the shared memory of other blocks.
    pub cluster: Option<Cluster>,
    /// If there are warp barriers: groups of lanes that meet together, larger ones first.
    pub lanes: Option<Vec<Together>>,
    /// The number of a thread's warp.
    pub warp_number: Option<Poly>,
    /// Groups of copies, by instruction.
    pub groups: FxHashMap<usize, GroupStep>,
    pub shape: Shape,
    pub cfg: Cfg,
    pub assumed: Assumed,
    /// Facts of the launch, as conditions.
    pub given: Vec<Cond>,
    /// By loop: what counts its turns.
    pub turns: Vec<Option<Sym>>,
    /// Values of symbols at a loop's head in its first turn.
    pub heads: FxHashMap<Sym, (usize, Poly)>,
    /// Parameters' names, for people.
    pub names: Vec<String>,
    /// The array of each of the kernel's own instructions that accesses memory, if its address says so; of those that cannot
    /// race, too.
    pub bases: FxHashMap<usize, Option<Sym>>,
    /// Called functions were written out: instructions are not numbered as in the kernel's text.
    pub inlined: bool,
    /// An instruction whose accesses or order are not modelled: pairs cannot be decided.
    pub unmodelled: Option<String>,
    /// Are all writes to global memory among `accesses`?
    pub writes_are_known: bool,
    /// It fetches through textures, and writes to memory of the device.
    pub textures: bool,
    /// Elements that were read of arrays in which all are different, or grow, and which the kernel does not write.
    pub elements: Vec<Element>,
    pub fences: Vec<Fence>,
    pub paths: Paths,
    /// Parameters whose pointers are not taken to lead to other memory than all other pointers.
    pub loose: BTreeSet<u32>,
    /// What strong operations have read.
    pub polled: FxHashSet<Sym>,
}

impl Summary {
    /// Returns whether a base address may lead into the memory of any other pointer.
    pub(crate) fn is_loose(&self, base: Sym) -> bool {
        matches!(&self.syms.get(base).kind, Kind::Param { index, .. } if self.loose.contains(index))
    }

    /// Are all accesses made by their own thread at their instruction?
    pub(crate) fn is_plain(&self) -> bool {
        self.accesses.iter().all(|a| a.doer == Doer::Thread)
    }
}

/// What holds on the ways through a kernel; the last turn's of loops.
#[derive(Debug, Default)]
pub struct Paths {
    /// At the begin of a block.
    pub blocks: FxHashMap<BlockId, Vec<Cond>>,
    /// From a block to the next.
    pub edges: FxHashMap<(BlockId, BlockId), Vec<Cond>>,
    /// Where some threads end in the middle of a block.
    pub ends: Vec<(BlockId, Vec<Cond>)>,
}

/// An element of an array, read once at most by each thread.
#[derive(Clone, Debug)]
pub struct Element {
    pub value: Sym,
    pub array: Sym,
    /// In bytes, from the array's begin.
    pub offset: Poly,
    pub bytes: u32,
    /// Are all elements of the array different?
    pub different: bool,
    /// Is none smaller than the one before it?
    pub grow: bool,
}
