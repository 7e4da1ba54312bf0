//! What kernels print, and what this library has to say at once.

use std::ffi::c_void;
use std::fmt::Display;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

unsafe extern "C" {
    static stdout: *mut libc::FILE;
}

/// To stderr, as it is. Where nobody can hear it, nobody does.
pub(crate) fn complain(text: impl Display) {
    use std::io::Write;
    let _ = write!(std::io::stderr(), "{text}");
}

/// Text from kernels, passed on when the host synchronises, as CUDA does, through the
/// program's own `stdout`, so that it falls in line with what the program prints.
#[derive(Debug, Default)]
pub(crate) struct Output {
    text: Mutex<Vec<u8>>,
    clock: AtomicU64,
}

impl Output {
    /// Passes the text on.
    pub(crate) fn flush(&self) {
        let text = std::mem::take(&mut *self.text.lock().unwrap_or_else(PoisonError::into_inner));
        if !text.is_empty() {
            // SAFETY: the C library's stream, which locks itself.
            unsafe { libc::fwrite(text.as_ptr().cast::<c_void>(), 1, text.len(), stdout) };
        }
    }
}

impl Output {
    /// What a kernel prints.
    pub(crate) fn print(&self, bytes: &[u8]) {
        self.text.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
    }

    /// Nanoseconds, for kernels.
    pub(crate) fn tick(&self) -> u64 {
        // A clock that only moves when looked at repeats itself from run to run, and lets
        // loops that wait for time to pass end.
        self.clock.fetch_add(1000, Ordering::Relaxed)
    }
}
