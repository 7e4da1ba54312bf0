//! Memory for arrays of shadow state, in large pages.
//!
//! Accesses at unrelated addresses meet shadow that is spread over as much memory as they are. In pages of 4 KiB each of
//! them costs a fault the first time, and mostly a walk of page tables later. So arrays come from mappings that ask for
//! pages of 2 MiB, and go back to them: what one launch has used the next one gets.

use super::mutex::lock;
use std::alloc::{Layout, handle_alloc_error};
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut, Range};
use std::ptr::{self, NonNull};
use std::sync::{Arc, Mutex};

/// Numbers of an array.
pub(crate) const LEN: usize = 1024;
type Array = [u64; LEN];

/// Bytes of a mapping, and of a large page.
const LARGE: usize = 2 << 20;
/// Bytes of the first one, which is no large page: few arrays are to cost little. To clear a large page takes as long as sixty
/// faults or so, and a small one that is read before it is written has two, so all others are large ones.
const FIRST: usize = 128 << 10;
/// Mappings that are kept while none is used.
const KEPT: usize = 16;

/// The source of arrays.
#[derive(Debug, Default)]
pub(crate) struct Rooms {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    mappings: Vec<Mapping>,
    /// Arrays that were never given out, at the end of the last mapping.
    fresh: usize,
    /// Those that came back, which have zeros again.
    free: Vec<Place>,
    /// So many are out.
    out: usize,
}

/// An unused array.
#[derive(Debug)]
struct Place(NonNull<Array>);

// SAFETY: an array of numbers in a mapping; only the owner of the place uses it.
unsafe impl Send for Place {}

/// Memory of the kernel's own, for so many bytes from the first on.
#[derive(Debug)]
struct Mapping {
    first: NonNull<u8>,
    bytes: usize,
}

// SAFETY: plain memory, which no thread owns.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Zeros.
    fn new(bytes: usize) -> Mapping {
        let whole = bytes + LARGE;
        let (access, how) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, wherever the kernel puts it.
        let start = unsafe { libc::mmap(ptr::null_mut(), whole, access, how, -1, 0) };
        let Some(start) = NonNull::new(start.cast::<u8>()).filter(|_| start != libc::MAP_FAILED) else {
            handle_alloc_error(Layout::new::<Array>());
        };
        let before = start.as_ptr().addr().next_multiple_of(LARGE) - start.as_ptr().addr();
        // SAFETY: `before` is less than `LARGE`, so `bytes` from there on are in the mapping, and so is what is cut
        // off at both ends, which was not given out. Advice changes no content; where it is not taken, pages are
        // small.
        unsafe {
            let first = start.add(before);
            if before > 0 {
                libc::munmap(start.as_ptr().cast(), before);
            }
            libc::munmap(first.add(bytes).as_ptr().cast(), LARGE - before);
            if bytes >= LARGE {
                libc::madvise(first.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE);
            }
            Mapping { first, bytes }
        }
    }

    fn arrays(&self) -> usize {
        self.bytes / size_of::<Array>()
    }

    fn place(&self, index: usize) -> Place {
        debug_assert!(index < self.arrays());
        // SAFETY: within the mapping, which is aligned to more than an array.
        Place(unsafe { self.first.cast::<Array>().add(index) })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: `Mapping::new` made it, and no array of it is out: see `State::take_back` and `Room`.
        unsafe { libc::munmap(self.first.as_ptr().cast(), self.bytes) };
    }
}

impl State {
    /// A place, which has zeros.
    fn take(&mut self) -> Place {
        self.out += 1;
        if let Some(place) = self.free.pop() {
            return place;
        }
        if self.fresh == 0 {
            // A large page is cleared as a whole, so a small need gets little.
            let mapping = Mapping::new(if self.mappings.is_empty() { FIRST } else { LARGE });
            self.fresh = mapping.arrays();
            self.mappings.push(mapping);
        }
        let last = &self.mappings[self.mappings.len() - 1];
        let place = last.place(last.arrays() - self.fresh);
        self.fresh -= 1;
        place
    }

    fn take_back(&mut self, place: Place) {
        self.free.push(place);
        self.out -= 1;
        if self.out == 0 && self.mappings.len() > KEPT {
            self.free = Vec::new();
            self.mappings.truncate(KEPT);
            self.fresh = 0;
            let places = self.mappings.iter().flat_map(|m| (0..m.arrays()).map(|i| m.place(i)));
            self.free.extend(places);
        }
    }
}

impl Rooms {
    /// An array of zeros.
    pub(crate) fn take(self: &Arc<Self>) -> Room {
        let Place(array) = lock(&self.state).take();
        Room { array, rooms: Arc::clone(self) }
    }
}

/// An array, its owner's alone.
#[derive(Debug)]
pub(crate) struct Room {
    array: NonNull<Array>,
    /// Which keep the mapping.
    rooms: Arc<Rooms>,
}

// SAFETY: it owns numbers.
unsafe impl Send for Room {}
// SAFETY: shared references only read.
unsafe impl Sync for Room {}

impl Room {
    /// Gives it back, of which nothing but `used` may be other than zero: most arrays are used here and there, and to clear
    /// all of one takes longer than what was done with it.
    pub(crate) fn give_back(self, used: impl Iterator<Item = Range<usize>>) {
        let mut room = ManuallyDrop::new(self);
        for range in used {
            room[range].fill(0);
        }
        debug_assert!(room.iter().all(|&number| number == 0));
        // SAFETY: the room is not dropped, and is not seen again.
        let rooms = unsafe { ptr::read(&raw const room.rooms) };
        lock(&rooms.state).take_back(Place(room.array));
    }

    /// Returns its numbers, for work on several rooms at a time. They are there as long as the room is.
    #[inline(always)]
    pub(super) fn numbers(&mut self) -> *mut u64 {
        self.array.as_ptr().cast()
    }
}

/// Has the beginning of something fetched that will be looked at soon.
#[inline(always)]
pub(crate) fn expect<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: it is a hint, and reads nothing.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

impl Deref for Room {
    type Target = Array;

    #[inline(always)]
    fn deref(&self) -> &Array {
        // SAFETY: the place is this room's alone until it is dropped, and has numbers.
        unsafe { self.array.as_ref() }
    }
}

impl DerefMut for Room {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Array {
        // SAFETY: as above.
        unsafe { self.array.as_mut() }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.fill(0);
        lock(&self.rooms.state).take_back(Place(self.array));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_their_owners_alone_and_begin_as_zeros() {
        let rooms = Arc::<Rooms>::default();
        for turn in 0..3 {
            let mut out: Vec<Room> = (0..KEPT * 300).map(|_| rooms.take()).collect();
            assert!(out.iter().all(|room| room.iter().all(|&n| n == 0)));
            for (i, room) in out.iter_mut().enumerate() {
                room.fill(i as u64 + 1);
            }
            assert!(out.iter().enumerate().all(|(i, room)| room.iter().all(|&n| n == i as u64 + 1)));
            if turn == 0 {
                let mut room = rooms.take();
                room[40..50].fill(7);
                room.give_back([40..45, 45..50].into_iter());
            }
            if turn == 1 {
                out.truncate(10);
                let again = rooms.take();
                assert!(again.iter().all(|&n| n == 0));
            }
        }
        let state = lock(&rooms.state);
        assert_eq!((state.out, state.mappings.len()), (0, KEPT));
        let all: usize = state.mappings.iter().map(Mapping::arrays).sum();
        assert_eq!(state.free.len() + state.fresh, all);
    }
}
