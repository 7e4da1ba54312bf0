//! Loops of a function, and what may happen between two barriers.

use ptx::cfg::{BlockId, Cfg};

/// A natural loop.
#[derive(Clone, Debug)]
pub struct Loop {
    pub header: BlockId,
    /// By block.
    pub body: Vec<bool>,
    /// The loop around it.
    pub parent: Option<usize>,
}

/// Why a function's loops are not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unstructured {
    #[error("a loop with two entries")]
    TwoEntries,
    /// Sets of them are words of as many bits.
    #[error("more than 64 loops")]
    TooManyLoops,
}

/// Reverse postorder, dominators and loops.
#[derive(Debug)]
pub struct Shape {
    pub order: Vec<BlockId>,
    /// Place in `order`; `None` for what is not reachable.
    pub place: Vec<Option<usize>>,
    dominator: Vec<Option<usize>>,
    /// Outer ones first.
    pub loops: Vec<Loop>,
    /// The innermost loop of each block.
    pub inner: Vec<Option<usize>>,
}

impl Shape {
    /// Fails for loops with two entries, and for more than 64 loops.
    pub fn new(cfg: &Cfg) -> Result<Shape, Unstructured> {
        let n = cfg.blocks.len();
        let order = reverse_postorder(cfg);
        let mut place = vec![None; n];
        for (i, b) in order.iter().enumerate() {
            place[b.0 as usize] = Some(i);
        }
        let dominator = dominators(cfg, &order, &place);
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
            // Headers come in reverse postorder: outer loops first.
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

    /// The immediate dominator.
    pub fn immediate(&self, b: BlockId) -> Option<BlockId> {
        let d = self.dominator[self.place[b.0 as usize]?]?;
        Some(self.order[d])
    }

    /// The loops around a block, the innermost first.
    pub fn around(&self, b: BlockId) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.inner[b.0 as usize], |&l| self.loops[l].parent)
    }

    pub fn contains(&self, l: usize, b: BlockId) -> bool {
        self.loops[l].body[b.0 as usize]
    }
}

fn reverse_postorder(cfg: &Cfg) -> Vec<BlockId> {
    if cfg.blocks.is_empty() {
        return Vec::new();
    }
    let mut seen = vec![false; cfg.blocks.len()];
    let mut order = Vec::new();
    let mut stack = vec![(BlockId(0), 0)];
    seen[0] = true;
    while let Some((b, next)) = stack.pop() {
        match cfg.block(b).successors.get(next) {
            Some(&s) => {
                stack.push((b, next + 1));
                if !std::mem::replace(&mut seen[s.0 as usize], true) {
                    stack.push((s, 0));
                }
            }
            None => order.push(b),
        }
    }
    order.reverse();
    order
}

/// By place in `order` (Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm", 2001).
fn dominators(cfg: &Cfg, order: &[BlockId], place: &[Option<usize>]) -> Vec<Option<usize>> {
    let mut found: Vec<Option<usize>> = vec![None; order.len()];
    if found.is_empty() {
        return found;
    }
    found[0] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for (i, &b) in order.iter().enumerate().skip(1) {
            let mut new: Option<usize> = None;
            for p in &cfg.block(b).predecessors {
                let Some(p) = place[p.0 as usize] else { continue };
                if found[p].is_none() {
                    continue;
                }
                new = Some(match new {
                    None => p,
                    Some(mut a) => {
                        let mut b = p;
                        while a != b {
                            while a > b {
                                a = found[a].unwrap_or(0);
                            }
                            while b > a {
                                b = found[b].unwrap_or(0);
                            }
                        }
                        a
                    }
                });
            }
            if new.is_some() && found[i] != new {
                found[i] = new;
                changed = true;
            }
        }
    }
    found
}
