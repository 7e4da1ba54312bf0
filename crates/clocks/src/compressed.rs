//! Vector clocks over all threads of a launch, compressed along the thread hierarchy.
//!
//! The scheme is that of *Predictive Data Race Detection for GPUs* (§5.2). A clock is an array of block
//! clocks; a block clock is one number for all its threads or an array of warp clocks; a warp clock is one
//! number or one for each lane. Every operation compresses what it touches again. A barrier forces a block
//! (or warp) to one number, since the times of its threads may be called equal after it.
//!
//! Beyond the paper, clocks share common parts (`tree`): a copy costs a reference count, an update copies the
//! path to the changed block, and a join of two clocks one of which covers the other takes over the parts of
//! the larger.
//!
//! [`Plain`] is the uncompressed clock, an array of numbers, for comparison.

pub use crate::seen::Seen;
use crate::tree::{Covers, Knowledge, Tree};
use std::sync::Arc;

/// The extents of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub blocks: u32,
    pub threads_per_block: u32,
}

impl Shape {
    pub const fn warps(&self) -> u32 {
        self.threads_per_block.div_ceil(32)
    }

    /// Returns the mask of lanes that exist in `warp`.
    pub const fn lanes(&self, warp: u16) -> u32 {
        let rest = self.threads_per_block.saturating_sub(warp as u32 * 32);
        if rest >= 32 { u32::MAX } else { (1 << rest) - 1 }
    }
}

/// Identifies a warp of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WarpIndex {
    pub block: u32,
    pub warp: u16,
}

/// A vector clock whose absent threads have time 0.
pub trait VectorClock: Clone + Default + Send + 'static {
    /// Returns the time of one thread.
    fn get(&self, at: WarpIndex, lane: u32) -> u32;

    /// Returns the subset of `lanes` whose time is less than `time`.
    fn behind(&self, shape: &Shape, at: WarpIndex, lanes: u32, time: u32) -> u32;

    /// Raises the times of `lanes` to at least `time`.
    fn raise(&mut self, shape: &Shape, at: WarpIndex, lanes: u32, time: u32);

    /// Raises the times of a whole block to at least `time`.
    fn raise_block(&mut self, shape: &Shape, block: u32, time: u32);

    /// Raises every time to at least that of `other`.
    fn join(&mut self, shape: &Shape, other: &Self);

    /// Returns whether no time exceeds that of `other`.
    fn le(&self, other: &Self) -> bool;

    /// Returns the bytes held that `seen` does not count yet.
    fn bytes(&self, seen: &mut Seen) -> u64;
}

#[derive(Clone, Debug, PartialEq)]
enum Warp {
    Same(u32),
    Lanes(Arc<[u32; 32]>),
}

#[derive(Clone, Debug, PartialEq)]
enum Block {
    Same(u32),
    Warps(Arc<Vec<Warp>>),
}

/// A vector clock in the paper's compressed form.
#[derive(Clone, Debug, Default)]
pub struct Compressed {
    /// The clocks of all blocks with a time above 0.
    blocks: Option<Arc<Tree<Block>>>,
}

const ZERO: Block = Block::Same(0);

impl Warp {
    fn get(&self, lane: u32) -> u32 {
        match self {
            Warp::Same(time) => *time,
            Warp::Lanes(times) => times[lane as usize],
        }
    }

    fn behind(&self, lanes: u32, time: u32) -> u32 {
        match self {
            Warp::Same(own) => {
                if *own < time {
                    lanes
                } else {
                    0
                }
            }
            Warp::Lanes(times) => {
                let bits = (0..32).filter(|&lane| times[lane] < time);
                bits.fold(0, |mask, lane| mask | 1 << lane) & lanes
            }
        }
    }

    /// Returns the subset of `live` lanes whose time exceeds that of `other`.
    fn beyond(&self, other: &Warp, live: u32) -> u32 {
        match (self, other) {
            (Warp::Same(own), other) => other.behind(live, *own),
            (Warp::Lanes(own), Warp::Lanes(theirs)) if Arc::ptr_eq(own, theirs) => 0,
            (Warp::Lanes(own), other) => {
                let bits = (0..32).filter(|&lane| own[lane as usize] > other.get(lane));
                bits.fold(0, |mask, lane| mask | 1 << lane) & live
            }
        }
    }

    /// Raises the times of `lanes` to at least `time`. `live` is the mask of lanes that exist.
    fn raise(&mut self, lanes: u32, time: u32, live: u32) {
        let behind = self.behind(lanes & live, time);
        if behind == 0 {
            return;
        }
        if self.behind(live, time) == behind && self.uniform_above(time, live & !behind) {
            *self = Warp::Same(time);
            return;
        }
        let mut times = match self {
            Warp::Same(own) => Arc::new([*own; 32]),
            Warp::Lanes(times) => Arc::clone(times),
        };
        let slots = Arc::make_mut(&mut times);
        for (lane, slot) in slots.iter_mut().enumerate() {
            if behind >> lane & 1 != 0 {
                *slot = time;
            }
        }
        *self = Warp::Lanes(times);
    }

