//! Signals that ask warprace to end: the program is to answer them.

use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU64, Ordering};

/// The running program, for the signal handler; 0 if there is none.
static RUNNING: AtomicI32 = AtomicI32::new(0);

/// Set once the program has begun.
const BEGUN: u64 = 1 << 63;

/// Signals that came before the program had begun, a bit for each, and [`BEGUN`].
static EARLY: AtomicU64 = AtomicU64::new(0);

/// warprace's own number: between `fork` and `exec` the program's process has its handlers, too.
static OWN: AtomicI32 = AtomicI32::new(0);

/// The program is to answer these, not warprace: what it found until then is still to be reported.
const PASSED_ON: [libc::c_int; 6] =
    [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGUSR1, libc::SIGUSR2];

/// The program runs: it gets the signals from now on, and those that came before. A launch that is checked beside the
/// program takes nothing of what is meant for that.
pub(super) fn begun(program: i32) {
    if RUNNING.compare_exchange(0, program, Ordering::SeqCst, Ordering::SeqCst).is_err() {
        return;
    }
    let early = EARLY.fetch_or(BEGUN, Ordering::SeqCst);
    for signal in PASSED_ON.into_iter().filter(|signal| early & (1 << signal) != 0) {
        // SAFETY: kill has no memory preconditions, and the program has not been waited for.
        unsafe { libc::kill(program, signal) };
    }
}

/// The program has ended; its number may soon be another's.
pub(super) fn ended(program: i32) {
    let _ = RUNNING.compare_exchange(program, 0, Ordering::SeqCst, Ordering::SeqCst);
}

/// From now on, signals to warprace go to the program. Exec sets them back to their defaults there.
pub(super) fn pass_on_to_program() {
    OWN.store(std::process::id() as i32, Ordering::SeqCst);
    for signal in PASSED_ON {
        // SAFETY: all-zero bytes are a valid sigaction with an empty mask, and the handler makes only calls
        // that are safe in handlers.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &mut old);
            if old.sa_sigaction == libc::SIG_IGN {
                // `nohup`: the program inherits it.
                continue;
            }
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = pass_on as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

/// When the program was first asked to end, in milliseconds; 0 if it was not.
static ASKED: AtomicI64 = AtomicI64::new(0);

/// Requests that come together are one: `timeout` sends a signal to its child, then to the child's group.
const TOGETHER_MS: i64 = 300;

/// Returns whether warprace, or the program, was asked to end.
pub(super) fn is_asked_to_end() -> bool {
    ASKED.load(Ordering::SeqCst) != 0
}

/// Returns whether the program was asked to end before.
fn asked_again(signal: libc::c_int) -> bool {
    if matches!(signal, libc::SIGUSR1 | libc::SIGUSR2) {
        return false;
    }
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: fills the structure; safe in handlers.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    let now = now.tv_sec * 1000 + now.tv_nsec / 1_000_000 + 1;
    match ASKED.compare_exchange(0, now, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(_) => false,
        Err(first) => now - first > TOGETHER_MS,
    }
}

/// A terminal sends its signals to the whole foreground group, the program included; others send
/// them to warprace alone. Who asks twice means it: the program is killed, and what it has shown so far is
/// reported; or if it is gone, warprace goes.
extern "C" fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: none of these calls has memory preconditions, and all are safe in handlers.
    unsafe {
        if libc::getpid() != OWN.load(Ordering::SeqCst) {
            // The program's process, which has not executed the program yet: it does what the program would.
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
            return;
        }
    }
    let program = RUNNING.load(Ordering::SeqCst);
    if asked_again(signal) {
        // SAFETY: neither call has memory preconditions, and both are safe in handlers.
        unsafe {
            match program {
                0 => libc::_exit(128 + signal),
                _ => libc::kill(program, libc::SIGKILL),
            };
        }
        return;
    }
    if program == 0 && EARLY.fetch_or(1 << signal, Ordering::SeqCst) & BEGUN == 0 {
        return;
    }
    // SAFETY: the kernel passes a valid siginfo to handlers installed with SA_SIGINFO.
    let from_terminal = unsafe { (*info).si_code } > 0;
    let program = RUNNING.load(Ordering::SeqCst);
    if program > 0 && !from_terminal {
        // SAFETY: kill has no memory preconditions and is safe in handlers.
        unsafe { libc::kill(program, signal) };
    }
}

/// Ends this process as the program ended, so that whoever waits for warprace sees the same. Returns
/// the code that shells use, should the signal not be deadly.
pub(super) fn die_of(signal: i32) -> u8 {
    // SAFETY: plain system calls; a core file of warprace would only hide the program's.
    unsafe {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    (128 + signal) as u8
}
