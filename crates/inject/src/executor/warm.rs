//! Maps the engine's pages before a kernel faults on each of them.
//!
//! Code is mapped from its file sixteen pages at a time, each time by a fault, and fresh memory page by page.
//! In small launches these faults take more time than the kernel. Requesting all pages at once, while the
//! program is busy with something else, costs a small part of that.

use crate::pages;
use std::ffi::c_void;

/// Bytes of the stack that small launches use.
const STACK: usize = 32 << 10;
/// Bytes of the heap from its first unused part on, and the size of a block whose allocation splits that
/// part.
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
    // The thread's next allocations lie here.
    let block: Vec<u8> = Vec::with_capacity(BLOCK);
    pages::write(block.as_ptr() as usize, HEAP);
}

/// The segments of the object that contains an address: code and its tables, such as jump tables.
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
    // SAFETY: the loader's description has this many headers.
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
        // SAFETY: `object` matches the expected signature and uses `code` only during the call.
        unsafe { libc::dl_iterate_phdr(Some(object), (&raw mut code).cast()) };
        let inside = |&(start, bytes): &(u64, u64)| (start..start + bytes).contains(&code.inside);
        assert_eq!(code.ranges.iter().filter(|range| inside(range)).count(), 1, "{:x?}", code.ranges);
        warm();
    }
}
