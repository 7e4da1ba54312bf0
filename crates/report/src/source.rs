//! Excerpts of source files.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Longer files are not source code.
const MAX_SOURCE_BYTES: u64 = 16 << 20;

/// Source files, read once, and the folder against which paths are shown.
#[derive(Debug, Default)]
pub struct Sources {
    files: RefCell<HashMap<String, Option<Rc<str>>>>,
    base: Option<PathBuf>,
}

impl Sources {
    /// Paths under `base` are shown relative to it.
    pub fn new(base: Option<PathBuf>) -> Self {
        Sources { files: RefCell::default(), base }
    }

    /// The file's text, if it is there and is text.
    pub fn text(&self, path: &str) -> Option<Rc<str>> {
        self.files.borrow_mut().entry(path.to_owned()).or_insert_with(|| read(Path::new(path))).clone()
    }

    /// The path as shown.
    pub fn display(&self, path: &str) -> String {
        let normal = normalize(Path::new(path));
        let shown = self.base.as_ref().and_then(|base| normal.strip_prefix(base).ok()).unwrap_or(&normal);
        shown.to_string_lossy().into_owned()
    }
}

fn read(path: &Path) -> Option<Rc<str>> {
    let about = std::fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > MAX_SOURCE_BYTES {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into())
}

/// Without `.` and `..`, as far as that is possible by name alone.
fn normalize(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// What to underline in `text` for a position of a line table: from `column` (1-based, in bytes;
/// 0 if unknown) to the end of the statement on that line, or the whole line without its
/// indentation. `None` if the file has no such line.
///
/// nvcc's columns are of statements: the load and the store of `a[i] += a[j]` have the same one.
pub fn span(text: &str, line: u32, column: u32) -> Option<Range<usize>> {
    let start: usize = text.split_inclusive('\n').take((line as usize).checked_sub(1)?).map(str::len).sum();
    let line_text = text.get(start..)?.lines().next()?;
    let code = line_text.trim_end();
    let indent = code.len() - code.trim_start().len();
    let from = match column as usize {
        0 => indent,
        c if c > code.len() || !code.is_char_boundary(c - 1) => indent,
        c => c - 1,
    };
    let rest = &code[from..];
    let length = if from == indent && column == 0 { without_comment(rest).len() } else { statement(rest) };
    Some(start + from..start + from + length)
}

fn without_comment(code: &str) -> &str {
    code.find("//").map_or(code, |at| &code[..at]).trim_end()
}

/// The length of the statement at the start of `code`: up to a `;`, to the `)` that closes an `if (` or
/// that something around it opened, or to the end of the line. At least one character, if there is one.
fn statement(code: &str) -> usize {
    let code = without_comment(code);
    let control = ["if", "for", "while", "switch"]
        .iter()
        .any(|word| code.strip_prefix(word).is_some_and(|rest| rest.trim_start().starts_with('(')));
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth -= 1;
                if depth < 0 {
                    return code[..at].trim_end().len().max(1);
                }
                if depth == 0 && control {
                    return at + 1;
                }
            }
            b';' if depth == 0 => return at.max(1),
            _ => {}
        }
    }
    // An opening brace at the end belongs to what follows.
    let body = code.strip_suffix('{').filter(|b| !b.is_empty()).unwrap_or(code);
    body.trim_end().len().max(code.chars().next().map_or(0, char::len_utf8))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn underlined(text: &str, line: u32, column: u32) -> &str {
        &text[span(text, line, column).unwrap()]
    }

    #[test]
    fn the_statement_is_underlined_from_its_column() {
        let text = "a\n    s[tid] += s[tid + (k)]; // x\n    if (i < f(n)) g();\n\
                    for (int i = 0; i < n; i += 2) {\nreturn x;\n} else {\ncall(a,\n";
        assert_eq!(underlined(text, 2, 5), "s[tid] += s[tid + (k)]");
        assert_eq!(underlined(text, 3, 5), "if (i < f(n))");
        assert_eq!(underlined(text, 3, 19), "g()");
        assert_eq!(underlined(text, 4, 1), "for (int i = 0; i < n; i += 2)");
        assert_eq!(underlined(text, 4, 24), "i += 2");
        assert_eq!(underlined(text, 5, 1), "return x");
        assert_eq!(underlined(text, 6, 1), "}");
        assert_eq!(underlined(text, 7, 1), "call(a,");
    }

    #[test]
    fn without_a_column_the_line_is() {
        let text = "  x = 1;  // why\n";
        assert_eq!(underlined(text, 1, 0), "x = 1;");
        assert_eq!(underlined(text, 1, 400), "x = 1");
    }

    #[test]
    fn lines_that_are_not_there_have_no_span() {
        assert_eq!(span("a\nb\n", 3, 1), None);
        assert_eq!(span("a\nb\n", 0, 1), None);
        assert_eq!(span("", 1, 1), None);
        assert_eq!(span("f(\n", 1, 1), Some(0..2));
        assert_eq!(span("ä = 1;\n", 1, 2), Some(0..6));
    }

    #[test]
    fn paths_are_shown_short() {
        let sources = Sources::new(Some("/home/me/app".into()));
        assert_eq!(sources.display("/home/me/app/src/../src/main.cu"), "src/main.cu");
        assert_eq!(sources.display("/home/me/other/./x.cu"), "/home/me/other/x.cu");
        assert_eq!(sources.display("../x.cu"), "../x.cu");
    }
}
