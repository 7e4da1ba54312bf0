//! A suppressions file for what a run found, to be read and cut down by people.

use crate::model::{Access, Described, Document};
use crate::source::Sources;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# What warprace is not to report (`warprace run --suppressions FILE`).
# An entry suppresses findings that have all that it says: id, class, function, kernel, file, library.
# `*` stands for any text. Say why in `reason`.
";

/// An entry for each finding that is not suppressed yet.
pub fn generate(documents: &[Document], sources: &Sources) -> String {
    let mut out = HEAD.to_owned();
    for f in documents.iter().flat_map(Document::findings) {
        let _ = write!(
            out,
            "\n# {}\n# {}\n[[suppress]]\nid = {}\nclass = {}\n",
            comment(&f.title),
            comment(&places(f, sources)),
            quoted(&f.id),
            quoted(f.class.name()),
        );
        // Programs of one project may have functions of one name.
        if let Some(name) =
            f.accesses.iter().find(|a| a.line > 0).and_then(|a| Path::new(&a.file).file_name())
        {
            let _ = writeln!(out, "file = {}", quoted(&name.to_string_lossy()));
        }
        out.push_str("reason = \"\"\n");
    }
    out
}

fn places(f: &Described, sources: &Sources) -> String {
    let place = |a: &Access| match a.line {
        0 => format!("`{}`", a.function),
        line => format!("{}:{line} in `{}`", sources.display(&a.file), a.function),
    };
    format!("{} and {}", place(&f.accesses[0]), place(&f.accesses[1]))
}

fn comment(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A TOML string.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
