//! `warprace.toml`: a project's programs, the options they are run with, and what is not to be reported.
//!
//! ```toml
//! build = "cmake --build build"          # by `sh -c`, in the file's folder
//! options = ["--explore", "4"]           # of `warprace run`, for every program
//!
//! [[program]]
//! name = "sum"
//! command = ["build/sum", "1000"]
//!
//! [[suppress]]
//! class = "same-instruction"
//! file = "src/flags.cu"
//! reason = "all lanes write the same value"
//! ```
//!
//! A suppressions file is such a file with entries only.

use report::suppress::{Entry, Origin};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The name that is looked for.
pub(crate) const FILE: &str = "warprace.toml";

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Project {
    /// A shell command that builds all programs.
    pub(crate) build: Option<String>,
    /// Options of `warprace run` for every program.
    pub(crate) options: Vec<String>,
    #[serde(rename = "program")]
    pub(crate) programs: Vec<Program>,
    suppress: Vec<Entry>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Program {
    pub(crate) name: String,
    /// The program and its arguments.
    pub(crate) command: Vec<String>,
    /// More options of `warprace run`.
    pub(crate) options: Vec<String>,
    /// Where it runs; the project's folder if nothing is said.
    pub(crate) directory: PathBuf,
    /// What it reads from its standard input; nothing if nothing is said.
    pub(crate) stdin: Option<PathBuf>,
    pub(crate) env: BTreeMap<String, String>,
    /// It is ended, and inconclusive, after so many seconds.
    pub(crate) timeout: Option<u64>,
}

impl Project {
    /// Reads and checks a file.
    pub(crate) fn read(file: &Path) -> Result<Self, String> {
        let shown = file.display();
        let text = std::fs::read_to_string(file).map_err(|e| format!("cannot read `{shown}`: {e}"))?;
        Self::parse(&text).map_err(|e| format!("`{shown}`: {e}"))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let project: Project = toml::from_str(text).map_err(|e| e.to_string().trim_end().to_owned())?;
        for (n, entry) in project.suppress.iter().enumerate() {
            entry.check().map_err(|e| format!("entry {} of [[suppress]]: {e}", n + 1))?;
        }
        let mut names = BTreeSet::new();
        for (n, program) in project.programs.iter().enumerate() {
            let which = format!("entry {} of [[program]]", n + 1);
            if program.name.is_empty() || program.command.is_empty() {
                return Err(format!("{which} needs a `name` and a `command`"));
            }
            if !names.insert(&program.name) {
                return Err(format!("{which}: there is another program `{}`", program.name));
            }
        }
        Ok(project)
    }

    /// The file here or in the nearest folder above.
    pub(crate) fn find() -> Result<PathBuf, String> {
        let here = std::env::current_dir().map_err(|e| format!("cannot tell the current folder: {e}"))?;
        let found = here.ancestors().map(|folder| folder.join(FILE)).find(|file| file.is_file());
        found.ok_or_else(|| format!("there is no {FILE} here or in a folder above"))
    }

    /// What is not to be reported, each with where it stands.
    pub(crate) fn entries(self, file: &Path) -> impl Iterator<Item = (Origin, Entry)> {
        let file = file.display().to_string();
        let origin = move |n| Origin { file: file.clone(), number: n + 1 };
        self.suppress.into_iter().enumerate().map(move |(n, entry)| (origin(n), entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_read() {
        let project = Project::parse(
            "build = 'make'\noptions = ['--seed', '3']\n[[program]]\nname = 'a'\ncommand = ['./a', 'x']\n\
             timeout = 5\nenv = { A = 'b' }\n[[suppress]]\nclass = 'inter-block'\nreason = 'known'\n",
        )
        .unwrap();
        assert_eq!(project.programs[0].command, ["./a", "x"]);
        let entries: Vec<_> = project.entries(Path::new("warprace.toml")).collect();
        assert_eq!(entries[0].0.number, 1);
        assert_eq!(entries[0].1.text(), "class = \"inter-block\"");
    }

    #[test]
    fn mistakes_are_named() {
        for (text, expected) in [
            ("biuld = 'make'", "unknown field `biuld`"),
            ("[[suppress]]\nreason = 'all'", "it says nothing of the findings it means"),
            ("[[suppress]]\nclass = 'no-such-class'", "unknown variant `no-such-class`"),
            ("[[program]]\nname = 'a'", "needs a `name` and a `command`"),
            (
                "[[program]]\nname='a'\ncommand=['a']\n[[program]]\nname='a'\ncommand=['b']",
                "another program `a`",
            ),
            ("x = ", "line 1"),
        ] {
            let error = Project::parse(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
