//! Was the library preloaded by the command line, rather than loaded otherwise?

use std::sync::atomic::{AtomicBool, Ordering};

static ACTIVE: AtomicBool = AtomicBool::new(false);

pub(crate) fn is_active() -> bool {
    ACTIVE.load(Ordering::Relaxed)
}

/// The options were read, and the library is at work from here on.
pub(crate) fn begin() {
    ACTIVE.store(true, Ordering::SeqCst);
}
