//! Signals that the program must not block while its system calls are followed.
//!
//! The kernel ends a process that faults, or makes a call that is dispatched, while the signal is blocked. A thread whose calls are followed therefore
//! never has these blocked: each call that would block them is given a mask without them, and each that returns a mask gets what the
//! program believes.

use super::peek;
use std::cell::Cell;

/// The place of a call's signal mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mask {
    /// The argument points to the mask.
    Direct(u8),
    /// The argument points to a structure that begins with a pointer to it.
    Behind(u8),
}

const fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

/// The signals that stay unblocked.
pub(super) const OURS: u64 = bit(libc::SIGSYS) | bit(libc::SIGSEGV) | bit(libc::SIGTRAP);

/// All others that the kernel does not raise for an instruction: blocked in the handler of calls.
pub(super) const OTHERS: u64 = !(OURS | bit(libc::SIGBUS) | bit(libc::SIGILL) | bit(libc::SIGFPE));

thread_local! {
    /// Those of [`OURS`] that this thread believes to have blocked.
    static BELIEVED: Cell<u64> = const { Cell::new(0) };
}

/// Returns the arguments for `rt_sigprocmask`, and the mask that its caller believes to be blocked before it;
/// `None` if it may run as it is.
pub(super) fn changed(how: u64, set: u64) -> Option<Changed> {
    let believed = BELIEVED.get();
    let mask = match set {
        0 => None,
        at => {
            let mut mask = [0; 8];
            if !peek(at, &mut mask) {
                return None;
            }
            Some(u64::from_ne_bytes(mask))
        }
    };
    let ours = mask.map_or(0, |mask| mask & OURS);
    if ours == 0 && believed == 0 {
        return None;
    }
    if mask.is_some() {
        BELIEVED.set(match how as i32 {
            libc::SIG_BLOCK => believed | ours,
            libc::SIG_UNBLOCK => believed & !ours,
            _ => ours,
        });
    }
    Some(Changed { mask: mask.map(|mask| mask & !OURS), believed })
}

/// See [`changed`].
pub(super) struct Changed {
    pub(super) mask: Option<u64>,
    pub(super) believed: u64,
}

/// This thread had these blocked before its calls were followed.
pub(super) fn believed(mask: u64) {
    BELIEVED.set(mask & OURS);
}
