//! Operators of PyTorch itself, whose wheel has machine code for them and no PTX.
//!
//! Once the process has PyTorch's library for CUDA, the first call that comes from its Python thread runs `operators.py` in the
//! interpreter. That registers functions with PyTorch's dispatcher which compute operators by the kernels for the CPU, on the virtual
//! GPU's memory, and pass on what they read and wrote (`api::runtime::operator`).

use crate::python::embedded::Interpreter;
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicU8, Ordering};

const SOURCE: &CStr = match CStr::from_bytes_with_nul(
    concat!(include_str!("../../../python/warprace/operators.py"), "\0").as_bytes(),
) {
    Ok(source) => source,
    Err(_) => panic!("operators.py has a zero byte"),
};

/// A name in angle brackets is of no file: `python::here` passes over its frames.
const NAME: &CStr = c"<warprace>";

const ABSENT: u8 = 0;
const WANTED: u8 = 1;
const RUNS: u8 = 2;
const DONE: u8 = 3;

static STATE: AtomicU8 = AtomicU8::new(ABSENT);

/// Notes the registration of device code, by an address of the object that has it.
pub(crate) fn registered(address: *const c_void) {
    if STATE.load(Ordering::Relaxed) == ABSENT && is_of_torch(address) {
        STATE.store(WANTED, Ordering::Relaxed);
    }
}

fn is_of_torch(address: *const c_void) -> bool {
    // SAFETY: a zeroed structure is valid, and its name is a C string if the call succeeds.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        libc::dladdr(address, &mut info) != 0
            && !info.dli_fname.is_null()
            && CStr::from_ptr(info.dli_fname).to_bytes().ends_with(b"/libtorch_cuda.so")
    }
}

/// Runs `operators.py` if it is wanted and this thread holds the interpreter's lock.
pub(crate) fn install() {
    if STATE.load(Ordering::Relaxed) != WANTED {
        return;
    }
    let Some(python) = Interpreter::get() else { return };
    if !python.holds_lock()
        || STATE.compare_exchange(WANTED, RUNS, Ordering::Relaxed, Ordering::Relaxed).is_err()
    {
        return;
    }
    // SAFETY: this thread holds the lock. The module's variable `installed` says whether PyTorch was ready.
    let done = unsafe {
        python.run(SOURCE, NAME).map(|variables| {
            python.variable(variables, c"installed").is_some_and(|installed| python.is_true(installed))
        })
    };
    STATE.store(if done == Some(false) { WANTED } else { DONE }, Ordering::Relaxed);
    if done.is_none() {
        let what =
            "operators of PyTorch itself cannot be computed: its dispatcher has refused them".to_owned();
        crate::context::get().lock().results.inconclusive(what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pytorch_s_own_library_wants_operators() {
        registered(SOURCE.as_ptr().cast());
        assert_eq!(STATE.load(Ordering::Relaxed), ABSENT);
        install();
        assert_eq!(STATE.load(Ordering::Relaxed), ABSENT);
    }
}
