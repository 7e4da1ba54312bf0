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
mod tests;
