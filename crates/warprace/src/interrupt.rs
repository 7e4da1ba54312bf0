//! Handles SIGINT and SIGTERM: the first signal ends an analysis or a campaign, and what was found so far is reported. A
//! second one ends warprace.

use std::sync::atomic::{AtomicI32, Ordering};

/// The signal that arrived; 0 if there was none.
static CAME: AtomicI32 = AtomicI32::new(0);

const CAUGHT: [(i32, &str); 2] = [(libc::SIGINT, "SIGINT"), (libc::SIGTERM, "SIGTERM")];

/// Installs handlers that record the first signal.
pub(crate) fn catch() {
    for (signal, _) in CAUGHT {
        // SAFETY: all-zero bytes are a valid sigaction with an empty mask, and the handler only stores a
        // number.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &mut old);
            if old.sa_sigaction == libc::SIG_IGN {
                continue;
            }
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = remember as *const () as usize;
            // The next signal has its default action.
            action.sa_flags = libc::SA_RESETHAND | libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

extern "C" fn remember(signal: i32) {
    CAME.store(signal, Ordering::Relaxed);
}

/// Returns the name of the signal that arrived.
pub(crate) fn caught() -> Option<&'static str> {
    let came = CAME.load(Ordering::Relaxed);
    CAUGHT.iter().find(|(signal, _)| *signal == came).map(|(_, name)| *name)
}
