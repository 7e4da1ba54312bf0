//! Identifies the caller of the library: the calling thread, and the call site.

use crate::python::PlaceId;
use events::TaskId;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

thread_local! {
    static NUMBER: Cell<u32> = const { Cell::new(0) };
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    static NAMED: Cell<bool> = const { Cell::new(false) };
    static HOST_FUNCTION: Cell<Option<TaskId>> = const { Cell::new(None) };
}

/// A call site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Caller {
    /// The return address; 0 if unknown.
    pub(crate) address: usize,
    /// The return addresses of the enclosing functions, innermost first, as far as frame pointers lead, then
    /// 0. In unoptimised code the wrappers in C++ headers are functions of their own, and a library has many.
    pub(crate) outer: [usize; OUTER],
    /// The line of Python that called, if one did.
    pub(crate) python: PlaceId,
}

impl Caller {
    /// The same call with its line of Python.
    pub(crate) fn of_python(mut self, python: PlaceId) -> Caller {
        self.python = python;
        self
    }
}

/// Limits how many enclosing functions are recorded: Thrust needs about twenty.
pub(crate) const OUTER: usize = 24;

/// Returns whether this thread is inside the library.
pub(crate) fn inside() -> bool {
    INSIDE.get()
}

/// Sets whether this thread is inside the library, and returns the previous value.
pub(crate) fn set_inside(inside: bool) -> bool {
    #[cfg(target_arch = "x86_64")]
    host::calls::set_inside(inside);
    INSIDE.replace(inside)
}

/// Returns the calling thread's number, from 1.
pub(crate) fn thread_number() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        number.get()
    })
}

/// Has the calling thread count as the one with a number, for calls that are made again.
pub(crate) fn act_as(number: u32) {
    NUMBER.set(number);
}

/// Returns the task whose host function this thread is executing. CUDA forbids API calls there.
pub(crate) fn host_function() -> Option<TaskId> {
    HOST_FUNCTION.get()
}

/// Sets the task whose host function this thread is executing.
pub(crate) fn set_host_function(task: Option<TaskId>) {
    HOST_FUNCTION.set(task);
}

/// Says whether the result names what this thread's running call does not serve; what was so before.
pub(crate) fn set_named(named: bool) -> bool {
    NAMED.replace(named)
}
