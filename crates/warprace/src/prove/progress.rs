//! Which kernel is asked about, for whoever waits at a terminal.

use crate::terminal;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};

/// There is such a line on the terminal.
static SHOWN: AtomicBool = AtomicBool::new(false);

/// Shows the number and the name of a kernel in the terminal's last line; writes nothing to a file or a pipe.
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

/// No longer than the terminal is wide.
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
