//! The memory that the heap divides: large pages, but for what small runs use.
//!
//! mimalloc asks for pages of 2 MiB for all that it has. For the clocks and the shadow of large runs that is right. But to clear such
//! a page takes 0.15 ms and more, and a run of a small kernel, which takes as long, touches some: mimalloc's own tables, and
//! blocks of a few bytes, of a few thousand, and larger ones, each in a part of its own. So what is given first is in small pages.

use libmimalloc_sys as mi;
use std::ptr;

/// Bytes of address space. For more, mimalloc asks the system itself.
const BYTES: usize = 1 << 30;

/// Bytes in small pages. Tables take two million of them, and a run of one small kernel has its blocks in the next ten, spread over
/// parts for each size and thread. With all in small pages, large kernels take up to a tenth longer.
const SMALL: usize = 16 << 20;

/// Gives mimalloc its memory, before anything is allocated: it takes what it has been given before it asks for more. Where there is
/// none to be had, it asks for its own, in large pages.
pub extern "C" fn reserve() {
    // SAFETY: it has no preconditions.
    let chunk = unsafe { mi::mi_arena_min_size() };
    let (access, how) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE);
    // SAFETY: a mapping of nobody's memory, wherever the kernel puts it.
    let start = unsafe { libc::mmap(ptr::null_mut(), BYTES + chunk, access, how, -1, 0) };
    if start == libc::MAP_FAILED {
        return;
    }
    let first = start.map_addr(|at| at.next_multiple_of(chunk));
    // SAFETY: `first` is less than a chunk behind the start, so `BYTES` from there on are in the mapping, zeros, and nobody
    // else's. Advice changes no content; where it is not taken, the system chooses the pages.
    unsafe {
        libc::madvise(first, BYTES, libc::MADV_HUGEPAGE);
        libc::madvise(first, SMALL, libc::MADV_NOHUGEPAGE);
        mi::mi_manage_os_memory_ex(first, BYTES, true, false, true, -1, false, ptr::null_mut());
    }
}
