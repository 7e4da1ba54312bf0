//! Threads that wait look at a place again and again, and find there what they found the last time.
//!
//! A strong read changes its location and what its threads know once: it records that the
//! threads have observed the location's chain, and learns what was released there. Until a thread writes
//! there it is the same if they look again, and races with nothing if it did not before. A warp remembers the
//! last such read; whatever may change its threads' part of it (a tick, a fence, another strong access) makes
//! it forget.

use super::LaunchState;
use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::Entry;
use crate::ptx::access::polled::Polled;
use events::{Access, Space};

impl LaunchState {
    /// Returns whether a warp reads what it has read last, while no thread has written there.
    #[inline]
    pub(super) fn looks_again(&mut self, access: &Access<'_>, class: AccessClass) -> bool {
        let (block, warp) = (access.warp.block.0, usize::from(access.warp.warp.0));
        let Some(state) = self.blocks.get(block).and_then(|block| block.warps.get(warp)) else {
            return false;
        };
        let Some(polled) = state.polled.filter(|polled| polled.is(access, class, state.tick)) else {
            return false;
        };
        let tick = state.tick;
        let (page, cell) = (polled.address >> 12, polled.address as usize >> 4);
        let mut turn = None;
        match access.space {
            Space::Global => self.launch.global.open_by(&mut self.bias).existing(page, |page| {
                turn = page.as_ref().and_then(|page| page.turn(cell));
            }),
            Space::Shared(owner) | Space::Tensor(owner) => {
                let shadow = self.shared.blocks.get_mut(owner.0).map(|(shadow, _)| shadow);
                turn = shadow.and_then(|shadow| shadow.page_if(page, || false)?.turn(cell));
            }
        }
        let again = turn == Some(polled.turn);
        if again {
            self.remembered(access, 0);
        }
        if again && !self.told && self.launch.info.uses.fences_or_strong {
            // Explanations begin with what was seen last.
            self.clues.hear(|clues| clues.before(access, class, tick));
        }
        again
    }

    /// Records a strong read that raced with nothing, for [`LaunchState::looks_again`]. `turn` is that of its location.
    pub(super) fn remembers_poll(&mut self, access: &Access<'_>, new: Entry, turn: Option<u64>) {
        let remembers = turn.filter(|_| self.launch.shortcuts.polling && !self.launch.early.overlaps());
        let polled = remembers.and_then(|turn| Polled::new(access, new.class, (new.tick, turn)));
        if let Some(own) = self.block(new.block).warps.get_mut(usize::from(new.warp)) {
            own.polled = polled;
        }
    }
}
