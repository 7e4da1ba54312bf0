//! Makes room for a program whose GPU memory is full: restores the stack limit that the program asked for,
//! and moves engine `guard`'s table to the host's memory. Empties a table whose clock is near its end.
//!
//! No kernel may run meanwhile. Launching threads hold a [`launching`] guard, and this module waits for
//! running kernels, but only for a limited time, since they may wait for the program's reaction to an
//! out-of-memory error.

use crate::{driver, stack, state};
use std::ffi::{c_int, c_void};
use std::sync::mpsc::channel;
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

/// Limits the wait for other threads and for kernels.
const PATIENCE: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_micros(100);

static LAUNCHING: RwLock<()> = RwLock::new(());

/// Guard of a launching thread: tables stay in place while it exists.
pub(crate) type Launching = Option<RwLockReadGuard<'static, ()>>;

pub(crate) fn launching() -> Launching {
    // No thread panics while it holds the lock for writing. If one did, the launch would go on without the
    // guard.
    LAUNCHING.read().ok()
}

fn alone(until: Instant) -> Option<RwLockWriteGuard<'static, ()>> {
    loop {
        if let Ok(alone) = LAUNCHING.try_write() {
            return Some(alone);
        }
        if Instant::now() > until {
            return None;
        }
        std::thread::sleep(POLL);
    }
}

/// Waits for all work of these contexts; returns false if that takes too long.
fn waited(contexts: Vec<usize>, until: Instant) -> bool {
    type Set = unsafe extern "C" fn(*mut c_void) -> c_int;
    type Wait = unsafe extern "C" fn() -> c_int;
    let [set, wait] = [c"cuCtxSetCurrent", c"cuCtxSynchronize"].map(driver::function);
    if contexts.is_empty() || set.is_null() || wait.is_null() {
        return false;
    }
    // SAFETY: the driver's functions of these names have these types.
    let (set, wait) = unsafe {
        (std::mem::transmute::<*mut c_void, Set>(set), std::mem::transmute::<*mut c_void, Wait>(wait))
    };
    let (tell, told) = channel();
    let waits = move || {
        // SAFETY: contexts of this process; the driver returns an error if one was destroyed meanwhile.
        let done = |context: usize| unsafe {
            match set(context as *mut c_void) {
                0 => wait(),
                code => code,
            }
        };
        let code = contexts.into_iter().map(done).find(|code| *code != 0).unwrap_or(0);
        // The receiver is gone if the wait took too long.
        let _ = tell.send(code);
    };
    // A second thread waits, so that this one can give up.
    let begun = std::thread::Builder::new().name("warprace".into()).spawn(waits);
    begun.is_ok() && told.recv_timeout(until.saturating_duration_since(Instant::now())) == Ok(0)
}

/// Empties engine `guard`'s table if its clock is near the end, so that numbers do not run out.
pub(crate) fn renew() {
    if !state::lock().is_some_and(|mut state| state.is_worn()) {
        return;
    }
    let until = Instant::now() + PATIENCE;
    let alone = alone(until);
    let users = state::lock().map(|state| state.users()).unwrap_or_default();
    let idle = alone.is_some() && waited(users, until);
    if let Some(mut state) = state::lock() {
        state.renews(idle);
    }
}

/// Calls `allocate`, makes room if it fails for lack of memory, and calls it once more.
pub(crate) fn allocate(allocate: impl Fn() -> c_int) -> c_int {
    let code = allocate();
    let may_leave = || state::lock().is_some_and(|state| state.may_make_room());
    if code != crate::hooks::OUT_OF_MEMORY || !(stack::may_give_back() || may_leave()) {
        return code;
    }
    let until = Instant::now() + PATIENCE;
    let Some(_alone) = alone(until) else { return code };
    if !waited(driver::context().into_iter().collect(), until) {
        return code;
    }
    if stack::give_back() {
        let code = allocate();
        if code != crate::hooks::OUT_OF_MEMORY {
            return code;
        }
    }
    match state::lock().is_some_and(|mut state| state.makes_room()) {
        true => allocate(),
        false => code,
    }
}
