//! Which kept accesses a new one races with.

use super::Cell;
use crate::ptx::access::entry::{Entry, is_merged};
use crate::ptx::access::partial::of_one_word;
use crate::ptx::access::thread::Who;
use crate::ptx::history::cell::dominance::{is_foreign, knows_no_block, merged};
use crate::ptx::order::context::Context;
use crate::ptx::order::knowledge::{Through, WarpState};
use crate::ptx::order::mbarrier::InPhase;
use clocks::Shared;
use events::LaneMask;

impl Cell {
    /// Calls `race` for every kept access that races with a lane of `new`, with that lane and
    /// the lanes of the kept access it races with.
    pub(crate) fn check(
        &self,
        new: &Entry,
        warp: &WarpState,
        context: &impl Context,
        mut race: impl FnMut(&Entry, LaneMask, Who),
    ) {
        let first = Who { block: new.block, warp: new.warp, lane: new.lanes.trailing_zeros() as u8 };
        let alone = knows_no_block(new, warp) && warp.uniform();
        let (writes, wide) = (new.class.writes(), new.class.is_wide());
        let mut look = |old: &Entry| {
            // Whole operations of scopes that include every thread are morally strong to each other.
            if wide
                && old.class.is_wide()
                && old.bytes == new.bytes
                && old.class.other_proxy() == new.class.other_proxy()
            {
                return;
            }
            let racing = if alone && is_foreign(old, new) {
                Some((old.lanes, first))
            } else {
                self.first_racing(old, new, first, warp, context)
            };
            if let Some((racing, me)) = racing {
                race(old, racing, me);
            }
        };
        for old in &self.entries {
            if old.bytes & new.bytes != 0 && (writes || old.class.writes()) {
                look(old);
            }
        }
        if let Some(crowd) = &self.crowd {
            crowd.conflicts(new).for_each(look);
        }
    }

    /// The first lane of `new` from `first` on that races with a kept access, and the lanes it races with.
    fn first_racing(
        &self,
        old: &Entry,
        new: &Entry,
        first: Who,
        warp: &WarpState,
        context: &impl Context,
    ) -> Option<(LaneMask, Who)> {
        // All operations on an mbarrier get on with each other, and a warp has the memory that it allocates.
        let objects = old.class.on_mbarrier() && new.class.on_mbarrier();
        let own = old.class.allocates() && (old.block, old.warp) == (new.block, new.warp);
        if objects || own {
            return None;
        }
        // Towards other warps, lanes that know the same are alike, unless one of them may have observed
        // what is in question itself.
        let alike = warp.uniform() && old.chain == 0 && (old.block, old.warp) != (new.block, new.warp);
        let mut rest = if alike { 1 << first.lane } else { new.lanes };
        while rest != 0 {
            let me = Who { lane: rest.trailing_zeros() as u8, ..first };
            rest &= rest - 1;
            let racing = self.racing(old, new, me, warp, context);
            if racing != 0 {
                return Some((racing, me));
            }
        }
        if new.class.fetches() && old.class.writes() {
            return Some(fetched(old, new, first));
        }
        None
    }

    fn racing(
        &self,
        old: &Entry,
        new: &Entry,
        me: Who,
        warp: &WarpState,
        context: &impl Context,
    ) -> LaneMask {
        // A bulk reduction is atomic by element, of which an event does not tell the size.
        let whole = old.bytes == new.bytes
            || old.class.asynchronous()
            || new.class.asynchronous()
            || of_one_word((old.bytes, old.class), (new.bytes, new.class));
        if whole && context.mutual(old.class, old.block, new.class, new.block) {
            return 0;
        }
        if old.class.on_mbarrier() && is_observed(old, warp.clock(me.lane), context) {
            return 0;
        }
        let crosses = new.class.other_proxy() && !old.class.other_proxy();
        let through = match (new.class.reads_map(), context.shared()) {
            (true, _) => Through::Tensormap,
            (false, true) => Through::AsyncShared,
            (false, false) => Through::AsyncGlobal,
        };
        if old.class.asynchronous() {
            let same_op = new.class.asynchronous() && (old.block, old.tick) == (new.block, new.tick);
            let (op, wrote) = (old.tick, old.class.writes());
            let known = context.knows_op(warp, me, op, wrote)
                && (!crosses || context.op_is_fenced(warp, me, op, wrote, through));
            return if same_op || known { 0 } else { old.lanes };
        }
        if is_merged(old.warp) {
            let observed = old.chain != 0 && self.observed(old, me, warp, context) != 0;
            return if observed { 0 } else { merged(old, me, warp, context) };
        }
        let mut unknown = warp.unknown(me, old.block, old.warp, old.lanes, old.tick);
        if crosses {
            unknown |= warp.unfenced(me, old.block, old.warp, old.lanes, old.tick, through);
        }
        if unknown != 0 && old.chain != 0 && !old.class.on_mbarrier() {
            unknown &= !self.observed(old, me, warp, context);
        }
        unknown
    }
}

/// Returns whether a thread with this clock knows a wait that observed an operation on an mbarrier object.
fn is_observed(old: &Entry, clock: &Shared, context: &impl Context) -> bool {
    match old.class.asynchronous() {
        true => context.op_is_observed(clock, old.tick),
        false => InPhase::is_observed(old, clock),
    }
}

/// The lanes of an ordered write that a fetch conflicts with, and the lane that fetches: a thread's own write, if there is one.
#[cold]
fn fetched(old: &Entry, new: &Entry, first: Who) -> (LaneMask, Who) {
    let same_warp = (old.block, old.warp) == (new.block, new.warp);
    match if same_warp { old.lanes & new.lanes } else { 0 } {
        0 => (old.lanes, first),
        own => {
            let lane = own.trailing_zeros();
            (1 << lane, Who { lane: lane as u8, ..first })
        }
    }
}
