//! Control flow within one iteration of a loop.

use crate::kernel::shape::Shape;
use crate::solver::symbols::Attr;
use ptx::cfg::{BlockId, Cfg};

/// A kernel's control flow.
#[derive(Clone, Copy)]
pub(crate) struct Ways<'a> {
    pub(crate) cfg: &'a Cfg,
    pub(crate) shape: &'a Shape,
    pub(crate) branches: &'a [Option<Attr>],
}

impl Ways<'_> {
    pub(crate) fn block(&self, inst: usize) -> BlockId {
        self.cfg.block_of(inst as u32)
    }

    /// Returns whether an instruction is on every path to another one.
    pub(crate) fn is_first(&self, first: usize, then: usize) -> bool {
        self.shape.precedes(self.cfg, first, then)
    }

    /// Returns the loop that contains a block, if no other loop contains that loop; `Err` for nested loops.
    pub(crate) fn outermost(&self, b: BlockId, trying: &[bool]) -> Result<Option<usize>, ()> {
        // Loops that only retry a wait do not count.
        let real = |l: &usize| {
            let body = &self.shape.loops[*l].body;
            !(0..body.len()).all(|b| !body[b] || trying[b])
        };
        let mut around = self.shape.around(b).filter(real);
        match (around.next(), around.next()) {
            (l, None) => Ok(l),
            _ => Err(()),
        }
    }

    /// Returns the blocks that are reachable from `from` within one iteration of loop `l` (or in the whole
    /// function, without a loop), on paths that do not pass through `but`.
    fn reached(
        &self,
        from: &[BlockId],
        l: Option<usize>,
        but: Option<BlockId>,
        edge: &dyn Fn(BlockId, BlockId) -> bool,
    ) -> Vec<bool> {
        let mut seen = vec![false; self.cfg.blocks.len()];
        let mut work: Vec<BlockId> = from.iter().copied().filter(|b| Some(*b) != but).collect();
        while let Some(b) = work.pop() {
            if std::mem::replace(&mut seen[b.0 as usize], true) {
                continue;
            }
            for &s in &self.cfg.block(b).successors {
                let stays = l.is_none_or(|l| self.shape.contains(l, s) && self.shape.loops[l].header != s);
                if stays && Some(s) != but && edge(b, s) {
                    work.push(s);
                }
            }
        }
        seen
    }

    /// Returns whether control can go from an instruction to another one in the same iteration of a loop, or
    /// at all without a loop.
    pub(crate) fn may_follow(&self, first: usize, then: usize, l: Option<usize>) -> bool {
        let (b, c) = (self.block(first), self.block(then));
        if b == c && then > first {
            return true;
        }
        let next: Vec<BlockId> = self.cfg.block(b).successors.clone();
        let stays =
            |s: &BlockId| l.is_none_or(|l| self.shape.contains(l, *s) && self.shape.loops[l].header != *s);
        let next: Vec<BlockId> = next.into_iter().filter(stays).collect();
        self.reached(&next, l, None, &|_, _| true)[c.0 as usize]
    }

    /// Returns whether a thread that reaches `to` in an iteration of a loop has passed `by` in each earlier
    /// iteration. A branch whose condition is the same in all iterations, and that leads the thread to `to`,
    /// always leads it there.
    pub(crate) fn in_each_turn(&self, by: BlockId, to: BlockId, l: usize) -> bool {
        let header = self.shape.loops[l].header;
        if !(self.shape.contains(l, by) && self.shape.contains(l, to)) {
            return false;
        }
        let leads: Vec<bool> = {
            // Goes backwards within the iteration.
            let mut seen = vec![false; self.cfg.blocks.len()];
            let mut work = vec![to];
            while let Some(b) = work.pop() {
                if std::mem::replace(&mut seen[b.0 as usize], true) || b == header {
                    continue;
                }
                work.extend(self.cfg.block(b).predecessors.iter().filter(|p| self.shape.contains(l, **p)));
            }
            seen
        };
        let alike = |b: BlockId| self.branches[b.0 as usize].is_some_and(|a| a.loops & 1 << l == 0);
        let taken = |b: BlockId, s: BlockId| {
            !(b != to
                && alike(b)
                && self.shape.dominates(b, to)
                && self.shape.contains(l, b)
                && !leads[s.0 as usize])
        };
        if by == header {
            return true;
        }
        let seen = self.reached(&[header], Some(l), Some(by), &taken);
        let again = |b: &usize| {
            let b = BlockId(*b as u32);
            self.cfg.block(b).successors.contains(&header) && taken(b, header)
        };
        !(0..seen.len()).filter(|b| seen[*b]).any(|b| again(&b))
    }
}
