//! A release fence, and what its lanes knew at it.

use super::elements::select;
use super::who::Who;
use clocks::compressed::Seen;
use clocks::{Shared, Tick};
use events::{LaneMask, Scope};

/// A release fence of some lanes of a warp, with their knowledge as it was.
#[derive(Debug)]
pub(crate) struct FenceRecord {
    pub(crate) scope: Scope,
    pub(crate) lanes: LaneMask,
    pub(super) tick: Tick,
    pub(super) all: Tick,
    pub(super) mates: Tick,
    pub(super) clocks: Clocks,
}

/// Of its lanes, when it was made.
#[derive(Debug)]
pub(super) enum Clocks {
    Common(Shared),
    Each(Box<[Shared; 32]>),
}

impl FenceRecord {
    /// Bytes on the heap, but for clocks in `seen`.
    pub(crate) fn bytes(&self, seen: &mut Seen) -> usize {
        match &self.clocks {
            Clocks::Common(clock) => clock.bytes(seen),
            Clocks::Each(each) => {
                size_of_val(&**each) + each.iter().map(|clock| clock.bytes(seen)).sum::<usize>()
            }
        }
    }

    /// What those of `lanes` that the fence is of knew at it, themselves included; lanes that knew the
    /// same together. `warp` is any of their threads.
    pub(crate) fn clocks(&self, lanes: LaneMask, warp: Who, mut with: impl FnMut(&Shared)) {
        let mut rest = lanes & self.lanes;
        while rest != 0 {
            let (known, alike) = match &self.clocks {
                Clocks::Common(clock) => (clock, rest),
                Clocks::Each(each) => {
                    let first = &each[rest.trailing_zeros() as usize];
                    (first, select(rest, |lane| each[lane as usize].same(first)))
                }
            };
            rest &= !alike;
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
            with(&clock);
        }
    }
}
