//! The library's constructor and the ways a process ends.

// What C calls is public to C, not to Rust.
#![allow(unreachable_pub)]

use crate::{context, detour};
use protocol::{OPTIONS_VARIABLE, Obstacle, RunOptions, RunResult};
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, Ordering};

/// Run by the dynamic loader before any constructor of the program or its libraries.
#[used]
#[cfg_attr(not(test), unsafe(link_section = ".init_array"))]
static CONSTRUCTOR: unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) = construct;

/// Is the library preloaded by the command line, rather than linked or loaded otherwise?
static ACTIVE: AtomicBool = AtomicBool::new(false);

unsafe extern "C" fn construct(_: c_int, _: *mut *mut c_char, environment: *mut *mut c_char) {
    // The C library's own `environ` may not be set yet.
    // SAFETY: the loader passes the process's environment.
    let Some(value) = (unsafe { variable(environment, OPTIONS_VARIABLE) }) else { return };
    match RunOptions::from_variable(value) {
        Ok(options) => start(options),
        Err(error) => {
            let what = format!("{OPTIONS_VARIABLE}: {error}");
            crate::output::complain(format_args!("warprace: {what}\n"));
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

fn start(options: RunOptions) {
    ACTIVE.store(true, Ordering::SeqCst);
    processes::exec::begin(&options.results, before_exec, after_exec);
    let runtime = context::initialise(options);
    if let Err(error) = detour::install() {
        let what = format!("device code of libraries that are loaded later cannot be checked: {error}");
        runtime.lock().results.inconclusive(what);
    }
    let found = detour::findings();
    let mut state = runtime.lock();
    for object in found.stripped {
        state.results.obstacle(Obstacle::StrippedStatic { object });
    }
    for failure in found.failed {
        state.results.obstacle(Obstacle::Unsupported { what: failure });
    }
    runtime.write_results(&mut state);
    drop(state);
    // SAFETY: registers functions of this library, which is never unloaded.
    unsafe {
        libc::atexit(at_exit);
        __cxa_at_quick_exit(at_quick_exit, std::ptr::null_mut());
        libc::pthread_atfork(Some(before_fork), Some(after_fork_parent), Some(after_fork_child));
    }
}

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

fn before_exec() {
    #[cfg(target_arch = "x86_64")]
    let _quiet = host::calls::quiet();
    if let Some(runtime) = context::existing() {
        runtime.before_exec();
    }
}

fn after_exec() {
    #[cfg(target_arch = "x86_64")]
    let _quiet = host::calls::quiet();
    if let Some(runtime) = context::existing() {
        runtime.after_failed_exec();
    }
}

fn finish() {
    #[cfg(target_arch = "x86_64")]
    let _quiet = host::calls::quiet();
    // The child of a `vfork` that ends has its parent's memory, and nothing to say of it.
    if ACTIVE.load(Ordering::SeqCst)
        && processes::exec::is_own()
        && let Some(runtime) = context::existing()
    {
        runtime.finish();
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

// A fork must not happen while another thread holds the state: the child would find it locked
// for ever. The lock is taken before and given back on both sides.
mod fork {
    use crate::context::State;
    use std::cell::RefCell;
    use std::sync::MutexGuard;

    thread_local! {
        pub(super) static HELD: RefCell<Option<MutexGuard<'static, State>>> = const { RefCell::new(None) };
    }
}

extern "C" fn before_fork() {
    #[cfg(target_arch = "x86_64")]
    let _quiet = host::calls::quiet();
    if let Some(runtime) = context::existing() {
        fork::HELD.set(Some(runtime.lock()));
    }
}

extern "C" fn after_fork_parent() {
    fork::HELD.set(None);
}

extern "C" fn after_fork_child() {
    processes::exec::forked();
    crate::api::forget_calls();
    if let Some(mut state) = fork::HELD.take() {
        state.after_fork();
    }
}
