//! Pages of metadata that are used again.
//!
//! A launch touches as many pages as the one before it, and a block's shared memory is as large as
//! that of the block before. Giving such memory back to the system only to ask for it again
//! costs a page fault for every 4 KiB, and two workers of one process stand in each other's way
//! there. So pages come from large pieces of memory, in huge pages if the system has them, and
//! stay until the lens is dropped.

/// Pages of `T`, all of one length, named by their number.
pub struct Slab<T> {
    length: usize,
    /// The first has room for one page, each of the others for twice as many as the one before.
    pieces: Vec<Vec<T>>,
    /// Pages ever made.
    made: u32,
    free: Vec<u32>,
}

/// From this many bytes on a piece is worth huge pages.
const LARGE: usize = 4 << 20;

/// The piece that a page is in, and the page's place there.
fn place(page: u32) -> (usize, usize) {
    let nth = u64::from(page) + 1;
    let piece = nth.ilog2();
    (piece as usize, (nth - (1 << piece)) as usize)
}

impl<T> Slab<T> {
    pub fn new(length: usize) -> Self {
        Slab { length, pieces: Vec::new(), made: 0, free: Vec::new() }
    }

    /// A page filled with what `fill` makes.
    pub fn take(&mut self, mut fill: impl FnMut() -> T) -> u32 {
        if let Some(page) = self.free.pop() {
            self.page_mut(page).fill_with(fill);
            return page;
        }
        let page = self.made;
        let (piece, at) = place(page);
        if piece == self.pieces.len() {
            let mut memory = Vec::with_capacity(self.length << piece);
            advise(&mut memory);
            self.pieces.push(memory);
        }
        let memory = &mut self.pieces[piece];
        debug_assert_eq!(memory.len(), at * self.length);
        memory.extend(std::iter::repeat_with(&mut fill).take(self.length));
        self.made += 1;
        page
    }

    /// Frees a page.
    pub fn give_back(&mut self, page: u32) {
        self.free.push(page);
    }

    pub fn page(&self, page: u32) -> &[T] {
        let (piece, at) = place(page);
        &self.pieces[piece][at * self.length..][..self.length]
    }

    pub fn page_mut(&mut self, page: u32) -> &mut [T] {
        let (piece, at) = place(page);
        &mut self.pieces[piece][at * self.length..][..self.length]
    }
}

/// Asks for huge pages under a large piece.
fn advise<T>(memory: &mut Vec<T>) {
    let unused = memory.spare_capacity_mut();
    if size_of_val(unused) < LARGE {
        return;
    }
    let start = unused.as_mut_ptr().cast::<libc::c_void>();
    let first = start.align_offset(4096);
    if let Some(bytes) = size_of_val(unused).checked_sub(first) {
        // SAFETY: the range is inside the piece's own memory, from a page's start on, and the advice
        // changes no byte of it. A system that has no huge pages refuses, which loses nothing.
        unsafe { libc::madvise(start.byte_add(first), bytes, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_apart_and_keep_their_place() {
        let mut slab = Slab::new(3);
        let pages: Vec<u32> = (0..100u32).map(|n| slab.take(|| n)).collect();
        assert!((0..100).all(|n| slab.page(pages[n as usize]) == [n; 3]));
        slab.page_mut(pages[7]).fill(1000);
        assert_eq!((slab.page(pages[6])[2], slab.page(pages[8])[0]), (6, 8));
    }

    #[test]
    fn a_page_given_back_comes_back_fresh() {
        let mut slab = Slab::new(2);
        let page = slab.take(|| 1);
        slab.page_mut(page)[1] = 5;
        slab.give_back(page);
        assert_eq!(slab.take(|| 2), page);
        assert_eq!(slab.page(page), [2, 2]);
        assert_ne!(slab.take(|| 3), page);
    }

    #[test]
    fn large_pieces_hold_what_small_ones_do() {
        let mut slab = Slab::new(1 << 16);
        let pages: Vec<u32> = (0..40u64).map(|n| slab.take(|| n)).collect();
        assert!((0..40u64).all(|n| slab.page(pages[n as usize]).iter().all(|&x| x == n)));
    }
}
