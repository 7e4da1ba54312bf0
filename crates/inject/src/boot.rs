//! The library's constructor, and the wrappers of the functions that end a process.

// C callers see these items, Rust callers do not.
#![allow(unreachable_pub)]

use crate::{context, detour};
use compilers::ptxas;
use protocol::{OPTIONS_VARIABLE, Obstacle, RunOptions, RunResult};
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, Ordering};

/// The dynamic loader runs this constructor before any constructor of the program and its libraries.
#[used]
#[cfg_attr(not(test), unsafe(link_section = ".init_array"))]
static CONSTRUCTOR: unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) = construct;

/// Whether the command line has preloaded the library, rather than the library being linked or loaded in
/// another way.
static ACTIVE: AtomicBool = AtomicBool::new(false);

unsafe extern "C" fn construct(_: c_int, _: *mut *mut c_char, environment: *mut *mut c_char) {
    // SAFETY: the loader passes the process's environment. The C library's own `environ` may not be
    // initialised yet.
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

/// Returns a variable of the environment.
///
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
        // SAFETY: the entry is a C string, by the caller's promise.
        let entry = unsafe { CStr::from_ptr(entry) }.to_bytes();
        if let Some(value) = entry.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"=")) {
            return Some(OsStr::from_bytes(value));
        }
    }
    None
}

processes::stand_in_for_exec!();

extern "C" fn ptxas_ends() {
    ptxas::finish();
}

fn start(options: RunOptions) {
    if ptxas::is_this() {
        processes::exec::begin(&options.results, || {}, || {});
        // SAFETY: registers a function of this library, which is never unloaded.
        unsafe { libc::atexit(ptxas_ends) };
        return;
    }
    compilers::begin(|_| {});
    compilers::want_lines();
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
    /// The function behind `at_quick_exit`, which the C library provides in its static part only.
    fn __cxa_at_quick_exit(handler: extern "C" fn(*mut c_void), object: *mut c_void) -> c_int;
}

/// Exit handler. It runs after the program's own handlers, which were registered later.
extern "C" fn at_exit() {
    finish();
}

/// Exit handler for `quick_exit`.
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
    // The child of a `vfork` shares its parent's memory and must write nothing.
    if ACTIVE.load(Ordering::SeqCst)
        && processes::exec::is_own()
        && let Some(runtime) = context::existing()
    {
        runtime.finish();
    }
}

/// Writes the result and ends the process: the real `_exit` skips exit handlers.
///
/// # Safety
/// The conditions of the C library's `_exit`.
#[cfg(not(test))]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _exit(status: c_int) -> ! {
    finish();
    exit_now(status)
}

/// Ends the process as [`_exit`] does; the C standard's name for it.
///
/// # Safety
/// The conditions of the C library's `_Exit`.
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

// Handlers that hold the state's lock across a fork. If another thread held it during the fork, it would stay
// locked in the child for ever.
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
