//! Does the program look for the CUDA driver's library?
//!
//! Its API is not served. Frameworks that use it (Numba, CuPy) load it by `dlopen` and say, if that fails, that there is no
//! driver; warprace is to say that it is the one who does not serve it.

use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

static SOUGHT: AtomicBool = AtomicBool::new(false);

/// Did anybody ask for it?
pub(crate) fn is_sought() -> bool {
    SOUGHT.load(Ordering::Relaxed)
}

/// Is it a name of the library, with a folder or without?
pub(super) fn is_driver(name: &[u8]) -> bool {
    let file = name.rsplit(|&byte| byte == b'/').next().unwrap_or(name);
    file.strip_prefix(b"libcuda.so").is_some_and(|rest| rest.is_empty() || rest[0] == b'.')
}

/// The program's `dlopen`. The loader looks for libraries by who calls it, so this leaves no trace on the stack: it takes a
/// note and jumps on.
///
/// # Safety
/// As the C library's.
#[cfg(all(not(test), target_arch = "x86_64"))]
#[unsafe(naked)]
#[unsafe(no_mangle)]
#[allow(unreachable_pub)]
pub unsafe extern "C" fn dlopen(name: *const c_char, flags: std::ffi::c_int) -> *mut c_void {
    // The stack is 8 bytes off its alignment at a function's entry; `note` keeps to the calling convention, so that
    // only the arguments need be kept.
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

/// Looks at a name, and answers where the C library's `dlopen` is.
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
            // SAFETY: looks up the C library's function behind ours.
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
