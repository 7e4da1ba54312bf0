//! The result of symbolic execution.

use super::{Cluster, Together};
use crate::facts::Assumed;
use crate::facts::assume::{Part, Test};
use crate::kernel::access::{Access, Doer, Fence};
use crate::kernel::shape::Shape;
use crate::solver::cond::Cond;
use crate::solver::poly::{Poly, Sym};
use crate::solver::symbols::{Kind, Syms};
use crate::sync::async_copies::Groups;
use crate::sync::pipeline::Pipelines;
use crate::sync::proxies::Proxies;
use ptx::cfg::{BlockId, Cfg};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// A summarised kernel.
#[derive(Debug)]
pub struct Summary {
    pub syms: Syms,
    pub accesses: Vec<Access>,
    /// Block barriers that all threads of a block pass together, by instruction.
    pub barriers: Vec<usize>,
    /// Whether some of them are mbarriers or cluster barriers.
    pub other_barriers: bool,
    /// The order that mbarriers establish between threads, if they are no barriers of the block.
    pub pipelines: Option<Pipelines>,
    /// Those block barriers that are also barriers of the grid.
    pub grids: Vec<usize>,
    /// Cluster facts, if the kernel computes addresses in the shared memory of other blocks.
    pub cluster: Option<Cluster>,
    /// Groups of lanes that pass warp barriers together, larger ones first, if there are warp barriers.
    pub lanes: Option<Vec<Together>>,
    /// The index of a thread's warp.
    pub warp_number: Option<Poly>,
    pub groups: Groups,
    /// Accesses whose order towards the async proxy may lack a fence.
    pub proxies: Proxies,
    pub shape: Shape,
    pub cfg: Cfg,
    pub assumed: Assumed,
    /// Facts about the launch, as conditions.
    pub given: Vec<Cond>,
    /// The iteration counter of each loop.
    pub turns: Vec<Option<Sym>>,
    /// Values of symbols at a loop's head in its first iteration.
    pub heads: FxHashMap<Sym, (usize, Poly)>,
    /// Parameters' names, for messages.
    pub names: Vec<String>,
    /// The array of each of the kernel's own instructions that access memory, if the address tells it,
    /// including accesses that cannot race.
    pub bases: FxHashMap<usize, Option<Sym>>,
    /// Whether called functions were inlined, so that instructions are not numbered as in the kernel's text.
    pub inlined: bool,
    /// An instruction whose accesses or order are not modelled, so that pairs cannot be decided.
    pub unmodelled: Option<String>,
    /// Whether `accesses` contains all writes to global memory.
    pub writes_are_known: bool,
    /// Whether the kernel fetches through textures and writes to device memory.
    pub textures: bool,
    /// Whether the kernel copies from tensors and writes to device memory.
    pub tensors: bool,
    /// Whether the kernel copies to tensors.
    pub tensors_written: bool,
    /// Elements read from arrays whose elements are all different or do not decrease, and which the kernel
    /// does not write.
    pub elements: Vec<Element>,
    pub fences: Vec<Fence>,
    pub paths: Paths,
    /// Parameters whose pointers may lead into the memory of other pointers.
    pub loose: BTreeSet<u32>,
    /// Parts of the observed launch's parameters that were read.
    pub read: BTreeSet<Part>,
    /// Values that strong operations have read.
    pub polled: FxHashSet<Sym>,
    /// The variables in constant memory that the kernel loads; `None` for loads by an address of unknown base.
    pub constants: FxHashSet<Option<Sym>>,
}

impl Summary {
    /// Returns whether a base address may lead into the memory of any other pointer.
    pub(crate) fn is_loose(&self, base: Sym) -> bool {
        matches!(&self.syms.get(base).kind, Kind::Param { index, .. } if self.loose.contains(index))
    }

    /// Returns the element that an array's address was read as, if it is the address of an array of its own.
    pub(crate) fn row(&self, base: Sym) -> Option<&Element> {
        self.elements.iter().find(|e| e.rows && e.value == base)
    }

    /// Returns the control flow without edges that a thread which makes an access never takes: they need the contrary of
    /// what its guard says, and the same in all iterations of loops.
    pub(crate) fn ways_of(&self, access: &Access) -> Cow<'_, Cfg> {
        let fixed = |c: &Cond| self.syms.cond_attr(c).loops == 0;
        let contrary: Vec<Cond> = access.guard.iter().filter(|c| fixed(c)).map(Cond::not).collect();
        let is_taken = |from: usize, to: BlockId| {
            let path = self.paths.edges.get(&(BlockId(from as u32), to));
            !path.is_some_and(|path| path.iter().any(|c| contrary.contains(c)))
        };
        let mut ways = Cow::Borrowed(&self.cfg);
        for (b, block) in self.cfg.blocks.iter().enumerate().filter(|(_, block)| block.successors.len() > 1) {
            if !block.successors.iter().all(|&to| is_taken(b, to)) {
                ways.to_mut().blocks[b].successors.retain(|&to| is_taken(b, to));
            }
        }
        ways
    }

    /// Returns whether all accesses are made by their own thread at their instruction.
    pub(crate) fn is_plain(&self) -> bool {
        self.accesses.iter().all(|a| a.doer == Doer::Thread)
    }
}

/// Conditions on the paths through a kernel; for loops, those of the last iteration.
#[derive(Debug, Default)]
pub struct Paths {
    /// Conditions at the beginning of a block.
    pub blocks: FxHashMap<BlockId, Vec<Cond>>,
    /// Conditions on the edge from a block to the next.
    pub edges: FxHashMap<(BlockId, BlockId), Vec<Cond>>,
    /// Conditions under which some threads end inside a block.
    pub ends: Vec<(BlockId, Vec<Cond>)>,
}

/// A property of all elements of the array that a parameter points to.
#[derive(Clone, Debug)]
pub(crate) struct ElementFact {
    pub(crate) parameter: u32,
    pub(crate) test: Test,
    /// The bytes of an element; any if there is no number.
    pub(crate) bytes: Option<u32>,
    /// The least or the greatest element, if `test` compares them.
    pub(crate) bound: Option<Poly>,
}

/// An element of an array. A thread that reads it in a loop reads the same one in each iteration.
#[derive(Clone, Debug)]
pub struct Element {
    pub value: Sym,
    pub array: Sym,
    /// The offset in bytes from the array's beginning.
    pub offset: Poly,
    pub bytes: u32,
    /// Whether all elements of the array are different.
    pub different: bool,
    /// Whether no element is smaller than its predecessor.
    pub grow: bool,
    /// Whether each element is the address of an array of its own, which nothing else leads to.
    pub rows: bool,
    /// No element is less than the first of these, or greater than the second one.
    pub bounds: [Option<Poly>; 2],
}
