//! `warprace.toml`: a project's programs, the options that they run with, and suppressed findings.
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

/// The file's usual name.
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
    /// Additional options of `warprace run`.
    pub(crate) options: Vec<String>,
    /// The working directory; by default the project's folder.
    pub(crate) directory: PathBuf,
    /// The file for the standard input; by default there is no input.
    pub(crate) stdin: Option<PathBuf>,
    pub(crate) env: BTreeMap<String, String>,
    /// The number of seconds after which the program is ended and counts as inconclusive.
    pub(crate) timeout: Option<u64>,
}

impl Program {
    /// Makes paths below the project's folder relative to it, and paths in the command relative to the
    /// working directory, so that the entry is valid wherever the project lies.
    fn nearer(mut self, project: &Path) -> Self {
        let directory = match self.directory.strip_prefix(project) {
            Ok(rest) => rest.to_owned(),
            Err(_) => self.directory,
        };
        let up = "../".repeat(directory.components().count());
        for word in self.command.iter_mut().filter(|_| directory.is_relative()) {
            let path = Path::new(word.as_str());
            let inside =
                path.strip_prefix(project.join(&directory)).map(|rest| format!("./{}", rest.display()));
            let beside = path.strip_prefix(project).map(|rest| format!("{up}{}", rest.display()));
            if let Ok(near) = inside.or(beside) {
                *word = near;
            }
        }
        self.directory = directory;
        self
    }
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

    /// Adds programs of a build folder, except those that the project names itself. `folder` is the project's
    /// folder.
    pub(crate) fn add(&mut self, found: Vec<Program>, folder: &Path) {
        let file = |program: &Program, folder: &Path| {
            let path = folder.join(&program.directory).join(program.command.first()?);
            std::fs::canonicalize(path).ok()
        };
        let known: Vec<PathBuf> = self.programs.iter().filter_map(|program| file(program, folder)).collect();
        let is_new = |program: &Program| {
            !self.programs.iter().any(|own| own.name == program.name)
                && file(program, folder).is_none_or(|path| !known.contains(&path))
        };
        let new: Vec<Program> = found.into_iter().filter(is_new).collect();
        let whole = std::path::absolute(folder).unwrap_or_default();
        self.programs.extend(new.into_iter().map(|program| program.nearer(&whole)));
    }

    /// Returns the project file in the current folder or the nearest one above.
    pub(crate) fn find() -> Result<PathBuf, String> {
        let here = std::env::current_dir().map_err(|e| format!("cannot tell the current folder: {e}"))?;
        let found = here.ancestors().map(|folder| folder.join(FILE)).find(|file| file.is_file());
        found.ok_or_else(|| format!("there is no {FILE} here or in a folder above"))
    }

    /// Returns the suppression entries, each with its origin.
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
    fn programs_of_a_build_folder_are_named_from_the_project() {
        let near = |directory: &str, word: &str| {
            let command = vec![word.to_owned(), "7".to_owned()];
            let program = Program { command, directory: directory.into(), ..Program::default() };
            let program = program.nearer(Path::new("/p"));
            (program.directory.display().to_string(), program.command[0].clone())
        };
        let all = |directory: &str, word: &str| (directory.to_owned(), word.to_owned());
        assert_eq!(near("", "/p/build/a"), all("", "./build/a"));
        assert_eq!(near("/p/build", "/p/build/a"), all("build", "./a"));
        assert_eq!(near("/p/build/t", "/p/build/a"), all("build/t", "../../build/a"));
        assert_eq!(near("/p", "/usr/bin/mpirun"), all("", "/usr/bin/mpirun"));
        assert_eq!(near("/elsewhere", "/p/build/a"), all("/elsewhere", "/p/build/a"));
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
