//! The beginning and the end of a process with the library: the constructor's environment, and the functions that end it.

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;

/// Writes the result of this process.
static FINISH: OnceLock<fn()> = OnceLock::new();

/// Returns a variable of the environment that the loader passes to constructors: the C library's own `environ` may not
/// be initialised yet.
///
/// # Safety
/// `environment` is null or a null-terminated array of C strings.
pub unsafe fn variable<'a>(environment: *mut *mut c_char, name: &str) -> Option<&'a OsStr> {
    if environment.is_null() {
        return None;
    }
    for i in 0.. {
        // SAFETY: the caller's promise; the loop ends at the terminator.
        let entry = unsafe { *environment.add(i) };
        if entry.is_null() {
            break;
        }
        // SAFETY: the entry is a C string, by the caller's promise.
        let entry = unsafe { CStr::from_ptr(entry) }.to_bytes();
        if let Some(value) = entry.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"=")) {
            return Some(OsStr::from_bytes(value));
        }
    }
    None
}

/// Returns whether the process was started with this library preloaded. NVTX may load it later, into a process that was
/// started without: there it must not begin to work in the middle.
///
/// # Safety
/// `environment` is null or a null-terminated array of C strings.
pub unsafe fn is_preloaded(environment: *mut *mut c_char) -> bool {
    // SAFETY: the caller's promise.
    let Some(value) = (unsafe { variable(environment, "LD_PRELOAD") }) else { return false };
    let mut own = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: `dladdr` accepts any address; `own` is a local value, whose name is a C string of the loader's.
    let own = unsafe {
        if libc::dladdr(is_preloaded as *const c_void, own.as_mut_ptr()) == 0 {
            return names_library(value.as_bytes());
        }
        CStr::from_ptr(own.assume_init().dli_fname)
    };
    let name = own.to_bytes().rsplit(|b| *b == b'/').next().unwrap_or_default();
    contains(value.as_bytes(), name)
}

/// Returns whether a value of `LD_PRELOAD` names a library of warprace. One that was unpacked has a number in its name.
pub(crate) fn names_library(value: &[u8]) -> bool {
    [&b"libinject"[..], b"libwarprace_gpu"].iter().any(|library| contains(value, library))
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    !part.is_empty() && text.windows(part.len()).any(|window| window == part)
}

unsafe extern "C" {
    /// The function behind `at_quick_exit`, which the C library provides in its static part only.
    fn __cxa_at_quick_exit(handler: extern "C" fn(*mut c_void), object: *mut c_void) -> c_int;
}

/// Has `finish` called when the process ends by `exit` or `quick_exit`: after the program's own handlers, which were
/// registered later. [`stand_in_for_exit`](crate::stand_in_for_exit) is for the functions that skip handlers.
pub fn at_end(finish: fn()) {
    let _ = FINISH.set(finish);
    // SAFETY: registers functions of this library, which is never unloaded.
    unsafe {
        libc::atexit(at_exit);
        __cxa_at_quick_exit(at_quick_exit, std::ptr::null_mut());
    }
}

extern "C" fn at_exit() {
    if let Some(finish) = FINISH.get() {
        finish();
    }
}

extern "C" fn at_quick_exit(_: *mut c_void) {
    at_exit();
}

/// Ends the process without exit handlers.
pub fn exit_now(status: c_int) -> ! {
    loop {
        // SAFETY: ends the process.
        unsafe { libc::syscall(libc::SYS_exit_group, status) };
    }
}

/// Exports the functions that end a process without exit handlers. Each calls the given function first.
#[macro_export]
macro_rules! stand_in_for_exit {
    ($finish:path) => {
        /// Writes the result and ends the process: the real `_exit` skips exit handlers.
        ///
        /// # Safety
        /// The conditions of the C library's `_exit`.
        #[cfg(not(test))]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn _exit(status: std::ffi::c_int) -> ! {
            $finish();
            $crate::life::exit_now(status)
        }

        /// Ends the process as [`_exit`] does; the C standard's name for it.
        ///
        /// # Safety
        /// The conditions of the C library's `_Exit`.
        #[cfg(not(test))]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn _Exit(status: std::ffi::c_int) -> ! {
            $finish();
            $crate::life::exit_now(status)
        }
    };
}
