//! Processes that warprace starts: a `warprace run` of a program that a file names, and what ends a process with this one.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// A `warprace run` of one program.
pub(crate) struct Run<'a> {
    /// The program's name in its file.
    pub(crate) name: &'a str,
    /// Options of `warprace run`, one after the other.
    pub(crate) options: Vec<&'a str>,
    /// Threads that execute kernels, unless an option sets another number.
    pub(crate) jobs: usize,
    /// The program and its arguments.
    pub(crate) command: Vec<&'a str>,
    /// The folder for `json` and `log`.
    pub(crate) results: &'a Path,
    /// Where the program runs.
    pub(crate) directory: &'a Path,
    /// Its input, relative to that folder.
    pub(crate) stdin: Option<&'a Path>,
    pub(crate) env: &'a BTreeMap<String, String>,
}

impl Run<'_> {
    /// Returns the command. Where its output goes is left to the caller.
    pub(crate) fn command(&self) -> Result<Command, String> {
        let name = self.name;
        let own = std::env::current_exe().map_err(|e| format!("cannot run `{name}`: {e}"))?;
        let mut run = Command::new(own);
        run.arg("run");
        if !self.options.iter().any(|option| option.starts_with("--jobs") || option.starts_with("-j")) {
            run.args(["--jobs", &self.jobs.to_string()]);
        }
        run.args(&self.options).args(["--quiet", "--json"]).arg(self.results.join("json"));
        run.arg("--log-file").arg(self.results.join("log")).arg("--").args(&self.command);
        run.current_dir(self.directory).envs(self.env).stdin(self.input()?);
        Ok(run)
    }

    fn input(&self) -> Result<Stdio, String> {
        let Some(path) = self.stdin else { return Ok(Stdio::null()) };
        let path = self.directory.join(path);
        let input = File::open(&path)
            .map_err(|e| format!("cannot read `{}`, the input of `{}`: {e}", path.display(), self.name))?;
        Ok(input.into())
    }
}

/// Has the process that calls this die with its parent, `parent`. For `pre_exec`: it makes system calls only and allocates
/// nothing. A process whose parent ended before this call ends itself.
pub(crate) fn die_with(parent: i32) {
    // SAFETY: the calls have no memory preconditions.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong);
        if libc::getppid() != parent {
            libc::raise(libc::SIGKILL);
        }
    }
}

/// Starts the command in a process group of its own, which the terminal's Ctrl-C does not reach, and has it die
/// with this process.
pub(crate) fn alone(command: &mut Command) {
    command.process_group(0);
    let parent = std::process::id() as i32;
    // SAFETY: between fork and exec the closure makes system calls only.
    unsafe {
        command.pre_exec(move || -> io::Result<()> {
            die_with(parent);
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_that_is_missing_is_named_with_its_program() {
        let run = Run {
            name: "sort",
            options: Vec::new(),
            jobs: 1,
            command: vec!["/bin/true"],
            results: Path::new("/nowhere"),
            directory: Path::new("/nowhere/data"),
            stdin: Some(Path::new("numbers.txt")),
            env: &BTreeMap::new(),
        };
        let error = run.command().unwrap_err();
        assert!(
            error.starts_with("cannot read `/nowhere/data/numbers.txt`, the input of `sort`: "),
            "{error}"
        );
    }
}
