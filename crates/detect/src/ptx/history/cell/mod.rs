//! The history of sixteen bytes, exactly.
//!
//! A cell keeps the accesses that a later one may still race with, and for each location that strong
//! operations use, a [`Head`]: the last write, the chain of read-modify-writes it ends, the threads that
//! observed that chain and what was released to it.

pub(in crate::ptx) mod dominance;
mod ended;
mod last_write;
mod mbarriers;
pub(in crate::ptx) mod merging;
mod observers;
mod races;
mod sc_fences;

use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::{Bytes, Entry, NEXT, rank};
use crate::ptx::access::thread::Who;
use crate::ptx::history::cell::dominance::{
    alike_strong, dominated, implies, is_foreign, knows_no_block, strong_stands,
};
use crate::ptx::history::cell::merging::{Crowd, drop_implied, implied};
use crate::ptx::order::context::Context;
use crate::ptx::order::knowledge::WarpState;
use crate::ptx::order::release::{Released, View};
use clocks::compressed::Seen;
use clocks::fences::FenceSet;
use clocks::{Shared, Tick};
use events::{LaneMask, Scope, is_one_lane};
use last_write::Last;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Accesses kept of plain locations before dominated ones are dropped.
const PLAIN: usize = 4;
/// The same of locations with strong operations.
const STRONG: usize = 12;

/// Entries of a cell beyond which those of one block are merged, where more than [`STRONG`] are alike.
const CROWDED: usize = 24;
/// Entries of a cell beyond which all that can be are merged.
const FULL: usize = 4 * CROWDED;
/// Weak writes of a cell, all of which race with each other, beyond which not all are kept.
const RACING: usize = 48;

/// A read that observed the location's chain up to a place, or of an atomic the lanes of which did, the
/// first up to that place and each other one up to the place of the lane before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observer {
    pub(crate) block: u32,
    pub(crate) tick: Tick,
    pub(crate) lanes: LaneMask,
    pub(crate) warp: u16,
    pub(crate) chain: u32,
    pub(crate) place: u32,
    pub(crate) atomic: bool,
}

impl Observer {
    /// How far those of its lanes saw that are not in `unknown`; `None` if there are none.
    fn saw(&self, unknown: LaneMask) -> Option<u32> {
        let known = self.lanes & !unknown;
        let last = known.checked_ilog2()?;
        Some(self.place.saturating_add(if self.atomic { rank(self.lanes, last) } else { 0 }))
    }
}

/// A thread's release operations on a location, by scope.
type OwnReleases = SmallVec<[(Scope, Shared); 1]>;

/// The history of a location of strong operations.
#[derive(Debug, Default)]
pub(crate) struct Head {
    bytes: Bytes,
    last: Option<Last>,
    chain: u32,
    place: u32,
    released: Released,
    /// The `fence.sc` operations before strong writes here, see [`crate::ptx::order::sc_fences`].
    written: FenceSet,
    /// Those before strong reads of what coherence order has before the last write, and of the last write itself.
    overwritten: FenceSet,
    read: FenceSet,
    /// Release operations here, which a later strong write of the same thread makes a pattern.
    own: FxHashMap<Who, OwnReleases>,
    observers: Vec<Observer>,
    /// There were too many observers to keep all.
    observers_lost: bool,
    /// Relaxed reads here, which a later acquire of the same thread makes a pattern.
    stash: Vec<(Who, View)>,
    /// The stash was full: acquires here take all that the thread has read.
    stash_full: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Cell {
    pub(crate) entries: Vec<Entry>,
    heads: Vec<Head>,
    crowd: Option<Box<Crowd>>,
    chains: u32,
    /// The tick up to which [`Cell::passed`] has dropped what it could.
    passed: Tick,
    /// Accesses are not remembered here any more.
    given_up: bool,
}

impl Cell {
    pub(crate) fn strong(&self) -> bool {
        !self.heads.is_empty()
    }

    /// Forgets all accesses, for good, but not what strong operations need.
    pub(crate) fn give_up(&mut self) {
        self.given_up = true;
        self.entries = Vec::new();
        self.crowd = None;
    }

    /// All threads of a block are behind its tick `all`. If no other block reaches the cell, what it did up to
    /// there is ordered before all that follows. It is dropped before room is made, so that what is kept of an
    /// interval depends on that interval only, whether the accesses of earlier ones came here or were judged, or
    /// forgotten, elsewhere.
    ///
    /// `complete` tells of what was copied asynchronously, whether that is so, too.
    #[inline]
    pub(crate) fn passed(&mut self, block: u32, all: Tick, complete: impl Fn(&Entry) -> bool) {
        if std::mem::replace(&mut self.passed, all) != all {
            self.forget_passed(block, all, &complete);
        }
    }

