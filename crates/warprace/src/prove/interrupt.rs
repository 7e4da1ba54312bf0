//! SIGINT and SIGTERM end the questions, not the report: what was decided until then is written. A second one ends warprace.

use std::sync::atomic::{AtomicI32, Ordering};

/// The signal that came; 0 if none did.
static CAME: AtomicI32 = AtomicI32::new(0);

const CAUGHT: [(i32, &str); 2] = [(libc::SIGINT, "SIGINT"), (libc::SIGTERM, "SIGTERM")];

/// From now on, the first signal is remembered.
pub(super) fn catch() {
    for (signal, _) in CAUGHT {
        // SAFETY: all-zero bytes are a valid sigaction with an empty mask, and the handler only stores a number.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &mut old);
            if old.sa_sigaction == libc::SIG_IGN {
                continue;
            }
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = remember as *const () as usize;
            // The next one does what it does by default.
            action.sa_flags = libc::SA_RESETHAND | libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

extern "C" fn remember(signal: i32) {
    CAME.store(signal, Ordering::Relaxed);
}

/// The name of the signal that came.
pub(super) fn caught() -> Option<&'static str> {
    let came = CAME.load(Ordering::Relaxed);
    CAUGHT.iter().find(|(signal, _)| *signal == came).map(|(_, name)| *name)
}
