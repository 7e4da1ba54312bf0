//! Writes the result file, on a thread of its own if a launch would have to wait for it: a program that
//! measures time between two events must not measure this write.

use protocol::RunResult;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The data that the program's threads and the writing thread share.
#[derive(Debug)]
struct Shared {
    path: PathBuf,
    /// The next result to write, with its number.
    next: Mutex<Option<(u64, Box<RunResult>)>>,
    wake: Condvar,
    /// The number of the result that was written last. The thread that writes holds this lock.
    last: Mutex<u64>,
    /// Duration of the last write in nanoseconds.
    cost: AtomicU64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Writes a result unless a newer one has been written.
    fn write(&self, number: u64, result: &RunResult) -> io::Result<()> {
        let mut last = lock(&self.last);
        if number <= *last {
            return Ok(());
        }
        *last = number;
        let begun = Instant::now();
        let written = result.write(&self.path);
        self.cost.store(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
        written
    }

    fn run(&self) {
        loop {
            let mut next = lock(&self.next);
            let (number, result) = loop {
                match next.take() {
                    Some(one) => break one,
                    None => next = self.wake.wait(next).unwrap_or_else(PoisonError::into_inner),
                }
            };
            drop(next);
            // The final write reports errors.
            let _ = self.write(number, &result);
        }
    }
}

/// The result file of a process. A forked child needs one of its own.
#[derive(Debug)]
pub(crate) struct Writer {
    shared: Arc<Shared>,
    has_thread: bool,
    number: u64,
}

impl Writer {
    pub(crate) fn new(path: PathBuf) -> Writer {
        let shared = Shared {
            path,
            next: Mutex::new(None),
            wake: Condvar::new(),
            last: Mutex::new(0),
            cost: AtomicU64::new(0),
        };
        Writer { shared: Arc::new(shared), has_thread: false, number: 0 }
    }

    /// Starts the thread for [`Writer::soon`].
    pub(crate) fn start(&mut self) {
        if self.has_thread {
            return;
        }
        let shared = Arc::clone(&self.shared);
        // SAFETY: all-zero is a valid `sigset_t`, and the mask is this thread's. The new thread inherits a
        // mask that blocks the program's signals.
        let before = unsafe {
            let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
            before
        };
        let spawned = std::thread::Builder::new().name("warprace".into()).spawn(move || shared.run());
        // SAFETY: restores the mask that was read above.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut()) };
        self.has_thread = spawned.is_ok();
    }

    /// Writes the result and waits for the write.
    pub(crate) fn now(&mut self, result: &RunResult) -> io::Result<()> {
        self.number += 1;
        self.shared.write(self.number, result)
    }

    /// Passes the result to the writing thread, if there is one. A result that is still waiting is replaced.
    pub(crate) fn soon(&mut self, result: &RunResult) -> io::Result<()> {
        if !self.has_thread {
            return self.now(result);
        }
        self.number += 1;
        *lock(&self.shared.next) = Some((self.number, Box::new(result.clone())));
        self.shared.wake.notify_one();
        Ok(())
    }

    /// Returns the duration of the last write.
    pub(crate) fn cost(&self) -> Duration {
        Duration::from_nanos(self.shared.cost.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(launches: u64) -> RunResult {
        let mut out = RunResult::default();
        out.counters.launches = launches;
        out
    }

    #[test]
    fn the_newest_result_stays_whoever_writes_it() {
        let path = std::env::temp_dir().join(format!("warprace-writer-{}.json", std::process::id()));
        let mut writer = Writer::new(path.clone());
        let launches = || RunResult::read(&path).map(|result| result.counters.launches).ok();
        // The result is written at once if there is no thread.
        writer.soon(&result(1)).unwrap();
        assert_eq!(launches(), Some(1));
        writer.start();
        writer.soon(&result(2)).unwrap();
        let begun = Instant::now();
        while launches() != Some(2) && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(launches(), Some(2));
        for n in 3..50 {
            writer.soon(&result(n)).unwrap();
        }
        writer.now(&result(50)).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(launches(), Some(50));
        assert!(writer.cost() > Duration::ZERO);
        std::fs::remove_file(&path).unwrap();
    }
}
