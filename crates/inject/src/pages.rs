//! Maps several pages of memory at once, since each page that is touched separately costs a fault.
//!
//! Errors are ignored: a page that is not mapped here is mapped on use.

use std::ffi::c_void;

const PAGE: usize = 4096;

/// Maps bytes that will be read soon.
pub(crate) fn read(start: usize, bytes: usize) {
    populate(start, bytes, libc::MADV_POPULATE_READ);
}

/// Maps bytes that will be written soon.
pub(crate) fn write(start: usize, bytes: usize) {
    populate(start, bytes, libc::MADV_POPULATE_WRITE);
}

fn populate(start: usize, bytes: usize, how: i32) {
    let first = start & !(PAGE - 1);
    let end = (start + bytes).next_multiple_of(PAGE);
    // SAFETY: this advice changes no contents, and fails if nothing is mapped.
    unsafe { libc::madvise(first as *mut c_void, end - first, how) };
}
