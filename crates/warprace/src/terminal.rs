//! What the terminal can show.

use std::io::IsTerminal;

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
        true => eprintln!("{style}{label}\x1b[0m: {message}"),
        false => eprintln!("{label}: {message}"),
    }
}
