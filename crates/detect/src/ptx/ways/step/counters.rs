//! Atomics of neighbouring or scattered counters, whose results are not used.

use super::Step;
use crate::ptx::access::entry::Entry;
use crate::ptx::history::line::Line;
use crate::ptx::history::tally::Slot;
use crate::ptx::ways::pager::Pager;
use events::{Access, LaneMask};

impl Step<'_> {
    /// Adds them page by page. Returns the lanes whose lines could not take them.
    pub(in crate::ptx) fn atomics(&mut self, pager: &mut Pager<'_>, access: &Access<'_>) -> LaneMask {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
            // SAFETY: the processor has what the function is compiled for; with `avx2` there is `popcnt`.
            return unsafe { self.atomics_with_avx2(pager, access) };
        }
        self.atomics_of(pager, access)
    }

    /// As [`Step::atomics_of`], with lanes compared in vectors, and bits counted in one instruction.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn atomics_with_avx2(&mut self, pager: &mut Pager<'_>, access: &Access<'_>) -> LaneMask {
        self.atomics_of(pager, access)
    }

    #[inline(always)]
    fn atomics_of(&mut self, pager: &mut Pager<'_>, access: &Access<'_>) -> LaneMask {
        let Entry { warp, tick, site, class, .. } = self.new;
        let state = &self.state.warps[usize::from(warp)];
        let Some(first) = Slot::new(self.new.at(), 0, (tick, site, class)) else { return access.mask };
        let (mut rest, mut left) = (access.mask, 0);
        while rest != 0 {
            let number = access.addresses[rest.trailing_zeros() as usize % 32] >> 12;
            let mut here = rest & in_page(access.addresses, number);
            rest &= !here;
            let Some(page) = pager.page(number, &mut self.grown) else { continue };
            let lines = page.all_lines();
            while here != 0 {
                let lane = here.trailing_zeros();
                here &= here - 1;
                let (address, slot) = (access.addresses[lane as usize % 32], first.of_lane(lane));
                let (line, at) = (&mut lines[(address >> 7) as usize % 32], (address & 127) as u8);
                let taken =
                    if let Line::Tally(tally) = line { tally.takes(at, access.size, &slot) } else { false };
                if !taken && !line.atomic((at, access.size), slot, state, &mut self.grown) {
                    left |= 1 << lane;
                }
            }
        }
        left
    }
}

/// The lanes that are in a page.
#[inline(always)]
fn in_page(addresses: &[u64; 32], number: u64) -> LaneMask {
    (0..32).fold(0, |mask, lane| mask | u32::from(addresses[lane] >> 12 == number) << lane)
}
