//! Pages that the engine needs, before a kernel waits for each of them.
//!
//! Code is mapped from its file by sixteen pages at a time, each time by a fault, and so is fresh memory page by page. In small
//! launches these faults take more time than the kernel; asked for at once, and while the program is busy with something else,
//! pages cost a small part of that.

use crate::pages;
use std::ffi::c_void;

/// Bytes of the stack that small launches use.
const STACK: usize = 32 << 10;
/// Bytes of the heap, from the first part of it on that has no blocks yet, and bytes of a block that has it divided.
const HEAP: usize = 2 << 20;
const BLOCK: usize = 6 << 10;

/// Maps this library's code and tables, and the first pages of the thread's own heap and stack.
pub(super) fn warm() {
    let mut code = Code { inside: warm as *const () as u64, ranges: Vec::new() };
    // SAFETY: `object` matches the expected signature and uses `code` only during the call.
    unsafe { libc::dl_iterate_phdr(Some(object), (&raw mut code).cast()) };
    for (start, bytes) in code.ranges {
        pages::read(start as usize, bytes as usize);
    }
    let here = 0u8;
    // The stack grows downwards, and is much larger.
    pages::write((&raw const here as usize).saturating_sub(STACK), STACK);
    // What the thread allocates next is there.
    let block: Vec<u8> = Vec::with_capacity(BLOCK);
    pages::write(block.as_ptr() as usize, HEAP);
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
