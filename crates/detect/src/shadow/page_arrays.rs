//! The arrays of pages, for work that adds to many pages in one go.

use super::huge_page_arena::{LEN, Room};
use std::marker::PhantomData;

/// Arrays that a page has at most.
const ARRAYS: usize = 5;
/// In the place of one of them: none, or several.
const NONE: u8 = u8::MAX;

/// Lines of a page.
const LINES: usize = 32;
/// Numbers for a line of each array.
const LINE: usize = LEN / LINES;

/// The arrays of a page, for as long as no other worker is at the page: [`Own`](super::Own) keeps it so.
#[derive(Debug)]
pub(crate) struct Places {
    /// The lines of which the arrays tell all, a bit each. None if the arrays are not known.
    parts: u32,
    /// The only array that is there.
    sole: u8,
    arrays: [*mut u64; ARRAYS],
}

// SAFETY: the owner of the pages owns the arrays.
unsafe impl Send for Places {}

/// In the place of an array that is not there; it is only read.
static ZEROS: [u64; LEN] = [0; LEN];

impl Places {
    pub(super) const UNKNOWN: Places = Places { parts: 0, sole: NONE, arrays: [zeros(); ARRAYS] };

    /// `parts` are the lines of which the rooms tell all.
    ///
    /// # Safety
    ///
    /// The rooms are the page's, which loses none of them unless a worker changes it.
    pub(crate) unsafe fn new(parts: u32, rooms: [&mut Option<Room>; ARRAYS]) -> Places {
        let arrays = rooms.map(|room| room.as_mut().map_or(zeros(), Room::numbers));
        let mut there = (0..).zip(&arrays).filter(|(_, array)| **array != zeros());
        let sole = match (there.next(), there.next()) {
            (Some((sole, _)), None) => sole,
            _ => NONE,
        };
        Places { parts, sole, arrays }
    }

    /// From now on the arrays are not known.
    #[inline(always)]
    pub(super) fn forget(&mut self) {
        self.parts = 0;
    }

    #[inline(always)]
    pub(super) fn is_known(&self) -> bool {
        self.parts != 0
    }

    /// The only array and its numbers, if there is one that tells of the whole page.
    pub(super) fn sole(&self) -> Option<(usize, *mut u64)> {
        let sole = usize::from(self.sole);
        let numbers = self.arrays.get(sole)?;
        (self.parts == u32::MAX).then_some((sole, *numbers))
    }

    /// Returns whether the arrays tell all of the line of a number.
    #[inline(always)]
    pub(crate) fn tells(&self, index: usize) -> bool {
        self.parts >> (index / LINE % LINES) & 1 != 0
    }

    /// Sets a number of the only array of the page, if it is zero. False if it is not, or there are others, or it is not told; then
    /// nothing has happened.
    #[inline(always)]
    pub(crate) fn first(&mut self, array: usize, index: usize, number: u64) -> bool {
        self.firsts(array).set(index, number)
    }

    /// The same for several numbers.
    #[inline(always)]
    pub(crate) fn firsts(&self, array: usize) -> Firsts<'_> {
        let parts = if usize::from(self.sole) == array { self.parts } else { 0 };
        Firsts { parts, array: self.arrays[array % ARRAYS], places: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn has<const ARRAY: usize>(&self) -> bool {
        self.arrays[ARRAY] != zeros()
    }

    /// A number, 0 if the array is not there.
    #[inline(always)]
    pub(crate) fn get<const ARRAY: usize>(&self, index: usize) -> u64 {
        // Zeros are not read: they would take room in the processor's cache. SAFETY: there are so many numbers, in an
        // array of a page that no other worker is at.
        if self.has::<ARRAY>() { unsafe { *self.arrays[ARRAY].add(index % LEN) } } else { 0 }
    }

    /// Sets a number of an array that is there.
    #[inline(always)]
    pub(crate) fn set<const ARRAY: usize>(&mut self, index: usize, number: u64) {
        debug_assert!(self.has::<ARRAY>());
        if self.has::<ARRAY>() {
            // SAFETY: as above, and it is not that of zeros.
            unsafe { *self.arrays[ARRAY].add(index % LEN) = number };
        }
    }

    /// Returns the place of a number, whether or not there is one.
    #[inline(always)]
    pub(super) fn wherever(&self, array: usize, index: usize) -> *const u64 {
        self.arrays[array % ARRAYS].wrapping_add(index % LEN)
    }
}

/// The only array of a page, for words without history.
#[derive(Clone, Copy)]
pub(crate) struct Firsts<'a> {
    /// None if it is not the only one.
    parts: u32,
    array: *mut u64,
    places: PhantomData<&'a Places>,
}

impl Firsts<'_> {
    /// See [`Places::first`].
    #[inline(always)]
    pub(crate) fn set(self, index: usize, number: u64) -> bool {
        if self.parts >> (index / LINE % LINES) & 1 == 0 {
            return false;
        }
        // SAFETY: there are so many numbers, in an array that is there, of a page that no other worker is at.
        let place = unsafe { &mut *self.array.add(index % LEN) };
        let free = *place == 0;
        if free {
            *place = number;
        }
        free
    }
}

const fn zeros() -> *mut u64 {
    (&raw const ZEROS).cast_mut().cast()
}

#[cfg(test)]
mod tests {
    use super::super::huge_page_arena::Rooms;
    use super::*;
    use std::sync::Arc;

    /// Numbers go to words without history, once, and nowhere else: not to lines that the arrays do not have, nor
    /// to an array that is not there or not alone, nor while the page is not known.
    #[test]
    fn numbers_go_where_nobody_has_been() {
        let rooms = Arc::<Rooms>::default();
        for several in [false, true] {
            let (mut one, mut two) = (several.then(|| rooms.take()), Some(rooms.take()));
            let [mut three, mut four, mut five] = [const { None }; 3];
            two.as_mut().unwrap()[40] = 9;
            let all = [&mut one, &mut two, &mut three, &mut four, &mut five];
            // SAFETY: no other worker has them, and they are there as long as the places.
            let mut places = unsafe { Places::new(1 << 1 | 1 << 31, all) };
            for (index, free) in
                [(31, false), (32, true), (40, false), (63, true), (64, false), (127, false), (1023, true)]
            {
                let free = free && !several;
                assert_eq!(places.tells(index), index / LINE == 1 || index / LINE == 31, "{index}");
                assert!(!places.first(2, index, 7), "there is no such array");
                assert_eq!(places.first(1, index, 7), free, "{index}");
                assert!(!places.first(0, index, 8), "{index}");
                let number = if index == 40 { 9 } else { u64::from(free) * 7 };
                assert_eq!((places.get::<0>(index), places.get::<1>(index)), (0, number), "{index}");
            }
            places.forget();
            assert!(!places.tells(33) && !places.first(1, 33, 7));
        }
    }
}
