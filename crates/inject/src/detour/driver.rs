//! Detects that the program looks for the CUDA driver's library.
//!
//! The driver's API is unsupported. Frameworks that use it (Numba, CuPy) load it by `dlopen`, and report a
//! missing driver if that fails; the result then says that warprace does not support it.

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

/// Interposes the program's `dlopen`. The loader searches libraries relative to the caller, so this function
/// must not appear on the stack: it records the name and jumps to the real function.
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
        "push rdi",
        "push rsi",
        "sub rsp, 8",
        "call {note}",
        "add rsp, 8",
        "pop rsi",
        "pop rdi",
        "jmp rax",
        note = sym note,
    )
}

/// Records a name and returns the address of the C library's `dlopen`.
///
/// # Safety
/// `name` is null or a C string.
#[cfg_attr(any(test, not(target_arch = "x86_64")), allow(dead_code, reason = "for `dlopen` alone"))]
unsafe extern "C" fn note(name: *const c_char) -> usize {
    static REAL: AtomicUsize = AtomicUsize::new(0);
    // SAFETY: the caller's promise.
    if !name.is_null() && is_driver(unsafe { CStr::from_ptr(name) }.to_bytes()) {
        SOUGHT.store(true, Ordering::Relaxed);
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
