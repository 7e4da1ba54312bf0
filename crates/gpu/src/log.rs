//! What the library does, to stderr, if `WARPRACE_GPU_LOG` is set: for reports of its bugs. And what takes long, if somebody looks.

use std::fmt::Display;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

static ON: AtomicBool = AtomicBool::new(false);
/// May it tell what takes long?
static PROGRESS: AtomicBool = AtomicBool::new(false);

/// What takes longer is spoken of.
const SLOW: Duration = Duration::from_secs(2);
const EVERY: Duration = Duration::from_secs(1);

pub(crate) fn start(progress: bool) {
    ON.store(std::env::var_os("WARPRACE_GPU_LOG").is_some(), Ordering::Relaxed);
    PROGRESS.store(progress, Ordering::Relaxed);
}

/// Does `work`, and says what it is while it takes long.
pub(crate) fn while_shown<T>(what: &str, work: impl FnOnce() -> T) -> T {
    if !PROGRESS.load(Ordering::Relaxed) {
        return work();
    }
    let (done, wait) = channel::<()>();
    std::thread::scope(|scope| {
        // Where there can be no thread, nothing is shown.
        let _ = std::thread::Builder::new()
            .spawn_scoped(scope, move || tell(what, |time| wait.recv_timeout(time)));
        let made = work();
        drop(done);
        made
    })
}

/// Until `wait` says that nobody is left to wait for.
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

/// One line, if anybody wants it.
pub(crate) fn note(text: impl FnOnce() -> String) {
    if ON.load(Ordering::Relaxed) {
        complain(format_args!("warprace-gpu: {}\n", text()));
    }
}

/// To stderr, as it is. Where nobody can hear it, nobody does.
pub(crate) fn complain(text: impl Display) {
    let _ = write!(std::io::stderr(), "{text}");
}
