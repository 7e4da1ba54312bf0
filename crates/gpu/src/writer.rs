//! Writes the result file, beside the program where a launch would have to wait for it: what events time between two of them is the
//! program's.

use protocol::RunResult;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the program's threads and the writing one share.
#[derive(Debug)]
struct Shared {
    path: PathBuf,
    /// What is to be written, and the how manieth it is.
    next: Mutex<Option<(u64, Box<RunResult>)>>,
    wake: Condvar,
    /// Which was written last. Who writes holds it.
    last: Mutex<u64>,
    /// Nanoseconds that writing took.
    cost: AtomicU64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Unless something newer is there.
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
            // Who writes at the end says so if it cannot.
            let _ = self.write(number, &result);
        }
    }
}

/// A result file. A child of a fork needs one of its own.
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

    /// Has a thread ready for [`Writer::soon`].
    pub(crate) fn start(&mut self) {
        if self.has_thread {
            return;
        }
        let shared = Arc::clone(&self.shared);
        // The program's signals are its own threads'.
        // SAFETY: all-zero is a value of this type, which is filled; the mask is this thread's.
        let before = unsafe {
            let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
            before
        };
        let spawned = std::thread::Builder::new().name("warprace".into()).spawn(move || shared.run());
        // SAFETY: as above.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut()) };
        self.has_thread = spawned.is_ok();
    }

    /// Writes now.
    pub(crate) fn now(&mut self, result: &RunResult) -> io::Result<()> {
        self.number += 1;
        self.shared.write(self.number, result)
    }

    /// Has the other thread write, if there is one. What is not written yet is left out.
    pub(crate) fn soon(&mut self, result: &RunResult) -> io::Result<()> {
        if !self.has_thread {
            return self.now(result);
        }
        self.number += 1;
        *lock(&self.shared.next) = Some((self.number, Box::new(result.clone())));
        self.shared.wake.notify_one();
        Ok(())
    }

    /// How long writing took.
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
        // Without a thread it is written at once.
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
