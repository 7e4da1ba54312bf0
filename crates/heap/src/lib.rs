//! The allocator of the command line and of the library in the user's process: mimalloc.
//!
//! Clocks, shadow memory and events consist of very many small blocks, often allocated by one thread and
//! freed by another. Most need an alignment of one or two words, which every mimalloc allocation has. An
//! explicit request for that alignment makes mimalloc search for a free block that happens to be aligned, and
//! take a larger one if the size is not a power of two and none is at hand; half of all allocations of a
//! kernel with locks or flags do that. [`Heap`] therefore requests an alignment explicitly only where it
//! exceeds the natural one.

mod arena;

#[doc(hidden)]
pub use arena::reserve;

use libmimalloc_sys as mi;
use std::alloc::{GlobalAlloc, Layout};

/// The global allocator that [`install`] installs.
pub struct Heap;

/// Makes [`Heap`] the global allocator of a program or C library, and reserves its memory when the image is
/// loaded. The macro is expanded in the final crate itself, because the linker may drop the initialiser from
/// any other.
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

/// The alignment of every block of at least that many bytes.
const ALIGNED: usize = 16;

/// Returns whether every block of `size` bytes has the alignment `align`.
#[inline]
fn is_natural(size: usize, align: usize) -> bool {
    align <= ALIGNED && align <= size
}

// SAFETY: blocks come from mimalloc, have the requested size, and belong to the caller until it frees them.
// They have the requested alignment: either mimalloc receives it as an argument, or every block of the size
// has it, by C's guarantee for `malloc`, where no type has an alignment above sixteen bytes.
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
        // SAFETY: it has no preconditions; alignments are powers of two.
        unsafe {
            if is_natural(size, align) { mi::mi_zalloc(size) } else { mi::mi_zalloc_aligned(size, align) }
        }
        .cast()
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: by the caller's contract, the block comes from one of these functions and has no further
        // users.
        unsafe { mi::mi_free(block.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let align = layout.align();
        // SAFETY: by the caller's contract, the block comes from one of these functions, and the size is not
        // 0.
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

    /// Allocates several blocks of every size up to some pages, so that blocks come from the middle of
    /// mimalloc's regions.
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
                    // SAFETY: the block has `size` bytes, which are written before they are read.
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
                // SAFETY: the block comes from `Heap` with that layout; after `realloc` it has the new size.
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
