//! Strong operations acquire, release and hand on (PTX §8.8).

use super::Step;
use crate::ptx::access::entry::{Bytes, Entry};
use crate::ptx::access::thread::Who;
use crate::ptx::access::touches::{self, Touch};
use crate::ptx::history::cell::{Cell, Observer};
use crate::ptx::order::context::Context;
use crate::ptx::order::release::{Released, View};
use clocks::Shared;
use clocks::fences::FenceSet;
use events::{LaneMask, Scope};

impl Step<'_> {
    /// Returns what was released to a part of a word, now that an atomic of the word, in `first`, reads and goes
    /// on from it.
    #[cold]
    pub(super) fn hand_on(&self, cell: &mut Cell, part: &Touch, first: LaneMask) -> Released {
        let Entry { block, warp, tick, class, .. } = self.new;
        if class.returns() {
            let (chain, place) = cell.end_of_chain(part.bytes);
            let observer = Observer { block, tick, lanes: first, warp, chain, place, atomic: false };
            cell.observed_by(part.bytes, observer);
        }
        cell.released(part.bytes).clone()
    }

    /// `lanes` have observed what was released to the location.
    pub(super) fn acquire(&mut self, cell: &mut Cell, bytes: Bytes, lanes: LaneMask, view: &View) {
        let class = self.new.class;
        let scope = class.scope().unwrap_or(Scope::Cta);
        let warp = &mut self.state.warps[usize::from(self.new.warp)];
        if class.sem().acquires() {
            warp.learn(lanes, view.at(scope));
        }
        let mut rest = lanes;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let me = Who { block: self.new.block, warp: self.new.warp, lane: lane as u8 };
            let warp = &mut self.state.warps[usize::from(self.new.warp)];
            if !view.is_empty() && !view.is_known_to(warp.clock(me.lane)) {
                warp.pending.add(lane, view);
                if !self.launch.info.uses.fences_acquire {
                    cell.stash(bytes, me, view);
                }
            }
            if class.sem().acquires() {
                match cell.stashed(bytes, me, scope) {
                    Some(view) => warp.learn(1 << lane, view.at(scope)),
                    None => warp.acquire_pending(1 << lane, scope, false),
                }
            }
        }
    }

    /// `lanes` come after accesses that have these `fence.sc` operations before them.
    pub(super) fn meet(&mut self, lanes: LaneMask, fences: FenceSet) {
        if fences.is_empty() {
            return;
        }
        let view = View::of(fences);
        let warp = &mut self.state.warps[usize::from(self.new.warp)];
        for lane in touches::lanes(lanes) {
            if !view.is_known_to(warp.clock(lane as u8)) {
                warp.pending.add(lane as u32, &view);
            }
        }
    }

    /// The writing half of a strong load or store, and remembering it.
    pub(super) fn publish(&mut self, cell: &mut Cell, touch: &Touch, linked: LaneMask) {
        let mut entry = self.entry(touch);
        let Entry { block, warp, tick, class, .. } = entry;
        if class.returns() && linked != 0 {
            let source = cell.source(touch.bytes, class);
            let (chain, place) = cell.end_of_chain(source);
            let new = Observer { block, tick, lanes: linked, warp, chain, place, atomic: false };
            cell.observed_by(source, new);
        }
        if !class.writes() && self.warp().fences_before(touch.lanes) {
            let before = self.warp().before(block, warp, touch.lanes);
            cell.read(touch.bytes).join(&before);
        }
        if class.writes() {
            let fences = cell.overwrites(&entry, self.warp(), self.order);
            self.meet(touch.lanes, fences);
            (entry.chain, entry.place) = cell.write(&entry, linked != 0);
            if self.publishes(cell, touch.bytes) {
                self.release(cell, touch.bytes, touch.lanes);
            }
        }
        cell.insert(entry, self.warp(), self.order);
    }

    /// Returns whether a strong write of the warp ends a release pattern wherever it is.
    pub(in crate::ptx) fn ends_releases(&self) -> bool {
        !self.warp().fences.is_empty() || self.warp().fences_before(LaneMask::MAX)
    }

    /// Returns whether a write here may end a release pattern.
    pub(super) fn publishes(&self, cell: &Cell, bytes: Bytes) -> bool {
        self.new.class.sem().releases() || cell.has_releases(bytes) || self.ends_releases()
    }

    /// Adds the release patterns that end with this write of `lanes`.
    pub(super) fn release(&self, cell: &mut Cell, bytes: Bytes, lanes: LaneMask) {
        let Entry { block, class, .. } = self.new;
        let warp = self.warp();
        let cluster = self.order.cluster_of(block);
        cell.forget_ended(bytes, |block| self.launch.ended.has(block));
        for fence in &warp.fences {
            fence.clocks(lanes, self.who(0), |clock| {
                cell.release(bytes, (block, cluster), (fence.scope, fence.sc), clock);
            });
        }
        warp.carried_before(lanes, cell.written(bytes));
        if !class.sem().releases() && !cell.has_releases(bytes) {
            return;
        }
        let mut rest = lanes;
        while rest != 0 {
            let me = self.who(rest.trailing_zeros());
            rest &= rest - 1;
            let own = class
                .sem()
                .releases()
                .then(|| (class.scope().unwrap_or(Scope::Cta), Shared::from(warp.snapshot(me))));
            let patterns: smallvec::SmallVec<[(Scope, Shared); 1]> =
                cell.own_releases(bytes, me, own).map(|(scope, clock)| (*scope, clock.clone())).collect();
            for (scope, clock) in patterns {
                cell.released(bytes).add(block, cluster, scope, &clock);
            }
        }
    }
}
