//! C library calls through which the kernel of the operating system touches the program's
//! memory: a system call on inaccessible pages fails instead of faulting.
//!
//! Each reports the buffer as accessed and opens its pages before it calls the real function ([`host::system`]).

use crate::arena::{PAGE, protect};
use crate::caller::{host_function, inside, thread_number};
use crate::context;
#[cfg(not(test))]
use crate::watch::active;
use crate::watch::watch;
use events::RangeAccess;
use events::Tell;
use events::task::HostCall;

/// Makes a buffer accessible that a call is about to write or read.
#[cfg_attr(test, allow(dead_code))]
fn expose(api: &str, address: u64, bytes: u64, write: bool) {
    let ranges = watch().parts(address..address.saturating_add(bytes));
    if ranges.is_empty() || inside() {
        return;
    }
    let Some(runtime) = context::existing() else { return };
    let mut state = runtime.lock();
    let task = match host_function() {
        Some(task) => task,
        None => {
            let call = HostCall { api: api.to_owned(), site: None };
            state.host_segment(runtime, thread_number(), call)
        }
    };
    drop(state);
    for (from, to) in ranges {
        let pages = from & !(PAGE - 1);
        protect(pages, to - pages, libc::PROT_READ | libc::PROT_WRITE);
        runtime.backend.listener().range(&RangeAccess {
            task,
            site: None,
            address: from,
            bytes: to - from,
            write,
        });
    }
}

host::stand_before_system!(active, expose, libc::dlsym);
