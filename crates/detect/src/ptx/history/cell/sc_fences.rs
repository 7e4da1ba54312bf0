//! The `fence.sc` operations before what a location's strong accesses did: see [`fences`](crate::ptx::order::sc_fences).

use super::{Cell, Head, Last, Observer};
use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::{Bytes, Entry};
use crate::ptx::access::thread::Who;
use crate::ptx::order::context::Context;
use crate::ptx::order::fence::ScFence;
use crate::ptx::order::knowledge::WarpState;
use clocks::Shared;
use clocks::fences::FenceSet;
use events::Scope;

impl Head {
    /// Returns whether a write by `me` is behind the last one in coherence order: they are morally strong, or it is known to `me`,
    /// or `me` knows an operation that has observed it.
    fn precedes(&self, class: AccessClass, me: Who, warp: &WarpState, context: &impl Context) -> bool {
        self.last.is_none_or(|Last { block, tick, warp: by, lanes, class: old }| {
            context.mutual(old, block, class, me.block)
                || warp.unknown(me, block, by, lanes, tick) == 0
                || self.last_is_observed(me, warp, context)
        })
    }

    /// Returns whether `me` knows an operation that has observed the last write morally strongly (PTX §8.9.5).
    fn last_is_observed(&self, me: Who, warp: &WarpState, context: &impl Context) -> bool {
        let saw = |o: &Observer| o.saw(warp.unknown(me, o.block, o.warp, o.lanes, o.tick));
        let observed =
            |o: &Observer| o.chain == self.chain && saw(o).is_some_and(|place| place >= self.place);
        if self.observers.iter().rev().any(observed) {
            return true;
        }
        if self.observers_lost {
            context.unsure();
        }
        self.observers_lost
    }

    /// The fences before what an access comes after that observes the last write morally strongly.
    pub(super) fn met(&self) -> FenceSet {
        let mut met = self.written.clone();
        if !self.overwritten.is_empty() {
            met.join(&self.overwritten);
        }
        met
    }
}

impl Cell {
    /// A strong write is about to follow. Returns the fences before what it comes after: all strong writes, and reads of what
    /// coherence order has before it.
    pub(crate) fn overwrites(&mut self, new: &Entry, warp: &WarpState, context: &impl Context) -> FenceSet {
        let head = self.head(new.bytes);
        if !(head.read.is_empty() && head.overwritten.is_empty()) {
            let read = std::mem::take(&mut head.read);
            if head.precedes(new.class, new.who(new.lanes), warp, context) {
                head.overwritten.join(&read);
            } else {
                head.overwritten = FenceSet::default();
            }
        }
        head.met()
    }

    /// A weak write is about to follow: what was read before comes before later writes only if this one is ordered itself.
    pub(crate) fn overwrites_weakly(&mut self, new: &Entry, warp: &WarpState, context: &impl Context) {
        for head in self.heads.iter_mut().filter(|head| head.bytes & new.bytes != 0) {
            if head.read.is_empty() && head.overwritten.is_empty() {
                continue;
            }
            if head.bytes != new.bytes || !head.precedes(new.class, new.who(new.lanes), warp, context) {
                (head.read, head.overwritten) = Default::default();
            }
        }
    }

    /// The fences before strong writes of the location.
    pub(crate) fn written(&mut self, bytes: Bytes) -> &mut FenceSet {
        &mut self.head(bytes).written
    }

    /// The fences before strong reads of the location's last write.
    pub(crate) fn read(&mut self, bytes: Bytes) -> &mut FenceSet {
        &mut self.head(bytes).read
    }

    /// A strong write that ends a release pattern of a fence, the thread of which knew `clock`.
    pub(crate) fn release(
        &mut self,
        bytes: Bytes,
        (block, cluster): (u32, u32),
        (scope, sc): (Scope, Option<ScFence>),
        clock: &Shared,
    ) {
        let Head { released, written, .. } = self.head(bytes);
        // Most often nothing but such fences releases, and what they knew is kept once.
        let mirror = sc.is_some_and(|sc| sc.origin.is_none()) && written.is_only(released.wide());
        released.add(block, cluster, scope, clock);
        if mirror {
            *written = FenceSet::only(released.wide().clone());
        } else if let Some(sc) = sc {
            written.add(sc.origin, clock);
        }
    }
}
