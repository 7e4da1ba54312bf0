//! The signals that watching needs, shared with the program: SIGSEGV and SIGTRAP of instructions, and SIGSYS of system calls.
//!
//! Our handlers stay installed; the program's handlers of these signals are stored here and called for every
//! fault that is not ours.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

type SigAction = unsafe extern "C" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;

/// The program's dispositions of the signals we hold: SIGSEGV, SIGTRAP and SIGSYS.
static PROGRAM: Mutex<[Option<Disposition>; 3]> = Mutex::new([None, None, None]);

#[derive(Clone, Copy)]
struct Disposition(libc::sigaction);

// SAFETY: plain data; the handler it names may be called on any thread.
unsafe impl Send for Disposition {}

/// The first two, and the third.
static INSTALLED: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicBool = AtomicBool::new(false);

fn slot(signal: c_int) -> Option<usize> {
    match signal {
        libc::SIGSEGV => Some(0),
        libc::SIGTRAP => Some(1),
        libc::SIGSYS => Some(2),
        _ => None,
    }
}

fn real() -> Option<SigAction> {
    static REAL: OnceLock<Option<SigAction>> = OnceLock::new();
    *REAL.get_or_init(|| {
        // SAFETY: looks up the C library's function behind ours.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, c"sigaction".as_ptr()) };
        // SAFETY: a function of that name has this signature.
        (!found.is_null()).then(|| unsafe { std::mem::transmute::<*mut c_void, SigAction>(found) })
    })
}

/// The address to which handlers return, if not the C library's: 0, or code that calls `rt_sigreturn`.
#[cfg(target_arch = "x86_64")]
static RESTORER: AtomicU64 = AtomicU64::new(0);

/// Has handlers that are installed from now on return by the code at an address, which calls `rt_sigreturn`.
#[cfg(target_arch = "x86_64")]
pub(crate) fn return_by(code: u64) {
    RESTORER.store(code, Ordering::Release);
}

/// The code by which handlers return, if they do not by the C library's.
#[cfg(target_arch = "x86_64")]
pub(crate) fn restorer() -> Option<u64> {
    Some(RESTORER.load(Ordering::Acquire)).filter(|&at| at != 0)
}

/// A handler of the three-argument form.
#[cfg(target_arch = "x86_64")]
pub type Handler = unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// Installs our handlers of SIGTRAP and SIGSEGV, once.
#[cfg(target_arch = "x86_64")]
pub fn install(on_trap: Handler, on_segv: Handler) {
    if INSTALLED.swap(true, Ordering::SeqCst) {
        return;
    }
    for (signal, handler) in [(libc::SIGTRAP, on_trap), (libc::SIGSEGV, on_segv)] {
        // A signal that has a number has a disposition.
        let _ = hold(signal, handler, 0);
    }
}

/// Installs our handler of SIGSYS, which blocks these signals, once.
#[cfg(target_arch = "x86_64")]
pub(crate) fn hold_calls(on_call: Handler, blocked: u64) -> std::io::Result<()> {
    match CALLS.swap(true, Ordering::SeqCst) {
        true => Ok(()),
        false => hold(libc::SIGSYS, on_call, blocked),
    }
}

/// Installs a handler, and remembers what the program had. It returns by the region of calls that pass, if there is one
/// ([`crate::calls`]); the C library's functions leave no choice.
#[cfg(target_arch = "x86_64")]
fn hold(signal: c_int, handler: Handler, blocked: u64) -> std::io::Result<()> {
    const SA_RESTORER: u64 = 0x0400_0000;
    let flags = (libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART) as u64;
    // SAFETY: the kernel's call with its structure (handler, flags, restorer, mask); zeroed structures are valid.
    unsafe {
        let mut theirs: libc::sigaction = std::mem::zeroed();
        let done = match (restorer(), real()) {
            (Some(restorer), _) => {
                let ours = [handler as *const () as u64, flags | SA_RESTORER, restorer, blocked];
                let mut old = [0u64; 4];
                let done = libc::syscall(libc::SYS_rt_sigaction, signal, &ours, &mut old, 8usize) as c_int;
                theirs = from_kernel(old[0], old[1], old[3]);
                done
            }
            (None, Some(sigaction)) => {
                let mut ours: libc::sigaction = std::mem::zeroed();
                ours.sa_sigaction = handler as *const () as usize;
                ours.sa_flags = flags as c_int;
                sigaction(signal, &ours, &mut theirs)
            }
            (None, None) => -1,
        };
        if done != 0 {
            return Err(std::io::Error::last_os_error());
        }
        if let Some(slot) = slot(signal) {
            PROGRAM.lock().unwrap_or_else(PoisonError::into_inner)[slot] = Some(Disposition(theirs));
        }
    }
    Ok(())
}

