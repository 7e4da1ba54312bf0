//! Decides whether anything outside a kernel can still change what the kernel waits for.
//!
//! That a kernel is stuck is proved, not guessed from its duration: all threads of the program sleep until
//! another thread of the process wakes them, or wait for the engine, so none of them will write to memory,
//! launch work or return to do so.

use crate::context::Runtime;
use std::path::Path;

/// Returns whether nothing outside the virtual GPU can happen unless a kernel continues.
pub(super) fn is_silent(runtime: &Runtime) -> bool {
    {
        let state = runtime.lock();
        // Other processes may share memory or be waited for, and host functions may run.
        let others = state.shared.is_used() || state.waits_for_others() || super::callback::busy();
        if !state.hosts_wait() || others {
            return false;
        }
    }
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return false };
    tasks.flatten().all(|task| is_ours(&task.path()) || sleeps(&task.path()))
}

/// Returns whether all of the program's threads have ended, the first one by `pthread_exit`. The C library
/// would end the process then, but it counts this library's threads as well.
pub(super) fn is_left_alone() -> bool {
    let pid = std::process::id();
    let is_dead = |task: &Path| {
        let stat = std::fs::read_to_string(task.join("stat")).unwrap_or_default();
        stat.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with(['Z', 'X']))
    };
    if !is_dead(&Path::new("/proc").join(pid.to_string()).join("task").join(pid.to_string())) {
        return false;
    }
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return false };
    tasks.flatten().all(|task| is_ours(&task.path()) || is_dead(&task.path()))
}

/// Returns whether a thread belongs to this library, by its name.
fn is_ours(task: &Path) -> bool {
    std::fs::read_to_string(task.join("comm")).is_ok_and(|name| name.starts_with("warprace"))
}

fn sleeps(task: &Path) -> bool {
    match std::fs::read_to_string(task.join("syscall")) {
        Ok(line) => waits_for_ever(&line),
        // The thread has ended meanwhile.
        Err(error) => {
            error.kind() == std::io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH)
        }
    }
}

/// Returns whether a line of `/proc/PID/task/TID/syscall` is a wait for a futex without a timeout.
fn waits_for_ever(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let call = words.next().and_then(|number| number.parse::<i64>().ok());
    let mut argument = || u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok();
    let (_address, operation, _value, timeout) = (argument(), argument(), argument(), argument());
    let waits = |operation: u64| {
        let command = operation as i32 & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME);
        matches!(command, libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET)
    };
    call == Some(libc::SYS_futex) && operation.is_some_and(waits) && timeout == Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_wake_by_itself_does_not_sleep() {
        let futex = |operation: u32, timeout: u64| {
            let number = libc::SYS_futex;
            waits_for_ever(&format!(
                "{number} 0x55e0 {operation:#x} 0x2 {timeout:#x} 0x0 0xffffffff 0x7f 0x7f\n"
            ))
        };
        // The cases are a mutex, a condition variable, and the join of a thread.
        assert!(futex(0x80, 0) && futex(0x189, 0) && futex(0x109, 0));
        // The cases are a wait with a timeout, a wake-up, a read, and a running thread.
        assert!(!futex(0x189, 0x7ffd_1000) && !futex(0x81, 0));
        assert!(!waits_for_ever("0 0x3 0x55efdc337fa0 0x2000 0x0 0x0 0x0 0x7ffd9c7c9b70 0x7f259d3162ec\n"));
        assert!(!waits_for_ever("running\n") && !waits_for_ever(""));
    }

    #[test]
    fn a_thread_at_a_lock_sleeps() {
        let lock = std::sync::Arc::new(std::sync::Mutex::new(()));
        let held = lock.lock().unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let other = lock.clone();
        let thread = std::thread::spawn(move || {
            // SAFETY: has no preconditions.
            sender.send(unsafe { libc::syscall(libc::SYS_gettid) }).unwrap();
            drop(other.lock());
        });
        let task = Path::new("/proc/self/task").join(receiver.recv().unwrap().to_string());
        // Without `/proc/self/task/*/syscall`, `sleeps` reports every thread as awake.
        if task.join("syscall").exists() {
            let soon = (0..1000).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(1));
                sleeps(&task)
            });
            assert!(soon);
        }
        drop(held);
        thread.join().unwrap();
    }
}
