//! The C library's `dlsym`, and the one that stands before it.

use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

unsafe extern "C" {
    fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void;
}

/// `dlsym`'s type.
pub type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

/// The C library's `dlsym`, once [`real`] has been called.
pub static REAL: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// The oldest version of `dlsym` that a C library for this architecture has.
const VERSION: &std::ffi::CStr = if cfg!(target_arch = "x86_64") { c"GLIBC_2.2.5" } else { c"GLIBC_2.17" };

/// The C library's `dlsym`, looked up on first use.
pub fn real() -> Dlsym {
    let mut real = REAL.load(Ordering::Acquire);
    if real.is_null() {
        // SAFETY: the names are C strings; every C library for this architecture has this version.
        real = unsafe { dlvsym(libc::RTLD_NEXT, c"dlsym".as_ptr(), VERSION.as_ptr()) };
        REAL.store(real, Ordering::Release);
    }
    // SAFETY: a function of this type. There is no process without it: the loader has linked this library to it.
    unsafe { std::mem::transmute::<*mut c_void, Dlsym>(real) }
}

/// The answer of a stand-in for `dlsym` that leaves the call to the C library.
pub const ASK: usize = 0;
/// The answer for a function that does not exist.
pub const NOTHING: usize = 1;

/// Defines `dlsym`: `$answer`, an `extern "C" fn(*mut c_void, *const c_char) -> usize`, says [`ASK`], [`NOTHING`] or the
/// address of a function. The C library's own looks at its return address when it is asked for what is *next*, so that it
/// is jumped to, not called.
#[macro_export]
macro_rules! stand_before_dlsym {
    ($answer:path) => {
        /// The C library's function, but for functions that are stood before.
        ///
        /// # Safety
        /// As the C library's.
        #[cfg(all(not(test), target_arch = "x86_64"))]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn dlsym(
            handle: *mut std::ffi::c_void,
            name: *const std::ffi::c_char,
        ) -> *mut std::ffi::c_void {
            std::arch::naked_asm!(
                "push rdi",
                "push rsi",
                "sub rsp, 8",
                "call {answer}",
                "add rsp, 8",
                "pop rsi",
                "pop rdi",
                "cmp rax, 1",
                "jb 2f",
                "jne 3f",
                "xor eax, eax",
                "3:",
                "ret",
                "2:",
                "mov rax, qword ptr [rip + {real}]",
                "jmp rax",
                answer = sym $answer,
                real = sym $crate::real::REAL,
            )
        }
    };
}
