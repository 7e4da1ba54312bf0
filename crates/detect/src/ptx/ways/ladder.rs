//! The ladder: every way of an access, from the fastest to the exact one, in the order in which it tries them.
//!
//! | way | precondition | leaves to the next |
//! |---|---|---|
//! | [proved](super::race_free) | a proof says that the instruction races with nothing in its launch | the first access of each element of global memory |
//! | [coalesced](super::coalesced), [one thread](super::single_thread) | weak, generic proxy, global page of one worker | other shapes, unordered runs |
//! | [scattered](super::scattered), [delayed](super::delayed_writes) | unrelated words of global pages of one worker, large launch | lanes that words cannot take |
//! | [deferred](super::deferring) | the block's own shared memory | accesses that may race with a deferred one |
//! | [copies](super::copies) | coalesced `cp.async` | copies that meet other accesses |
//! | [words, lines, cells](super::step::descent) | none | nothing |
//!
//! Each way either decides an access, or leaves some of its lanes to the next way without having changed anything for them.

use super::LaunchState;
use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::Entry;
use crate::ptx::access::touches::lanes;
use crate::shadow::lock;
use events::{Access, Sem, Space, is_one_lane};

impl LaunchState {
    /// Judges an access, unless it is of other detectors' parts of memory.
    #[inline]
    pub(crate) fn hears(&mut self, access: &Access<'_>) {
        if let Some(partition) = &self.launch.partition {
            let plain = AccessClass::of(access, self.volatile_strong).is_plain();
            if !partition.hears(access, plain) {
                return;
            }
        }
        self.access(access);
    }

    pub(crate) fn access(&mut self, access: &Access<'_>) {
        if let Some(initial) = &mut self.initial {
            initial.access(access, &self.launch.sink);
        }
        self.access_as(access, AccessClass::of(access, self.volatile_strong));
    }

    #[inline]
    pub(super) fn access_as(&mut self, access: &Access<'_>, class: AccessClass) {
        let plain = class.is_plain();
        match if plain { self.not_race_free(access) } else { access.mask } {
            0 => {}
            all if all == access.mask => self.may_race(access, class),
            mask => self.may_race(&Access { mask, stored: access.stored & mask, ..*access }, class),
        }
    }

    /// Judges an access, or the lanes of one, that no proof covers.
    #[inline]
    fn may_race(&mut self, access: &Access<'_>, class: AccessClass) {
        let plain = class.is_plain();
        if self.late.waits() {
            if self.goes_on(access, class) {
                return;
            }
            self.judge_late();
        }
        if plain && self.coalesced(access, class) {
            return;
        }
        if class.volatile() && class.strong() && !class.atomic() {
            self.exchanges(access);
        }
        if let Space::Shared(owner) = access.space
            && owner != access.warp.block
            && (access.kind.operation().is_none() || is_one_lane(access.mask))
        {
            self.notes_abroad(access, class, owner);
        }
        match if plain { self.scattered(access, class) } else { access.mask } {
            0 => {}
            left if left != access.mask => self.judge(&Access { mask: left, ..*access }, class),
            _ if self.defer(access, class) => {}
            _ => self.judge(access, class),
        }
    }

    /// Judges an access that is not deferred: word by word, line by line, or in cells.
    pub(super) fn judge(&mut self, access: &Access<'_>, class: AccessClass) {
        if let Some(op) = access.kind.operation()
            && !is_one_lane(access.mask)
        {
            if !self.depart(access, class, op) {
                self.judge_each_lane(access);
            }
            return;
        }
        if let (Some(scope), sem @ (Sem::Acquire | Sem::Release | Sem::AcqRel)) = (class.scope(), class.sem())
        {
            self.launch.synchronises(sem, scope, access.site);
        }
        if self.bound.is_some() && self.is_stopped() {
            return self.unheard(access);
        }
        let Some(own) = self.entry(access, class) else { return };
        let number = access.kind.operation().map(|op| lock(&self.launch.ops).number(op));
        let new = Entry { tick: number.unwrap_or(own.tick), ..own };
        self.before_task_end(access, new);
        // Without fences and without strong accesses that are used, no location is meant as a flag or a lock.
        let clues = class.strong() && self.launch.info.uses.fences_or_strong && !self.told;
        if clues {
            self.clues.hear(|clues| clues.before(access, class, own.tick));
        }
        // An access that may order threads must leave its history at any price.
        let order = class.strong() && !self.order.orderless;
        let (need, mut runs) = (self.need(order), std::mem::take(&mut self.runs));
        let differ = self.equal_values_hazard;
        let Some((mut pager, mut step)) = self.step(access.space, new, need) else { return };
        step.judge(&mut pager, access, &mut runs, differ);
        let (grown, refused) = (step.grown, pager.refused());
        drop(pager);
        self.runs = runs;
        self.grew(access.space, grown);
        if class.strong() {
            self.ends_strong(access, new, clues);
        }
        if self.bound.is_some() {
            self.accessed(access, order, grown, refused);
        }
    }

    /// Judges the copy of each lane by itself: each completes by itself.
    fn judge_each_lane(&mut self, access: &Access<'_>) {
        for lane in lanes(access.mask) {
            let (kind, mask) = (access.kind.of_lane(access.mask, lane as u32), 1 << lane);
            self.access(&Access { kind, mask, stored: access.stored & mask, ..*access });
        }
    }

    /// Records what a launch that overlaps others does before it waits for them.
    fn before_task_end(&mut self, access: &Access<'_>, new: Entry) {
        let Some(block) = self.blocks.get(new.block) else { return };
        let Some(own) = block.warps.get(usize::from(new.warp)) else { return };
        match self.launch.early.access(access, own, new, || self.launch.memory().may_grow()) {
            Some(0) => {}
            Some(grown) => self.launch.grew(grown),
            None => self.launch.set_incomplete(),
        }
    }

    /// Records what a strong access says of flags and locks. What follows a release or an unlock is of a new tick.
    fn ends_strong(&mut self, access: &Access<'_>, new: Entry, clues: bool) {
        let class = new.class;
        let proved = |lock| self.launch.sink.is_lock(self.launch.task, lock);
        let locks =
            clues && class.writes() && self.clues.hear(|clues| clues.after(access, class, new.tick, proved));
        if locks || class.writes() && class.sem().releases() {
            self.block(new.block).advance(new.warp);
            self.order.ticks();
        }
    }
}
