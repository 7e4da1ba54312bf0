//! Processes that the program leaves running.
//!
//! warprace is their *subreaper*: a process whose parent has ended becomes a child of warprace, so that all
//! descendants can be found. warprace waits for those that have loaded the library while they compute, since
//! their findings belong to the report, and for idle ones as long as `--linger` says. An interrupt yields the
//! report at once. Processes that still run then are left alone and go on without warprace.

use super::signals::is_asked_to_end;
use crate::terminal;
use report::printable;
use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bounds of the polling interval, which grows from the first to the second.
const NAP: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(50));

/// The time that processes have to end after the run was asked to end.
const GRACE: Duration = Duration::from_secs(2);

/// A wait longer than this is explained to the user.
const QUIET: Duration = Duration::from_secs(1);

/// A process that uses less than one `SHARE`th of the time is idle.
const SHARE: u64 = 10;

/// Children that warprace itself has started and waits for.
static OWN: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Guard that prevents a child that is being started from being taken for a descendant of the program.
pub(super) struct Starting(MutexGuard<'static, BTreeSet<u32>>);

impl Starting {
    pub(super) fn new() -> Starting {
        Starting(OWN.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Registers a child as warprace's own.
    pub(super) fn started(mut self, pid: u32) {
        self.0.insert(pid);
    }
}

/// Makes orphans among the program's descendants children of this process.
pub(super) fn adopt() {
    // SAFETY: `prctl` has no memory preconditions. If it is forbidden, orphans are not waited for; the
    // journal may still name them.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// A running descendant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: u32,
    pub(super) name: String,
    /// Whether the process has loaded the library.
    pub(super) is_watched: bool,
    /// The processor time that the process has used, in ticks.
    ticks: u64,
}

/// A line of `/proc/PID/stat`.
struct Stat {
    parent: u32,
    is_zombie: bool,
    ticks: u64,
}

fn stat(pid: u32) -> Option<Stat> {
    parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Parses a line. The program's name, in parentheses, may contain any character.
fn parse(line: &str) -> Option<Stat> {
    let mut words = line.rsplit_once(')')?.1.split_whitespace();
    let state = words.next()?;
    let parent = words.next()?.parse().ok()?;
    let mut times = words.skip(9).map_while(|word| word.parse::<u64>().ok());
    let ticks = times.next()? + times.next()?;
    Some(Stat { parent, is_zombie: matches!(state, "Z" | "X" | "x"), ticks })
}

/// Returns all descendants of `root`, without `root`. Other children of warprace and their descendants are
/// excluded.
fn below(root: u32) -> Vec<(u32, Stat)> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let all: BTreeMap<u32, Stat> = pids.filter_map(|pid| Some((pid, stat(pid)?))).collect();
    let own = OWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let descends = |pid: u32| {
        let mut at = pid;
        // A longer chain is a cycle, which arises when process ids are reused during the read.
        for _ in 0..all.len() {
            let Some(stat) = all.get(&at) else { return false };
            match stat.parent {
                parent if parent == root => return !own.contains(&at),
                parent => at = parent,
            }
        }
        false
    };
    let found: BTreeSet<u32> = all.keys().copied().filter(|&pid| pid != root && descends(pid)).collect();
    all.into_iter().filter(|(pid, _)| found.contains(pid)).collect()
}

/// Returns the program's running descendants after the program has ended, and reaps those that have ended.
fn running() -> Vec<Process> {
    let own = std::process::id();
    let mut out = Vec::new();
    if !has_children() {
        return out;
    }
    for (pid, stat) in below(own) {
        if !stat.is_zombie {
            out.push(Process { pid, name: name(pid), is_watched: is_watched(pid), ticks: stat.ticks });
        } else if stat.parent == own {
            // SAFETY: no status is requested; the process is a child that no other code waits for.
            unsafe { libc::waitpid(pid as i32, std::ptr::null_mut(), libc::WNOHANG) };
        }
    }
    out
}

/// Checks whether this process has children, adopted ones included. A subreaper without children has no
/// descendants, so that the processes of the machine need not be read.
fn has_children() -> bool {
    // SAFETY: all bytes zero are a valid `siginfo_t`; `waitid` writes into it. `WNOWAIT` leaves each child
    // in its state.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let options =
            libc::WEXITED | libc::WSTOPPED | libc::WCONTINUED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
        libc::waitid(libc::P_ALL, 0, &mut info, options) == 0
    }
}

/// Returns the command with which a process was started.
fn name(pid: u32) -> String {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let first = line.split(|&byte| byte == 0).next().unwrap_or_default();
    let link = || std::fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_else(|_| PathBuf::from("?"));
    let name = match first {
        [] => link().to_string_lossy().into_owned(),
        some => String::from_utf8_lossy(some).into_owned(),
    };
    printable(&name).into_owned()
}

fn is_watched(pid: u32) -> bool {
    let maps = std::fs::read(format!("/proc/{pid}/maps")).unwrap_or_default();
    let has = |library: &str| maps.windows(library.len()).any(|part| part == library.as_bytes());
    has("libinject") || has("libwarprace_gpu")
}

/// Sends a signal to all descendants of `program` that can be reached from it while it runs.
pub(super) fn signal_all(program: u32, signal: i32) {
    for (pid, _) in below(program) {
        // SAFETY: kill has no memory preconditions.
        unsafe { libc::kill(pid as i32, signal) };
    }
}

/// Limits of the wait.
pub(super) struct Patience {
    /// The limit for idle processes.
    pub(super) linger: Duration,
    /// The end of the run's time limit.
    pub(super) until: Option<Instant>,
    /// Whether the run's time limit has passed, so that remaining processes are killed.
    pub(super) is_over: bool,
    pub(super) quiet: bool,
}

/// Waits for descendants with the library. Returns those that still run, and whether the wait ended without
/// an interrupt or a time limit.
pub(super) fn wait(patience: &Patience) -> (Vec<Process>, bool) {
    let begun = Instant::now();
    let (mut nap, mut shown) = (NAP.0, false);
    let (mut since, mut ticks) = (begun, BTreeMap::<u32, u64>::new());
    // SAFETY: has no preconditions.
    let second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as u64;
    let mut over = patience.is_over.then_some(begun);
    loop {
        let running = running();
        let watched: Vec<&Process> = running.iter().filter(|process| process.is_watched).collect();
        if watched.is_empty() {
            return (running, over.is_none());
        }
        let now = Instant::now();
        if over.is_none() && patience.until.is_some_and(|until| now >= until) {
            over = Some(now);
            signal_all(std::process::id(), libc::SIGTERM);
        }
        match over {
            Some(since) if now - since >= GRACE => {
                signal_all(std::process::id(), libc::SIGKILL);
                if now - since >= 2 * GRACE {
                    return (running, false);
                }
            }
            Some(_) => {}
            None if is_asked_to_end() => {
                if begun.elapsed() >= GRACE || shown {
                    return (running, true);
                }
            }
            None => {
                let used: u64 = watched
                    .iter()
                    .map(|p| p.ticks - ticks.get(&p.pid).copied().unwrap_or(0).min(p.ticks))
                    .sum();
                let appeared = watched.iter().any(|p| !ticks.contains_key(&p.pid));
                let passed = (now - since).as_millis() as u64 * second / 1000;
                if appeared || used * SHARE > passed.max(SHARE) {
                    since = now;
                    ticks = watched.iter().map(|p| (p.pid, p.ticks)).collect();
                } else if now - since >= patience.linger {
                    return (running, true);
                }
            }
        }
        if !shown && !patience.quiet && now - begun >= QUIET && std::io::stderr().is_terminal() {
            shown = true;
            say(&watched);
        }
        std::thread::sleep(nap);
        nap = (nap * 2).min(NAP.1);
    }
}

fn say(watched: &[&Process]) {
    let Some(first) = watched.first() else { return };
    let more = match watched.len() - 1 {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    terminal::complain(format_args!(
        "warprace: the program has ended; waiting for process {} (`{}`){more} (Ctrl-C reports now)\n",
        first.pid, first.name
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_brackets_may_hold_anything() {
        let line = "7 (a) R 1 (b)) S 42 7 7 0 -1 4194560 1 2 3 4 500 60 0 0 20 0 1 0 99";
        let stat = parse(line).unwrap();
        assert_eq!((stat.parent, stat.is_zombie, stat.ticks), (42, false, 560));
        assert!(parse("7 (a) Z 42 7 7 0 -1 4194560 1 2 3 4 0 0 0").unwrap().is_zombie);
        assert!(parse("7 (a").is_none() && parse("").is_none());
    }

    #[test]
    fn a_child_of_warprace_itself_is_no_descendant_of_the_program() {
        let starting = Starting::new();
        let mut own = std::process::Command::new("sleep").arg("30").spawn().unwrap();
        starting.started(own.id());
        let mut other = std::process::Command::new("sleep").arg("30").spawn().unwrap();
        let found: Vec<u32> = below(std::process::id()).into_iter().map(|(pid, _)| pid).collect();
        assert!(found.contains(&other.id()) && !found.contains(&own.id()), "{found:?}");
        for child in [&mut own, &mut other] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}
