//! Loops of a function, and its dominators.

use crate::dominators::Dominators;
use ptx::cfg::{BlockId, Cfg};

/// A natural loop.
#[derive(Clone, Debug)]
pub struct Loop {
    pub header: BlockId,
    /// Membership by block.
    pub body: Vec<bool>,
    /// The enclosing loop.
    pub parent: Option<usize>,
}

/// The reason why a function's loops are unsupported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unstructured {
    #[error("a loop with two entries")]
    TwoEntries,
    /// Sets of loops are words with one bit for each.
    #[error("more than 64 loops")]
    TooManyLoops,
}

/// Reverse postorder, dominators and loops.
#[derive(Debug)]
pub struct Shape {
    pub order: Vec<BlockId>,
    /// The index in `order`; `None` for unreachable blocks.
    pub place: Vec<Option<usize>>,
    dominator: Vec<Option<usize>>,
    /// The loops, outer ones first.
    pub loops: Vec<Loop>,
    /// The innermost loop of each block.
    pub inner: Vec<Option<usize>>,
}

impl Shape {
    /// Computes the shape. Fails for loops with two entries, and for more than 64 loops.
    pub fn new(cfg: &Cfg) -> Result<Shape, Unstructured> {
        let n = cfg.blocks.len();
        let neighbour = |of: &[BlockId], n: usize| of.get(n).map(|b| b.0 as usize);
        let block = |b: usize| cfg.block(BlockId(b as u32));
        let Dominators { order, above } = Dominators::of(
            n,
            0,
            |b, n| neighbour(&block(b).successors, n),
            |b, n| neighbour(&block(b).predecessors, n),
        );
        let mut place = vec![None; n];
        for (i, &b) in order.iter().enumerate() {
            place[b] = Some(i);
        }
        let dominator = order.iter().map(|&b| place[above[b]?]).collect();
        let order = order.into_iter().map(|b| BlockId(b as u32)).collect();
        let mut shape = Shape { order, place, dominator, loops: Vec::new(), inner: vec![None; n] };
        for &b in &shape.order {
            for &s in &cfg.block(b).successors {
                let retreats = shape.place[s.0 as usize] <= shape.place[b.0 as usize];
                if retreats && !shape.dominates(s, b) {
                    return Err(Unstructured::TwoEntries);
                }
            }
        }
        for i in 0..shape.order.len() {
            let header = shape.order[i];
            let latches: Vec<BlockId> = cfg
                .block(header)
                .predecessors
                .iter()
                .copied()
                .filter(|&p| shape.place[p.0 as usize].is_some() && shape.dominates(header, p))
                .collect();
            if latches.is_empty() {
                continue;
            }
            let mut body = vec![false; n];
            body[header.0 as usize] = true;
            let mut work = latches;
            while let Some(b) = work.pop() {
                if !std::mem::replace(&mut body[b.0 as usize], true) {
                    work.extend(
                        cfg.block(b).predecessors.iter().filter(|p| shape.place[p.0 as usize].is_some()),
                    );
                }
            }
            // Headers come in reverse postorder, so outer loops come first.
            let parent = (0..shape.loops.len()).rev().find(|&l| shape.loops[l].body[header.0 as usize]);
            for (b, inside) in body.iter().enumerate() {
                if *inside {
                    shape.inner[b] = Some(shape.loops.len());
                }
            }
            shape.loops.push(Loop { header, body, parent });
        }
        if shape.loops.len() > 64 {
            return Err(Unstructured::TooManyLoops);
        }
        Ok(shape)
    }

    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let (Some(a), Some(mut b)) = (self.place[a.0 as usize], self.place[b.0 as usize]) else {
            return false;
        };
        while b > a {
            match self.dominator[b] {
                Some(d) if d < b => b = d,
                _ => break,
            }
        }
        a == b
    }

    /// Returns the immediate dominator.
    pub fn immediate(&self, b: BlockId) -> Option<BlockId> {
        let d = self.dominator[self.place[b.0 as usize]?]?;
        Some(self.order[d])
    }

    /// Returns the loops around a block, innermost first.
    pub fn around(&self, b: BlockId) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.inner[b.0 as usize], |&l| self.loops[l].parent)
    }

    pub fn contains(&self, l: usize, b: BlockId) -> bool {
        self.loops[l].body[b.0 as usize]
    }
}
