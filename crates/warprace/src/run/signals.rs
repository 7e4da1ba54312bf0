//! Signals that ask warprace to end. They are passed on to the program.

use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU64, Ordering};

/// The id of the running program, for the signal handler; 0 if there is none.
static RUNNING: AtomicI32 = AtomicI32::new(0);

/// Flag that is set once the program has started.
const BEGUN: u64 = 1 << 63;

/// Signals that arrived before the program's start, one bit for each, and [`BEGUN`].
static EARLY: AtomicU64 = AtomicU64::new(0);

/// warprace's own process id: between `fork` and `exec` the program's process has the same handlers.
static OWN: AtomicI32 = AtomicI32::new(0);

/// Signals for the program rather than for warprace, since the findings so far are still reported.
const PASSED_ON: [libc::c_int; 6] =
    [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGUSR1, libc::SIGUSR2];

/// Passes signals on to the program from now on, including those that arrived earlier. A launch that is
/// checked beside the program receives none of them.
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

/// Stops passing signals on, since another process may soon have the program's id.
pub(super) fn ended(program: i32) {
    let _ = RUNNING.compare_exchange(program, 0, Ordering::SeqCst, Ordering::SeqCst);
}

/// Installs handlers that pass signals on to the program. Exec resets them to their defaults in the program.
pub(super) fn pass_on_to_program() {
    OWN.store(std::process::id() as i32, Ordering::SeqCst);
    for signal in PASSED_ON {
        // SAFETY: all-zero bytes are a valid sigaction with an empty mask, and the handler makes only calls
        // that are safe in handlers.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &mut old);
            if old.sa_sigaction == libc::SIG_IGN {
                // `nohup` makes the program inherit an ignored signal.
                continue;
            }
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = pass_on as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

/// The time of the first request to end, in milliseconds; 0 if there was none.
static ASKED: AtomicI64 = AtomicI64::new(0);

/// Requests within this time count as one: `timeout` signals its child, then the child's group.
const TOGETHER_MS: i64 = 300;

/// Returns whether warprace, or the program, was asked to end.
pub(super) fn is_asked_to_end() -> bool {
    ASKED.load(Ordering::SeqCst) != 0
}

/// Records a request to end, and returns whether it repeats an earlier one.
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

/// Signal handler. A terminal signals the whole foreground group, including the program; other senders signal
/// warprace alone, so the signal is passed on. A second request kills the program, and its findings so far
/// are reported; if the program has ended, it ends warprace.
extern "C" fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: none of these calls has memory preconditions, and all are safe in handlers.
    unsafe {
        if libc::getpid() != OWN.load(Ordering::SeqCst) {
            // This is the program's process before `exec`; it takes the signal's default action.
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

/// Ends this process by the signal that ended the program, so that warprace's parent sees the same status.
/// Returns the code that shells use if the signal is not deadly.
pub(super) fn die_of(signal: i32) -> u8 {
    // SAFETY: plain system calls. A core file of warprace would overwrite the program's.
    unsafe {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    (128 + signal) as u8
}
