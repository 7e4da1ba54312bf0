//! The calls of NVTX that are served, and the tables in which the program's header looks for them (`nvtxDetail/nvtxTypes.h`).
//!
//! Calls that are not served, such as marks and names of threads, do nothing: the header leaves them out.

use super::message::{self, Attributes};
use super::{Domain, end, numbered, pop, process, push, start};
use std::ffi::{c_char, c_int, c_uint, c_void};

/// The header's function that returns a table of it.
pub type GetExportTable = unsafe extern "C" fn(c_uint) -> *const c_void;

/// A place of the header that holds a function, which it has initialised.
type Slot = *mut *const c_void;

/// `NvtxExportTableCallbacks`.
#[repr(C)]
struct Callbacks {
    bytes: usize,
    module_table: Option<unsafe extern "C" fn(c_int, *mut *mut Slot, *mut c_uint) -> c_int>,
}

/// `NVTX_ETID_CALLBACKS`.
const CALLBACKS: c_uint = 1;
/// `NVTX_CB_MODULE_CORE` and `NVTX_CB_MODULE_CORE2`.
const CORE: c_int = 1;
const CORE2: c_int = 5;

/// Handles that programs take for pointers.
type Handle = *mut c_void;

fn handle(number: usize) -> Handle {
    std::ptr::without_provenance_mut(number)
}

fn domain(handle: Handle) -> Domain {
    handle.addr()
}

/// A level as the program receives it; `NVTX_NO_PUSH_POP_TRACKING` if there is none.
fn level(level: Option<usize>) -> c_int {
    level.map_or(-2, |level| c_int::try_from(level).unwrap_or(c_int::MAX))
}

unsafe extern "C" fn range_push_a(name: *const c_char) -> c_int {
    // SAFETY: NVTX's contract.
    level(Some(push(0, unsafe { message::ascii(name) })))
}

unsafe extern "C" fn range_push_w(name: *const u32) -> c_int {
    // SAFETY: NVTX's contract.
    level(Some(push(0, unsafe { message::wide(name) })))
}

unsafe extern "C" fn range_push_ex(attributes: *const Attributes) -> c_int {
    // SAFETY: NVTX's contract.
    level(Some(push(0, unsafe { message::of(attributes) })))
}

unsafe extern "C" fn range_pop() -> c_int {
    level(pop(0))
}

unsafe extern "C" fn range_start_a(name: *const c_char) -> u64 {
    // SAFETY: NVTX's contract.
    start(0, unsafe { message::ascii(name) })
}

unsafe extern "C" fn range_start_w(name: *const u32) -> u64 {
    // SAFETY: NVTX's contract.
    start(0, unsafe { message::wide(name) })
}

unsafe extern "C" fn range_start_ex(attributes: *const Attributes) -> u64 {
    // SAFETY: NVTX's contract.
    start(0, unsafe { message::of(attributes) })
}

unsafe extern "C" fn range_end(id: u64) {
    end(id);
}

unsafe extern "C" fn domain_range_push_ex(of: Handle, attributes: *const Attributes) -> c_int {
    // SAFETY: NVTX's contract.
    level(Some(push(domain(of), unsafe { message::of(attributes) })))
}

unsafe extern "C" fn domain_range_pop(of: Handle) -> c_int {
    level(pop(domain(of)))
}

unsafe extern "C" fn domain_range_start_ex(of: Handle, attributes: *const Attributes) -> u64 {
    // SAFETY: NVTX's contract.
    start(domain(of), unsafe { message::of(attributes) })
}

unsafe extern "C" fn domain_range_end(_: Handle, id: u64) {
    end(id);
}

unsafe extern "C" fn domain_create_a(name: *const c_char) -> Handle {
    // SAFETY: NVTX's contract.
    let name = unsafe { message::ascii(name) };
    handle(numbered(&mut process().domains, name))
}

unsafe extern "C" fn domain_create_w(name: *const u32) -> Handle {
    // SAFETY: NVTX's contract.
    let name = unsafe { message::wide(name) };
    handle(numbered(&mut process().domains, name))
}

unsafe extern "C" fn domain_register_string_a(_: Handle, text: *const c_char) -> Handle {
    // SAFETY: NVTX's contract.
    let text = unsafe { message::ascii(text) };
    handle(numbered(&mut process().strings, text))
}

unsafe extern "C" fn domain_register_string_w(_: Handle, text: *const u32) -> Handle {
    // SAFETY: NVTX's contract.
    let text = unsafe { message::wide(text) };
    handle(numbered(&mut process().strings, text))
}

/// The served functions of a module, by their places in its table.
fn served(module: c_int) -> Vec<(usize, *const c_void)> {
    match module {
        CORE => vec![
            (4, range_start_ex as *const c_void),
            (5, range_start_a as *const c_void),
            (6, range_start_w as *const c_void),
            (7, range_end as *const c_void),
            (8, range_push_ex as *const c_void),
            (9, range_push_a as *const c_void),
            (10, range_push_w as *const c_void),
            (11, range_pop as *const c_void),
        ],
        CORE2 => vec![
            (2, domain_range_start_ex as *const c_void),
            (3, domain_range_end as *const c_void),
            (4, domain_range_push_ex as *const c_void),
            (5, domain_range_pop as *const c_void),
            (10, domain_register_string_a as *const c_void),
            (11, domain_register_string_w as *const c_void),
            (12, domain_create_a as *const c_void),
            (13, domain_create_w as *const c_void),
        ],
        _ => Vec::new(),
    }
}

/// Puts the served functions into the tables of a program's header. Returns whether all have a place there.
///
/// # Safety
/// `tables` is a function of NVTX's header.
pub unsafe fn initialise(tables: GetExportTable) -> bool {
    // SAFETY: the caller's promise; the table is null or static data of the header.
    let Some(callbacks) = (unsafe { tables(CALLBACKS).cast::<Callbacks>().as_ref() }) else { return false };
    let Some(module_table) = callbacks.module_table else { return false };
    if callbacks.bytes < size_of::<Callbacks>() {
        return false;
    }
    [CORE, CORE2].into_iter().all(|module| {
        let (mut table, mut entries) = (std::ptr::null_mut::<Slot>(), 0);
        // SAFETY: the header's function writes to both places.
        if unsafe { module_table(module, &raw mut table, &raw mut entries) } == 0 || table.is_null() {
            return false;
        }
        for (at, function) in served(module) {
            if at < entries as usize {
                // SAFETY: the table has more places than that; each is null or the address of a function pointer of the
                // header, which nothing else accesses during the initialisation.
                unsafe {
                    let slot = *table.add(at);
                    if !slot.is_null() {
                        *slot = function;
                    }
                }
            }
        }
        true
    })
}

/// Exports the function by which NVTX initialises an injection. `$active` returns whether the library is at work in this
/// process: otherwise NVTX's calls do nothing.
#[macro_export]
macro_rules! serve_nvtx {
    ($active:path) => {
        /// Receives the tables of a header of NVTX that was compiled into the program.
        ///
        /// # Safety
        /// NVTX calls it.
        #[cfg(not(test))]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn InitializeInjectionNvtx2(
            tables: $crate::nvtx::GetExportTable,
        ) -> std::ffi::c_int {
            // SAFETY: the caller's promise.
            std::ffi::c_int::from($active() && unsafe { $crate::nvtx::initialise(tables) })
        }
    };
}
