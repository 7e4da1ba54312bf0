//! Control-flow queries: what lies on every path between two instructions.

use crate::exec::Summary;
use crate::kernel::access::Access;
use ptx::op::{Scope, Sem};

/// The paths through a kernel.
#[derive(Clone, Copy)]
pub(super) struct Flow<'a> {
    pub(super) summary: &'a Summary,
}

impl Flow<'_> {
    /// Returns whether control can get from behind `from` to `to` without passing one of `stops`.
    pub(super) fn reaches(&self, from: usize, to: usize, stops: &dyn Fn(usize) -> bool) -> bool {
        let cfg = &self.summary.cfg;
        let mut seen = vec![false; cfg.blocks.len()];
        let mut work = vec![(cfg.block_of(from as u32), from + 1)];
        while let Some((b, at)) = work.pop() {
            let block = cfg.block(b);
            let mut passed = true;
            for i in at..block.end as usize {
                if i == to {
                    return true;
                }
                if stops(i) {
                    passed = false;
                    break;
                }
            }
            if !passed {
                continue;
            }
            for &s in &block.successors {
                if !std::mem::replace(&mut seen[s.0 as usize], true) {
                    work.push((s, cfg.block(s).start as usize));
                }
            }
        }
        false
    }

    /// Returns whether every path to `to` passes `by`; true if there is no path.
    pub(super) fn dominates(&self, by: usize, to: usize) -> bool {
        let Summary { cfg, shape, .. } = self.summary;
        let reached = shape.place[cfg.block_of(to as u32).0 as usize].is_some();
        by != to && (!reached || shape.precedes(cfg, by, to))
    }

    pub(super) fn in_loop(&self, inst: usize) -> bool {
        self.loops_of(inst) != 0
    }

    pub(super) fn loops_of(&self, inst: usize) -> u64 {
        let block = self.summary.cfg.block_of(inst as u32);
        self.summary.shape.around(block).fold(0, |mask, l| mask | 1 << l)
    }

    fn fence(&self, inst: usize, scope: Scope, but: Sem) -> bool {
        self.summary.fences.iter().any(|f| f.inst == inst && f.scope >= scope && f.sem != but)
    }

    /// Returns whether the write releases, or a releasing fence lies on every path from `from` to it.
    pub(super) fn releases(&self, from: usize, write: &Access, scope: Scope) -> bool {
        matches!(write.sem, Sem::Release | Sem::AcqRel)
            || !self.reaches(from, write.inst, &|i| self.fence(i, scope, Sem::Acquire))
    }

    /// Returns whether the read acquires, or an acquiring fence lies on every path from it to `to`.
    pub(super) fn acquires(&self, read: &Access, to: usize, scope: Scope) -> bool {
        matches!(read.sem, Sem::Acquire | Sem::AcqRel)
            || !self.reaches(read.inst, to, &|i| self.fence(i, scope, Sem::Release))
    }

    /// Returns whether all fences are `fence.sc`, the order of which a flag between them decides
    /// (`docs/assumptions.md`, 2).
    pub(super) fn has_only_sc(&self) -> bool {
        self.summary.fences.iter().all(|f| f.sem == Sem::Sc)
    }

    /// Returns whether a fence lies on every path from `from` to `to`.
    pub(super) fn fenced(&self, from: usize, to: usize, scope: Scope) -> bool {
        !self.reaches(from, to, &|i| self.summary.fences.iter().any(|f| f.inst == i && f.scope >= scope))
    }

    /// Returns barriers of the block that each thread passes at most once.
    pub(super) fn barriers(&self) -> impl Iterator<Item = usize> + '_ {
        self.summary.barriers.iter().copied().filter(|&b| !self.in_loop(b))
    }

    /// Returns whether `inst` is only executed before a barrier.
    pub(super) fn is_before(&self, inst: usize, barrier: usize) -> bool {
        !self.reaches(barrier, inst, &|_| false)
    }

    /// Returns whether no thread ends behind `from` without passing the barrier.
    pub(super) fn always_comes_to(&self, from: usize, barrier: usize) -> bool {
        let cfg = &self.summary.cfg;
        let mut seen = vec![false; cfg.blocks.len()];
        let mut work = vec![(cfg.block_of(from as u32), from + 1)];
        while let Some((b, at)) = work.pop() {
            let block = cfg.block(b);
            if (at..block.end as usize).contains(&barrier) {
                continue;
            }
            if block.successors.is_empty() || self.summary.paths.ends.iter().any(|(end, _)| *end == b) {
                return false;
            }
            for &s in &block.successors {
                if !std::mem::replace(&mut seen[s.0 as usize], true) {
                    work.push((s, cfg.block(s).start as usize));
                }
            }
        }
        true
    }
}
