//! `dlopen` of the CUDA driver's library, and `dlsym` of compilers' functions.
//!
//! This library's own `DT_SONAME` is `libcuda.so.1`: the loader takes it for the driver wherever that is asked for by this name, by
//! `dlopen` or as a needed library. A program may also ask by another of its names or by a path; this has the loader see the one.

use compilers::lookup::{compiler, may_be_compilers};
use compilers::real::{ASK, real};
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

static SOUGHT: AtomicBool = AtomicBool::new(false);

/// Returns whether the program has looked for the library.
pub(crate) fn is_sought() -> bool {
    SOUGHT.load(Ordering::Relaxed)
}

/// Returns whether a name, with or without a folder, is the library's.
pub(super) fn is_driver(name: &[u8]) -> bool {
    let file = name.rsplit(|&byte| byte == b'/').next().unwrap_or(name);
    file.strip_prefix(b"libcuda.so").is_some_and(|rest| rest.is_empty() || rest[0] == b'.')
}

/// The name that the loader knows this library by.
const OWN_NAME: &CStr = c"libcuda.so.1";

/// The program's `dlopen`. The loader looks for libraries by their caller, so this leaves no trace on the stack: it jumps to the C
/// library's, with the driver's one name in place of its others.
///
/// # Safety
/// The conditions of the C library's `dlopen`.
#[cfg(all(not(test), target_arch = "x86_64"))]
#[unsafe(naked)]
#[unsafe(no_mangle)]
#[allow(unreachable_pub)]
pub unsafe extern "C" fn dlopen(name: *const c_char, flags: std::ffi::c_int) -> *mut c_void {
    // The stack is 8 bytes off its alignment at a function's entry. `note` follows the calling convention, so
    // only the arguments need saving.
    std::arch::naked_asm!(
        "push rsi",
        "sub rsp, 16",
        "mov rsi, rsp",
        "call {note}",
        "mov rdi, qword ptr [rsp]",
        "add rsp, 16",
        "pop rsi",
        "jmp rax",
        note = sym note,
    )
}

/// Writes the name to look for, and answers where the C library's `dlopen` is.
///
/// # Safety
/// `name` is null or a C string; `wanted` is valid.
#[cfg_attr(any(test, not(target_arch = "x86_64")), allow(dead_code, reason = "for `dlopen` alone"))]
unsafe extern "C" fn note(name: *const c_char, wanted: *mut *const c_char) -> usize {
    static REAL: AtomicUsize = AtomicUsize::new(0);
    // SAFETY: the caller's promise.
    unsafe { wanted.write(name) };
    // SAFETY: the caller's promise.
    if !name.is_null() && is_driver(unsafe { CStr::from_ptr(name) }.to_bytes()) && compilers::is_active() {
        SOUGHT.store(true, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { wanted.write(OWN_NAME.as_ptr()) };
    }
    match REAL.load(Ordering::Relaxed) {
        0 => {
            // SAFETY: looks up the C library's function behind this one.
            let found = unsafe { libc::dlsym(libc::RTLD_NEXT, c"dlopen".as_ptr()) } as usize;
            let real = if found == 0 { missing as *const () as usize } else { found };
            REAL.store(real, Ordering::Relaxed);
            real
        }
        real => real,
    }
}

extern "C" fn missing() -> *mut c_void {
    std::ptr::null_mut()
}

compilers::stand_before_dlsym!(find);

compilers::stand_before_nvrtc!();

/// Answers a `dlsym`: see [`compilers::real::stand_before_dlsym`](compilers::stand_before_dlsym).
#[cfg_attr(test, allow(dead_code))]
extern "C" fn find(handle: *mut c_void, name: *const c_char) -> usize {
    real();
    if name.is_null() || !compilers::is_active() {
        return ASK;
    }
    // SAFETY: the caller of `dlsym` passes a C string.
    let name = unsafe { CStr::from_ptr(name) };
    // SAFETY: the arguments are those of the call.
    if may_be_compilers(name) { unsafe { compiler(handle, name) } } else { ASK }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drivers_names_are_known() {
        for name in [&b"libcuda.so"[..], b"libcuda.so.1", b"/usr/lib/x86_64-linux-gnu/libcuda.so.580.1"] {
            assert!(is_driver(name));
        }
        for name in [&b"libcudart.so.13"[..], b"libcuda", b"/libcuda.so.1/x", b"libcuda.sox", b""] {
            assert!(!is_driver(name));
        }
    }
}
