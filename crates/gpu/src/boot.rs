//! The library's constructor, and the wrappers of the functions that end a process.

// C callers see these items, Rust callers do not.
#![allow(unreachable_pub)]

use crate::{active, hooks, log, state, wrap};
use compilers::ptxas;
use protocol::RunOptions;
use std::ffi::{c_char, c_int};

/// The dynamic loader runs this constructor before any constructor of the program and its libraries.
#[used]
#[cfg_attr(not(test), unsafe(link_section = ".init_array"))]
static CONSTRUCTOR: unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) = construct;

unsafe extern "C" fn construct(_: c_int, _: *mut *mut c_char, environment: *mut *mut c_char) {
    // SAFETY: the loader passes the process's environment.
    let options = unsafe {
        RunOptions::of_process(environment, |what| log::complain(format_args!("warprace: {what}\n")))
    };
    // SAFETY: as above.
    let preloaded = unsafe { processes::life::is_preloaded(environment) };
    let Some(options) = options.filter(|_| preloaded) else { return };
    log::start(options.progress);
    compilers::begin(|text| log::note(text));
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
    processes::life::at_end(finish);
    // SAFETY: registers functions of this library, which is never unloaded.
    unsafe { libc::pthread_atfork(None, None, Some(after_fork_child)) };
}

processes::stand_in_for_exec!();
processes::stand_in_for_exit!(finish);

surroundings::serve_nvtx!(active::is_active);

/// Writes the result. The child of a `vfork` shares its parent's memory and must write nothing.
fn finish() {
    if processes::exec::is_own() {
        state::finish();
    }
}

extern "C" fn ptxas_ends() {
    ptxas::finish();
}

/// Resets the state in the child of a fork. The child has one thread, so it must not wait for a lock.
extern "C" fn after_fork_child() {
    processes::exec::forked();
    if active::is_active() {
        surroundings::nvtx::forked();
        state::forked();
    }
}
