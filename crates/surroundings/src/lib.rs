//! What a program says that it is doing when it calls CUDA: its NVTX ranges, and the test that runs.
//!
//! * [`nvtx`] is an NVTX injection: the headers of NVTX 3, which are compiled into programs and into the Python package `nvtx`,
//!   load the library that `NVTX_INJECTION64_PATH` names and pass it their calls.
//! * [`testing`] asks the frameworks: GoogleTest by its functions in the process, pytest by the variable that it sets.
//!
//! Reports name both ([`here`]); [`in_ranges`] chooses launches by the ranges that are open.

pub mod nvtx;
mod testing;

use events::Surroundings;
pub use nvtx::in_ranges;
use std::cell::RefCell;
pub use testing::ask;

thread_local! {
    static STAND_IN: RefCell<Option<Surroundings>> = const { RefCell::new(None) };
}

/// Has the calling thread's later calls count as made in other surroundings, for calls that are made again.
pub fn act_in(surroundings: Surroundings) {
    STAND_IN.set(Some(surroundings));
}

/// Returns what the program is doing, for a call of the current thread; `None` if it says nothing.
pub fn here() -> Option<Box<Surroundings>> {
    let stand_in = STAND_IN.try_with(|stand_in| stand_in.borrow().clone()).ok().flatten();
    let here = stand_in.unwrap_or_else(own);
    (here != Surroundings::default()).then(|| Box::new(here))
}

fn own() -> Surroundings {
    Surroundings { test: testing::current().unwrap_or_default(), ranges: nvtx::open() }
}
