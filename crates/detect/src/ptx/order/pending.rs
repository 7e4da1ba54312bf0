//! Knowledge that strong reads of a warp's lanes have observed, and no acquire has acquired yet (PTX §8.8).

use crate::ptx::access::touches::select;
use crate::ptx::order::fence::ScFence;
use crate::ptx::order::release::View;
use clocks::Shared;
use clocks::compressed::Seen;
use clocks::fences::FenceSet;
use events::{LaneMask, Scope};
use smallvec::SmallVec;

/// Mostly of one lane, which waits for the others of its block.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    lanes: LaneMask,
    /// Views of those lanes, in their order.
    views: SmallVec<[View; 1]>,
}

/// The views of lanes, each found at once.
struct ByLane<'a> {
    views: &'a [View],
    places: [u8; 32],
}

impl ByLane<'_> {
    /// Returns the view of a lane that has one.
    fn at(&self, lane: u32) -> &View {
        &self.views[usize::from(self.places[lane as usize % 32])]
    }
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

    /// Returns a table of the views by lane.
    fn by_lane(&self) -> ByLane<'_> {
        let (mut places, mut next) = ([0; 32], 0);
        for (lane, place) in places.iter_mut().enumerate() {
            *place = next;
            next += u8::from(self.lanes >> lane & 1 != 0);
        }
        ByLane { views: &self.views, places }
    }

    /// An acquire of `scope` by `lanes`: they learn what they have observed, those that observed the same together, and know the
    /// same afterwards.
    pub(crate) fn acquire(
        &mut self,
        lanes: LaneMask,
        scope: Scope,
        mut learn: impl FnMut(LaneMask, &Shared),
    ) {
        let (views, mut rest) = (self.by_lane(), lanes & self.lanes);
        while rest != 0 {
            let clock = views.at(rest.trailing_zeros()).at(scope);
            let alike = select(rest, |lane| views.at(lane).at(scope).same(clock));
            rest &= !alike;
            learn(alike, clock);
        }
        // A wider one may bring more than a narrow one did.
        if scope >= Scope::Gpu {
            self.each(lanes, View::keep_fences);
            self.drop_empty();
        }
    }

    /// Changes the views of `lanes`.
    fn each(&mut self, lanes: LaneMask, mut change: impl FnMut(&mut View)) {
        let mut left = self.lanes;
        for view in &mut self.views {
            let lane = left & left.wrapping_neg();
            left &= !lane;
            if lanes & lane != 0 {
                change(view);
            }
        }
    }

    fn drop_empty(&mut self) {
        let (mut left, mut kept) = (self.lanes, 0);
        self.views.retain(|view| {
            let lane = left & left.wrapping_neg();
            left &= !lane;
            let keeps = !view.is_empty();
            kept |= if keeps { lane } else { 0 };
            keeps
        });
        self.lanes = kept;
    }

    /// Returns whether any lane has observed a `fence.sc` that it does not know.
    pub(crate) fn has_fences(&self) -> bool {
        self.views.iter().any(|view| !view.fences.is_empty())
    }

    /// Joins the fences that `lanes` have observed.
    pub(crate) fn fences(&self, lanes: LaneMask) -> FenceSet {
        let mut joined = FenceSet::default();
        let mut rest = lanes & self.lanes;
        while rest != 0 {
            joined.join(&self.views[rank(self.lanes, rest.trailing_zeros())].fences);
            rest &= rest - 1;
        }
        joined
    }

    /// Forgets the fences that `lanes` have observed.
    pub(crate) fn drop_fences(&mut self, lanes: LaneMask) {
        self.each(lanes, |view| view.fences = FenceSet::default());
        self.drop_empty();
    }

    /// A `fence.sc` of `lanes`, an acquire of `scope` by which follows: calls `learn` with the fences that are before it, for lanes that
    /// observed the same together.
    pub(crate) fn acquire_fences(
        &mut self,
        lanes: LaneMask,
        scope: Scope,
        sc: ScFence,
        mut learn: impl FnMut(LaneMask, FenceSet),
    ) {
        let views = self.by_lane();
        // The acquire makes the same known.
        let mirrors = |lane: u32| sc.origin.is_none() && scope >= Scope::Gpu && views.at(lane).mirrors();
        let mut rest = select(lanes & self.lanes, |lane| !views.at(lane).fences.is_empty() && !mirrors(lane));
        while rest != 0 {
            let first = &views.at(rest.trailing_zeros()).fences;
            let alike = select(rest, |lane| views.at(lane).fences.same(first));
            rest &= !alike;
            learn(alike, sc.origin.map_or_else(|| first.clone(), |origin| first.mutual(&origin)));
        }
        if sc.origin.is_none() {
            self.each(lanes, |view| view.fences = FenceSet::default());
            self.drop_empty();
        }
    }
}
