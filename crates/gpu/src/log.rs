//! What the library does, to stderr, if `WARPRACE_GPU_LOG` is set: for reports of its bugs.

use std::fmt::Display;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

static ON: AtomicBool = AtomicBool::new(false);

pub(crate) fn start() {
    ON.store(std::env::var_os("WARPRACE_GPU_LOG").is_some(), Ordering::Relaxed);
}

/// One line, if anybody wants it.
pub(crate) fn note(text: impl FnOnce() -> String) {
    if ON.load(Ordering::Relaxed) {
        complain(format_args!("warprace-gpu: {}\n", text()));
    }
}

/// To stderr, as it is. Where nobody can hear it, nobody does.
pub(crate) fn complain(text: impl Display) {
    let _ = write!(std::io::stderr(), "{text}");
}
