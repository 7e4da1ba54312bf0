//! The place of the numbers of each of a warp's lanes.

use super::huge_page_arena::{LEN, expect};
use super::page_arrays::Places;
use std::hint::assert_unchecked;
use std::marker::PhantomData;

/// A page, in a line of the processor's cache.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Held<T> {
    pub(super) number: u64,
    /// `None` once it was given up.
    pub(super) page: Option<Box<T>>,
    /// Unknown once the page may have changed.
    pub(crate) places: Places,
}

impl<T> Held<T> {
    /// Has `look` say what its places are, if it knows.
    #[cold]
    pub(crate) fn learn(&mut self, look: impl FnOnce(&mut T) -> Option<Places>) {
        if let Some(places) = self.page.as_deref_mut().and_then(look) {
            self.places = places;
        }
    }
}

/// The page of each lane, and which of the page's numbers it has: found in one go, with nothing in it that has to be waited for.
pub(crate) struct Spots<'a, T> {
    held: [*mut Held<T>; 32],
    /// Each less than [`LEN`].
    numbers: [u32; 32],
    pages: PhantomData<&'a mut Held<T>>,
}

impl<'a, T> Spots<'a, T> {
    /// Numbers of the arrays `fetched` are fetched, of pages whose places are known.
    ///
    /// # Safety
    ///
    /// Pages are held there at the places, for as long as the borrow and for this caller only.
    #[inline(always)]
    pub(super) unsafe fn new(
        addresses: &[u64; 32],
        (pages, places): (*mut Held<T>, &[u32; 32]),
        fetched: &[usize],
    ) -> Spots<'a, T> {
        // Many lanes at a time.
        let mut numbers = [0; 32];
        for (number, &address) in numbers.iter_mut().zip(addresses) {
            *number = (address >> 2) as u32 % LEN as u32;
        }
        let mut held = [pages; 32];
        for ((held, &place), &number) in held.iter_mut().zip(places).zip(&numbers) {
            // SAFETY: the caller says that there is one.
            *held = unsafe { pages.add(place as usize) };
            for &array in fetched {
                // SAFETY: as above, and no other worker holds it.
                let places = unsafe { &(**held).places };
                expect(places.wherever(array, number as usize));
            }
        }
        Spots { held, numbers, pages: PhantomData }
    }

    /// The arrays of a lane's page, and its number there.
    #[inline(always)]
    pub(crate) fn at(&mut self, lane: u32) -> (&mut Held<T>, usize) {
        let (held, number) = (self.held[lane as usize % 32], self.numbers[lane as usize % 32] as usize);
        // SAFETY: all are less.
        unsafe { assert_unchecked(number < LEN) };
        // SAFETY: it is held, by this worker only, and of these no other one is given out meanwhile.
        (unsafe { &mut *held }, number)
    }
}
