//! The tests that the tables name: files that have an instruction of a form, or call a function.

use std::path::{Path, PathBuf};

/// Files of tests with their text, without comments.
pub(super) struct Sources {
    /// Names from the workspace on, and texts.
    pub(super) files: Vec<(String, String)>,
}

fn files(folder: &Path, endings: &[&str], out: &mut Vec<PathBuf>) {
    if folder.is_file() {
        out.push(folder.to_owned());
        return;
    }
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, endings, out);
        } else if path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending)) {
            out.push(path);
        }
    }
}

/// A line without its comment.
fn code(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code)
}

impl Sources {
    /// The files of folders, or single files, in the order in which they are preferred.
    pub(super) fn of(places: &[&str], endings: &[&str]) -> Sources {
        let root = super::workspace();
        let mut paths = Vec::new();
        for place in places {
            assert!(root.join(place).exists(), "there is no {place}");
            files(&root.join(place), endings, &mut paths);
        }
        let read = |path: PathBuf| {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let text = text.lines().map(code).collect::<Vec<_>>().join("\n");
            (path.strip_prefix(&root).unwrap().display().to_string(), text)
        };
        Sources { files: paths.into_iter().map(read).collect() }
    }

    /// A file that calls a function: the one that the page names, or else the first.
    pub(super) fn calls(&self, function: &str) -> Option<&str> {
        let row = row_of(&format!("| `{function}` |"));
        let calling = || self.files.iter().filter(|(_, text)| is_called(text, function));
        let named = calling().find(|(name, _)| names(&row, name));
        named.or_else(|| calling().next()).map(|(name, _)| name.as_str())
    }
}

/// The page's row that begins so; empty if there is none.
pub(super) fn row_of(beginning: &str) -> String {
    let page = std::fs::read_to_string(super::workspace().join("docs/coverage.md")).unwrap_or_default();
    page.lines().find(|line| line.starts_with(beginning)).unwrap_or_default().to_owned()
}

/// Returns whether a row of the page names a file: it stays a test of the row, whatever files come before it.
pub(super) fn names(row: &str, file: &str) -> bool {
    row.contains(&format!("`{file}`"))
}

/// Returns whether a text has a call of a function.
fn is_called(text: &str, function: &str) -> bool {
    text.match_indices(function).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let inside = before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
        !inside && text[at + function.len()..].trim_start().starts_with('(')
    })
}

/// The words of a text that may be instructions, each with what is behind it.
pub(super) fn instructions(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '%');
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = &rest[rest.find(part)?..];
        let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        rest = behind;
        Some((word.trim_end_matches(['.', ':']), behind))
    })
}

/// Returns whether a word of a test can be an instruction: those without a modifier are words of other languages, too.
pub(super) fn is_instruction(word: &str, behind: &str, file: &str) -> bool {
    let alone = || {
        behind.starts_with(';')
            || behind.starts_with(' ') && behind[1..].starts_with(|c: char| c.is_ascii_digit())
    };
    word.contains('.') || file.ends_with(".ptx") || file.ends_with(".rs") && alone()
}
