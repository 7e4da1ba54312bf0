//! Finds the instructions of a kernel that affect whether some of its accesses race.
//!
//! In the thread order of one execution, whether two accesses race depends on whether they are made, on their
//! addresses, and on the instructions before them that order memory: barriers, fences, atomics and other
//! strong operations, asynchronous operations. An instruction that is on no path to the two accesses does not
//! matter. A branch matters only if an instruction that matters lies between it and the point where its paths
//! join, or if a thread may end there.

use kernels::effects::{Control, Order, TouchKind};
use kernels::{Linked, effects};
use ptx::cfg::{BlockId, Cfg};
use ptx::op::{Op, Sem};
use std::collections::BTreeSet;
use std::ops::Range;

/// The instructions that matter, by reachable function and instruction.
pub(crate) struct Relevance {
    matters: Vec<Vec<bool>>,
    /// For instructions that decide where threads go: the instructions whose execution depends on them.
    regions: Vec<Vec<Option<Vec<Range<usize>>>>>,
}

impl Relevance {
    /// Finds what affects the instructions `asked`, given by function and instruction.
    pub(crate) fn new(
        linked: &Linked<'_>,
        functions: &[usize],
        asked: &BTreeSet<(usize, usize)>,
        noreturn: &dyn Fn(&str) -> bool,
    ) -> Relevance {
        let mut about = Relevance { matters: Vec::new(), regions: Vec::new() };
        for &f in functions {
            let flat = &linked.functions[f].flat;
            let cfg = Cfg::new(flat, noreturn);
            // For a kernel that calls functions, the order of all instructions is unknown.
            let before = match functions.len() {
                1 => leading_to(&cfg, asked.iter().map(|&(_, i)| cfg.block_of(i as u32))),
                _ => vec![true; cfg.blocks.len()],
            };
            let mut matters = Vec::new();
            let mut regions = Vec::new();
            for (i, inst) in flat.instructions.iter().enumerate() {
                let block = cfg.block_of(i as u32);
                let (mut order, mut leaves) = (true, true);
                if let Ok(op) = &inst.op {
                    let effects = effects(op, &inst.args);
                    let strong = effects
                        .touches
                        .iter()
                        .any(|t| t.sem != Sem::Weak || !matches!(t.kind, TouchKind::Read | TouchKind::Write));
                    let exchange = matches!(effects.order, None | Some(Order::Rendezvous | Order::Aligned));
                    order = strong || !exchange || matches!(op, Op::Call);
                    leaves = !matches!(effects.control, Control::Next | Control::Break | Control::Call);
                }
                matters.push(asked.contains(&(f, i)) || order && before[block.0 as usize]);
                regions.push(leaves.then(|| region(&cfg, block)));
            }
            about.matters.push(matters);
            about.regions.push(regions);
        }
        about
    }

    /// Returns whether an instruction is one of those asked about, or may order them.
    pub(crate) fn matters(&self, at: usize, i: usize) -> bool {
        self.matters[at][i]
    }

    /// Returns the instructions that depend on a branch or on the end of a thread; `None` for other
    /// instructions.
    pub(crate) fn region(&self, at: usize, i: usize) -> Option<&[Range<usize>]> {
        self.regions[at][i].as_deref()
    }
}

/// Returns the blocks on paths to `ends`.
fn leading_to(cfg: &Cfg, ends: impl Iterator<Item = BlockId>) -> Vec<bool> {
    let mut found = vec![false; cfg.blocks.len()];
    let mut work: Vec<BlockId> = ends.collect();
    while let Some(b) = work.pop() {
        if !std::mem::replace(&mut found[b.0 as usize], true) {
            work.extend(&cfg.block(b).predecessors);
        }
    }
    found
}

/// Returns the instructions between the end of a block and the point where its paths join; all that may
/// follow if threads may end on these paths.
fn region(cfg: &Cfg, block: BlockId) -> Vec<Range<usize>> {
    let until = |meet: Option<BlockId>| {
        let mut seen = vec![false; cfg.blocks.len()];
        let mut found = Vec::new();
        let mut ends = cfg.block(block).exits;
        let mut work = cfg.block(block).successors.clone();
        while let Some(b) = work.pop() {
            if Some(b) == meet || std::mem::replace(&mut seen[b.0 as usize], true) {
                continue;
            }
            let here = cfg.block(b);
            ends |= here.exits || here.successors.is_empty();
            found.push(here.start as usize..here.end as usize);
            work.extend(&here.successors);
        }
        (found, ends)
    };
    match until(cfg.post_dominator(block)) {
        (_, true) => until(None).0,
        (found, false) => found,
    }
}
