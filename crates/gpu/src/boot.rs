//! The library's constructor and the ways a process ends.

// What C calls is public to C, not to Rust.
#![allow(unreachable_pub)]

use crate::{active, hooks, log, ptxas, state, wrap};
use protocol::{OPTIONS_VARIABLE, RunOptions, RunResult};
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;

/// Run by the dynamic loader before any constructor of the program or its libraries.
#[used]
#[cfg_attr(not(test), unsafe(link_section = ".init_array"))]
static CONSTRUCTOR: unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) = construct;

unsafe extern "C" fn construct(_: c_int, _: *mut *mut c_char, environment: *mut *mut c_char) {
    // The C library's own `environ` may not be set yet.
    // SAFETY: the loader passes the process's environment.
    let Some(value) = (unsafe { variable(environment, OPTIONS_VARIABLE) }) else { return };
    match RunOptions::from_variable(value) {
        Ok(options) => {
            log::start(options.progress);
            if ptxas::is_this() {
                processes::exec::begin(&options.results, || {}, || {});
                // SAFETY: registers a function of this library, which is never unloaded.
                unsafe { libc::atexit(ptxas_ends) };
                return;
            }
            processes::exec::begin(&options.results, state::finish, || {});
            state::start(options);
            hooks::install(&wrap::HOOKS);
            active::begin();
            // SAFETY: registers functions of this library, which is never unloaded.
            unsafe {
                libc::atexit(at_exit);
                __cxa_at_quick_exit(at_quick_exit, std::ptr::null_mut());
                libc::pthread_atfork(None, None, Some(after_fork_child));
            }
        }
        Err(error) => {
            let what = format!("{OPTIONS_VARIABLE}: {error}");
            log::complain(format_args!("warprace: {what}\n"));
            RunResult::refusal(value, what);
            std::process::exit(125);
        }
    }
}

/// # Safety
/// `environment` is null or a null-terminated array of C strings.
unsafe fn variable<'a>(environment: *mut *mut c_char, name: &str) -> Option<&'a OsStr> {
    if environment.is_null() {
        return None;
    }
    for i in 0.. {
        // SAFETY: the caller's promise; the loop ends at the terminator.
        let entry = unsafe { *environment.add(i) };
        if entry.is_null() {
            break;
        }
        // SAFETY: as above.
        let entry = unsafe { CStr::from_ptr(entry) }.to_bytes();
        if let Some(value) = entry.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"=")) {
            return Some(OsStr::from_bytes(value));
        }
    }
    None
}

processes::stand_in_for_exec!();

unsafe extern "C" {
    /// `at_quick_exit`, which the C library has in its static part only.
    fn __cxa_at_quick_exit(handler: extern "C" fn(*mut c_void), object: *mut c_void) -> c_int;
}

/// Runs after the program's own exit handlers: they were registered later.
extern "C" fn at_exit() {
    finish();
}

/// The same for `quick_exit`.
extern "C" fn at_quick_exit(_: *mut c_void) {
    finish();
}

/// The child of a `vfork` that ends has its parent's memory, and nothing to say of it.
fn finish() {
    if processes::exec::is_own() {
        state::finish();
    }
}

extern "C" fn ptxas_ends() {
    ptxas::finish();
}

/// Nothing that a child inherits is its own. It has one thread, so that no lock can be waited for.
extern "C" fn after_fork_child() {
    processes::exec::forked();
    if active::is_active() {
        state::forked();
    }
}

/// `_exit` skips exit handlers; what was found must not be lost.
///
/// # Safety
/// As the C library's.
#[cfg(not(test))]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _exit(status: c_int) -> ! {
    finish();
    exit_now(status)
}

/// The same by its other name.
///
/// # Safety
/// As the C library's.
#[cfg(not(test))]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _Exit(status: c_int) -> ! {
    finish();
    exit_now(status)
}

#[cfg(not(test))]
fn exit_now(status: c_int) -> ! {
    loop {
        // SAFETY: ends the process.
        unsafe { libc::syscall(libc::SYS_exit_group, status) };
    }
}
