//! One miniature of the corpus: its file, and what that says about itself.
//!
//! ```text
//! // OWNER/PROJECT #NUMBER: what was wrong.
//! //@ class: missing-barrier          any of these classes; absent where no single word fits
//! //@ run: --devices 2                more options for `warprace run`
//! //@ fixed: inconclusive             the fix is free of alarms, and nothing more can be said of it
//! x = 1; //~ RACE(1)                  one side of race 1; twice on a line that is both sides
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub(crate) struct Bug {
    /// The file's name without its extension.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// `OWNER/PROJECT`.
    pub(crate) project: String,
    pub(crate) number: u32,
    pub(crate) summary: String,
    pub(crate) classes: Vec<String>,
    pub(crate) options: Vec<String>,
    /// The verdict of the fixed program.
    pub(crate) fixed: String,
    /// Pairs of lines that race, the smaller line first.
    pub(crate) pairs: BTreeSet<(u64, u64)>,
}

/// Reads every miniature of a folder, sorted by name.
pub(crate) fn all(folder: &Path) -> Vec<Bug> {
    let mut bugs: Vec<Bug> = std::fs::read_dir(folder)
        .expect("the corpus can be listed")
        .map(|entry| entry.expect("an entry of the corpus").path())
        .filter(|path| path.extension().is_some_and(|e| e == "cu"))
        .map(|path| parse(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
        .collect();
    bugs.sort_by(|a, b| a.name.cmp(&b.name));
    bugs
}

fn parse(path: &Path) -> Result<Bug, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let first = text.lines().next().and_then(|l| l.strip_prefix("// "));
    let (origin, summary) = first
        .and_then(|l| l.split_once(": "))
        .ok_or("the first line is not `// OWNER/PROJECT #NUMBER: …`")?;
    let (project, number) = origin.split_once(" #").ok_or("the first line names no issue")?;
    let mut bug = Bug {
        name: path.file_stem().expect("a file has a name").to_string_lossy().into_owned(),
        path: path.to_owned(),
        project: project.to_owned(),
        number: number.parse().map_err(|_| format!("`{number}` is not a number"))?,
        summary: summary.to_owned(),
        classes: vec![],
        options: vec![],
        fixed: "clean".to_owned(),
        pairs: BTreeSet::new(),
    };
    let words = |v: &str| v.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut sides: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (line, n) in text.lines().zip(1..) {
        if let Some(directive) = line.strip_prefix("//@ ") {
            match directive.split_once(": ").ok_or_else(|| format!("line {n}: a directive needs a `:`"))? {
                ("class", value) => bug.classes = words(value),
                ("run", value) => bug.options = words(value),
                ("fixed", value) => bug.fixed = value.to_owned(),
                (other, _) => return Err(format!("line {n}: there is no directive `{other}`")),
            }
        }
        if let Some((_, notes)) = line.split_once("//~ ") {
            for note in notes.split_whitespace() {
                let number = note.strip_prefix("RACE(").and_then(|r| r.strip_suffix(')'));
                sides
                    .entry(number.ok_or_else(|| format!("line {n}: no such note `{note}`"))?)
                    .or_default()
                    .push(n);
            }
        }
    }
    for (number, lines) in sides {
        match lines[..] {
            [a, b] => bug.pairs.insert((a.min(b), a.max(b))),
            _ => return Err(format!("race {number} has {} sides", lines.len())),
        };
    }
    if bug.pairs.is_empty() { Err("no line is noted as racing".to_owned()) } else { Ok(bug) }
}
