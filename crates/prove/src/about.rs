//! Which instructions of a kernel have to do with a race of some of its accesses.
//!
//! In the order of threads that one execution had, whether two accesses race depends on whether they are made and where,
//! and on what is executed before them that orders memory: barriers, fences, atomics and other strong operations,
//! asynchronous operations. What cannot be on a way to the two has no part in it. A branch has one only if something that
//! has one lies between it and the place where its ways meet again, or if a thread may end there.

use kernels::effects::{Control, Order, TouchKind};
use kernels::{Linked, effects};
use ptx::cfg::{BlockId, Cfg};
use ptx::op::{Op, Sem};
use std::collections::BTreeSet;
use std::ops::Range;

/// By function that the kernel reaches, by instruction.
pub(crate) struct About {
    matters: Vec<Vec<bool>>,
    /// Of those that decide where threads go: the instructions that are executed or not by that.
    regions: Vec<Vec<Option<Vec<Range<usize>>>>>,
}

impl About {
    /// About the instructions `asked`, by function and instruction.
    pub(crate) fn new(
        linked: &Linked<'_>,
        functions: &[usize],
        asked: &BTreeSet<(usize, usize)>,
        noreturn: &dyn Fn(&str) -> bool,
    ) -> About {
        let mut about = About { matters: Vec::new(), regions: Vec::new() };
        for &f in functions {
            let flat = &linked.functions[f].flat;
            let cfg = Cfg::new(flat, noreturn);
            // Of a kernel that calls functions the order of all is not told.
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

    /// Is it one of those, or may it order them?
    pub(crate) fn matters(&self, at: usize, i: usize) -> bool {
        self.matters[at][i]
    }

    /// What a branch, or the end of a thread, decides about; `None` for other instructions.
    pub(crate) fn region(&self, at: usize, i: usize) -> Option<&[Range<usize>]> {
        self.regions[at][i].as_deref()
    }
}

/// Blocks on ways to some.
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

/// Instructions between the end of a block and the place where its ways meet; all that may follow if threads may end on them.
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
