//! `fence.sc` operations that come before a thread, and those that it has observed: PTX §8.9.3.
//!
//! Of two `fence.sc` A and B that include each other in their scopes, one is before the other. A is before B in every
//! execution with the same values if an access behind A (in base causality) comes, by reads-from, from-read or
//! coherence order, before an access that is before B: were B first, that access would be before one that it has observed
//! (§8.10.1, §8.10.6). `docs/assumptions.md`, 2, derives it.
//!
//! So a thread has fences *before* it: its own ([`WarpState::fences`]) and those that its clock carries; and fences that it has
//! *observed*, by its own accesses ([`Pending`](crate::ptx::order::pending::Pending)) or as its clock carries. What publishes a thread's knowledge publishes both.
//! A strong write adds the fences before it to those of its location ([`Head`](crate::ptx::history::cell::Head)), where later accesses observe them. A `fence.sc` makes
//! known what the fences that its thread has observed knew.
//!
//! Where all `fence.sc` of a launch have device scope, one that a thread executes stands for all that it has before it.

use crate::ptx::access::thread::Who;
use crate::ptx::access::touches::select;
use crate::ptx::order::fence::ScFence;
use crate::ptx::order::knowledge::WarpState;
use clocks::fences::FenceSet;
use clocks::{Clock, Shared};
use events::{LaneMask, Scope};

/// Origins of fences from which on those of ended blocks are forgotten.
pub(crate) const MANY: usize = 4;

impl WarpState {
    /// Returns whether the warp has fences that the clocks of its lanes do not carry.
    pub(crate) fn has_own_fences(&self) -> bool {
        self.fences.iter().any(|fence| fence.sc.is_some() && !fence.carried) || self.pending.has_fences()
    }

    /// Returns whether a barrier has fences of this warp to hand on.
    pub(crate) fn has_fences(&self) -> bool {
        self.has_own_fences() || self.carries(self.full)
    }

    /// Returns whether the clock of one of `lanes` carries fences.
    fn carries(&self, lanes: LaneMask) -> bool {
        if self.uniform() {
            return self.clock(0).fences().is_some();
        }
        select(lanes, |lane| self.clock(lane as u8).fences().is_some()) != 0
    }

    /// Returns whether one of `lanes` has a `fence.sc` before it.
    pub(crate) fn fences_before(&self, lanes: LaneMask) -> bool {
        self.fences.iter().any(|fence| fence.sc.is_some() && fence.lanes & lanes != 0) || self.carries(lanes)
    }

    /// Adds the fences of `lanes` that their clocks do not carry to `clock`.
    pub(crate) fn add_fences(&self, block: u32, warp: u16, lanes: LaneMask, clock: &mut Clock) {
        let who = Who { block, warp, lane: 0 };
        for fence in self.fences.iter().filter(|fence| !fence.carried && fence.lanes & lanes != 0) {
            if let Some(sc) = fence.sc {
                fence.known(lanes, who, |known| {
                    clock.fences_mut().before.add(sc.origin, &known.plain());
                });
            }
        }
        if self.pending.has_fences() {
            let observed = self.pending.fences(lanes);
            if !observed.is_empty() {
                clock.fences_mut().observed.join(&observed.plain());
            }
        }
    }

    /// Returns the fences before `lanes`.
    pub(crate) fn before(&self, block: u32, warp: u16, lanes: LaneMask) -> FenceSet {
        let (who, mut before) = (Who { block, warp, lane: 0 }, FenceSet::default());
        for fence in &self.fences {
            if let Some(sc) = fence.sc {
                fence.clocks(lanes, who, |clock| before.add(sc.origin, clock));
            }
        }
        self.carried_before(lanes, &mut before);
        before
    }

    /// Adds the fences before `lanes` that their clocks carry.
    pub(crate) fn carried_before(&self, lanes: LaneMask, before: &mut FenceSet) {
        self.each_clock(lanes, |_, clock| {
            if let Some(fences) = clock.fences() {
                before.join(&fences.before);
            }
        });
    }

    /// Calls `with` for each clock that some of `lanes` have, and those.
    fn each_clock(&self, lanes: LaneMask, mut with: impl FnMut(LaneMask, &Shared)) {
        if self.uniform() {
            return with(lanes, self.clock(0));
        }
        let mut rest = lanes;
        while rest != 0 {
            let clock = self.clock(rest.trailing_zeros() as u8);
            let alike = select(rest, |lane| self.clock(lane as u8).same(clock));
            rest &= !alike;
            with(alike, clock);
        }
    }

