//! The short way for a thread by itself, at words of global memory that no other worker reaches.

use super::LaunchState;
use crate::ptx::access::class::AccessClass;
use crate::ptx::access::thread::index;
use crate::ptx::history::words::packing::{Accessor, Kind};
use events::{Access, Space};

impl LaunchState {
    /// A weak access of one lane by the generic proxy. False if it has to go the long way, as it has where its line is not kept
    /// word by word yet; then nothing has happened.
    #[inline]
    pub(super) fn alone(&mut self, access: &Access<'_>, class: AccessClass) -> bool {
        let bytes = u64::from(access.size) * u64::from(access.elements.max(1));
        let lane = access.mask.trailing_zeros();
        let address = access.addresses[lane as usize % 32];
        if access.space != Space::Global
            || !matches!(bytes, 4 | 8 | 16)
            || address & (bytes - 1) != 0
            || !self.launch.shortcuts.direct
            || self.launch.early.overlaps()
        {
            return false;
        }
        let (block, warp) = (access.warp.block.0, access.warp.warp.0);
        let Some(state) = self.blocks.get(block).and_then(|block| block.warps.get(usize::from(warp))) else {
            return false;
        };
        let Some(packing) = self.launch.packing.as_ref() else { return false };
        let (launch, kinds) = (&*self.launch, &mut self.kinds);
        let mut grown = 0;
        let done = launch.global.with_own(&mut self.bias, |own| {
            let page = own.page_mut(address >> 12, || false).and_then(Option::as_deref_mut);
            let Some(page) = page.filter(|page| page.is_worded(address)) else { return false };
            let kind = Kind::new(access.site, class, bytes.trailing_zeros() as u8);
            let Some(kind) = kinds.number(packing, kind) else { return false };
            let (by, stand) = ((index(access.warp), state.tick), self.order.stand());
            let by = Accessor::new(packing, by, (kind, class), state, stand);
            by.is_some_and(|by| page.worded(address, bytes as usize / 4, lane, &by, &mut grown))
        });
        if grown > 0 {
            self.launch.grew(grown);
        }
        if done == Some(true) {
            self.remembered(access, grown);
        }
        done == Some(true)
    }
}
