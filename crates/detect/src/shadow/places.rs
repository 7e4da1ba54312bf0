//! Where a page has its numbers, for who adds to many pages in one go.

use super::rooms::{LEN, Room, expect};

/// Arrays that a page has at most.
const ARRAYS: usize = 5;

/// The arrays of a page, for as long as nobody else is at the page: [`Own`](super::Own) keeps it so.
#[derive(Debug)]
pub(crate) struct Places {
    /// Parts of the page of which the arrays tell all, a bit each. None if the arrays are not known.
    pub(crate) parts: u32,
    arrays: [*mut u64; ARRAYS],
}

// SAFETY: who has the pages has the arrays.
unsafe impl Send for Places {}

/// In the place of an array that is not there; it is only read.
static ZEROS: [u64; LEN] = [0; LEN];

impl Places {
    pub(super) const UNKNOWN: Places = Places { parts: 0, arrays: [zeros(); ARRAYS] };

    /// # Safety
    ///
    /// The rooms are the page's, which loses none of them unless somebody is at it.
    pub(crate) unsafe fn new(parts: u32, rooms: [&mut Option<Room>; ARRAYS]) -> Places {
        let numbers = |room: &mut Option<Room>| room.as_mut().map_or(zeros(), Room::numbers);
        Places { parts, arrays: rooms.map(numbers) }
    }

    #[inline(always)]
    pub(crate) fn has<const ARRAY: usize>(&self) -> bool {
        self.arrays[ARRAY] != zeros()
    }

    /// A number, 0 if the array is not there.
    #[inline(always)]
    pub(crate) fn get<const ARRAY: usize>(&self, index: usize) -> u64 {
        // SAFETY: there are so many numbers, in an array of a page that nobody else is at, or in that of zeros.
        unsafe { *self.arrays[ARRAY].add(index % LEN) }
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

    /// Has a number fetched that will be looked at soon.
    #[inline(always)]
    pub(crate) fn expect(&self, array: usize, index: usize) {
        expect(self.arrays[array].wrapping_add(index % LEN));
    }
}

const fn zeros() -> *mut u64 {
    (&raw const ZEROS).cast_mut().cast()
}
