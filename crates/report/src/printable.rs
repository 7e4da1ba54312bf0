//! Text of a program or of a file, as a terminal may show it.

use std::borrow::Cow;
use std::fmt::Write;

/// Replaces what a terminal would obey rather than show: control characters, and marks that change the direction of text.
/// Each becomes its escape as C and Rust write it.
pub fn printable(text: &str) -> Cow<'_, str> {
    escape(text, |_| false)
}

/// The same of text of several lines: line breaks and tabs stay.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| matches!(c, '\n' | '\t'))
}

fn escape(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(|c| is_obeyed(c) && !stays(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            c if !is_obeyed(c) || stays(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if u32::from(c) < 0x100 => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
        }
    }
    Cow::Owned(out)
}

fn is_obeyed(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_escaped() {
        assert_eq!(
            printable("a\x1b[31mb\x07\n\t\r\u{9b}1m\u{202e}x\x7f"),
            "a\\x1b[31mb\\x07\\n\\t\\r\\x9b1m\\u{202e}x\\x7f"
        );
        assert_eq!(printable_lines("a\n\tb\x1b]0;x\x07"), "a\n\tb\\x1b]0;x\\x07");
        assert!(matches!(printable("`größe` – \u{1f600}"), Cow::Borrowed(_)));
    }
}
