//! A release fence, and what its lanes knew at it.
//!
//! A `fence.sc` is also one of those that later clocks carry, see [`clocks::fences`].

use crate::ptx::access::thread::Who;
use crate::ptx::access::touches::select;
use crate::ptx::order::clock_keys::INITS;
use clocks::compressed::Seen;
use clocks::fences::{Extent, Origin};
use clocks::{Clock, Shared, Tick};
use events::{LaneMask, Scope};
use std::cell::RefCell;

/// Marks a `fence.sc`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScFence {
    /// `None` in launches where all have device scope.
    pub(crate) origin: Option<Origin>,
}

impl ScFence {
    /// A fence of `scope` in a block of a launch that has `narrow` ones or has none.
    pub(crate) fn new(scope: Scope, block: u32, cluster: u32, narrow: bool) -> ScFence {
        let extent = match scope {
            Scope::Cta => Extent::Block,
            Scope::Cluster => Extent::Cluster,
            Scope::Gpu | Scope::Sys => Extent::Device,
        };
        let origin = Origin { block, cluster, extent };
        ScFence { origin: (narrow || extent != Extent::Device).then_some(origin) }
    }

    /// Returns the clock of a thread that knew `known` at the fence, for those it is published to.
    fn published(self, known: &Shared) -> Shared {
        let plain = known.plain();
        let mut clock = match self.origin {
            // This fence knows what fences before it knew, and all of device scope come before what comes after it.
            None => plain.clone(),
            Some(_) => known.clone(),
        };
        clock.make_mut().fences_mut().before.add(self.origin, &plain);
        clock
    }
}

/// A release fence of some lanes of a warp, with their knowledge as it was.
#[derive(Debug)]
pub(crate) struct FenceRecord {
    pub(crate) scope: Scope,
    pub(crate) lanes: LaneMask,
    pub(crate) tick: Tick,
    pub(crate) all: Tick,
    pub(crate) mates: Tick,
    pub(crate) clocks: Clocks,
    pub(crate) sc: Option<ScFence>,
    /// The clock of every lane of the warp carries it.
    pub(crate) carried: bool,
    /// The earlier results of [`FenceRecord::clocks`], by lanes: a thread writes to several locations behind one fence, and
    /// clocks that are one object are joined at once.
    pub(crate) told: RefCell<Vec<(LaneMask, Shared)>>,
}

/// Knowledge of its lanes, when it was made.
#[derive(Debug)]
pub(crate) enum Clocks {
    Common(Shared),
    Each(Box<[Shared; 32]>),
    /// It is a `fence.mbarrier_init`, which publishes the lanes' own `mbarrier.init` and nothing else.
    Inits,
    /// It is a `tcgen05.fence::before_thread_sync`, which publishes this to operations on tensor memory.
    Tensor(Box<[Shared; 32]>),
}

impl FenceRecord {
    /// Bytes on the heap, but for clocks in `seen`.
    pub(crate) fn bytes(&self, seen: &mut Seen) -> usize {
        let told = self.told.borrow();
        let told = told.capacity() * size_of::<(LaneMask, Shared)>()
            + told.iter().map(|(_, clock)| clock.bytes(seen)).sum::<usize>();
        told + match &self.clocks {
            Clocks::Common(clock) => clock.bytes(seen),
            Clocks::Inits => 0,
            Clocks::Each(each) | Clocks::Tensor(each) => {
                size_of_val(&**each) + each.iter().map(|clock| clock.bytes(seen)).sum::<usize>()
            }
        }
    }

    /// Returns the knowledge, at the fence, of those of `lanes` that made it, themselves included; lanes that
    /// knew the same together. `warp` is any of their threads.
    pub(crate) fn clocks(&self, lanes: LaneMask, warp: Who, mut with: impl FnMut(&Shared)) {
        self.alike(lanes, |alike| {
            let clock = self.told(alike).unwrap_or_else(|| {
                let known = self.clock(alike, warp);
                let clock = self.sc.map_or_else(|| known.clone(), |sc| sc.published(&known));
                self.told.borrow_mut().push((alike, clock.clone()));
                clock
            });
            with(&clock);
        });
    }

    /// Returns an earlier result of [`FenceRecord::clocks`]. Lanes ask in their order, so it is mostly at the rank of the first.
    fn told(&self, alike: LaneMask) -> Option<Shared> {
        let told = self.told.borrow();
        let before = self.lanes & (alike & alike.wrapping_neg()).wrapping_sub(1);
        let ranked = told.get(before.count_ones() as usize).filter(|(of, _)| *of == alike);
        ranked.or_else(|| told.iter().find(|(of, _)| *of == alike)).map(|(_, clock)| clock.clone())
    }

    /// As [`FenceRecord::clocks`], without the fence itself.
    pub(crate) fn known(&self, lanes: LaneMask, warp: Who, mut with: impl FnMut(&Shared)) {
        self.alike(lanes, |alike| with(&self.clock(alike, warp)));
    }

    /// Calls `with` for those of `lanes` that made the fence, lanes that publish the same together.
    fn alike(&self, lanes: LaneMask, mut with: impl FnMut(LaneMask)) {
        let mut rest = lanes & self.lanes;
        while rest != 0 {
            let alike = match &self.clocks {
                Clocks::Inits | Clocks::Common(_) => rest,
                Clocks::Tensor(_) => rest & rest.wrapping_neg(),
                Clocks::Each(each) => {
                    let first = &each[rest.trailing_zeros() as usize];
                    select(rest, |lane| each[lane as usize].same(first))
                }
            };
            rest &= !alike;
            with(alike);
        }
    }

    /// Returns what lanes publish that publish the same.
    fn clock(&self, alike: LaneMask, warp: Who) -> Shared {
        let known = match &self.clocks {
            Clocks::Inits => return self.inits(alike, warp),
            Clocks::Tensor(each) => return each[alike.trailing_zeros() as usize % 32].clone(),
            Clocks::Common(clock) => clock,
            Clocks::Each(each) => &each[alike.trailing_zeros() as usize % 32],
        };
        let mut clock = known.clone();
        let own = clock.make_mut().block_mut(warp.block);
        own.raise_all(self.all);
        own.raise_warp(warp.warp.into(), self.mates);
        if alike == LaneMask::MAX {
            own.raise_warp(warp.warp.into(), self.tick);
        } else {
            let mut alike = alike;
            while alike != 0 {
                own.raise_thread(u32::from(warp.warp) * 32 + alike.trailing_zeros(), self.tick);
                alike &= alike - 1;
            }
        }
        clock
    }

    /// Returns the clock of a thread that knows what `lanes` had initialised at the fence.
    fn inits(&self, lanes: LaneMask, warp: Who) -> Shared {
        let mut clock = Clock::default();
        let own = clock.block_mut(warp.block | INITS);
        for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
            own.raise_thread(u32::from(warp.warp) * 32 + lane, self.tick);
        }
        clock.into()
    }
}