    #[cold]
    fn forget_passed(&mut self, block: u32, all: Tick, complete: &dyn Fn(&Entry) -> bool) {
        let ordered = |e: &Entry| match e.class.asynchronous() {
            true => complete(e),
            false => e.block == block && e.tick <= all,
        };
        self.entries.retain(|entry| !ordered(entry));
        if let Some(crowd) = &mut self.crowd {
            crowd.retain(|_, _| true, |entry| !ordered(entry));
        }
    }

    /// Returns whether, behind a barrier of all threads that may come here, every access that the cell keeps has
    /// ended. `complete` tells of what was copied asynchronously, whether all those threads know that it has
    /// ended.
    pub(crate) fn is_over(&self, complete: impl Fn(&Entry) -> bool) -> bool {
        !self.given_up && self.all().all(|entry| !entry.class.asynchronous() || complete(entry))
    }

    /// Nothing that has happened here matters any more: neither to those threads, nor what they released, which all of them know.
    pub(crate) fn begins_anew(&mut self) {
        self.entries.clear();
        let Cell { entries, chains, .. } = std::mem::take(self);
        // Chains go on to be numbered as they began.
        (self.entries, self.chains) = (entries, chains);
    }

    /// Remembers `new`; drops what need not be remembered beside it.
    pub(crate) fn insert(&mut self, new: Entry, warp: &WarpState, context: &impl Context) {
        if self.given_up {
            return;
        }
        let me = Who { block: new.block, warp: new.warp, lane: new.lanes.trailing_zeros() as u8 };
        let strong = self.strong();
        let alone = knows_no_block(&new, warp);
        let (writes, clockless) = (new.class.writes(), !warp.has_clocks());
        // Most have other bytes, or are of other warps that nothing is known of since the last barrier.
        let may_go = |old: &Entry| {
            let beside = clockless
                & (old.block == new.block)
                & (old.warp != new.warp)
                & (old.tick > warp.all)
                & !old.class.asynchronous();
            (old.bytes & !new.bytes == 0)
                & (writes | !old.class.writes())
                & !beside
                & !(alone & is_foreign(old, &new))
        };
        // Cells in which many blocks race have no accesses by other threads.
        let near = !alone || self.crowd.is_some() || !self.entries.iter().all(|old| is_foreign(old, &new));
        let overlapping = |old: &&Entry| old.bytes & new.bytes != 0;
        let crowded =
            near && self.entries.iter().filter(overlapping).count() >= if strong { STRONG } else { PLAIN };
        let exact = new.class.strong() && !new.class.copies();
        let gone = |old: &Entry| {
            let may = if exact { strong_stands(old, &new, crowded) } else { true };
            may && may_go(old) && dominated(old, &new, me, warp, context, strong, crowded)
        };
        // Most of what a cell keeps is of other locations, and most often all of it stays.
        let may = |old: &Entry| !exact || alike_strong(old.class, old.bytes, &new);
        if near && let Some(first) = self.entries.iter().position(|old| may(old) && gone(old)) {
            let mut at = 0;
            self.entries.retain(|old| {
                at += 1;
                at <= first || at > first + 1 && !gone(old)
            });
        }
        if let Some(crowd) = &mut self.crowd {
            // Strong accesses are many: they look at all that is kept of theirs before it grows.
            if new.class.writes() && !new.class.strong() || crowd.is_full_for(&new) {
                crowd.retain(|class, bytes| !exact || alike_strong(class, bytes, &new), |old| !gone(old));
            }
            if crowd.merge(&new) {
                return;
            }
        }
        if context.simple() && implies(&new, context) && implied(&self.entries, &new, usize::MAX) {
            return;
        }
        self.entries.push(new);
        if self.entries.len() > CROWDED {
            self.thin(&new, context);
        }
    }

    /// Makes room: drops what others stand for, or merges the accesses of each block that are like `new`, of which
    /// there are many. A lock that crowds the cell does not cost what lies beside it its exactness.
    #[cold]
    fn thin(&mut self, new: &Entry, context: &impl Context) {
        if context.simple() {
            drop_implied(&mut self.entries, |entry| implies(entry, context));
            if self.entries.len() <= CROWDED / 2 {
                return;
            }
        }
        let alike = |e: &Entry| e.bytes == new.bytes && e.class.rank() == new.class.rank();
        let all = self.entries.len() > FULL;
        if all || self.entries.iter().filter(|e| alike(e)).count() > STRONG {
            let crowd = self.crowd.get_or_insert_default();
            self.entries.retain(|entry| !((all || alike(entry)) && crowd.take(entry)));
        }
        let weak = |e: &Entry| e.class.writes() && !e.class.strong() && !e.class.asynchronous();
        while self.entries.len() > RACING && self.entries.iter().filter(|e| weak(e)).count() > RACING {
            // The first and the last ones stay.
            let middle = self.entries.iter().enumerate().filter(|(_, e)| weak(e)).nth(RACING / 2);
            let Some((i, _)) = middle else { break };
            self.entries.remove(i);
        }
    }

