//! Pages that the engine needs, before a kernel waits for each of them.
//!
//! Code is mapped from its file by sixteen pages at a time, each time by a fault, and so is fresh memory page by page. In small
//! launches these faults take more time than the kernel; asked for at once, and while the program is busy with something else,
//! pages cost a small part of that.

use std::ffi::c_void;

const PAGE: usize = 4096;

/// Bytes of the heap and of the stack that small launches use.
const HEAP: usize = 96 << 10;
const STACK: usize = 32 << 10;

/// Maps this library's code and tables, and the first pages of the thread's own heap and stack. Errors do not matter: what is not there
/// is mapped when it is used.
pub(super) fn warm() {
    let mut code = Code { inside: warm as *const () as u64, ranges: Vec::new() };
    // SAFETY: `object` matches the expected signature and uses `code` only during the call.
    unsafe { libc::dl_iterate_phdr(Some(object), (&raw mut code).cast()) };
    for (start, bytes) in code.ranges {
        populate(start as usize, bytes as usize, libc::MADV_POPULATE_READ);
    }
    let here = 0u8;
    // The stack grows downwards, and is much larger.
    populate((&raw const here as usize).saturating_sub(STACK), STACK, libc::MADV_POPULATE_WRITE);
    // Freed again, these pages are what the thread allocates from next.
    let heap: Vec<u8> = Vec::with_capacity(HEAP);
    populate(heap.as_ptr() as usize, HEAP, libc::MADV_POPULATE_WRITE);
}

fn populate(start: usize, bytes: usize, how: i32) {
    let first = start & !(PAGE - 1);
    let end = (start + bytes).next_multiple_of(PAGE);
    // SAFETY: this advice changes no contents, and fails where nothing is mapped.
    unsafe { libc::madvise(first as *mut c_void, end - first, how) };
}

/// The segments of the object that an address is in: code, and what it looks up, such as where a `match` goes on.
struct Code {
    inside: u64,
    ranges: Vec<(u64, u64)>,
}

unsafe extern "C" fn object(
    info: *mut libc::dl_phdr_info,
    _: libc::size_t,
    code: *mut c_void,
) -> libc::c_int {
    // SAFETY: `code` is the caller's, and the loader passes a valid description.
    let (code, info) = unsafe { (&mut *code.cast::<Code>(), &*info) };
    // SAFETY: so many headers are there.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let loads = headers.iter().filter(|h| h.p_type == libc::PT_LOAD);
    let ranges: Vec<(u64, u64)> = loads.map(|h| (info.dlpi_addr + h.p_vaddr, h.p_memsz)).collect();
    if ranges.iter().any(|&(start, bytes)| code.inside.wrapping_sub(start) < bytes) {
        code.ranges = ranges;
        return 1;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_that_is_mapped_is_this_one() {
        let mut code = Code { inside: warm as *const () as u64, ranges: Vec::new() };
        // SAFETY: as in `warm`.
        unsafe { libc::dl_iterate_phdr(Some(object), (&raw mut code).cast()) };
        let inside = |&(start, bytes): &(u64, u64)| (start..start + bytes).contains(&code.inside);
        assert_eq!(code.ranges.iter().filter(|range| inside(range)).count(), 1, "{:x?}", code.ranges);
        warm();
    }
}
