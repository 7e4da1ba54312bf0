//! Where a page has its numbers, for who adds to many pages in one go.

use super::rooms::{LEN, Room};
use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Arrays that a page has at most.
const ARRAYS: usize = 5;

/// Lines of a page.
const LINES: usize = 32;
/// Numbers for a line of each array.
const LINE: usize = LEN / LINES;

/// Which numbers of a page are surely zero in all its arrays, by line, a bit each: where nobody has been there is nothing to
/// be looked at, and nothing to wait for.
///
/// Atomic only so that who has the page may change them while others look at what else it has.
#[derive(Debug)]
pub(crate) struct Untouched {
    numbers: [AtomicU32; LINES],
    /// The lines of which the arrays tell all.
    parts: AtomicU32,
}

static NOWHERE: Untouched = Untouched::none();

impl Default for Untouched {
    fn default() -> Self {
        Untouched::none()
    }
}

impl Untouched {
    const fn none() -> Untouched {
        Untouched { numbers: [const { AtomicU32::new(0) }; LINES], parts: AtomicU32::new(0) }
    }

    /// The arrays have a line from now on, and nothing in it.
    pub(crate) fn begin(&mut self, line: usize) {
        *self.numbers[line % LINES].get_mut() = u32::MAX;
    }

    /// They do not have it any more.
    pub(crate) fn leave(&mut self, line: usize) {
        *self.numbers[line % LINES].get_mut() = 0;
    }

    #[inline(always)]
    pub(crate) fn touch(&mut self, index: usize) {
        *self.numbers[index / LINE % LINES].get_mut() &= !(1 << (index % LINE));
    }

    pub(crate) fn touch_all(&mut self, range: &Range<usize>) {
        for line in range.start / LINE..range.end.div_ceil(LINE) {
            let (from, to) = (range.start.max(line * LINE), range.end.min((line + 1) * LINE));
            let bits = u32::MAX.checked_shr((LINE - (to - from)) as u32).unwrap_or(0) << (from % LINE);
            *self.numbers[line % LINES].get_mut() &= !bits;
        }
    }
}

/// The arrays of a page, for as long as nobody else is at the page: [`Own`](super::Own) keeps it so.
#[derive(Debug)]
pub(crate) struct Places {
    /// [`NOWHERE`] if the arrays are not known.
    untouched: *const Untouched,
    arrays: [*mut u64; ARRAYS],
}

// SAFETY: who has the pages has the arrays.
unsafe impl Send for Places {}

/// In the place of an array that is not there; it is only read.
static ZEROS: [u64; LEN] = [0; LEN];

impl Places {
    pub(super) const UNKNOWN: Places = Places { untouched: nowhere(), arrays: [zeros(); ARRAYS] };

    /// `parts` are the lines of which the rooms tell all.
    ///
    /// # Safety
    ///
    /// The rooms are the page's, as is what tells where nobody has been, which loses none of them unless somebody is at it.
    pub(crate) unsafe fn new(
        (parts, untouched): (u32, &mut Untouched),
        rooms: [&mut Option<Room>; ARRAYS],
    ) -> Places {
        *untouched.parts.get_mut() = parts;
        let numbers = |room: &mut Option<Room>| room.as_mut().map_or(zeros(), Room::numbers);
        Places { untouched, arrays: rooms.map(numbers) }
    }

    /// From now on the arrays are not known.
    #[inline(always)]
    pub(super) fn forget(&mut self) {
        self.untouched = nowhere();
    }

    #[cfg(test)]
    fn is_known(&self) -> bool {
        self.untouched != nowhere()
    }

    #[inline(always)]
    fn untouched(&self) -> &Untouched {
        // SAFETY: it is the page's, at which nobody else is, or that of nothing.
        unsafe { &*self.untouched }
    }

    /// Do the arrays tell all of the line of a number?
    #[inline(always)]
    pub(crate) fn tells(&self, index: usize) -> bool {
        self.untouched().parts.load(Relaxed) >> (index / LINE % LINES) & 1 != 0
    }

