//! The short way for shared memory: that no other block reaches, where nothing but whole barriers orders threads. Elsewhere
//! whole warps go the way of global memory.

use super::LaunchState;
use crate::ptx::access::class::AccessClass;
use crate::ptx::access::thread::index;
use crate::ptx::history::page::{Page, Shadow};
use crate::ptx::history::stamp::Stamp;
use crate::ptx::ways::shape::{self, Links, Run};
use crate::ptx::ways::step::SCATTERED;
use events::{Access, Dim3, LaneMask, Space};
use smallvec::SmallVec;

impl LaunchState {
    /// A weak access by the generic proxy. Returns the lanes that have to go the long way; for those nothing has happened.
    #[inline]
    pub(super) fn own(&mut self, access: &Access<'_>, class: AccessClass) -> LaneMask {
        let (block, warp) = (access.warp.block.0, access.warp.warp.0);
        if !self.order.own
            || access.space != Space::Shared(access.warp.block)
            || !(self.launch.shortcuts.direct && self.launch.shortcuts.intervals)
            || self.launch.info.cluster != Dim3::ONE
        {
            return access.mask;
        }
        let Some(state) = self.blocks.get(block).and_then(|block| block.warps.get(usize::from(warp))) else {
            return access.mask;
        };
        let Some((shadow, _)) = self.shared.blocks.get_mut(block) else { return access.mask };
        let bytes = u64::from(access.size) * u64::from(access.elements.max(1));
        let stamp = Stamp::new(index(access.warp), state.tick, access.site, class);
        if shape::whole(access, bytes, &mut self.runs) {
            // One run.
        } else if let Some(halves) = shape::halves(access, bytes) {
            self.runs.clear();
            self.runs.extend(halves);
        } else {
            let links = Links::of(access, bytes);
            if links.in_pieces(access, bytes) {
                let left = lanes(shadow, access, (bytes.trailing_zeros() as u8, &stamp));
                self.remembered(&Access { mask: access.mask & !left, ..*access }, 0);
                return left;
            }
            if !bytes.is_power_of_two() || !links.split(access, bytes, &mut self.runs) {
                return access.mask;
            }
        }
        if !self.runs.iter().all(|run| is_in_a_page(shadow, run, bytes)) {
            return access.mask;
        }
        let scattered = self.runs.len() > SCATTERED;
        let (mut grown, mut left) = (0, SmallVec::<[(u64, Stamp); 4]>::new());
        for run in &self.runs {
            let Some(page) = page_of(shadow, run.address >> 12) else { continue };
            if run.lanes == 1 && run.address & (bytes - 1) == 0 {
                let (line, at) = ((run.address >> 7) as usize, (run.address & 127) as u8);
                let place = (at, bytes.trailing_zeros() as u8);
                if page.line(line).own_one(place, &stamp, run.first, true) {
                    continue;
                }
            }
            run.lines(bytes, &stamp, |number, stamp| {
                if !page.line(number as usize).own(stamp, scattered, state, &mut grown) {
                    left.push((number, *stamp));
                }
            });
        }
        if grown > 0 {
            self.shared.grew(block, grown, &self.launch);
        }
        if !left.is_empty() {
            grown += self.exactly(access, &left);
        }
        self.remembered(access, grown);
        0
    }
}

/// The page, if there is one.
#[inline]
fn page_of(shadow: &mut Shadow, number: u64) -> Option<&mut Page> {
    shadow.page_if(number, || false).filter(|page| !page.given_up)
}

/// Returns whether all of a run is in one page that there is.
fn is_in_a_page(shadow: &mut Shadow, run: &Run, bytes: u64) -> bool {
    (run.end(bytes) - 1) >> 12 == run.address >> 12 && page_of(shadow, run.address >> 12).is_some()
}

/// Lanes at unrelated addresses, each for itself.
fn lanes(shadow: &mut Shadow, access: &Access<'_>, (shift, stamp): (u8, &Stamp)) -> LaneMask {
    let (mut number, mut page) = (u64::MAX, None::<&mut Page>);
    let (mut rest, mut left) = (access.mask, 0);
    while rest != 0 {
        let lane = rest.trailing_zeros();
        rest &= rest - 1;
        let address = access.addresses[lane as usize % 32];
        if address >> 12 != number {
            number = address >> 12;
            page = page_of(shadow, number);
        }
        let done = page.as_deref_mut().is_some_and(|page| {
            page.line((address >> 7) as usize).own_one(((address & 127) as u8, shift), stamp, lane, false)
        });
        left |= u32::from(!done) << lane;
    }
    left
}
