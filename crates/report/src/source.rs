//! Excerpts of source files.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
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
    /// Files outside of this folder are not read.
    within: Option<PathBuf>,
    /// Files that were not read for that.
    refused: RefCell<BTreeSet<String>>,
}

impl Sources {
    /// Paths under `base` are shown relative to it.
    pub fn new(base: Option<PathBuf>) -> Self {
        Sources { base, ..Sources::default() }
    }

    /// Returns a source that is safe for a foreign report: files outside of `project` are not read, wherever
    /// links lead.
    pub fn within(base: Option<PathBuf>, project: &Path) -> Self {
        Sources { base, within: Some(project.canonicalize().unwrap_or_default()), ..Sources::default() }
    }

    /// Files that are there and were not read, since they are outside of the project.
    pub fn refused(&self) -> Vec<String> {
        self.refused.borrow().iter().cloned().collect()
    }

    fn may_read(&self, path: &str) -> bool {
        let Some(project) = &self.within else { return true };
        match Path::new(path).canonicalize() {
            Ok(real) if project.as_os_str().is_empty() || !real.starts_with(project) => {
                self.refused.borrow_mut().insert(path.to_owned());
                false
            }
            _ => true,
        }
    }

    /// The file's text, if it is there and is text.
    pub fn text(&self, path: &str) -> Option<Rc<str>> {
        let read = || self.may_read(path).then(|| read(Path::new(path))).flatten();
        self.files.borrow_mut().entry(path.to_owned()).or_insert_with(read).clone()
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

/// Returns the range of `text` to underline for a position of a line table: from `column` (1-based, in bytes;
/// 0 if unknown) to the end of the statement on that line, or the whole line without its indentation. `None`
/// if the file has no such line.
///
/// nvcc writes a position when the line changes, so that of several statements on one line all have the column of
/// the first that was compiled, which may be the head of a function: then all of what may be meant is
/// underlined. The load and the store of `a[i] += a[j]` have the same column anyway.
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
    if from == indent && column == 0 {
        return Some(start + from..start + from + without_comment(rest).len());
    }
    let code = without_comment(code);
    if let Some(body) = body_behind(code, from) {
        return Some(start + body.start..start + body.end);
    }
    let length = statement(rest);
    let end = code.trim_end_matches(is_closing).len();
    let more = |left: &str| left.chars().any(|c| c != ')' && !is_closing(c));
    let length = match code.get(from + length..end) {
        // Something follows that may be meant.
        Some(left) if more(left) => end - from,
        _ => length,
    };
    Some(start + from..start + from + length)
}

fn is_closing(c: char) -> bool {
    c.is_whitespace() || matches!(c, ';' | '{' | '}')
}

/// If `from` is in the head of a function whose body is on the same line: that body, without its braces.
fn body_behind(code: &str, from: usize) -> Option<Range<usize>> {
    let open = from + code.get(from..)?.find('{')? + 1;
    let head = &code[..open - 1];
    // The head of a loop or condition is code, too; a lambda's head is inside an expression.
    let (before, _) = head.split_once('(')?;
    let control = ["if", "for", "while", "switch", "else", "do", "return"];
    let words: Vec<&str> = before.split_whitespace().collect();
    let head_of_function = words.len() > 1
        && head.trim_end().ends_with(')')
        && !head.contains([';', '=', '{', '['])
        && !control.contains(words.first()?);
    let body = code[open..].trim_end_matches(is_closing);
    let start = open + body.len() - body.trim_start().len();
    (head_of_function && !body.trim().is_empty()).then_some(start..open + body.len())
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
        assert_eq!(underlined(text, 3, 5), "if (i < f(n)) g()");
        assert_eq!(underlined(text, 3, 19), "g()");
        assert_eq!(underlined(text, 4, 1), "for (int i = 0; i < n; i += 2)");
        assert_eq!(underlined(text, 4, 24), "i += 2");
        assert_eq!(underlined(text, 5, 1), "return x");
        assert_eq!(underlined(text, 6, 1), "} else");
        assert_eq!(underlined(text, 7, 1), "call(a,");
    }

    #[test]
    fn of_several_statements_on_a_line_all_are_underlined() {
        let text = "__global__ void k(int *a, int *b) { s[t] = a[t]; b[t] = s[63 - t]; }\n    \
                    b[i] = 1; a[i] = 2;  // both\n__device__ int f(int *p) { return *p; }\n\
                    for (; i < n; i += 2) a[i] = 0;\n__global__ void k(int *a,\n} else a[0] = 1;\n";
        assert_eq!(underlined(text, 1, 30), "s[t] = a[t]; b[t] = s[63 - t]");
        assert_eq!(underlined(text, 2, 5), "b[i] = 1; a[i] = 2");
        assert_eq!(underlined(text, 2, 15), "a[i] = 2");
        assert_eq!(underlined(text, 3, 22), "return *p");
        assert_eq!(underlined(text, 4, 15), "i += 2) a[i] = 0");
        assert_eq!(underlined(text, 5, 17), "k(int *a,");
        assert_eq!(underlined(text, 6, 3), "else a[0] = 1");
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
    fn no_source_outside_of_the_project_is_read() {
        let folder = std::env::temp_dir().join(format!("warprace-sources-{}", std::process::id()));
        let project = folder.join("project");
        std::fs::create_dir_all(&project).unwrap();
        std::fs::write(folder.join("secret"), "secret").unwrap();
        std::fs::write(project.join("a.cu"), "a").unwrap();
        std::os::unix::fs::symlink(folder.join("secret"), project.join("link.cu")).unwrap();
        let sources = Sources::within(None, &project);
        let read = |path: PathBuf| sources.text(path.to_str().unwrap());
        assert_eq!(read(project.join("a.cu")).as_deref(), Some("a"));
        for outside in [folder.join("secret"), project.join("link.cu"), project.join("../secret")] {
            assert_eq!(read(outside), None);
        }
        assert_eq!(sources.refused().len(), 3);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn paths_are_shown_short() {
        let sources = Sources::new(Some("/home/me/app".into()));
        assert_eq!(sources.display("/home/me/app/src/../src/main.cu"), "src/main.cu");
        assert_eq!(sources.display("/home/me/other/./x.cu"), "/home/me/other/x.cu");
        assert_eq!(sources.display("../x.cu"), "../x.cu");
    }
}
