//! Accesses on their way to words: lanes at unrelated addresses, relaxed ones, and single threads.

use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::Entry;
use crate::ptx::access::touches::lanes;
use crate::ptx::history::spread::spread;
use crate::ptx::history::words::packing::{Accessor, Kind};
use crate::ptx::ways::pager::Pager;
use crate::ptx::ways::shape;
use crate::ptx::ways::step::Step;
use crate::shadow::Opened;
use events::{Access, LaneMask, Scope, Sem, Space};

impl Step<'_> {
    /// Lanes at unrelated addresses, or relaxed ones, each for itself. Returns those whose lines could not take them.
    pub(crate) fn words(
        &mut self,
        pager: &mut Pager<'_>,
        access: &Access<'_>,
        (bytes, kind): (u64, Kind),
    ) -> LaneMask {
        let Entry { warp, tick, class, .. } = self.new;
        let (state, stand) = (&self.state.warps[usize::from(warp)], self.order.stand());
        let by = self.launch.packing.as_ref().and_then(|packing| {
            let kind = self.kinds.number(packing, kind)?;
            Some((packing, Accessor::new(packing, (self.new.at(), tick), (kind, class), state, stand)?))
        });
        let Some((packing, by)) = by else { return access.mask };
        let aligned = self.order.simple;
        let page = |lane: u32| access.addresses[lane as usize] >> 12;
        let (mut rest, mut left, words) = (access.mask, 0, bytes as usize / 4);
        if words == 1 && page(0) == page(31) && shape::is_whole(access, 4) {
            let Some(page) = pager.page(page(0), &mut self.grown) else { return 0 };
            let packing = ((packing, &mut *self.kinds), aligned);
            let done = page.row(access.addresses[0], (0, 32), &by, packing, &mut self.grown);
            // The next one has to be judged otherwise, those behind it are as any.
            rest = u32::MAX.checked_shl(done as u32).unwrap_or(0);
        } else if words == 1
            && let Pager::Global { opened: Opened::Own(own), .. } = pager
            && let Some(own) = own.as_mut()
        {
            // Each lane that comes here writes at a word of its own.
            rest &= !spread(own, access.addresses, rest, true, &by);
        }
        while rest != 0 {
            let first = rest.trailing_zeros() as usize;
            let number = access.addresses[first] >> 12;
            let mut page = pager.page(number, &mut self.grown);
            // Lanes in a row that are in the same page.
            while rest != 0 {
                let lane = rest.trailing_zeros();
                let address = access.addresses[lane as usize];
                if address >> 12 != number {
                    break;
                }
                rest &= rest - 1;
                let done = page.as_mut().is_none_or(|page| {
                    if page.is_worded(address) && page.worded(address, words, lane, &by, &mut self.grown) {
                        return true;
                    }
                    let packing = ((packing, &mut *self.kinds), aligned);
                    let done = page.word(address, words, lane, &by, packing, &mut self.grown);
                    if !done && class.strong() {
                        // Lanes of an atomic follow each other: later ones there have to wait for this one.
                        page.cell((address >> 4) as usize, &mut self.grown);
                    }
                    done
                });
                left |= u32::from(!done) << lane;
            }
        }
        left
    }

    /// One lane's weak access, if it is to aligned words of a line that is kept word by word. False if not, or if the line
    /// cannot take it.
    #[inline]
    pub(crate) fn word(&mut self, pager: &mut Pager<'_>, address: u64, lane: u32, bytes: u64) -> bool {
        if !matches!(bytes, 4 | 8 | 16) || address & (bytes - 1) != 0 {
            return false;
        }
        let Entry { warp, tick, class, site, .. } = self.new;
        let Some(packing) = &self.launch.packing else { return false };
        let Some(page) = pager.page(address >> 12, &mut self.grown) else { return true };
        if !page.is_worded(address) {
            return false;
        }
        let kind = Kind::new(site, class, bytes.trailing_zeros() as u8);
        let Some(kind) = self.kinds.number(packing, kind) else { return false };
        let state = &self.state.warps[usize::from(warp)];
        let by = Accessor::new(packing, (self.new.at(), tick), (kind, class), state, self.order.stand());
        by.is_some_and(|by| page.worded(address, bytes as usize / 4, lane, &by, &mut self.grown))
    }
}

/// Returns whether it is one of those relaxed operations that words can keep, where only whole barriers order
/// threads.
pub(crate) fn observed_by_words(access: &Access<'_>, class: AccessClass) -> bool {
    let words = access.size == 4 && access.space == Space::Global;
    let kind = if class.atomic() { class.returns() && access.elements <= 1 } else { !class.writes() };
    let wide = class.scope().is_some_and(|s| s >= Scope::Gpu) && class.sem() == Sem::Relaxed;
    let bytes = 4 * u64::from(access.elements.max(1));
    let plain = bytes.is_power_of_two() && !class.asynchronous() && !class.other_proxy();
    let aligned = || {
        let places = match access.mask {
            LaneMask::MAX => access.addresses.iter().fold(0, |all, address| all | address),
            mask => lanes(mask).fold(0, |all, lane| all | access.addresses[lane]),
        };
        places & (bytes - 1) == 0
    };
    words && kind && wide && plain && aligned()
}

/// Returns whether this is a `red` on single words of global memory, morally strong to all others of its kind.
pub(crate) fn is_red_of_words(access: &Access<'_>, class: AccessClass) -> bool {
    let words = access.size == 4 && access.space == Space::Global;
    let wide = class.scope().is_some_and(|scope| scope >= Scope::Gpu);
    words
        && wide
        && counts(access, class)
        && lanes(access.mask).fold(0, |all, lane| all | access.addresses[lane]) & 3 == 0
}

/// Returns whether it is one of those atomics that a tally can keep, where only whole barriers order threads.
/// All that touch the location are then morally strong to each other, and pass nothing on.
pub(crate) fn counts(access: &Access<'_>, class: AccessClass) -> bool {
    let wide = class.scope().is_some_and(|s| s >= Scope::Gpu) || matches!(access.space, Space::Shared(_));
    class.atomic()
        && wide
        && !class.returns()
        && !class.other_proxy()
        && class.sem() == Sem::Relaxed
        && access.elements <= 1
        && matches!(access.size, 4 | 8)
}
