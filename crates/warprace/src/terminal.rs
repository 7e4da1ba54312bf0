//! What the terminal can show.

use report::Style;
use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Colours on stderr? Only on a terminal that knows them, and unless `NO_COLOR` is set.
pub(crate) fn color() -> bool {
    std::io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
}

/// Columns of stderr's terminal, within reason; 110 for files and pipes.
pub(crate) fn width() -> usize {
    if !std::io::stderr().is_terminal() {
        return 110;
    }
    // SAFETY: all-zero bytes are a valid winsize, and ioctl fills it or leaves it alone.
    let columns = unsafe {
        let mut size: libc::winsize = std::mem::zeroed();
        if libc::ioctl(libc::STDERR_FILENO, libc::TIOCGWINSZ, &mut size) == 0 { size.ws_col } else { 0 }
    };
    if columns == 0 { 110 } else { usize::from(columns).clamp(60, 160) }
}

/// `error: …`, in the colours of the report.
pub(crate) fn error(message: &str) {
    say("error", "\x1b[1;31m", message);
}

/// `help: …`, the way out of the error before it.
pub(crate) fn help(message: &str) {
    say("help", "\x1b[1;36m", message);
}

fn say(label: &str, style: &str, message: &str) {
    match color() {
        true => complain(format_args!("{style}{label}\x1b[0m: {message}\n")),
        false => complain(format_args!("{label}: {message}\n")),
    }
}

/// To stderr, as it is. Where nobody can hear it, nobody does.
pub(crate) fn complain(text: impl Display) {
    let _ = write!(std::io::stderr(), "{text}");
}

static LOST: AtomicBool = AtomicBool::new(false);

/// To stdout, as it is. A reader who has seen enough is no error; what else keeps it from being written is
/// told once, and [`is_output_lost`] from then on.
pub(crate) fn print(text: impl Display) {
    let mut out = std::io::stdout().lock();
    let Err(e) = write!(out, "{text}").and_then(|()| out.flush()) else { return };
    if e.kind() != ErrorKind::BrokenPipe && !LOST.swap(true, Ordering::Relaxed) {
        error(&format!("cannot write to the standard output: {}", plain(&e)));
    }
}

/// Could something not be printed?
pub(crate) fn is_output_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// How reports are shown on stderr.
pub(crate) fn style(limit: Option<usize>) -> Style {
    Style { color: color(), width: width(), limit, quiet: false }
}

/// The system's words without the number.
pub(crate) fn plain(e: &io::Error) -> String {
    let text = e.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars.next().into_iter().flat_map(char::to_lowercase).chain(chars).collect()
}