    fn head(&mut self, bytes: Bytes) -> &mut Head {
        let i = match self.heads.iter().position(|h| h.bytes == bytes) {
            Some(i) => i,
            None => {
                let head = self.new_head(bytes);
                self.heads.push(head);
                self.heads.len() - 1
            }
        };
        &mut self.heads[i]
    }

    /// From now on the location is one of strong operations.
    pub(crate) fn prepare(&mut self, bytes: Bytes) {
        self.head(bytes);
    }

    /// A head for a location that had none: its last write may be a weak one.
    fn new_head(&mut self, bytes: Bytes) -> Head {
        self.chains += 1;
        let mut head = Head { bytes, chain: self.chains, ..Head::default() };
        let last = self.entries.iter_mut().rev().find(|e| e.class.writes() && e.bytes & bytes != 0);
        if let Some(last) = last.filter(|e| e.bytes == bytes && !e.class.asynchronous()) {
            last.chain = head.chain;
            head.last = Some(Last::of(last, last.lanes));
        }
        for first in self.entries.iter_mut().filter(|e| e.chain == NEXT && e.bytes == bytes) {
            first.chain = head.chain;
        }
        head
    }

    /// Those of `lanes` of `me`'s warp for which a strong operation that reads here would observe the last
    /// write morally strongly.
    pub(crate) fn linked(
        &mut self,
        bytes: Bytes,
        class: AccessClass,
        me: Who,
        lanes: LaneMask,
        context: &impl Context,
    ) -> LaneMask {
        self.head(bytes).linked(class, me, context) & lanes
    }

    /// Returns the knowledge that a thread of `block` may acquire here.
    pub(crate) fn view(&mut self, bytes: Bytes, block: u32, cluster: u32) -> View {
        let head = self.head(bytes);
        head.released.view(block, cluster).with(head.met())
    }

    /// Returns the end of the location's chain.
    pub(crate) fn end_of_chain(&mut self, bytes: Bytes) -> (u32, u32) {
        let head = self.head(bytes);
        (head.chain, head.place)
    }

    /// The earlier relaxed reads of `me` at an acquiring operation of `scope` here, told once, `None` if they were too many to keep.
    pub(crate) fn stashed(&mut self, bytes: Bytes, me: Who, scope: Scope) -> Option<View> {
        let Some(head) = self.heads.iter_mut().find(|h| h.bytes == bytes) else {
            return Some(View::default());
        };
        match head.stash.iter_mut().find(|(who, _)| *who == me) {
            Some((_, view)) => Some(view.tell(scope)),
            None if head.stash_full => None,
            None => Some(View::default()),
        }
    }

    pub(crate) fn stash(&mut self, bytes: Bytes, me: Who, view: &View) {
        let head = self.head(bytes);
        if let Some((_, old)) = head.stash.iter_mut().find(|(who, _)| *who == me) {
            old.join(view);
        } else if head.stash.len() < 256 {
            head.stash.push((me, view.clone()));
        } else {
            head.stash_full = true;
        }
    }

    /// The writing half, for all `lanes` that write here in one instruction. Returns the
    /// write's chain and place. `linked` tells whether it is a read-modify-write the first lane of which
    /// observed the chain, which it then continues.
    pub(crate) fn write(&mut self, new: &Entry, linked: bool) -> (u32, u32) {
        for other in self.heads.iter_mut().filter(|h| h.bytes & new.bytes != 0 && h.bytes != new.bytes) {
            // A write of other extent: nothing observes it morally strongly through this head.
            self.chains += 1;
            other.restart(self.chains, None);
        }
        self.chains += 1;
        let fresh = self.chains;
        let head = self.head(new.bytes);
        // Lanes of an atomic follow each other.
        let atomic = new.class.atomic();
        let lanes = if atomic { 1 << new.lanes.ilog2() } else { new.lanes };
        let last = Last::of(new, lanes);
        if linked {
            head.place = head.place.saturating_add(1);
            head.last = Some(last);
        } else {
            head.restart(fresh, Some(last));
        }
        let place = head.place;
        if atomic {
            head.place = head.place.saturating_add(new.lanes.count_ones() - 1);
        }
        (head.chain, place)
    }

