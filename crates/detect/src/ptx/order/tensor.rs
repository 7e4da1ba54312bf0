//! The order of operations on tensor memory, as threads know it (PTX §9.7.17.6).
//!
//! `tcgen05.fence::before_thread_sync` publishes, as a release fence does, but to operations on tensor memory
//! only: what the thread knows, and that its own operations so far were issued. `::after_thread_sync` acquires
//! so what strong reads and waits have observed, relaxed ones included. Releases and acquires of the memory model
//! order such operations, too. A clock keeps this under keys of its own, see [`clock_keys`](super::clock_keys).

use crate::ptx::access::thread::Who;
use crate::ptx::order::clock_keys::{BITS, ISSUED, PHASES, TENSOR, TENSOR_PHASES};
use crate::ptx::order::fence::Clocks;
use crate::ptx::order::knowledge::WarpState;
use clocks::compressed::WarpIndex;
use clocks::{Clock, Shared, Tick};
use events::{LaneMask, Scope};

/// Returns what a clock makes known to operations on tensor memory.
fn of_tensor_memory(known: &Clock) -> Clock {
    let mut of_tensor = Clock::default();
    for (key, clock) in known.blocks() {
        match key {
            PHASES => of_tensor.block_mut(TENSOR_PHASES).join(clock),
            _ if key & TENSOR != 0 => of_tensor.block_mut(key).join(clock),
            _ if key & BITS == 0 => of_tensor.block_mut(key | TENSOR).join(clock),
            _ => {}
        }
    }
    of_tensor
}

impl WarpState {
    /// Records a `tcgen05.fence::before_thread_sync`. The caller advances the warp's tick afterwards.
    pub(crate) fn record_tensor_fence(&mut self, block: u32, warp: u16, lanes: LaneMask) {
        let mut published: Box<[Shared; 32]> = Box::new(std::array::from_fn(|_| Shared::default()));
        for lane in (0..32u8).filter(|lane| lanes >> lane & 1 != 0) {
            let who = Who { block, warp, lane };
            let mut fenced = of_tensor_memory(&self.snapshot(who));
            fenced.block_mut(block | ISSUED).raise_thread(who.thread(), self.tick);
            let fenced = Shared::from(fenced);
            self.learn(1 << lane, &fenced);
            published[usize::from(lane)] = fenced;
        }
        self.fences.retain(|old| {
            if matches!(old.clocks, Clocks::Tensor(_)) {
                old.lanes &= !lanes;
            }
            old.lanes != 0
        });
        self.add_fence(lanes, Scope::Cluster, Clocks::Tensor(published), None);
    }

    /// Makes known to `lanes`, for operations on tensor memory, what they have observed: a
    /// `tcgen05.fence::after_thread_sync`.
    pub(crate) fn acquire_for_tensor_memory(&mut self, lanes: LaneMask) {
        let mut observed: Vec<(LaneMask, Shared)> = Vec::new();
        self.pending.acquire(lanes, Scope::Cluster, |alike, clock| {
            if let Some(clock) = clock.get() {
                observed.push((alike, of_tensor_memory(clock).into()));
            }
        });
        observed.iter().for_each(|(alike, clock)| self.learn(*alike, clock));
    }

    /// Returns what `lanes` have observed and not acquired.
    pub(crate) fn observed(&mut self, lanes: LaneMask) -> Clock {
        let mut observed = Clock::default();
        self.pending.acquire(lanes, Scope::Cluster, |_, clock| {
            if let Some(clock) = clock.get() {
                observed.join(clock);
            }
        });
        observed
    }

    /// Returns what the warp's fences of tensor memory publish at a relaxed arrival of `lanes`.
    pub(crate) fn fenced_for_tensor_memory(&self, lanes: LaneMask) -> Clock {
        let mut fenced = Clock::default();
        for fence in &self.fences {
            let Clocks::Tensor(each) = &fence.clocks else { continue };
            for lane in (0..32).filter(|lane| (lanes & fence.lanes) >> lane & 1 != 0) {
                if let Some(clock) = each[lane].get() {
                    fenced.join(clock);
                }
            }
        }
        fenced
    }

    /// Returns whether what a thread of a warp did at `tick`, at least one of `lanes`, is known to an operation on
    /// tensor memory that `me` issues.
    pub(crate) fn knows_for_tensor_memory(
        &self,
        me: Who,
        at: WarpIndex,
        lanes: LaneMask,
        tick: Tick,
    ) -> bool {
        let own = me.at() == at && lanes >> me.lane & 1 != 0;
        own || self.unknown(me, at.block, at.warp, lanes, tick) != lanes
            || self.keeps(me, at.block | TENSOR, at.warp, lanes, tick)
    }

    /// Returns whether an operation that one thread issued at `tick` precedes one that `me` issues.
    pub(crate) fn knows_issue(&self, me: Who, by: Who, tick: Tick) -> bool {
        me == by || self.keeps(me, by.block | ISSUED, by.warp, 1 << by.lane, tick)
    }

    /// Returns whether `me` knows that a phase of an mbarrier object has ended.
    pub(crate) fn knows_phase_for_tensor_memory(&self, me: Who, object: u32, phase: Tick) -> bool {
        let clock = self.clock(me.lane);
        clock.thread(PHASES, object) >= phase || clock.thread(TENSOR_PHASES, object) >= phase
    }

    fn keeps(&self, me: Who, key: u32, warp: u16, lanes: LaneMask, tick: Tick) -> bool {
        let Some(known) = self.clock(me.lane).get().and_then(|clock| clock.block(key)) else { return false };
        tick <= known.warp(warp.into())
            || (0..32)
                .filter(|lane| lanes >> lane & 1 != 0)
                .any(|lane| tick <= known.thread(u32::from(warp) * 32 + lane))
    }
}
