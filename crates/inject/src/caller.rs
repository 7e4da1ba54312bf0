//! Who calls the library: the calling thread, and where a call came from.

use events::TaskId;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

thread_local! {
    static NUMBER: Cell<u32> = const { Cell::new(0) };
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    static HOST_FUNCTION: Cell<Option<TaskId>> = const { Cell::new(None) };
}

/// Where a call came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Caller {
    /// The return address; 0 if unknown.
    pub(crate) address: usize,
    /// The return addresses of the functions around it, the innermost first, where frame pointers tell them, then 0:
    /// in unoptimised code the C++ headers' wrappers are functions of their own, and a library's many.
    pub(crate) outer: [usize; OUTER],
}

/// So many callers' callers are looked at: Thrust needs about twenty.
pub(crate) const OUTER: usize = 24;

/// Is this thread inside the library?
pub(crate) fn inside() -> bool {
    INSIDE.get()
}

/// Says that this thread is inside the library, or no longer; what was so before.
pub(crate) fn set_inside(inside: bool) -> bool {
    #[cfg(target_arch = "x86_64")]
    host::calls::set_inside(inside);
    INSIDE.replace(inside)
}

/// The calling thread's number, from 1.
pub(crate) fn thread_number() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        number.get()
    })
}

/// The task whose host function this thread is inside. CUDA forbids API calls there.
pub(crate) fn host_function() -> Option<TaskId> {
    HOST_FUNCTION.get()
}

/// Says which task's host function this thread is inside of.
pub(crate) fn set_host_function(task: Option<TaskId>) {
    HOST_FUNCTION.set(task);
}
