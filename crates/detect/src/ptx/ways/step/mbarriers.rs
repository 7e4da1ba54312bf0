//! Operations on mbarrier objects, which are neither weak nor strong accesses.

use super::Step;
use crate::ptx::access::entry::Entry;
use crate::ptx::access::touches::{Touch, span};
use crate::ptx::order::context::Context;
use crate::ptx::order::mbarrier::InPhase;
use crate::ptx::ways::pager::Pager;
use crate::shadow::lock;
use events::LaneMask;

impl Step<'_> {
    /// An operation on an mbarrier object by some lanes, perhaps in a phase. `copy` is the number of the operation that will
    /// complete there, which accesses the object instead of its thread.
    /// `published` is what [`Init::is_published`](crate::ptx::order::mbarrier::Init::is_published) says of an earlier access: an initialisation that is
    /// published does not race with it.
    pub(in crate::ptx) fn object(
        &mut self,
        pager: &mut Pager<'_>,
        (address, lanes): (u64, LaneMask),
        (copy, phase): (Option<u32>, Option<InPhase>),
        published: impl Fn(&Entry) -> Option<bool>,
    ) {
        let at = (address % 16) as u32;
        let touch = Touch { cell: address / 16, bytes: span(at, at + 8), lanes };
        let Some(cell) = pager.cell(touch.cell, &mut self.grown) else { return };
        let mut cell = lock(&cell);
        let (before, new) = (cell.room(), self.entry(&touch));
        cell.check(&new, self.warp(), self.order, |old, lanes, me| {
            let knows = |old: &Entry| self.warp().knows_init(me.lane, old.who(lanes), old.tick);
            if !published(old).is_some_and(|published| published || knows(old)) {
                self.report(old, lanes, &new, me, touch.cell * 16, None);
            }
        });
        let me = self.who(lanes.trailing_zeros());
        let complete = |old: &Entry| self.order.knows_op(self.warp(), me, old.tick, true);
        let kept = match copy {
            Some(tick) => Entry { tick, class: new.class.of_copy(), ..new },
            None => phase.map_or(new, |phase| phase.of(new)),
        };
        cell.insert_object(kept, complete);
        self.grown += cell.room().saturating_sub(before);
    }
}