    /// From now on the clocks of all lanes carry the warp's fences.
    pub(crate) fn carry(&mut self) {
        self.fences.iter_mut().for_each(|fence| fence.carried = true);
        if self.pending.has_fences() {
            self.pending.drop_fences(LaneMask::MAX);
        }
    }

    /// All lanes have the fences of all from now on, beside what every lane knows.
    pub(crate) fn share_fences(&mut self, block: u32, warp: u16) {
        if self.has_own_fences() {
            let mut common = self.clock(0).clone();
            self.add_fences(block, warp, self.full, common.make_mut());
            *self.common_mut() = common;
            self.carry();
        }
    }

    /// A `fence.sc` of `scope` by `lanes`, an acquire by which follows: what the fences knew that they have observed becomes known.
    pub(crate) fn acquire_observed(&mut self, lanes: LaneMask, scope: Scope, sc: ScFence) {
        if self.pending.has_fences() {
            let mut taken = Vec::new();
            self.pending.acquire_fences(lanes, scope, sc, |lanes, fences| taken.push((lanes, fences)));
            self.learn_fences(&taken, sc);
        }
    }

    /// Behind that acquire: what the observed fences knew that the clocks of `lanes` carry.
    pub(crate) fn acquire_carried(&mut self, lanes: LaneMask, sc: ScFence) {
        if !self.carries(lanes) {
            return;
        }
        let mut taken = Vec::new();
        self.each_clock(lanes, |alike, clock| {
            let observed = clock.fences().map(|fences| &fences.observed).filter(|fences| !fences.is_empty());
            if let Some(observed) = observed {
                let fences = sc.origin.map_or_else(|| observed.clone(), |origin| observed.mutual(&origin));
                taken.push((alike, fences));
            }
        });
        self.learn_fences(&taken, sc);
    }

    fn learn_fences(&mut self, taken: &[(LaneMask, FenceSet)], sc: ScFence) {
        for (lanes, fences) in taken.iter().filter(|taken| !taken.1.is_empty()) {
            let mut known = fences.known().plain();
            if sc.origin.is_some() {
                known.make_mut().fences_mut().before.join(&fences.plain());
            }
            self.learn(*lanes, &known);
        }
    }

    /// The clocks of `lanes` carry no fences any more: one of these lanes' own stands for them.
    pub(crate) fn drop_fences(&mut self, lanes: LaneMask) {
        if !self.carries(lanes) {
            return;
        }
        self.change_clocks(lanes, |clock| clock.fences().map(|_| clock.plain()));
    }

    /// The clocks of `lanes` carry no fences of ended blocks any more, if they carry many: only their joined clock matters to
    /// threads of other blocks.
    pub(crate) fn forget_ended_fences(&mut self, lanes: LaneMask, has_ended: impl Fn(u32) -> bool) {
        self.change_clocks(lanes, |clock| {
            clock.fences().filter(|fences| fences.origins() > MANY)?;
            let mut clock = clock.clone();
            clock.make_mut().fences_mut().forget(&has_ended);
            Some(clock)
        });
    }

    /// Replaces the clocks of `lanes` for which there is another one.
    fn change_clocks(&mut self, lanes: LaneMask, change: impl Fn(&Shared) -> Option<Shared>) {
        if self.uniform() {
            if lanes & self.full == self.full
                && let Some(clock) = change(self.clock(0))
            {
                self.set_common(clock);
            }
            return;
        }
        let mut changed: Vec<(LaneMask, Shared)> = Vec::new();
        self.each_clock(lanes, |alike, clock| changed.extend(change(clock).map(|clock| (alike, clock))));
        changed.iter().for_each(|(lanes, clock)| self.set_clock(*lanes, clock));
    }

    /// The clocks of `lanes` carry the fences that they have observed.
    pub(crate) fn settle_fences(&mut self, lanes: LaneMask) {
        if !self.pending.has_fences() {
            return;
        }
        for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
            let observed = self.pending.fences(1 << lane);
            if !observed.is_empty() {
                let mut clock = Clock::default();
                clock.fences_mut().observed = observed.plain();
                self.learn(1 << lane, &clock.into());
            }
        }
        self.pending.drop_fences(lanes);
    }
}
