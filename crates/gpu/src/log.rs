//! Messages to stderr: a trace of the library's actions if `WARPRACE_GPU_LOG` is set, for bug reports, and
//! the progress of slow work if the options ask for it.

use std::fmt::Display;
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

static ON: AtomicBool = AtomicBool::new(false);
/// Whether progress may be shown.
static PROGRESS: AtomicBool = AtomicBool::new(false);

/// When the library began.
static BEGUN: OnceLock<Instant> = OnceLock::new();

/// Work that takes longer than this is shown.
const SLOW: Duration = Duration::from_secs(2);
const EVERY: Duration = Duration::from_secs(1);

pub(crate) fn start(progress: bool) {
    ON.store(std::env::var_os("WARPRACE_GPU_LOG").is_some(), Ordering::Relaxed);
    PROGRESS.store(progress, Ordering::Relaxed);
    BEGUN.get_or_init(Instant::now);
}

/// Runs `work`, and shows `what` while it takes long.
pub(crate) fn while_shown<T>(what: &str, work: impl FnOnce() -> T) -> T {
    if !PROGRESS.load(Ordering::Relaxed) {
        return work();
    }
    let (done, wait) = channel::<()>();
    std::thread::scope(|scope| {
        // Nothing is shown if no thread can be started.
        let _ = std::thread::Builder::new()
            .spawn_scoped(scope, move || tell(what, |time| wait.recv_timeout(time)));
        let made = work();
        drop(done);
        made
    })
}

/// Shows the elapsed time of `what` until `wait` reports that the work is done.
fn tell(what: &str, wait: impl Fn(Duration) -> Result<(), RecvTimeoutError>) {
    let begun = Instant::now();
    let mut due = SLOW;
    while wait(due) == Err(RecvTimeoutError::Timeout) {
        due = EVERY;
        complain(format_args!("\r\x1b[Kwarprace: {what}, {:.0} s", begun.elapsed().as_secs_f64()));
    }
    if due == EVERY {
        complain("\r\x1b[K");
    }
}

/// Writes a line with the process's age if the trace is on.
pub(crate) fn note(text: impl FnOnce() -> String) {
    if ON.load(Ordering::Relaxed) {
        let age = BEGUN.get().map_or(0.0, |begun| begun.elapsed().as_secs_f64() * 1e3);
        complain(format_args!("warprace-gpu: {age:.1} ms: {}\n", text()));
    }
}

/// Runs `work`, and writes its duration if the trace is on.
pub(crate) fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let made = work();
    note(|| format!("{what} took {:.1} ms", begun.elapsed().as_secs_f64() * 1e3));
    made
}

/// Writes to stderr and ignores errors.
pub(crate) fn complain(text: impl Display) {
    let _ = write!(std::io::stderr(), "{text}");
}
