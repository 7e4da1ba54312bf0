//! The short way for lanes at unrelated words of global memory that no other worker reaches.

use super::LaunchState;
use crate::ptx::access::class::AccessClass;
use crate::ptx::access::thread::index;
use crate::ptx::history::page::PAGE;
use crate::ptx::history::spread::{spread, undo};
use crate::ptx::history::words::packing::{Accessor, Kind, Kinds, Packing};
use crate::ptx::launch::ordering::Order;
use crate::ptx::order::knowledge::BlockState;
use crate::ptx::ways::by_block::ByBlock;
use crate::ptx::ways::shape;
use events::{Access, LaneMask, Space};

impl LaunchState {
    /// A weak access by the generic proxy. Returns the lanes that have to go the long way; for those nothing has happened.
    pub(super) fn scattered(&mut self, access: &Access<'_>, class: AccessClass) -> LaneMask {
        if !self.is_scattered(access) {
            return access.mask;
        }
        if self.note(access, class) { 0 } else { self.spread_out(access, class, None) }
    }

    /// Returns whether its lanes are at words in no order, in pages that no other worker reaches.
    #[inline(always)]
    pub(super) fn is_scattered(&self, access: &Access<'_>) -> bool {
        access.space == Space::Global
            && access.size == 4
            && access.elements <= 1
            && self.launch.shortcuts.direct
            && self.launch.is_large()
            && !self.launch.early.overlaps()
            && access.stride.is_none_or(|stride| stride > 4)
            && access.mask.count_ones() > shape::FEW
            && access.addresses.iter().fold(0, |any, address| any | address) & 3 == 0
    }

    /// Adds an access for the lanes for which that was not done before. `None` says that it was for none. Returns the lanes that are
    /// left, as above.
    pub(super) fn spread_out(
        &mut self,
        access: &Access<'_>,
        class: AccessClass,
        before: Option<LaneMask>,
    ) -> LaneMask {
        let all = access.mask;
        let Some(packing) = self.launch.packing.as_ref() else { return all };
        let Some(by) = accessor(packing, &self.blocks, &mut self.kinds, &self.order, access, class) else {
            return all;
        };
        let (addresses, mut grown) = (access.addresses, 0);
        let left = self.launch.global.with_own(&mut self.bias, |own| {
            let done = before.unwrap_or_else(|| spread(own, addresses, all, false, &by));
            if done == all {
                return 0;
            }
            // Lanes that found no history in their words have all been at words of their own; the history that the
            // others find may be theirs.
            let rising = shape::jumps(access, 4);
            let apart = |rising| rising || shape::distinct(access, 4);
            if by.writes && !rising.is_some_and(apart) {
                undo(own, addresses, done);
                return all;
            }
            if rising.is_none() {
                return all & !done;
            }
            let later = if by.writes { spread(own, addresses, all & !done, true, &by) } else { 0 };
            let (mut rest, mut left) = (all & !done & !later, 0);
            while rest != 0 {
                let lane = rest.trailing_zeros();
                rest &= rest - 1;
                let address = addresses[lane as usize % 32];
                if !self.launch.follows(address >> 12) {
                    continue;
                }
                let page = own.page_mut(address >> 12, || {
                    let may = self.launch.memory().may_grow();
                    grown += if may { PAGE as usize } else { 0 };
                    may
                });
                let Some(page) = page.and_then(Option::as_deref_mut).filter(|page| !page.given_up) else {
                    left |= 1 << lane;
                    continue;
                };
                let packing = (packing, &mut self.kinds);
                let done = page.is_worded(address) && page.worded(address, 1, lane, &by, &mut grown)
                    || page.word(address, 1, lane, &by, (packing, self.order.simple), &mut grown);
                left |= u32::from(!done) << lane;
            }
            left
        });
        if grown > 0 {
            self.launch.grew(grown);
        }
        let left = left.unwrap_or(all);
        self.remembered(&Access { mask: all & !left, ..*access }, grown);
        left
    }
}

/// A scattered access on its way to words.
#[inline(always)]
pub(super) fn accessor<'a>(
    packing: &'a Packing,
    blocks: &'a ByBlock<BlockState>,
    kinds: &mut Kinds,
    order: &Order,
    access: &Access<'_>,
    class: AccessClass,
) -> Option<Accessor<'a>> {
    let (block, warp) = (access.warp.block.0, access.warp.warp.0);
    let state = blocks.get(block)?.warps.get(usize::from(warp))?;
    let kind = kinds.number(packing, Kind::new(access.site, class, 2))?;
    Accessor::new(packing, (index(access.warp), state.tick), (kind, class), state, order.stand())
}
