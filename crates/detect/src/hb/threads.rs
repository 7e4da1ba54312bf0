//! Every thread's clocks, and what barriers do to them.
//!
//! A thread has a local time and up to two vector clocks: `h`, what happens before its next
//! event, and (for predictive orders) `p`, what precedes it in every reordering. Neither holds
//! the thread's own time; it is added when they are published.
//!
//! Threads that only meet at block barriers have equal clocks: a block keeps one copy for all
//! of them, and a warp gets clocks of its own when one of its lanes synchronises in another
//! way, until the next block barrier (§5 of the GWCP paper proposes both savings).

use clocks::compressed::{Seen, Shape, VectorClock, WarpIndex};
use events::LaneMask;
use rustc_hash::FxHashMap;

use crate::lens::elements::lanes;

/// A thread of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Who {
    pub at: WarpIndex,
    pub lane: u32,
}

/// A thread's clocks.
#[derive(Clone, Debug, Default)]
pub struct State<C> {
    /// The thread's own time, from 1: it moves on after each release.
    pub time: u32,
    pub h: C,
    pub p: C,
}

impl<C: VectorClock> State<C> {
    fn new() -> Self {
        State { time: 1, h: C::default(), p: C::default() }
    }

    /// `h` with the thread's own time.
    pub fn full_h(&self, shape: &Shape, who: Who) -> C {
        let mut clock = self.h.clone();
        clock.raise(shape, who.at, 1 << who.lane, self.time);
        clock
    }

    /// `p` with the thread's own time, which the papers call C.
    pub fn full_p(&self, shape: &Shape, who: Who) -> C {
        let mut clock = self.p.clone();
        clock.raise(shape, who.at, 1 << who.lane, self.time);
        clock
    }
}

/// Clocks on their way through a barrier or an mbarrier.
#[derive(Clone, Debug, Default)]
pub struct Passing<C> {
    pub h: C,
    pub p: C,
    /// The latest time of those that arrived.
    pub time: u32,
}

impl<C: VectorClock> Passing<C> {
    fn add(&mut self, shape: &Shape, who: Who, state: &State<C>) {
        self.h.join(shape, &state.h);
        self.p.join(shape, &state.p);
        self.h.raise(shape, who.at, 1 << who.lane, state.time);
        self.p.raise(shape, who.at, 1 << who.lane, state.time);
        self.time = self.time.max(state.time);
    }
}

struct Block<C> {
    /// The clocks of all threads whose warp has none of its own.
    common: State<C>,
    own: FxHashMap<u16, Box<[State<C>; 32]>>,
    /// Lanes that have left, by warp.
    exited: FxHashMap<u16, LaneMask>,
}

/// All threads of a launch.
pub struct Threads<C> {
    pub shape: Shape,
    blocks: FxHashMap<u32, Block<C>>,
}

impl<C: VectorClock> Threads<C> {
    pub fn new(shape: Shape) -> Self {
        Threads { shape, blocks: FxHashMap::default() }
    }

    fn block(&mut self, block: u32) -> &mut Block<C> {
        self.blocks.entry(block).or_insert_with(|| Block {
            common: State::new(),
            own: FxHashMap::default(),
            exited: FxHashMap::default(),
        })
    }

    pub fn state(&mut self, who: Who) -> &State<C> {
        let block = self.block(who.at.block);
        block.own.get(&who.at.warp).map_or(&block.common, |own| &own[who.lane as usize])
    }

    /// The thread's clocks, its warp's own from now on.
    pub fn state_mut(&mut self, who: Who) -> &mut State<C> {
        &mut self.warp_mut(who.at)[who.lane as usize]
    }

    fn warp_mut(&mut self, at: WarpIndex) -> &mut [State<C>; 32] {
        let block = self.block(at.block);
        let common = &block.common;
        block.own.entry(at.warp).or_insert_with(|| Box::new(std::array::from_fn(|_| common.clone())))
    }

    /// The thread's time passes: what it does next is not part of what it has published.
    pub fn tick(&mut self, who: Who) {
        self.state_mut(who).time += 1;
    }

    /// `__syncthreads()` by all threads of a block.
    ///
    /// Forced compression: afterwards all of them have the latest of their times.
    pub fn block_barrier(&mut self, block: u32) {
        let shape = self.shape;
        let warps = shape.warps() as usize;
        let state = self.block(block);
        let mut passing =
            Passing { h: state.common.h.clone(), p: state.common.p.clone(), time: state.common.time };
        if state.own.len() == warps {
            passing = Passing::default();
        }
        for (&warp, own) in &state.own {
            let exited = state.exited.get(&warp).copied().unwrap_or(0);
            for lane in lanes(shape.lanes(warp) & !exited) {
                let own = &own[lane as usize];
                passing.h.join(&shape, &own.h);
                passing.p.join(&shape, &own.p);
                passing.time = passing.time.max(own.time);
            }
        }
        passing.h.raise_block(&shape, block, passing.time);
        passing.p.raise_block(&shape, block, passing.time);
        state.own.clear();
        state.common = State { time: passing.time + 1, h: passing.h, p: passing.p };
    }

