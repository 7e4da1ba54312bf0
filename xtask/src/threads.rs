//! Processor time of a command, thread by thread: what else runs on the machine does not show in it.

use crate::shell::Outcome;
use std::collections::HashMap;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Between two looks at the threads: what a thread does after the last look is missed.
const LOOK: Duration = Duration::from_millis(2);

/// Seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Used {
    pub(crate) wall: f64,
    /// Processor time of all threads.
    pub(crate) total: f64,
    /// Time of the busiest thread: the command takes so long if all threads have a core of their own, and
    /// wait for nothing.
    pub(crate) busiest: f64,
}

/// Runs a command that starts no other; its output is thrown away. `allowed` are the exit codes of success.
pub(crate) fn used(command: &mut Command, allowed: &[i32]) -> Outcome<Used> {
    let shown = format!("{command:?}");
    let cannot = |e: std::io::Error| format!("cannot run {shown}: {e}");
    let start = Instant::now();
    let child = match command.stdout(Stdio::null()).stderr(Stdio::null()).spawn() {
        Ok(child) => child,
        Err(e) => return Err(cannot(e)),
    };
    let pid = child.id() as libc::pid_t;
    let mut threads: HashMap<String, u64> = HashMap::new();
    loop {
        look(pid, &mut threads);
        let mut status = 0;
        // SAFETY: a `rusage` of zeros is one.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the child is this process's own and is waited for here alone; the places written to are
        // there.
        match unsafe { libc::wait4(pid, &mut status, libc::WNOHANG, &mut usage) } {
            0 => std::thread::sleep(LOOK),
            ended if ended == pid => {
                if !(libc::WIFEXITED(status) && allowed.contains(&libc::WEXITSTATUS(status))) {
                    return Err(format!("{shown} ended with wait status {status}"));
                }
                let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 * 1e-6;
                let busiest = threads.values().max().copied().unwrap_or(0);
                return Ok(Used {
                    wall: start.elapsed().as_secs_f64(),
                    total: seconds(usage.ru_utime) + seconds(usage.ru_stime),
                    busiest: busiest as f64 * 1e-9,
                });
            }
            _ => return Err(cannot(std::io::Error::last_os_error())),
        }
    }
}

/// Nanoseconds of each thread so far. Those that have gone keep what they had.
fn look(pid: libc::pid_t, threads: &mut HashMap<String, u64>) {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return };
    for task in tasks.flatten() {
        let times = std::fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        if let Some(time) = times.split(' ').next().and_then(|t| t.parse().ok()) {
            threads.insert(task.file_name().to_string_lossy().into_owned(), time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_command_has_used_time_and_a_failed_one_is_told() {
        let busy = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        let used = used(Command::new("sh").args(["-c", busy]), &[0]).unwrap();
        assert!(used.busiest > 0.0 && used.busiest <= used.total + 0.01, "{used:?}");
        assert!(super::used(Command::new("sh").args(["-c", "exit 3"]), &[0, 1]).is_err());
    }
}
