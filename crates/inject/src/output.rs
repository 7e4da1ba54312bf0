//! Output of kernels, and urgent messages of this library.

use crate::pages;
use std::ffi::c_void;
use std::fmt::Display;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

unsafe extern "C" {
    static stdout: *mut libc::FILE;
}

/// Writes to stderr and ignores errors.
pub(crate) fn complain(text: impl Display) {
    use std::io::Write;
    let _ = write!(std::io::stderr(), "{text}");
}

/// Size of a piece of text.
const PIECE: usize = 64 << 10;

/// Text from kernels. It is passed on when the host synchronises, as CUDA does, through the program's own
/// `stdout`, so that it is in sequence with the program's output.
#[derive(Debug, Default)]
pub(crate) struct Output {
    /// The text in pieces, none of which moves when more text is added.
    text: Mutex<Vec<Vec<u8>>>,
    clock: AtomicU64,
}

impl Output {
    /// Passes the text on.
    pub(crate) fn flush(&self) {
        let text = std::mem::take(&mut *self.text.lock().unwrap_or_else(PoisonError::into_inner));
        for piece in text {
            // SAFETY: the C library's stream, which locks itself.
            unsafe { libc::fwrite(piece.as_ptr().cast::<c_void>(), 1, piece.len(), stdout) };
        }
    }
}

impl Output {
    /// Adds a kernel's output.
    pub(crate) fn print(&self, bytes: &[u8]) {
        let mut text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        match text.last_mut().filter(|piece| piece.capacity() - piece.len() >= bytes.len()) {
            Some(piece) => piece.extend_from_slice(bytes),
            None => {
                let mut piece = Vec::with_capacity(bytes.len().max(PIECE));
                if !text.is_empty() {
                    // The whole piece will be used, since there is much output.
                    pages::write(piece.as_ptr() as usize, PIECE);
                }
                piece.extend_from_slice(bytes);
                text.push(piece);
            }
        }
    }

    /// Returns the time in nanoseconds for kernels.
    pub(crate) fn tick(&self) -> u64 {
        // A clock that advances only when it is read is repeatable, and lets loops that wait for time to pass
        // end.
        self.clock.fetch_add(1000, Ordering::Relaxed)
    }
}
