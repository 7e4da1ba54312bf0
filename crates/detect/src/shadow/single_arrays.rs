//! Numbers of pages that have one array, found without a look at the page.

use super::huge_page_arena::{LEN, expect};
use super::page_arrays::Places;
use std::marker::PhantomData;

/// The places of pages' only arrays, by number as far as they are near, and behind the last the one of no
/// page. In the lowest bits is which array it is, one more: arrays begin at multiples of more than that.
#[derive(Debug, Default)]
pub(super) struct Soles(Vec<*mut u64>);

// SAFETY: the owner of the pages owns the arrays.
unsafe impl Send for Soles {}

/// In the place of a page that has several arrays, or none, or of which that is not known: less the bits of an array, it has some.
pub(super) const NONE: *mut u64 = std::ptr::null_mut();
/// The lowest bits.
const TAG: usize = 7;

impl Soles {
    #[inline(always)]
    pub(super) fn forget(&mut self, page: u64) {
        if let Some(known) = self.0.get_mut(page as usize) {
            *known = NONE;
        }
    }

    /// From now on `page`, one of `pages`, has these places, until they are forgotten. The first one has room made for all: most
    /// launches have none.
    pub(super) fn know(&mut self, page: u64, pages: u64, places: &Places) {
        let Some((array, numbers)) = places.sole().filter(|_| page < pages) else { return };
        if self.0.is_empty() {
            // The last one stays none.
            self.0 = vec![NONE; pages as usize + 1];
        }
        if let Some(known) = self.0.get_mut(page as usize) {
            *known = numbers.wrapping_byte_add(array + 1);
        }
    }

    #[inline(always)]
    pub(super) fn has(&self, page: u64, array: usize) -> bool {
        self.0.get(page as usize).is_some_and(|known| known.addr() & TAG == array + 1)
    }

    /// Finds the places of the numbers of addresses, if their pages have `array` only; `first` is the first of
    /// the pages. They are fetched. False if no page is known.
    #[inline(always)]
    pub(super) fn find(
        &self,
        (first, addresses): (u64, &[u64; 32]),
        array: usize,
        numbers: &mut [*mut u64; 32],
    ) -> bool {
        let Some(last) = self.0.len().checked_sub(1) else { return false };
        let known = self.0.as_ptr();
        for (place, &address) in numbers.iter_mut().zip(addresses) {
            let page = (address >> 12).wrapping_sub(first).min(last as u64);
            // SAFETY: `last` is one of them.
            let numbers = unsafe { *known.add(page as usize) };
            let number = (address >> 2) as usize % LEN;
            *place = numbers.wrapping_byte_sub(array + 1).wrapping_add(number);
            expect(*place);
        }
        true
    }
}

/// The place of each lane's number, if its page has one array.
pub(crate) struct Sole<'a> {
    numbers: [*mut u64; 32],
    pages: PhantomData<&'a mut Places>,
}

/// The same for later: if nothing was forgotten since.
#[derive(Debug)]
pub(crate) struct Later {
    pub(super) numbers: [*mut u64; 32],
    /// When that was, as the pages count.
    pub(super) when: u64,
}

impl Later {
    /// Never.
    pub(crate) const NONE: Later = Later { numbers: [NONE; 32], when: u64::MAX };

    /// Returns whether the pages of all lanes have one array.
    #[inline(always)]
    pub(super) fn is_of_all(&self) -> bool {
        self.numbers.iter().fold(0, |tags, place| tags | place.addr()) & TAG == 0
    }
}

// SAFETY: only the owner of the pages gets at the numbers.
unsafe impl Send for Later {}

impl Sole<'_> {
    /// # Safety
    ///
    /// They are what [`Soles::find`] has found, and nothing of it was forgotten since. The pages are held for as
    /// long as the borrow, and for this caller only.
    #[inline(always)]
    pub(super) unsafe fn new(numbers: [*mut u64; 32]) -> Self {
        Sole { numbers, pages: PhantomData }
    }

    /// Sets a lane's number if it is zero. `None` if its page has several arrays or others, or is not known; then nothing has happened.
    #[inline(always)]
    pub(crate) fn first(&mut self, lane: u32, number: u64) -> Option<bool> {
        let place = self.numbers[lane as usize % 32];
        if place.addr() & TAG != 0 {
            return None;
        }
        // SAFETY: without a tag it is in the array of a page that only this worker holds.
        let place = unsafe { &mut *place };
        let free = *place == 0;
        if free {
            *place = number;
        }
        Some(free)
    }
}

#[cfg(test)]
mod tests {
    use super::super::huge_page_arena::{Room, Rooms};
    use super::super::private_pages::Own;
    use super::*;
    use std::sync::Arc;

    type Arrays = [Option<Room>; 5];

    /// Numbers are set in pages of one array that are known as such, where nothing is, and nowhere else; any
    /// other access of a page makes it unknown.
    #[test]
    fn numbers_are_set_in_pages_of_one_array() {
        let rooms = Arc::<Rooms>::default();
        let mut own = Own::<Arrays>::new(Arc::default());
        // For each page its arrays, and whether they tell of all of it.
        let pages = [(0b1, true), (0b10, true), (0b11, true), (0b1, false), (0, true)];
        let base = 1 << 20;
        for (number, (arrays, _)) in (base..).zip(pages) {
            let page = own.page_mut(number, || true).unwrap().as_mut().unwrap();
            for (i, array) in page.iter_mut().enumerate() {
                *array = (arrays >> i & 1 != 0).then(|| rooms.take());
            }
        }
        let addresses: [u64; 32] = std::array::from_fn(|i| ((base + i as u64 % 6) << 12) + i as u64 * 4);
        let learn = |own: &mut Own<Arrays>| {
            for (number, (_, whole)) in (base..).zip(pages) {
                let parts = if whole { u32::MAX } else { 1 };
                // SAFETY: the rooms are the page's.
                own.held(number).unwrap().learn(|page| Some(unsafe { Places::new(parts, page.each_mut()) }));
                own.settle(number);
            }
        };
        assert!(own.sole((&addresses, 0), 0).is_none(), "nothing is known");
        learn(&mut own);
        assert!(own.sole((&addresses, 2), 0).is_none() && own.sole((&addresses, 5), 0).is_none());
        for round in 0..2 {
            for array in [0, 1] {
                let mut sole = own.sole((&addresses, array as u32), array).unwrap();
                for lane in 0..32 {
                    let is = sole.first(lane, 7 + array as u64);
                    let of = pages.get(lane as usize % 6).is_some_and(|&page| page == (1 << array, true));
                    assert_eq!(is, of.then_some(round == 0), "{round} {array} {lane}");
                }
            }
        }
        let numbers = own.page_mut(base, || false).unwrap().as_ref().unwrap()[0].as_ref().unwrap();
        assert!((0..32).all(|i| numbers[i] == if i % 6 == 0 { 7 } else { 0 }));
        assert!(own.sole((&addresses, 0), 0).is_none() && own.sole((&addresses, 1), 1).is_some());
        learn(&mut own);
        assert!(own.sole((&addresses, 0), 0).is_some());
        own.pages().for_each(|_| {});
        assert!(own.sole((&addresses, 0), 0).is_none() && own.sole((&addresses, 1), 1).is_none());
    }
}
