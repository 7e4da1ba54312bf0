//! Shows on a terminal which kernel is being analysed.

use crate::terminal;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the progress line is on the terminal.
static SHOWN: AtomicBool = AtomicBool::new(false);

/// Shows a kernel's number and name in the terminal's last line. Nothing is written to a file or a pipe.
pub(super) fn show(number: usize, all: usize, kernel: &str) {
    if !std::io::stderr().is_terminal() {
        return;
    }
    SHOWN.store(true, Ordering::Relaxed);
    terminal::complain(line(number, all, kernel, terminal::width()));
}

/// Clears the line.
pub(super) fn clear() {
    if SHOWN.swap(false, Ordering::Relaxed) {
        terminal::complain("\r\x1b[K");
    }
}

/// Returns the line, cut to the terminal's width.
fn line(number: usize, all: usize, kernel: &str, width: usize) -> String {
    let text = format!("proving kernel {} of {all}: {kernel}", number + 1);
    let shown: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("\r\x1b[K{shown}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_line_fits_the_terminal() {
        let line = super::line(1, 24, &"long_name".repeat(20), 60);
        assert!(line.starts_with("\r\x1b[Kproving kernel 2 of 24: long_name"));
        assert_eq!(line.chars().count(), 59 + "\r\x1b[K".len());
    }
}
