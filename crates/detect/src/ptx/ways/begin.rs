//! The beginning and the end of a step: the one constructor of [`Step`], and the count of what it added.

use super::LaunchState;
use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::Entry;
use crate::ptx::order::context::Context;
use crate::ptx::ways::pager::{Need, Pager};
use crate::ptx::ways::step::Step;
use events::{Access, LaneMask, Space};

impl LaunchState {
    /// Begins to judge `new` in the shadow of `space`. `None` if the block or the warp does not exist, as a damaged trace may
    /// claim.
    #[inline]
    pub(super) fn step(&mut self, space: Space, new: Entry, need: Need) -> Option<(Pager<'_>, Step<'_>)> {
        self.order.shared = space != Space::Global;
        let state = self.blocks.get_mut(new.block)?;
        state.warps.get(usize::from(new.warp))?;
        let pager = Pager::open(space, need, &self.launch, &mut self.bias, &mut self.shared);
        if self.order.simple && pager.shared() && self.order.observes() {
            // Another worker's threads may begin ticks at any time.
            self.order.ticks();
        }
        let step = Step {
            state,
            order: &self.order,
            launch: &self.launch,
            clues: self.clues.all(),
            kinds: &mut self.kinds,
            known: &self.known,
            space,
            new,
            grown: 0,
            differing: LaneMask::MAX,
        };
        Some((pager, step))
    }

    /// Returns the entry that an access leaves, without lanes and bytes; `None` if its warp does not exist.
    pub(super) fn entry(&mut self, access: &Access<'_>, class: AccessClass) -> Option<Entry> {
        let (block, warp) = (access.warp.block.0, access.warp.warp.0);
        let tick = self.block(block).warps.get(usize::from(warp))?.tick;
        Some(Entry { block, tick, lanes: 0, site: access.site, warp, bytes: 0, class, chain: 0, place: 0 })
    }

    /// Counts bytes that were added to the shadow of `space`.
    #[inline]
    pub(super) fn grew(&mut self, space: Space, grown: usize) {
        match space {
            _ if grown == 0 => {}
            Space::Global => self.launch.grew(grown),
            Space::Shared(owner) | Space::Tensor(owner) => self.shared.grew(owner.0, grown, &self.launch),
        }
    }
}
