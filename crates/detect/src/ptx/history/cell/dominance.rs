//! The kept accesses that later ones stand for: case 1 of [`witnesses`](crate::ptx::history::witnesses).

use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::{Bytes, Entry, is_merged};
use crate::ptx::access::thread::Who;
use crate::ptx::order::context::Context;
use crate::ptx::order::knowledge::WarpState;
use clocks::Tick;
use events::LaneMask;

/// Lanes of a merged access that race: all, if nothing of its block is known. If something is, that does
/// not tell which of its threads.
pub(crate) fn merged(old: &Entry, me: Who, warp: &WarpState, context: &impl Context) -> LaneMask {
    let clock = warp.clock(me.lane).get().and_then(|c| c.block(old.block));
    if old.block != me.block && clock.is_none() {
        return old.lanes;
    }
    // Without flags or the like, the block's other entries tell.
    if clock.is_some() && old.tick > all_of(old.block, me, warp) {
        context.unsure();
    }
    0
}

/// The tick up to which `me` knows every thread of a block.
pub(crate) fn all_of(block: u32, me: Who, warp: &WarpState) -> Tick {
    let clock = warp.clock(me.lane).get().and_then(|c| c.block(block)).map_or(0, |c| c.all());
    if block == me.block { clock.max(warp.all) } else { clock }
}

/// Returns whether it is a weak access by threads that know of no other block.
#[inline]
pub(crate) fn knows_no_block(new: &Entry, warp: &WarpState) -> bool {
    new.class.is_plain() && !warp.has_clocks()
}

/// Returns whether it is of another block, so that only threads are ordered behind it that know that block or
/// have observed it.
#[inline]
pub(crate) fn is_foreign(old: &Entry, new: &Entry) -> bool {
    // Asked of all that a cell keeps: cheaper without a way to take.
    (old.block != new.block) & (old.chain == 0) & !old.class.asynchronous() & !is_merged(old.warp)
}

/// Returns whether others may stand for it where only whole barriers order threads. Not for a write that some
/// may observe.
pub(crate) fn implies(entry: &Entry, context: &impl Context) -> bool {
    !(entry.class.asynchronous() || context.observes() && entry.class.writes())
}

/// Returns whether accesses of this class and these bytes conflict with no more than the strong access `new` does. A strong access
/// conflicts with less than a weak one, and so does one of other extent.
#[inline]
pub(crate) fn alike_strong(class: AccessClass, bytes: Bytes, new: &Entry) -> bool {
    (class.rank() == new.class.rank()) & (bytes == new.bytes)
}

/// Returns whether the strong access `new`, no copy's, may stand for `old` if its thread knows that one: what [`dominated`] asks
/// besides.
#[inline]
pub(crate) fn strong_stands(old: &Entry, new: &Entry, crowded: bool) -> bool {
    let chained = (old.chain == new.chain) & (new.chain != 0);
    alike_strong(old.class, old.bytes, new)
        && match crowded {
            true => chained || new.chain == 0,
            false => old.site == new.site && (chained || !new.class.writes()),
        }
}

/// Returns whether `new` stands for `old`: whatever races with `old` later races with `new`, too, or is not
/// worth the memory.
pub(crate) fn dominated(
    old: &Entry,
    new: &Entry,
    me: Who,
    warp: &WarpState,
    context: &impl Context,
    strong: bool,
    crowded: bool,
) -> bool {
    if old.bytes & !new.bytes != 0 || (old.class.writes() && !new.class.writes()) {
        return false;
    }
    if new.class.strong() && !alike_strong(old.class, old.bytes, new) {
        return false;
    }
    // A thread that knows that an operation is complete need not know what its thread knew, unless that thread
    // waited for it.
    let follows = !new.class.asynchronous() || context.groups_only();
    if old.class.asynchronous() {
        return follows
            && old.class.other_proxy() == new.class.other_proxy()
            && context.knows_op(warp, me, old.tick, old.class.writes());
    }
    if !follows || old.class.other_proxy() != new.class.other_proxy() {
        return false;
    }
    if is_merged(old.warp) && old.tick > all_of(old.block, me, warp) {
        return false;
    }
    let same_warp = (old.block, old.warp) == (new.block, new.warp);
    let by_program_order = same_warp && old.lanes & !new.lanes == 0;
    if !crowded && !by_program_order && new.class.writes() && !strong && !new.class.strong() {
        // See the end: what its thread knows does not matter.
        return false;
    }
    if !by_program_order && warp.unknown(me, old.block, old.warp, old.lanes, old.tick) != 0 {
        return false;
    }
    // A thread that has observed a strong write is ordered behind that one and those that it has observed, but
    // not behind what is ordered before it (§8.9.5).
    let observable = new.chain != 0 && old.chain != new.chain;
    if crowded {
        return !observable;
    }
    // Another instruction is another race to report.
    if old.site != new.site {
        return false;
    }
    if !new.class.writes() {
        return true;
    }
    if strong || new.class.strong() {
        return old.class.writes() && old.chain == new.chain && old.chain != 0;
    }
    by_program_order
}
