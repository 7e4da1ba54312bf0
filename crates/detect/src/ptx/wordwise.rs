//! Accesses on their way to words: lanes at unrelated addresses, relaxed ones, and single threads.

use super::class::AccessClass;
use super::elements::lanes;
use super::entry::Entry;
use super::packing::{Accessor, Behind, Kind, Packed, strong};
use super::page::Page;
use super::pager::{Pager, first_of};
use super::pairs::two_of;
use super::shape;
use super::step::Step;
use super::words::{Words, at};
use crate::shadow::{LEN as WORDS, Opened};
use events::{Access, LaneMask, Scope, Sem, Space};

impl Step<'_> {
    /// Lanes at unrelated addresses, or relaxed ones, each for itself. Returns those whose lines could not take them.
    pub(super) fn words(
        &mut self,
        pager: &mut Pager<'_>,
        access: &Access<'_>,
        (bytes, kind): (u64, Kind),
    ) -> LaneMask {
        let Entry { block, warp, tick, class, .. } = self.new;
        // In small launches no reads are dropped but those that others are ordered behind.
        let simple = self.order.orderless && self.launch.is_large();
        let state = &self.state.warps[usize::from(warp)];
        let by = self.launch.packing.as_ref().and_then(|packing| {
            let kind = self.kinds.number(packing, kind)?;
            Some((packing, Accessor::new(packing, ((block, warp), tick), (kind, class), state, simple)?))
        });
        let Some((packing, by)) = by else { return access.mask };
        let aligned = self.order.simple;
        let page = |lane: u32| access.addresses[lane as usize] >> 12;
        let (mut rest, mut left, words) = (access.mask, 0, bytes as usize / 4);
        let (mut places, atomic) = (None, words == 1 && class.strong() && class.writes());
        if words == 1 && page(0) == page(31) && shape::is_whole(access, 4) {
            let Some(page) = pager.page(page(0), &mut self.grown) else { return 0 };
            let packing = ((packing, &mut *self.kinds), aligned);
            let done = page.row(access.addresses[0], (0, 32), &by, packing, &mut self.grown);
            // The next one has to be judged otherwise, those behind it are as any.
            rest = u32::MAX.checked_shl(done as u32).unwrap_or(0);
        } else if page(access.mask.trailing_zeros()) != page(access.mask.ilog2()) {
            let (lanes, easy) = ((access.addresses, access.mask), words == 1 && !class.strong());
            let behind = by.behind();
            let found;
            if easy && page(access.mask.trailing_zeros()) == page(second(access.mask)) {
                let together;
                (found, together) = pager.look_along(lanes);
                rest = match by.writes {
                    true => easy_rows(pager, (&found, together), access, |page, lanes| {
                        page.fresh_row(access, lanes, &by)
                    }),
                    false => easy_rows(pager, (&found, together), access, |page, lanes| {
                        page.reads_row(access, lanes, (&by, behind))
                    }),
                };
            } else {
                found = pager.look_ahead(lanes, class.strong());
                let grown = &mut self.grown;
                rest = match (words == 1, class.strong(), by.writes) {
                    (true, false, true) => {
                        easy_lanes(pager, &found, access, |page, at, lane| page.fresh(at, by.of_lane(lane)))
                    }
                    (true, false, false) => easy_lanes(pager, &found, access, |page, at, lane| {
                        page.reads(at, lane, (&by, behind))
                    }),
                    (true, true, true) => easy_lanes(pager, &found, access, |page, at, lane| {
                        page.continues(at, by.of_lane(lane))
                    }),
                    (true, true, false) => easy_lanes(pager, &found, access, |page, at, lane| {
                        page.is_worded(at) && page.worded(at, 1, lane, &by, grown)
                    }),
                    (false, ..) => rest,
                };
            }
            places = Some(found);
        }
        while rest != 0 {
            let first = rest.trailing_zeros() as usize;
            let number = access.addresses[first] >> 12;
            let mut page = match &places {
                Some(places) => pager.at(places[first], number, &mut self.grown),
                None => pager.page(number, &mut self.grown),
            };
            // Lanes in a row that are in the same page.
            while rest != 0 {
                let lane = rest.trailing_zeros();
                let address = access.addresses[lane as usize];
                if address >> 12 != number {
                    break;
                }
                rest &= rest - 1;
                let done = page.as_mut().is_none_or(|page| {
                    if atomic && page.continues(address, by.of_lane(lane)) {
                        return true;
                    }
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
    pub(super) fn word(&mut self, pager: &mut Pager<'_>, address: u64, lane: u32, bytes: u64) -> bool {
        if !matches!(bytes, 4 | 8 | 16) || address & (bytes - 1) != 0 {
            return false;
        }
        let Entry { block, warp, tick, class, site, .. } = self.new;
        let Some(packing) = &self.launch.packing else { return false };
        let Some(page) = pager.page(address >> 12, &mut self.grown) else { return true };
        if !page.is_worded(address) {
            return false;
        }
        let kind = Kind { site, class, shift: bytes.trailing_zeros() as u8 };
        let Some(kind) = self.kinds.number(packing, kind) else { return false };
        let state = &self.state.warps[usize::from(warp)];
        // In small launches no reads are dropped but those that others are ordered behind.
        let simple = self.order.orderless && self.launch.is_large();
        let by = Accessor::new(packing, ((block, warp), tick), (kind, class), state, simple);
        by.is_some_and(|by| page.worded(address, bytes as usize / 4, lane, &by, &mut self.grown))
    }
}

impl Words {
    /// Adds one lane's weak write to a word where nobody has been. False if it has to go the long way.
    #[inline(always)]
    pub(super) fn fresh(&mut self, word: usize, new: Packed) -> bool {
        let Words { writes: Some(writes), reads, atomics: None, .. } = self else { return false };
        let done = (writes[word % WORDS] | at(reads, word)) == 0;
        if done {
            writes[word % WORDS] = new;
        }
        done
    }

    /// Adds one lane's relaxed read-modify-write to a word that has only such ones and strong reads. False if it has to go
    /// the long way; then nothing has happened.
    #[inline(always)]
    pub(super) fn continues(&mut self, word: usize, new: Packed) -> bool {
        let read = at(&self.reads, word);
        if at(&self.writes, word) != 0 || read != 0 && !strong(read) {
            return false;
        }
        let Some(atomics) = &mut self.atomics else { return false };
        atomics[word % WORDS] = new;
        if let Some(seen) = &mut self.seen
            && seen[word % WORDS] != 0
        {
            seen[word % WORDS] = 0;
        }
        true
    }

    /// Adds one lane's weak read, as the first one behind the write, or to others that nothing but barriers orders. False if
    /// it has to go the long way; then nothing has happened.
    #[inline(always)]
    pub(super) fn joins(&mut self, word: usize, new: Packed, (by, behind): (&Accessor<'_>, Behind)) -> bool {
        let Words { writes, reads: Some(reads), others, atomics: None, .. } = self else { return false };
        let (write, read) = (at(writes, word), reads[word % WORDS]);
        if write != 0 && !(by.simple && behind.covers(write, new)) {
            return false;
        }
        if read == 0 {
            reads[word % WORDS] = new;
            return true;
        }
        if !by.simple || strong(read) {
            return false;
        }
        if read == new {
            return true;
        }
        let other = at(others, word);
        let (one, two) = two_of(read, other, new, behind);
        if two != other {
            let Some(others) = others else { return false };
            others[word % WORDS] = two;
        }
        if one != read {
            reads[word % WORDS] = one;
        }
        true
    }
}

/// Adds the accesses of lanes that come to words in an easy way, which are most where threads are scattered. Returns
/// the others, for which it does not matter that those were earlier: a weak write is at a word of its own, atomics of one
/// word are all easy or none is, and of two reads of a launch that only barriers order it does not matter which is first.
fn easy_lanes(
    pager: &mut Pager<'_>,
    places: &[u32; 32],
    access: &Access<'_>,
    mut easy: impl FnMut(&mut Page, u64, u32) -> bool,
) -> LaneMask {
    let Pager::Global { opened: Opened::Own(own), .. } = pager else { return access.mask };
    let Some(own) = own.as_mut() else { return access.mask };
    let (mut rest, mut left) = (access.mask, 0);
    while rest != 0 {
        let lane = rest.trailing_zeros();
        rest &= rest - 1;
        let page = own.at(places[lane as usize % 32]).and_then(Option::as_deref_mut);
        let address = access.addresses[lane as usize % 32];
        let done = page.is_some_and(|page| !page.given_up && easy(page, address, lane));
        left |= u32::from(!done) << lane;
    }
    left
}

/// As above, of lanes of which many are `together` with the one before in a page.
fn easy_rows(
    pager: &mut Pager<'_>,
    (places, together): (&[u32; 32], LaneMask),
    access: &Access<'_>,
    easy: impl Fn(&mut Page, LaneMask) -> LaneMask,
) -> LaneMask {
    let Pager::Global { opened: Opened::Own(own), .. } = pager else { return access.mask };
    let Some(own) = own.as_mut() else { return access.mask };
    let (mut rest, mut left) = (access.mask, 0);
    while rest != 0 {
        // With the lanes behind it that are in the same page.
        let (first, here) = first_of(rest, together);
        rest &= !here;
        let place = places[first as usize % 32];
        let page = own.at(place).and_then(Option::as_deref_mut).filter(|page| !page.given_up);
        left |= page.map_or(here, |page| easy(page, here));
    }
    left
}

/// The second lane of several.
fn second(lanes: LaneMask) -> u32 {
    (lanes & lanes.wrapping_sub(1)).trailing_zeros() % 32
}

/// Is it one of those relaxed operations that words can keep, where only whole barriers order threads?
pub(super) fn observed_by_words(access: &Access<'_>, class: AccessClass) -> bool {
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