    /// Adds what `mask` of a warp have done to a barrier that they arrive at.
    pub fn arrive(&mut self, at: WarpIndex, mask: LaneMask, passing: &mut Passing<C>) {
        let shape = self.shape;
        for lane in lanes(mask) {
            let who = Who { at, lane };
            let state = self.state(who);
            passing.add(&shape, who, state);
        }
    }

    /// `mask` of a warp leave a barrier and know all that arrived there.
    pub fn pass(&mut self, at: WarpIndex, mask: LaneMask, passing: &Passing<C>) {
        let shape = self.shape;
        let own = self.warp_mut(at);
        for lane in lanes(mask) {
            let state = &mut own[lane as usize];
            state.h.join(&shape, &passing.h);
            state.p.join(&shape, &passing.p);
            state.time = state.time.max(passing.time) + 1;
        }
    }

    /// A barrier that the same lanes arrive at and leave, with forced compression.
    pub fn meet(&mut self, members: &[(WarpIndex, LaneMask)], mut passing: Passing<C>) {
        for &(at, mask) in members {
            self.arrive(at, mask, &mut passing);
        }
        let shape = self.shape;
        for &(at, mask) in members {
            passing.h.raise(&shape, at, mask, passing.time);
            passing.p.raise(&shape, at, mask, passing.time);
        }
        for &(at, mask) in members {
            self.pass(at, mask, &passing);
        }
    }

    /// Threads have executed their last instruction: their clocks are of no more use.
    pub fn exit(&mut self, at: WarpIndex, mask: LaneMask) {
        let live = self.shape.lanes(at.warp);
        let block = self.block(at.block);
        let exited = block.exited.entry(at.warp).or_default();
        *exited |= mask;
        let all = *exited & live == live;
        if all {
            block.own.remove(&at.warp);
        } else if let Some(own) = block.own.get_mut(&at.warp) {
            for lane in lanes(mask) {
                own[lane as usize] = State { time: own[lane as usize].time, ..State::new() };
            }
        }
    }

    pub fn block_end(&mut self, block: u32) {
        self.blocks.remove(&block);
    }

    pub fn bytes(&self, seen: &mut Seen) -> u64 {
        let mut bytes = 0;
        for block in self.blocks.values() {
            bytes += block.common.h.bytes(seen) + block.common.p.bytes(seen);
            for state in block.own.values().flat_map(|own| own.iter()) {
                bytes += state.h.bytes(seen) + state.p.bytes(seen);
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clocks::compressed::Compressed;

    const SHAPE: Shape = Shape { blocks: 2, threads_per_block: 64 };

    fn who(block: u32, warp: u16, lane: u32) -> Who {
        Who { at: WarpIndex { block, warp }, lane }
    }

    #[test]
    fn a_block_barrier_leaves_one_copy() {
        let mut threads = Threads::<Compressed>::new(SHAPE);
        threads.tick(who(0, 0, 3));
        threads.tick(who(0, 0, 3));
        assert_eq!(threads.block(0).own.len(), 1);
        threads.block_barrier(0);
        assert_eq!(threads.block(0).own.len(), 0);
        let state = threads.state(who(0, 1, 0));
        assert_eq!((state.time, state.h.get(who(0, 0, 3).at, 3)), (4, 3));
        assert_eq!(state.h.numbers(), 1, "the whole block is one number");
        assert_eq!(threads.state(who(1, 0, 0)).time, 1, "another block knows nothing of it");
    }

    #[test]
    fn a_warp_barrier_orders_its_lanes_only() {
        let mut threads = Threads::<Compressed>::new(SHAPE);
        let at = who(0, 0, 0).at;
        threads.meet(&[(at, 0b11)], Passing::default());
        assert_eq!(threads.state(who(0, 0, 0)).h.get(at, 1), 1);
        assert_eq!(threads.state(who(0, 0, 1)).h.get(at, 0), 1);
        assert_eq!(threads.state(who(0, 0, 2)).h.get(at, 0), 0);
    }

    #[test]
    fn an_exited_warp_holds_no_clocks() {
        let mut threads = Threads::<Compressed>::new(SHAPE);
        threads.tick(who(0, 1, 0));
        threads.exit(who(0, 1, 0).at, 0xffff);
        assert_eq!(threads.block(0).own.len(), 1);
        threads.exit(who(0, 1, 0).at, 0xffff_0000);
        assert_eq!(threads.block(0).own.len(), 0);
    }
}
