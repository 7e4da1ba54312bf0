//! `// warprace: allow(same-instruction) all of them write the same value`: a finding of that class is suppressed
//! if one of its accesses, or a call that it was inlined by, is on the comment's line, or on the line below if the
//! comment has a line for itself.

use super::By;
use crate::model::Described;
use crate::rule::CLASSES;
use crate::source::Sources;
use events::Class;
use std::collections::HashMap;

/// The content of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// The line that it is on, from 1.
    pub line: u32,
    pub classes: Vec<Class>,
    pub reason: String,
    /// Names that no class has.
    pub unknown: Vec<String>,
}

/// The annotations of files, each read once.
pub(super) struct Annotations<'a> {
    sources: &'a Sources,
    /// Annotations by the line they are about.
    files: HashMap<String, HashMap<u32, Vec<Annotation>>>,
    /// Names in them that no class has.
    pub(super) warnings: Vec<String>,
}

impl<'a> Annotations<'a> {
    pub(super) fn new(sources: &'a Sources) -> Self {
        Annotations { sources, files: HashMap::new(), warnings: Vec::new() }
    }

    /// The first annotation that allows a finding.
    pub(super) fn of(&mut self, f: &Described) -> Option<By> {
        let frames = f.accesses.iter().flat_map(|a| {
            std::iter::once((&a.file, a.line)).chain(a.inlined.iter().map(|frame| (&frame.file, frame.line)))
        });
        for (file, line) in frames.filter(|(file, line)| !file.is_empty() && *line > 0) {
            let (sources, warnings) = (self.sources, &mut self.warnings);
            let known = self.files.entry(file.clone()).or_insert_with(|| {
                let mut by_line: HashMap<u32, Vec<Annotation>> = HashMap::new();
                for (about, annotation) in sources.text(file).map(|text| read(&text)).unwrap_or_default() {
                    for name in &annotation.unknown {
                        let place = format!("{}:{}", sources.display(file), annotation.line);
                        warnings.push(format!("{place} allows `{name}`, which is no class of races"));
                    }
                    by_line.entry(about).or_default().push(annotation);
                }
                by_line
            });
            let allowed = known.get(&line).into_iter().flatten().find(|a| a.classes.contains(&f.class));
            if let Some(a) = allowed {
                return Some(By::Annotation { file: file.clone(), line: a.line, reason: a.reason.clone() });
            }
        }
        None
    }
}

/// All annotations of a text, each with the line it is about.
pub fn read(text: &str) -> Vec<(u32, Annotation)> {
    let mut out: Vec<(u32, Annotation)> = Vec::new();
    // Comments above one another are about the same line.
    let mut waiting = 0;
    for (line, code) in (1..).zip(text.lines()) {
        let alone = code.trim_start().starts_with("//");
        let own = out.len();
        out.extend(annotation(line, code).map(|a| (line, a)));
        if alone {
            continue;
        }
        for (about, _) in &mut out[waiting..own] {
            *about = line;
        }
        waiting = out.len();
    }
    out
}

fn annotation(line: u32, code: &str) -> Option<Annotation> {
    let (_, comment) = code.split_once("//")?;
    let (_, said) = comment.split_once("warprace:")?;
    let (names, reason) = said.trim_start().strip_prefix("allow(")?.split_once(')')?;
    let mut annotation = Annotation {
        line,
        classes: Vec::new(),
        reason: reason.trim_start_matches([':', ' ', '-']).trim_end().to_owned(),
        unknown: Vec::new(),
    };
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        match CLASSES.iter().find(|class| class.name() == name) {
            Some(class) => annotation.classes.push(*class),
            None => annotation.unknown.push(name.to_owned()),
        }
    }
    Some(annotation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_about_their_line_or_the_next() {
        let text = "a[0] = t; // warprace: allow(same-instruction) all write 0\n\
                    // warprace: allow(inter-block, proxy): one\n\
                    // and no more\n\
                    \x20   // warprace: allow(no-such)\n\
                    b[0] = t;\n\
                    // warprace: deny(proxy)\n";
        let found = read(text);
        let told: Vec<(u32, u32, usize, &str)> =
            found.iter().map(|(about, a)| (*about, a.line, a.classes.len(), a.reason.as_str())).collect();
        assert_eq!(told, [(1, 1, 1, "all write 0"), (5, 2, 2, "one"), (5, 4, 0, "")]);
        assert_eq!(found[2].1.unknown, ["no-such"]);
    }
}
