//! An entry of a suppressions file.

use crate::model::{Access, Described};
use crate::source::Sources;
use events::Class;
use kernels::libraries::library;
use names::symbol;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which findings to suppress: those that have all that is said here.
///
/// `*` in a pattern stands for any text. A finding has two sides, and each may be inlined into other functions:
/// `function`, `kernel` and `file` are matched if any frame of either side matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Entry {
    /// The finding's identity.
    pub id: Option<String>,
    pub class: Option<Class>,
    /// A function's name, with or without its template arguments.
    pub function: Option<String>,
    /// A kernel's name, with or without parameters, or the host's call.
    pub kernel: Option<String>,
    /// A file as the report shows it, or the last parts of its path.
    pub file: Option<String>,
    /// `CUB`, `Thrust`, `libcu++`, `cooperative groups`, …: both accesses are made in that library's code.
    pub library: Option<String>,
    /// For people.
    pub reason: String,
}

/// An entry that asks for nothing: it would suppress everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeansEverything;

impl fmt::Display for MeansEverything {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "it says nothing of the findings it means (`id`, `class`, `function`, `kernel`, `file`, `library`)",
        )
    }
}

impl std::error::Error for MeansEverything {}

impl Entry {
    /// Checks that the entry names at least one condition.
    pub fn check(&self) -> Result<(), MeansEverything> {
        match self.wants().is_empty() {
            true => Err(MeansEverything),
            false => Ok(()),
        }
    }

    pub(super) fn matches(&self, f: &Described, sources: &Sources) -> bool {
        let any = |pattern: &Option<String>, holds: &dyn Fn(&str, &Access) -> bool| {
            pattern.as_deref().is_none_or(|p| f.accesses.iter().any(|access| holds(p, access)))
        };
        let Entry { id, class, function, kernel, file, library, .. } = self;
        id.as_ref().is_none_or(|id| *id == f.id)
            && class.is_none_or(|class| class == f.class)
            && any(function, &|p, a| {
                let frames = a.inlined.iter().map(|frame| &frame.function);
                frames.chain([&a.function]).any(|name| is_name(p, name))
            })
            && any(kernel, &|p, a| is_name(p, &a.kernel))
            && any(file, &|p, a| {
                let frames = a.inlined.iter().map(|frame| &frame.file);
                frames.chain([&a.file]).any(|file| is_file(p, &sources.display(file)))
            })
            && library.as_deref().is_none_or(|p| f.accesses.iter().all(|a| is_library(p, a)))
    }

    /// Returns the conditions as TOML.
    pub fn text(&self) -> String {
        self.wants().join(", ")
    }

    fn wants(&self) -> Vec<String> {
        let Entry { id, class, function, kernel, file, library, .. } = self;
        let class = class.map(|class| class.name().to_owned());
        let all = [
            ("id", id),
            ("class", &class),
            ("function", function),
            ("kernel", kernel),
            ("file", file),
            ("library", library),
        ];
        let said = all.iter().filter_map(|(key, value)| Some((key, value.as_deref()?)));
        said.map(|(key, value)| format!("{key} = {}", super::generate::quoted(value))).collect()
    }
}

/// The whole name, or the name without parameters and template arguments.
fn is_name(pattern: &str, name: &str) -> bool {
    let bare = name.split('(').next().unwrap_or(name);
    is_like(pattern, name) || is_like(pattern, bare) || is_like(pattern, &symbol::base(bare))
}

/// The path, or what follows one of its slashes.
fn is_file(pattern: &str, path: &str) -> bool {
    let ends = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
    !path.is_empty() && (is_like(pattern, path) || ends.into_iter().any(|end| is_like(pattern, end)))
}

/// Returns whether the access itself, its innermost frame, is in the library.
fn is_library(pattern: &str, access: &Access) -> bool {
    let file = access.inlined.first().map_or(&access.file, |frame| &frame.file);
    library(file).is_some_and(|name| is_like(pattern, name))
}

/// Returns whether `text` matches `pattern`. `*` is any text, an empty one, too.
fn is_like(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(start) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return text.ends_with(part);
        }
        // The first place is as good as any: what follows may be anywhere behind it.
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a*c", "abc", true),
            ("a*a", "a", false),
            ("a*b*c", "axxbyybzzc", true),
            ("a*b*c", "axxc", false),
            ("**", "x", true),
        ] {
            assert_eq!(is_like(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn a_library_is_where_the_access_itself_is() {
        let frame = |file: &str| crate::model::Place { file: file.into(), line: 1, function: String::new() };
        let inlined = vec![frame("/opt/cuda/include/cub/block/block_scan.cuh"), frame("main.cu")];
        let access = Access { file: "main.cu".into(), inlined, ..Access::default() };
        assert!(is_library("CUB", &access) && is_library("*", &access) && !is_library("Thrust", &access));
        let own = Access { file: "main.cu".into(), ..Access::default() };
        assert!(!is_library("*", &own));
    }

    #[test]
    fn names_and_files() {
        assert!(is_name("sum", "sum(int*, float)"));
        assert!(is_name("scan", "scan<float, 128>(float*)"));
        assert!(is_name("tile<int>::add", "tile<int>::add"));
        assert!(!is_name("su", "sum(int*)"));
        assert!(is_file("sum.cu", "src/sum.cu"));
        assert!(is_file("src/*", "/home/me/src/sum.cu"));
        assert!(!is_file("um.cu", "src/sum.cu"));
        assert!(!is_file("*", ""));
    }
}