    /// Sets a number of one array if all arrays have zero there. False if they may have something, or there is no such array; then
    /// nothing has happened.
    #[inline(always)]
    pub(crate) fn first(&mut self, array: usize, index: usize, number: u64) -> bool {
        self.firsts(array).set(index, number)
    }

    /// The same of one array, for several numbers.
    #[inline(always)]
    pub(crate) fn firsts(&self, array: usize) -> Firsts<'_> {
        Firsts { array: self.arrays[array % ARRAYS], untouched: self.untouched() }
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

    /// Where a number is, or would be.
    #[inline(always)]
    pub(super) fn wherever(&self, array: usize, index: usize) -> *const u64 {
        self.arrays[array % ARRAYS].wrapping_add(index % LEN)
    }
}

/// One array of a page, for numbers where nobody has been.
#[derive(Clone, Copy)]
pub(crate) struct Firsts<'a> {
    untouched: &'a Untouched,
    array: *mut u64,
}

impl Firsts<'_> {
    /// See [`Places::first`].
    #[inline(always)]
    pub(crate) fn set(self, index: usize, number: u64) -> bool {
        let (line, bit) = (&self.untouched.numbers[index / LINE % LINES], 1 << (index % LINE));
        let untouched = line.load(Relaxed);
        if untouched & bit == 0 || self.array == zeros() {
            return false;
        }
        line.store(untouched & !bit, Relaxed);
        // SAFETY: there are so many numbers, in an array of a page that nobody else is at.
        unsafe { *self.array.add(index % LEN) = number };
        true
    }
}

const fn zeros() -> *mut u64 {
    (&raw const ZEROS).cast_mut().cast()
}

const fn nowhere() -> *const Untouched {
    &raw const NOWHERE
}

#[cfg(test)]
mod tests {
    use super::super::rooms::Rooms;
    use super::*;
    use std::sync::Arc;

    /// Numbers go where nobody has been, once, and nowhere else: not to lines that the arrays do not have, nor to an array that is not
    /// there, nor while the page is not known.
    #[test]
    fn numbers_go_where_nobody_has_been() {
        let rooms = Arc::<Rooms>::default();
        let (mut one, mut two) = (Some(rooms.take()), Some(rooms.take()));
        let [mut three, mut four, mut five] = [const { None }; 3];
        let mut untouched = Untouched::default();
        untouched.begin(1);
        untouched.begin(3);
        untouched.touch(40);
        untouched.touch_all(&(100..130));
        untouched.leave(3);
        untouched.begin(31);
        let all = [&mut one, &mut two, &mut three, &mut four, &mut five];
        // SAFETY: nobody else has them, and they are there as long as the places.
        let mut places = unsafe { Places::new((1 << 1 | 1 << 31, &mut untouched), all) };
        assert!(places.is_known());
        for (index, free) in
            [(31, false), (32, true), (40, false), (63, true), (64, false), (127, false), (1023, true)]
        {
            assert_eq!(places.tells(index), index / LINE == 1 || index / LINE == 31, "{index}");
            assert!(!places.first(2, index, 7), "there is no such array");
            assert_eq!(places.first(1, index, 7), free, "{index}");
            assert!(!places.first(0, index, 8), "{index}");
            assert_eq!(
                (places.get::<0>(index), places.get::<1>(index)),
                (0, if free { 7 } else { 0 }),
                "{index}"
            );
        }
        places.forget();
        assert!(!places.is_known() && !places.tells(33) && !places.first(1, 33, 7));
    }

    #[test]
    fn what_is_touched_is_told_by_its_range() {
        for (from, to) in [(0, 1), (5, 32), (31, 33), (0, 1024), (64, 96), (70, 70), (1000, 1024)] {
            let mut untouched = Untouched::default();
            (0..LINES).for_each(|line| untouched.begin(line));
            untouched.touch_all(&(from..to));
            for index in 0..LEN {
                let free = untouched.numbers[index / LINE].load(Relaxed) >> (index % LINE) & 1 != 0;
                assert_eq!(free, !(from..to).contains(&index), "{from} {to} {index}");
            }
        }
    }
}
