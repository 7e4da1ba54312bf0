//! The thread that calls the program's host functions in stream order.
//!
//! It is a thread of its own, since a host function may wait for another stream's kernel, which the engine
//! thread must be free to run.

use crate::caller::set_host_function;
use crate::context::HostFunction;
use events::TaskId;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};

type Job = Box<dyn FnOnce() + Send>;

static JOBS: OnceLock<Mutex<Sender<Job>>> = OnceLock::new();
static BUSY: AtomicUsize = AtomicUsize::new(0);

/// Calls `call`, which is `task`, on the callback thread, and then calls `then`.
pub(crate) fn call(task: TaskId, call: HostFunction, then: impl FnOnce() + Send + 'static) {
    BUSY.fetch_add(1, Ordering::SeqCst);
    let job: Job = Box::new(move || {
        set_host_function(Some(task));
        let begin = runs_program(true);
        // SAFETY: the program submitted this function with this argument.
        unsafe { call.call(0) };
        let _ = runs_program(false);
        set_host_function(None);
        if let Err(error) = begin
            && let Some(runtime) = crate::context::existing()
        {
            runtime
                .lock()
                .results
                .unchecked(format!("system calls of host functions were not followed: {error}"));
        }
        BUSY.fetch_sub(1, Ordering::SeqCst);
        then();
    });
    let jobs = JOBS.get_or_init(|| {
        let (sender, receiver) = channel::<Job>();
        crate::threads::spawn("warprace-host", move || {
            for job in receiver {
                job();
            }
        });
        Mutex::new(sender)
    });
    // The receiver lives as long as the process.
    let _ = jobs.lock().unwrap_or_else(PoisonError::into_inner).send(job);
}

/// Switches whether this thread's system calls belong to the program.
fn runs_program(begins: bool) -> std::io::Result<()> {
    #[cfg(target_arch = "x86_64")]
    {
        let followed = if begins { host::calls::follow_this(true) } else { Ok(()) };
        host::calls::set_inside(!begins);
        followed
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = begins;
        Ok(())
    }
}

/// Returns whether a host function is running or about to run.
pub(crate) fn busy() -> bool {
    BUSY.load(Ordering::SeqCst) > 0
}
