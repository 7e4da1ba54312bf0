//! Programs of a run that did not load the library: which, why, and whether it matters.

use super::descendants::Process;
use fatbin::Binary;
use fatbin::elf::Role;
use processes::journal::{self, Unwatched};
use processes::post::Received;
use protocol::RunResult;
use report::printable;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Limits how many programs are named; the rest are counted.
const NAMED: usize = 8;

/// The unwatched programs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Gaps {
    /// Messages that make the verdict inconclusive.
    pub(super) doubts: Vec<String>,
    /// Messages that restrict the verdict to what was checked.
    pub(super) limits: Vec<String>,
    pub(super) count: u64,
}

/// Returns the programs that the journal shows to be unwatched, including the first process's program.
pub(super) fn listed(folder: &Path, received: &Received, first: (u32, PathBuf)) -> Vec<Unwatched> {
    let mut journal = std::fs::read(folder.join(processes::post::JOURNAL)).unwrap_or_default();
    journal.extend_from_slice(&received.journal);
    journal::unwatched(&journal, first)
}

/// Returns the messages about unwatched programs, and about processes that still run.
pub(super) fn gaps(unwatched: &[Unwatched], running: &[Process], results: &mut [RunResult]) -> Gaps {
    let mut gaps = Gaps::default();
    let (mut cuda, mut other) = (Vec::new(), Vec::new());
    for program in unwatched.iter().filter(|program| !is_loaders_own(&program.program)) {
        gaps.count += 1;
        let (why, matters) = reason(&program.program);
        let process = program.pid.map_or_else(String::new, |pid| format!(" (process {pid})"));
        let shown = program.program.to_string_lossy();
        let text = format!("`{}`{process} was not watched: {why}", printable(&shown));
        if matters { cuda.push(text) } else { other.push(text) }
    }
    cut(&mut cuda, "more CUDA programs were not watched");
    cut(&mut other, "more programs were not watched");
    gaps.doubts = cuda;
    gaps.limits = other;
    for process in running.iter().filter(|process| process.is_watched) {
        gaps.count += 1;
        let (pid, name) = (process.pid, &process.name);
        let mut own = results.iter_mut().filter(|r| r.pid == pid && r.uses_cuda && !r.finished).peekable();
        match own.peek() {
            Some(_) => {
                gaps.doubts.push(format!(
                    "process {pid} (`{name}`) still runs: what it does from now on is not in this report"
                ));
                // The process has not ended at all.
                own.for_each(|result| result.finished = true);
            }
            None => gaps.limits.push(format!(
                "process {pid} (`{name}`) still runs and has not used CUDA: should it do so, that is not in this report"
            )),
        }
    }
    gaps
}

fn cut(list: &mut Vec<String>, rest: &str) {
    if list.len() > NAMED {
        let more = list.len() - NAMED;
        list.truncate(NAMED);
        list.push(format!("{more} {rest}"));
    }
}

/// Returns whether it is the dynamic loader's own tool, which C libraries link statically: Python starts it to look for
/// libraries.
fn is_loaders_own(program: &Path) -> bool {
    ["/sbin/ldconfig", "/usr/sbin/ldconfig", "/sbin/ldconfig.real", "/usr/sbin/ldconfig.real"]
        .iter()
        .any(|own| program == Path::new(own))
}

/// Why a program did not load the library, and whether its kernels may have gone unchecked.
fn reason(name: &Path) -> (String, bool) {
    let Some(path) = find(name) else { return ("it is not there any more".into(), true) };
    let (Ok(about), Ok(bytes)) = (path.metadata(), std::fs::read(&path)) else {
        return ("its file cannot be read".into(), true);
    };
    let binary = Binary::parse(&bytes);
    let needs = |library: &str| {
        binary.as_ref().is_ok_and(|binary| binary.needed.iter().any(|needed| needed.starts_with(library)))
    };
    let matters = binary.as_ref().is_ok_and(Binary::is_cuda) || needs("libcudart.so") || needs("libcuda.so");
    let why = match &binary {
        Ok(binary) if binary.role == Role::StaticProgram => "it is linked statically",
        Err(fatbin::Error::ForeignElf) => "it is built for another kind of processor",
        _ if about.permissions().mode() & 0o6000 != 0 => "it has set-user-ID or set-group-ID rights",
        _ => "it was started without LD_PRELOAD, or cannot reach what that names",
    };
    (why.to_owned(), matters)
}

/// Returns the program's file. A name without a slash is looked up in `PATH`.
fn find(name: &Path) -> Option<PathBuf> {
    if name.as_os_str().as_bytes().contains(&b'/') {
        return name.exists().then(|| name.to_owned());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_programs_are_counted_rather_than_named() {
        let many: Vec<Unwatched> =
            (0..12).map(|n| Unwatched { program: format!("/bin/sh/{n}").into(), pid: Some(n) }).collect();
        let gaps = gaps(&many, &[], &mut []);
        assert_eq!(gaps.count, 12);
        assert_eq!(gaps.doubts.len(), NAMED + 1);
        assert_eq!(gaps.doubts[NAMED], "4 more CUDA programs were not watched");
        assert!(gaps.doubts[0].contains("`/bin/sh/0` (process 0) was not watched: it is not there any more"));
    }

    #[test]
    fn the_loaders_own_tool_is_not_spoken_of() {
        let one = |name: &str| gaps(&[Unwatched { program: name.into(), pid: Some(1) }], &[], &mut []);
        assert_eq!(one("/sbin/ldconfig"), Gaps::default());
        assert_eq!(one("/tmp/ldconfig").count, 1);
    }

    #[test]
    fn names_are_shown_without_control_characters() {
        let one = Unwatched { program: "/tmp/\x1b[31mred\n".into(), pid: None };
        let gaps = gaps(&[one], &[], &mut []);
        assert!(!gaps.doubts[0].contains(['\x1b', '\n']), "{:?}", gaps.doubts);
    }
}
