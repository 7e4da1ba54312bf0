//! The address range that the heap allocates from: large pages, except for a small-page prefix.
//!
//! mimalloc requests 2 MiB pages for all of its memory, which suits the clocks and shadow memory of large
//! runs. Clearing one such page takes 0.15 ms or more, as long as a whole run of a small kernel, and such a
//! run touches several of them: mimalloc's own tables and the separate regions for small, medium and large
//! blocks. The first part of the range, which is allocated from first, therefore uses small pages.

use libmimalloc_sys as mi;
use std::ptr;

/// Bytes of address space in the range. Beyond it mimalloc requests memory from the system itself.
const BYTES: usize = 1 << 30;

/// Bytes of the small-page prefix. mimalloc's tables take two million of them, and the blocks of a run of one
/// small kernel, spread over regions for each size and thread, lie in the next ten million. With small pages
/// for the whole range, large kernels take up to a tenth longer.
const SMALL: usize = 16 << 20;

/// Gives mimalloc its memory before the first allocation: mimalloc uses such memory before it requests any.
/// If the mapping fails, mimalloc requests its own memory, in large pages.
pub extern "C" fn reserve() {
    // SAFETY: it has no preconditions.
    let chunk = unsafe { mi::mi_arena_min_size() };
    let (access, how) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE);
    // SAFETY: without `MAP_FIXED`, the mapping overlaps no other one, wherever the kernel places it.
    let start = unsafe { libc::mmap(ptr::null_mut(), BYTES + chunk, access, how, -1, 0) };
    if start == libc::MAP_FAILED {
        return;
    }
    let first = start.map_addr(|at| at.next_multiple_of(chunk));
    // SAFETY: `first` is less than a chunk behind the start, so the `BYTES` from there on lie in the new
    // mapping, are zero, and have no other owner. Advice changes no content; if the system ignores it, it
    // chooses the page size itself.
    unsafe {
        libc::madvise(first, BYTES, libc::MADV_HUGEPAGE);
        libc::madvise(first, SMALL, libc::MADV_NOHUGEPAGE);
        mi::mi_manage_os_memory_ex(first, BYTES, true, false, true, -1, false, ptr::null_mut());
    }
}