    /// Returns whether all of `lanes` have exactly `time`.
    fn uniform_above(&self, time: u32, lanes: u32) -> bool {
        self.behind(lanes, time) == 0 && self.behind(lanes, time.saturating_add(1)) == lanes
    }

    fn join(&mut self, other: &Warp, live: u32) {
        if other.beyond(self, live) == 0 {
            return;
        }
        if self.beyond(other, live) == 0 {
            *self = other.clone();
            return;
        }
        let joined: [u32; 32] = std::array::from_fn(|lane| self.get(lane as u32).max(other.get(lane as u32)));
        *self = pack(joined, live);
    }
}

fn pack(times: [u32; 32], live: u32) -> Warp {
    let first = times[live.trailing_zeros().min(31) as usize];
    let same = (0..32).all(|lane| live >> lane & 1 == 0 || times[lane] == first);
    if same { Warp::Same(first) } else { Warp::Lanes(Arc::new(times)) }
}

impl Block {
    fn warp(&self, warp: u16) -> Warp {
        match self {
            Block::Same(time) => Warp::Same(*time),
            Block::Warps(warps) => warps.get(usize::from(warp)).cloned().unwrap_or(Warp::Same(0)),
        }
    }

    fn same_part(&self, other: &Block) -> bool {
        match (self, other) {
            (Block::Same(a), Block::Same(b)) => a == b,
            (Block::Warps(a), Block::Warps(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    fn edit(&mut self, shape: &Shape, edit: impl FnOnce(&mut Vec<Warp>)) {
        let mut warps = match self {
            Block::Same(time) => Arc::new(vec![Warp::Same(*time); shape.warps() as usize]),
            Block::Warps(warps) => {
                let taken = std::mem::take(warps);
                *self = ZERO;
                taken
            }
        };
        edit(Arc::make_mut(&mut warps));
        *self = match warps.first() {
            // Compresses the block to one number if all its warps have the same.
            Some(Warp::Same(time)) if warps.iter().all(|w| *w == Warp::Same(*time)) => Block::Same(*time),
            _ => Block::Warps(warps),
        };
    }

    /// Returns whether some lane's time exceeds that of `other`.
    fn beyond(&self, other: &Block, shape: Option<&Shape>) -> bool {
        if self.same_part(other) {
            return false;
        }
        if let (Block::Same(own), Block::Same(theirs)) = (self, other) {
            return own > theirs;
        }
        let count = |b: &Block| if let Block::Warps(w) = b { w.len() } else { 0 };
        (0..count(self).max(count(other)) as u16).any(|warp| {
            let live = shape.map_or(u32::MAX, |s| s.lanes(warp));
            self.warp(warp).beyond(&other.warp(warp), live) != 0
        })
    }

    /// Returns the bytes on the heap that `seen` does not count yet.
    fn bytes(&self, seen: &mut Seen) -> usize {
        let Block::Warps(warps) = self else { return 0 };
        if !seen.first(warps) {
            return 0;
        }
        let mut bytes = warps.capacity() * size_of::<Warp>();
        for warp in warps.iter() {
            if let Warp::Lanes(times) = warp
                && seen.first(times)
            {
                bytes += size_of::<[u32; 32]>();
            }
        }
        bytes
    }

    fn join(&mut self, shape: &Shape, other: &Block) {
        if !other.beyond(self, Some(shape)) {
            return;
        }
        if !self.beyond(other, Some(shape)) {
            *self = other.clone();
            return;
        }
        self.edit(shape, |warps| {
            for (at, warp) in warps.iter_mut().enumerate() {
                warp.join(&other.warp(at as u16), shape.lanes(at as u16));
            }
        });
    }
}

impl Default for Block {
    fn default() -> Self {
        ZERO
    }
}

impl Knowledge for Block {
    type Context = Shape;

    fn is_nothing(&self) -> bool {
        !self.beyond(&ZERO, None)
    }

    fn compare(&self, other: &Self, asked: Covers) -> Covers {
        Covers {
            first: asked.first && !other.beyond(self, None),
            second: asked.second && !self.beyond(other, None),
        }
    }

    fn join(&mut self, other: &Self, shape: &Shape) {
        Block::join(self, shape, other);
    }
}

impl Compressed {
    fn block(&self, block: u32) -> &Block {
        self.blocks.as_ref().and_then(|blocks| blocks.get(block)).unwrap_or(&ZERO)
    }

    fn block_mut(&mut self, block: u32) -> &mut Block {
        Arc::make_mut(self.blocks.get_or_insert_default()).get_mut(block)
    }

    /// Returns how many numbers the clock stores, for tests of the compression.
    pub fn numbers(&self) -> usize {
        let warp = |w: &Warp| if let Warp::Lanes(_) = w { 32 } else { 1 };
        let block = |b: &Block| match b {
            Block::Same(0) => 0,
            Block::Same(_) => 1,
            Block::Warps(warps) => warps.iter().map(warp).sum(),
        };
        self.blocks.iter().flat_map(|blocks| blocks.iter()).map(|(_, b)| block(b)).sum()
    }
}

impl VectorClock for Compressed {
    fn get(&self, at: WarpIndex, lane: u32) -> u32 {
        match self.block(at.block) {
            Block::Same(time) => *time,
            Block::Warps(warps) => warps.get(usize::from(at.warp)).map_or(0, |w| w.get(lane)),
        }
    }

    fn behind(&self, shape: &Shape, at: WarpIndex, lanes: u32, time: u32) -> u32 {
        match self.block(at.block) {
            Block::Same(own) => {
                if *own < time {
                    lanes
                } else {
                    0
                }
            }
            block => block.warp(at.warp).behind(lanes & shape.lanes(at.warp), time),
        }
    }

    fn raise(&mut self, shape: &Shape, at: WarpIndex, lanes: u32, time: u32) {
        if self.behind(shape, at, lanes, time) == 0 {
            return;
        }
        self.block_mut(at.block).edit(shape, |warps| {
            if let Some(warp) = warps.get_mut(usize::from(at.warp)) {
                warp.raise(lanes, time, shape.lanes(at.warp));
            }
        });
    }

    fn raise_block(&mut self, shape: &Shape, block: u32, time: u32) {
        if time != 0 {
            self.block_mut(block).join(shape, &Block::Same(time));
        }
    }

    fn join(&mut self, shape: &Shape, other: &Self) {
        let Some(theirs) = &other.blocks else { return };
        let Some(own) = &mut self.blocks else {
            self.blocks = Some(Arc::clone(theirs));
            return;
        };
        if Arc::ptr_eq(own, theirs) {
            return;
        }
        match own.compare(theirs, Covers::BOTH) {
            Covers { first: true, .. } => {}
            Covers { second: true, .. } => *own = Arc::clone(theirs),
            _ => Arc::make_mut(own).join(theirs, shape),
        }
    }

    fn le(&self, other: &Self) -> bool {
        match (&self.blocks, &other.blocks) {
            (None, _) => true,
            (Some(own), None) => Tree::default().covers(own),
            (Some(own), Some(theirs)) => Arc::ptr_eq(own, theirs) || theirs.covers(own),
        }
    }

    fn bytes(&self, seen: &mut Seen) -> u64 {
        let bytes = size_of::<Self>() as u64;
        let Some(blocks) = self.blocks.as_ref().filter(|blocks| seen.first(blocks)) else { return bytes };
        bytes + size_of::<Tree<Block>>() as u64 + blocks.bytes(seen, Block::bytes) as u64
    }
}

/// The uncompressed clock: one number for every thread of the launch.
#[derive(Clone, Debug, Default)]
pub struct Plain {
    times: Vec<u32>,
    /// Set by the first update. All clocks of one launch have the same value.
    threads_per_block: u32,
}

impl Plain {
    fn index(&self, at: WarpIndex, lane: u32) -> usize {
        at.block as usize * self.threads_per_block as usize + usize::from(at.warp) * 32 + lane as usize
    }

    fn grow(&mut self, shape: &Shape) {
        self.threads_per_block = shape.threads_per_block;
        self.times.resize(shape.blocks as usize * shape.threads_per_block as usize, 0);
    }
}

impl VectorClock for Plain {
    fn get(&self, at: WarpIndex, lane: u32) -> u32 {
        self.times.get(self.index(at, lane)).copied().unwrap_or(0)
    }

    fn behind(&self, shape: &Shape, at: WarpIndex, lanes: u32, time: u32) -> u32 {
        let lanes = lanes & shape.lanes(at.warp);
        let bits = (0..32).filter(|&lane| lanes >> lane & 1 != 0 && self.get(at, lane) < time);
        bits.fold(0, |mask, lane| mask | 1 << lane)
    }

    fn raise(&mut self, shape: &Shape, at: WarpIndex, lanes: u32, time: u32) {
        self.grow(shape);
        let behind = self.behind(shape, at, lanes, time);
        for lane in (0..32).filter(|lane| behind >> lane & 1 != 0) {
            let index = self.index(at, lane);
            if let Some(own) = self.times.get_mut(index) {
                *own = time;
            }
        }
    }

    fn raise_block(&mut self, shape: &Shape, block: u32, time: u32) {
        for warp in 0..shape.warps() as u16 {
            self.raise(shape, WarpIndex { block, warp }, u32::MAX, time);
        }
    }

    fn join(&mut self, shape: &Shape, other: &Self) {
        if other.times.is_empty() {
            return;
        }
        self.grow(shape);
        for (own, theirs) in self.times.iter_mut().zip(&other.times) {
            *own = (*own).max(*theirs);
        }
    }

    fn le(&self, other: &Self) -> bool {
        let theirs = |at: usize| other.times.get(at).copied().unwrap_or(0);
        self.times.iter().enumerate().all(|(at, &time)| time <= theirs(at))
    }

    fn bytes(&self, _: &mut Seen) -> u64 {
        (size_of::<Self>() + self.times.capacity() * 4) as u64
    }
}

#[cfg(test)]
mod tests;
