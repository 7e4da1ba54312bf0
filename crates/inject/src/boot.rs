//! The library's constructor, and the wrappers of the functions that end a process.

// C callers see these items, Rust callers do not.
#![allow(unreachable_pub)]

use crate::{context, detour};
use compilers::ptxas;
use protocol::{Obstacle, RunOptions};
use std::ffi::{c_char, c_int};
use std::sync::atomic::{AtomicBool, Ordering};

/// The dynamic loader runs this constructor before any constructor of the program and its libraries.
#[used]
#[cfg_attr(not(test), unsafe(link_section = ".init_array"))]
static CONSTRUCTOR: unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) = construct;

/// Whether the command line has preloaded the library, rather than the library being linked or loaded in
/// another way.
static ACTIVE: AtomicBool = AtomicBool::new(false);

unsafe extern "C" fn construct(_: c_int, _: *mut *mut c_char, environment: *mut *mut c_char) {
    // SAFETY: the loader passes the process's environment.
    let options = unsafe {
        RunOptions::of_process(environment, |what| {
            crate::output::complain(format_args!("warprace: {what}\n"))
        })
    };
    // SAFETY: as above.
    let preloaded = unsafe { processes::life::is_preloaded(environment) };
    if let Some(options) = options.filter(|_| preloaded) {
        start(options);
    }
}

processes::stand_in_for_exec!();
processes::stand_in_for_exit!(finish);

surroundings::serve_nvtx!(is_active);

/// Returns whether the library is at work in this process.
#[cfg(not(test))]
fn is_active() -> bool {
    ACTIVE.load(Ordering::SeqCst)
}

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
    // A library's own runtime is named when it asks the driver for what it needs: many programs link cuBLAS and do not call it.
    let program = std::fs::read_link("/proc/self/exe").ok();
    for object in found.stripped.into_iter().filter(|object| Some(object) == program.as_ref()) {
        state.results.obstacle(Obstacle::StrippedStatic { object });
    }
    for failure in found.failed {
        state.results.obstacle(Obstacle::Unsupported { what: failure });
    }
    runtime.write_results(&mut state);
    drop(state);
    processes::life::at_end(finish);
    // SAFETY: registers functions of this library, which is never unloaded.
    unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork_parent), Some(after_fork_child)) };
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
    surroundings::nvtx::forked();
    if let Some(mut state) = fork::HELD.take() {
        state.after_fork();
    }
}