/// A disposition as the C library has it. Its set begins with the kernel's.
#[cfg(target_arch = "x86_64")]
fn from_kernel(handler: u64, flags: u64, mask: u64) -> libc::sigaction {
    // SAFETY: a zeroed structure is valid, and its set is longer than 64 signals.
    unsafe {
        let mut out: libc::sigaction = std::mem::zeroed();
        out.sa_sigaction = handler as usize;
        out.sa_flags = flags as c_int;
        (&raw mut out.sa_mask).cast::<u64>().write(mask);
        out
    }
}

/// The program's disposition of a signal that we hold, as handler, flags and mask; `new` is its next.
#[cfg(target_arch = "x86_64")]
pub(crate) fn exchange(signal: c_int, new: Option<(u64, u64, u64)>) -> (u64, u64, u64) {
    let Some(slot) = slot(signal) else { return (0, 0, 0) };
    let mut program = PROGRAM.lock().unwrap_or_else(PoisonError::into_inner);
    let old = program[slot].map_or((0, 0, 0), |Disposition(old)| {
        // SAFETY: the set is longer than 64 signals.
        (old.sa_sigaction as u64, old.sa_flags as u64, unsafe {
            (&raw const old.sa_mask).cast::<u64>().read()
        })
    });
    if let Some((handler, flags, mask)) = new {
        program[slot] = Some(Disposition(from_kernel(handler, flags, mask)));
    }
    old
}

/// Passes a signal that is not ours on to the program.
///
/// # Safety
/// Called in a handler with its own arguments.
pub unsafe fn forward(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let theirs = slot(signal).and_then(|slot| PROGRAM.lock().unwrap_or_else(PoisonError::into_inner)[slot]);
    let action = theirs.map(|d| d.0);
    match action {
        Some(action) if action.sa_sigaction != libc::SIG_DFL && action.sa_sigaction != libc::SIG_IGN => {
            // SAFETY: the program installed the handler with these flags.
            unsafe {
                if action.sa_flags & libc::SA_SIGINFO != 0 {
                    let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                        std::mem::transmute(action.sa_sigaction);
                    handler(signal, info, context);
                } else {
                    let handler: extern "C" fn(c_int) = std::mem::transmute(action.sa_sigaction);
                    handler(signal);
                }
            }
        }
        _ => {
            // The default: the instruction runs again and its fault is the end.
            if let Some(sigaction) = real() {
                // SAFETY: a zeroed structure asks for the default.
                unsafe {
                    let default: libc::sigaction = std::mem::zeroed();
                    sigaction(signal, &default, std::ptr::null_mut());
                    if signal != libc::SIGSEGV {
                        libc::raise(signal);
                    }
                }
            }
        }
    }
}

/// The program's view of `sigaction`: for the signals we hold, its handler is remembered and
/// called by ours.
///
/// # Safety
/// As the C library's.
#[cfg(not(test))]
#[unsafe(no_mangle)]
#[allow(unreachable_pub)]
pub unsafe extern "C" fn sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    let is_held = match signal {
        libc::SIGSYS => CALLS.load(Ordering::SeqCst),
        _ => INSTALLED.load(Ordering::SeqCst),
    };
    let held = slot(signal).filter(|_| is_held);
    let Some(slot) = held else {
        return match real() {
            // SAFETY: the caller's arguments.
            Some(sigaction) => unsafe { sigaction(signal, new, old) },
            None => -1,
        };
    };
    let mut program = PROGRAM.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the caller's pointers are valid or null.
    unsafe {
        if !old.is_null() {
            *old = program[slot].map_or(std::mem::zeroed(), |d| d.0);
        }
        if !new.is_null() {
            program[slot] = Some(Disposition(*new));
        }
    }
    0
}

/// The same for `signal`.
///
/// # Safety
/// As the C library's.
#[cfg(not(test))]
#[unsafe(no_mangle)]
#[allow(unreachable_pub)]
pub unsafe extern "C" fn signal(number: c_int, handler: usize) -> usize {
    // SAFETY: zeroed structures are valid; `sigaction` above takes them.
    unsafe {
        let mut new: libc::sigaction = std::mem::zeroed();
        let mut old: libc::sigaction = std::mem::zeroed();
        new.sa_sigaction = handler;
        new.sa_flags = libc::SA_RESTART;
        if sigaction(number, &new, &mut old) != 0 { libc::SIG_ERR } else { old.sa_sigaction }
    }
}
