//! The journal of a run: the lines that its processes write, and the programs that ran without the library.

use crate::post;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The longest recorded path in bytes; longer paths are cut.
const LONGEST: usize = 4096;

/// Ends each line, so that a line that a full disk has cut is recognised as incomplete.
const COMPLETE: u8 = b'.';

/// The kind of a journal line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A program begins, and has the library.
    Watched = b'w',
    /// The process is about to execute a program.
    Executes = b'e',
    /// The execution failed, and the process continues its program.
    Stayed = b'f',
    /// A new process was spawned with a program.
    Spawned = b's',
    /// A program was started with an environment without the library, in a process of unknown id.
    Bare = b'b',
}

/// Writes one line, if a journal is open. Allocates nothing and takes no lock.
pub fn write(kind: Kind, pid: i32, program: &[u8]) {
    if !post::is_open() {
        return;
    }
    let mut line = [0u8; LONGEST + 32];
    let mut at = 0;
    let mut push = |byte: u8| {
        line[at] = byte;
        at += 1;
    };
    // Separates this line from an incomplete one before it.
    push(b'\n');
    push(kind as u8);
    push(b' ');
    let mut digits = [0u8; 10];
    let (mut left, mut count) = (pid.unsigned_abs(), 0);
    loop {
        digits[count] = b'0' + (left % 10) as u8;
        count += 1;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    digits[..count].iter().rev().for_each(|&digit| push(digit));
    push(b' ');
    program.iter().take(LONGEST).for_each(|&byte| push(if byte == b'\n' { b'?' } else { byte }));
    push(COMPLETE);
    push(b'\n');
    post::append(&line[..at]);
}

/// A program that ran without the library.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unwatched {
    /// The name that was passed to the executing function; a name without a slash was searched for in `PATH`.
    pub program: PathBuf,
    /// The process id, if it is known.
    pub pid: Option<u32>,
}

/// Returns the programs that were executed and never recorded their start, in order of execution. `first` is
/// the process that the command line itself started, and its program.
pub fn unwatched(journal: &[u8], first: (u32, PathBuf)) -> Vec<Unwatched> {
    let mut watched: BTreeSet<u32> = BTreeSet::new();
    let mut executing: BTreeMap<u32, (usize, PathBuf)> = BTreeMap::new();
    let mut spawned: Vec<(usize, u32, PathBuf)> = Vec::new();
    let mut out: Vec<(usize, Unwatched)> = Vec::new();
    executing.insert(first.0, (0, first.1));
    for (at, (kind, pid, program)) in journal.split(|&byte| byte == b'\n').filter_map(parse).enumerate() {
        match kind {
            Kind::Watched => {
                watched.insert(pid);
                executing.remove(&pid);
            }
            Kind::Executes => {
                executing.insert(pid, (at, program));
            }
            Kind::Stayed => {
                executing.remove(&pid);
            }
            Kind::Spawned => spawned.push((at, pid, program)),
            Kind::Bare => out.push((at, Unwatched { program, pid: None })),
        }
    }
    let unheard = spawned.into_iter().filter(|(_, pid, _)| !watched.contains(pid));
    let stayed_away = executing.into_iter().map(|(pid, (at, program))| (at, pid, program));
    out.extend(
        unheard.chain(stayed_away).map(|(at, pid, program)| (at, Unwatched { program, pid: Some(pid) })),
    );
    out.sort();
    out.dedup_by(|a, b| a.1 == b.1);
    out.into_iter().map(|(_, unwatched)| unwatched).collect()
}

fn parse(line: &[u8]) -> Option<(Kind, u32, PathBuf)> {
    let line = line.strip_suffix(&[COMPLETE])?;
    let mut words = line.splitn(3, |&byte| byte == b' ');
    let kind = match words.next()? {
        b"w" => Kind::Watched,
        b"e" => Kind::Executes,
        b"f" => Kind::Stayed,
        b"s" => Kind::Spawned,
        b"b" => Kind::Bare,
        _ => return None,
    };
    let pid = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
    Some((kind, pid, OsStr::from_bytes(words.next()?).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(journal: &str) -> Vec<String> {
        let found = unwatched(journal.as_bytes(), (1, "first".into()));
        found.iter().map(|u| u.program.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn what_was_executed_and_never_appeared_was_not_watched() {
        // A shell that executes `env -i ./a`.
        assert_eq!(names("\nw 1 /bin/sh.\n\ne 2 /usr/bin/env.\nw 2 .\n\ne 2 ./a.\n"), ["./a"]);
        // The same processes, with the library in `./a`.
        assert_eq!(names("w 1 .\ne 2 /usr/bin/env.\nw 2 .\ne 2 ./a.\nw 2 .\n"), [""; 0]);
        // One search along `PATH` that succeeds, and one that fails.
        assert_eq!(names("w 1 .\ne 2 /a/x.\nf 2 .\ne 2 /b/x.\nw 2 .\ne 3 /a/y.\nf 3 .\n"), [""; 0]);
    }

    #[test]
    fn a_child_may_appear_before_its_parent_has_noted_its_number() {
        assert_eq!(names("w 1 .\nw 2 .\ns 2 ./a.\ns 3 ./b.\nb 0 /bin/sh.\n"), ["./b", "/bin/sh"]);
    }

    #[test]
    fn the_first_program_may_not_appear_either() {
        assert_eq!(names(""), ["first"]);
        assert_eq!(names("w 1 .\ne 1 ./other.\n"), ["./other"]);
    }

    #[test]
    fn lines_that_a_full_disk_has_cut_are_no_lines() {
        assert_eq!(names("w 1 .\ne 12 ./a\ne 2 ./b.\nx y z.\ne two ./c.\n\n.\n"), ["./b"]);
    }

    #[test]
    fn names_with_line_breaks_stay_on_a_line() {
        assert!(!post::is_open());
        assert_eq!(parse(b"e 7 a b?c."), Some((Kind::Executes, 7, "a b?c".into())));
    }
}