    /// Weak and asynchronous writes break the chains they touch. Returns chain and place.
    pub(crate) fn write_weak(&mut self, new: &Entry) -> (u32, u32) {
        let mut out = (0, 0);
        for head in self.heads.iter_mut().filter(|h| h.bytes & new.bytes != 0) {
            self.chains += 1;
            let last = Last::of(new, new.lanes);
            let whole = head.bytes == new.bytes && !new.class.asynchronous();
            head.restart(self.chains, whole.then_some(last));
            if whole {
                out = (head.chain, head.place);
            }
        }
        out
    }

    pub(crate) fn released(&mut self, bytes: Bytes) -> &mut Released {
        &mut self.head(bytes).released
    }

    /// Returns whether any thread has performed a release operation here.
    pub(crate) fn has_releases(&self, bytes: Bytes) -> bool {
        self.heads.iter().any(|h| h.bytes == bytes && !h.own.is_empty())
    }

    /// The release operations of `me` here, now joined by one of `scope`, if any.
    pub(crate) fn own_releases(
        &mut self,
        bytes: Bytes,
        me: Who,
        new: Option<(Scope, Shared)>,
    ) -> impl Iterator<Item = &(Scope, Shared)> + use<'_> {
        let own = &mut self.head(bytes).own;
        if let Some((scope, clock)) = new {
            let own = own.entry(me).or_default();
            own.retain(|(old, _)| *old > scope);
            own.push((scope, clock));
        }
        own.get(&me).into_iter().flatten()
    }

    /// Returns whether the cell has plain accesses only, each as an entry of its own. What is known of asynchronous operations may
    /// change at any time.
    pub(crate) fn repeats_itself(&self) -> bool {
        let exact = self.heads.is_empty() && self.crowd.is_none() && !self.given_up;
        exact && !self.entries.iter().any(|e| e.class.asynchronous())
    }

    /// Returns whether a warp has accessed the cell in this tick. A warp that has not may never return to it.
    pub(crate) fn was_visited(&self, by: (u32, u16, Tick)) -> bool {
        self.entries.iter().any(|e| (e.block, e.warp, e.tick) == by)
    }

    /// Replaces the cell's entries by recorded ones.
    pub(crate) fn replace(&mut self, entries: &[Entry]) {
        self.entries.clear();
        self.entries.extend_from_slice(entries);
    }

    /// Bytes of its accesses.
    pub(crate) fn room(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>() + self.crowd.as_ref().map_or(0, |c| c.bytes())
    }

    /// Bytes that kept accesses touched.
    pub(crate) fn touched(&self) -> Bytes {
        let crowd = self.crowd.iter().flat_map(|c| c.groups.iter().map(|g| g.bytes));
        self.entries.iter().map(|e| e.bytes).chain(crowd).fold(0, |all, bytes| all | bytes)
    }

    /// All kept accesses.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().chain(self.crowd.iter().flat_map(|c| c.all()))
    }

    /// Bytes that strong operations need, but for clocks in `seen`.
    pub(crate) fn heads_bytes(&self, seen: &mut Seen) -> usize {
        let room = self.heads.capacity() * size_of::<Head>();
        room + self.heads.iter().map(|head| head.bytes(seen)).sum::<usize>()
    }

    /// Bytes on the heap, about.
    pub(crate) fn heap_bytes(&self) -> usize {
        let heads =
            self.heads.iter().map(|h| h.observers.capacity() * size_of::<Observer>() + h.stash.len() * 96);
        self.room() + heads.sum::<usize>()
    }
}

impl Head {
    /// Returns the lanes of `me`'s warp for which a strong operation that reads here would observe the last write
    /// morally strongly.
    fn linked(&self, class: AccessClass, me: Who, context: &impl Context) -> LaneMask {
        let Some(last) = self.last else { return 0 };
        if context.mutual(last.class, last.block, class, me.block) {
            return LaneMask::MAX;
        }
        let own = last.block == me.block && last.warp == me.warp && is_one_lane(last.lanes);
        if own { last.lanes } else { 0 }
    }

    /// Bytes on the heap, but for clocks in `seen`.
    fn bytes(&self, seen: &mut Seen) -> usize {
        let mut own = self.own.capacity() * (size_of::<(Who, OwnReleases)>() + 1);
        for (_, clock) in self.own.values().flatten() {
            own += clock.bytes(seen);
        }
        let mut stash = self.stash.capacity() * size_of::<(Who, View)>();
        for (_, view) in &self.stash {
            stash += view.bytes(seen);
        }
        let fences = self.written.bytes(seen) + self.overwritten.bytes(seen) + self.read.bytes(seen);
        own + stash + fences + self.released.bytes(seen) + self.observers.capacity() * size_of::<Observer>()
    }

    fn restart(&mut self, chain: u32, last: Option<Last>) {
        self.chain = chain;
        self.place = 0;
        self.last = last;
        self.released.clear();
    }
}
