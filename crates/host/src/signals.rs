//! The two signals that watching needs, shared with the program.
//!
//! Our handlers stay installed; what the program installs for these signals is kept here and
//! called for every fault that is not ours.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

type SigAction = unsafe extern "C" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;

/// The program's dispositions of the signals we hold: SIGSEGV and SIGTRAP.
static PROGRAM: Mutex<[Option<Disposition>; 2]> = Mutex::new([None, None]);

#[derive(Clone, Copy)]
struct Disposition(libc::sigaction);

// SAFETY: plain data; the handler it names may be called on any thread.
unsafe impl Send for Disposition {}

static INSTALLED: AtomicBool = AtomicBool::new(false);

fn slot(signal: c_int) -> Option<usize> {
    match signal {
        libc::SIGSEGV => Some(0),
        libc::SIGTRAP => Some(1),
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

/// A handler of the three-argument form.
#[cfg(target_arch = "x86_64")]
pub type Handler = unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// Installs our handlers of SIGTRAP and SIGSEGV, once.
#[cfg(target_arch = "x86_64")]
pub fn install(on_trap: Handler, on_segv: Handler) {
    if INSTALLED.swap(true, Ordering::SeqCst) {
        return;
    }
    let Some(sigaction) = real() else { return };
    for (signal, handler) in
        [(libc::SIGTRAP, on_trap as *const () as usize), (libc::SIGSEGV, on_segv as *const () as usize)]
    {
        // SAFETY: a zeroed structure is a valid start; the handlers have the three-argument form.
        unsafe {
            let mut ours: libc::sigaction = std::mem::zeroed();
            ours.sa_sigaction = handler;
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
            let mut theirs: libc::sigaction = std::mem::zeroed();
            if sigaction(signal, &ours, &mut theirs) == 0
                && let Some(slot) = slot(signal)
            {
                PROGRAM.lock().unwrap_or_else(PoisonError::into_inner)[slot] = Some(Disposition(theirs));
            }
        }
    }
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
                    if signal == libc::SIGTRAP {
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
    let held = slot(signal).filter(|_| INSTALLED.load(Ordering::SeqCst));
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
