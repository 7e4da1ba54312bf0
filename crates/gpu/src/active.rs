//! Records whether the command line has preloaded this library. Otherwise the library stays passive.

use std::sync::atomic::{AtomicBool, Ordering};

static ACTIVE: AtomicBool = AtomicBool::new(false);

pub(crate) fn is_active() -> bool {
    ACTIVE.load(Ordering::Relaxed)
}

/// Activates the library, after the options have been read.
pub(crate) fn begin() {
    ACTIVE.store(true, Ordering::SeqCst);
}
