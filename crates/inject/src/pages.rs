//! Pages of memory, asked for several at once: each one that is first touched by itself costs a fault.
//!
//! Errors do not matter: what is not mapped here is when it is used.

use std::ffi::c_void;

const PAGE: usize = 4096;

/// So many bytes are to be read soon.
pub(crate) fn read(start: usize, bytes: usize) {
    populate(start, bytes, libc::MADV_POPULATE_READ);
}

/// So many bytes are to be written soon.
pub(crate) fn write(start: usize, bytes: usize) {
    populate(start, bytes, libc::MADV_POPULATE_WRITE);
}

fn populate(start: usize, bytes: usize, how: i32) {
    let first = start & !(PAGE - 1);
    let end = (start + bytes).next_multiple_of(PAGE);
    // SAFETY: this advice changes no contents, and fails where nothing is mapped.
    unsafe { libc::madvise(first as *mut c_void, end - first, how) };
}
