//! What strong reads of a warp's lanes have observed, and no acquire has made known yet (PTX §8.8).

use super::elements::select;
use super::release::View;
use clocks::Shared;
use clocks::compressed::Seen;
use events::{LaneMask, Scope};
use smallvec::SmallVec;

/// Mostly of one lane, which waits for the others of its block.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    lanes: LaneMask,
    /// Of those lanes, in their order.
    views: SmallVec<[View; 1]>,
}

/// How many of `lanes` are before `lane`.
fn rank(lanes: LaneMask, lane: u32) -> usize {
    (lanes & ((1 << lane) - 1)).count_ones() as usize
}

impl Pending {
    pub(crate) fn is_empty(&self) -> bool {
        self.lanes == 0
    }

    /// Bytes on the heap, but for clocks in `seen`.
    pub(crate) fn bytes(&self, seen: &mut Seen) -> usize {
        let list = if self.views.spilled() { self.views.capacity() * size_of::<View>() } else { 0 };
        list + self.views.iter().map(|view| view.bytes(seen)).sum::<usize>()
    }

    /// A lane has observed what an acquire may make known.
    pub(crate) fn add(&mut self, lane: u32, view: &View) {
        let (at, bit) = (rank(self.lanes, lane), 1 << lane);
        if self.lanes & bit != 0 {
            self.views[at].join(view);
        } else {
            self.lanes |= bit;
            self.views.insert(at, view.clone());
        }
    }

    /// An acquire of `scope` by `lanes`: they learn what they have observed, those that observed the same together, and know the
    /// same afterwards.
    pub(crate) fn acquire(
        &mut self,
        lanes: LaneMask,
        scope: Scope,
        mut learn: impl FnMut(LaneMask, &Shared),
    ) {
        let at = |lane: u32| &self.views[rank(self.lanes, lane)];
        let mut rest = lanes & self.lanes;
        while rest != 0 {
            let clock = at(rest.trailing_zeros()).at(scope).clone();
            let alike = select(rest, |lane| at(lane).at(scope).same(&clock));
            rest &= !alike;
            learn(alike, &clock);
        }
        // A wider one may bring more than a narrow one did.
        if scope >= Scope::Gpu {
            let mut left = self.lanes;
            self.views.retain(|_| {
                let lane = left & left.wrapping_neg();
                left &= !lane;
                lanes & lane == 0
            });
            self.lanes &= !lanes;
        }
    }
}
