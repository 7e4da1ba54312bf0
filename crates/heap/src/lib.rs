//! The allocator of the command line and of the library in the user's process: mimalloc.
//!
//! Clocks, shadow and events are very many small parts, made by one thread and often given up by another. Most have the
//! alignment of a word or two, which mimalloc gives to whatever it allocates. Asked for it all the same, it looks for a
//! free block that happens to be aligned, and takes a larger one where the size is no power of two and none is at hand:
//! half of all parts of a kernel of locks or flags. So it is asked for an alignment only where that is a wider one.

mod arena;

#[doc(hidden)]
pub use arena::reserve;

use libmimalloc_sys as mi;
use std::alloc::{GlobalAlloc, Layout};

/// The allocator; [`install`] makes it that of all.
pub struct Heap;

/// Makes [`Heap`] the allocator of a program or a library of C's, and gives it its memory as soon as that is loaded. Only what is in
/// such a crate itself is sure to be linked, and so to be called then.
#[macro_export]
macro_rules! install {
    () => {
        #[global_allocator]
        static ALLOCATOR: $crate::Heap = $crate::Heap;

        #[used]
        #[unsafe(link_section = ".init_array.00001")]
        static RESERVE: extern "C" fn() = $crate::reserve;
    };
}

/// Bytes that any block is aligned to that has so many.
const ALIGNED: usize = 16;

/// Is any block of the size aligned so?
#[inline]
fn is_natural(size: usize, align: usize) -> bool {
    align <= ALIGNED && align <= size
}

// SAFETY: blocks are mimalloc's, of the size asked for, and nobody else's until they are given back. They are aligned as asked:
// either mimalloc is told so, or any block of the size is, which is what C says of `malloc`, where no type is aligned to
// more than sixteen bytes.
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        // SAFETY: it has no preconditions; alignments are powers of two.
        unsafe {
            if is_natural(size, align) { mi::mi_malloc(size) } else { mi::mi_malloc_aligned(size, align) }
        }
        .cast()
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        // SAFETY: as above.
        unsafe {
            if is_natural(size, align) { mi::mi_zalloc(size) } else { mi::mi_zalloc_aligned(size, align) }
        }
        .cast()
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: the caller says that it is one of the above, and that nobody uses it any more.
        unsafe { mi::mi_free(block.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let align = layout.align();
        // SAFETY: the caller says that it is one of the above, and that the size is not 0.
        unsafe {
            if is_natural(size, align) {
                mi::mi_realloc(block.cast(), size)
            } else {
                mi::mi_realloc_aligned(block.cast(), size, align)
            }
        }
        .cast()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of every size up to some pages, and several of each, so that blocks come from the middle of what is divided into them.
    #[test]
    fn blocks_are_aligned_as_asked_and_keep_what_they_have() {
        let sizes = || (1..600).chain((600..20_000).step_by(97)).chain([1 << 16, (1 << 16) + 24, 1 << 22]);
        for align in [1, 2, 4, 8, 16, 32, 64, 4096] {
            let mut blocks = Vec::new();
            for size in sizes() {
                let layout = Layout::from_size_align(size, align).unwrap();
                for zeroed in [false, true, true] {
                    // SAFETY: the size is not 0.
                    let block =
                        unsafe { if zeroed { Heap.alloc_zeroed(layout) } else { Heap.alloc(layout) } };
                    assert!(!block.is_null() && block.addr() % align == 0, "{layout:?}");
                    // SAFETY: the block has so many bytes, which are written before they are read.
                    unsafe {
                        if zeroed {
                            assert!(
                                std::slice::from_raw_parts(block, size).iter().all(|&b| b == 0),
                                "{layout:?}"
                            );
                        }
                        block.write_bytes(size as u8, size);
                    }
                    blocks.push((block, layout));
                }
            }
            for (i, (block, layout)) in blocks.into_iter().enumerate() {
                let size = [1, layout.size() / 2 + 1, layout.size() + 9, layout.size() * 3][i % 4];
                // SAFETY: it is the heap's, of that layout; afterwards it has the new size.
                unsafe {
                    let block = Heap.realloc(block, layout, size);
                    assert!(!block.is_null() && block.addr() % align == 0, "{layout:?} -> {size}");
                    let kept = std::slice::from_raw_parts(block, size.min(layout.size()));
                    assert!(kept.iter().all(|&b| b == layout.size() as u8), "{layout:?} -> {size}");
                    Heap.dealloc(block, Layout::from_size_align(size, align).unwrap());
                }
            }
        }
    }
}
