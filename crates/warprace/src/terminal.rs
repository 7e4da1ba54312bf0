//! Output to the terminal, within its capabilities.

use report::{Style, printable_lines};
use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Returns whether stderr shows colours: it is a terminal that supports them, and `NO_COLOR` is not set.
pub(crate) fn color() -> bool {
    std::io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
}

/// Returns the columns of stderr's terminal, clamped; 110 for files and pipes.
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

/// Prints `error: …` in the colours of the report.
pub(crate) fn error(message: &str) {
    say("error", "\x1b[1;31m", message);
}

/// Prints `help: …`, a hint about the preceding error.
pub(crate) fn help(message: &str) {
    say("help", "\x1b[1;36m", message);
}

fn say(label: &str, style: &str, message: &str) {
    let message = printable_lines(message);
    match color() {
        true => complain(format_args!("{style}{label}\x1b[0m: {message}\n")),
        false => complain(format_args!("{label}: {message}\n")),
    }
}

/// Writes to stderr and ignores errors. Terminal control sequences in the text are escaped.
pub(crate) fn complain(text: impl Display) {
    let _ = std::io::stderr().write_all(shown(&text.to_string()).as_bytes());
}

/// Returns text that may contain words of a program or a file in a form that is safe for a terminal: all
/// control characters except line breaks and tabs are escaped. On a terminal with colours, colour codes and
/// links stay.
fn shown(text: &str) -> Cow<'_, str> {
    match color() {
        true => Cow::Owned(with_styles(text)),
        false => printable_lines(text),
    }
}

/// Escapes everything except colours (`ESC [ … m`) and the two marks of a link (`ESC ] 8 ; ; … ESC \`).
fn with_styles(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\x1b') {
        out.push_str(&printable_lines(&rest[..at]));
        rest = &rest[at..];
        let length = style_at(rest).unwrap_or_else(|| {
            out.push_str("\\x1b");
            0
        });
        out.push_str(&rest[..length]);
        rest = &rest[length.max(1)..];
    }
    out.push_str(&printable_lines(rest));
    out
}

/// Returns the length of the colour code or link mark at the beginning of a text.
fn style_at(text: &str) -> Option<usize> {
    if let Some(codes) = text.strip_prefix("\x1b[") {
        let end = codes.find(|c: char| !c.is_ascii_digit() && c != ';')?;
        return codes[end..].starts_with('m').then_some(2 + end + 1);
    }
    let address = text.strip_prefix("\x1b]8;;")?;
    let end = address.find(|c: char| c.is_control())?;
    address[end..].starts_with("\x1b\\").then_some(5 + end + 2)
}

static LOST: AtomicBool = AtomicBool::new(false);

/// Writes to stdout, with control sequences escaped.
pub(crate) fn print(text: impl Display) {
    print_exactly(shown(&text.to_string()));
}

/// Writes to stdout unchanged. A closed pipe is no error. Any other failure is reported once, and
/// [`is_output_lost`] returns true from then on.
pub(crate) fn print_exactly(text: impl Display) {
    let mut out = std::io::stdout().lock();
    let Err(e) = write!(out, "{text}").and_then(|()| out.flush()) else { return };
    if e.kind() != ErrorKind::BrokenPipe && !LOST.swap(true, Ordering::Relaxed) {
        error(&format!("cannot write to the standard output: {}", plain(&e)));
    }
}

/// Returns whether some output could not be written.
pub(crate) fn is_output_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Returns the style of reports on stderr.
pub(crate) fn style(limit: Option<usize>) -> Style {
    Style { color: color(), width: width(), limit, quiet: false }
}

/// Returns the system's error message without the number.
pub(crate) fn plain(e: &io::Error) -> String {
    let text = e.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars.next().into_iter().flat_map(char::to_lowercase).chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colours_and_links_get_through() {
        let ours = "\x1b[1;31merror\x1b[0m: \x1b]8;;https://x/y\x1b\\text\x1b]8;;\x1b\\\n";
        assert_eq!(with_styles(ours), ours);
        assert_eq!(with_styles("a\x1b[2Jb\x1b]0;title\x07c\x1b"), "a\\x1b[2Jb\\x1b]0;title\\x07c\\x1b");
        assert_eq!(with_styles("\x1b[31\u{e9}\r"), "\\x1b[31\u{e9}\\r");
    }
}
