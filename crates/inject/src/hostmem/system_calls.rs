//! Reports the accesses of the program's system calls to watched memory as the calling thread's
//! ([`host::calls`]).

use crate::caller::{Caller, OUTER, host_function, inside, thread_number};
use crate::context;
use crate::context::State;
use crate::watch::{active, watch};
use events::task::HostCall;
use events::{RangeAccess, Tell};
use host::calls::{Access, Memory};
use host::frames::Frames;
use std::sync::OnceLock;

/// Memory that has two views.
struct Shared;

/// Starts following the program's system calls, once. Returns false if that is impossible, which a limit then
/// explains.
pub(super) fn are_followed(state: &mut State) -> bool {
    static DONE: OnceLock<Result<(), String>> = OnceLock::new();
    match DONE.get_or_init(|| host::calls::follow::<Shared>().map_err(|error| error.to_string())) {
        Ok(()) => true,
        Err(why) => {
            state.results.unchecked(format!(
                "what the host's own instructions do with managed and pinned memory while work is in flight was not checked: \
                 system calls there cannot be followed ({why})"
            ));
            false
        }
    }
}

/// Returns the caller for reports: the innermost frame of the program, with its callers if the system's code
/// was interrupted.
pub(super) fn caller(frames: &Frames) -> Caller {
    let all = frames.of_program();
    let mut outer = [0; OUTER];
    for (to, from) in outer.iter_mut().zip(&all[1..]) {
        *to = *from as usize;
    }
    Caller { address: all[0] as usize, outer, python: 0 }
}

fn unchecked(text: String) {
    if let Some(runtime) = context::existing() {
        runtime.lock().results.unchecked(text);
    }
}

impl Memory for Shared {
    fn view(address: u64) -> Option<(u64, u64)> {
        watch().view(address)
    }

    fn is_inside() -> bool {
        inside()
    }

    fn is_own(thread: &str) -> bool {
        // The program's host functions run on a thread of this library.
        thread.starts_with("warprace") && thread != "warprace-host"
    }

    fn is_watching() -> bool {
        active()
    }

    fn accessed(call: &'static str, from: &Frames, accesses: &[Access]) {
        // Memory that no task in flight accesses is ordinary memory.
        let watched =
            |access: &&Access| watch().overlaps(access.address..access.address.saturating_add(access.bytes));
        let seen: Vec<&Access> = accesses.iter().filter(watched).collect();
        let Some(runtime) = context::existing().filter(|_| !seen.is_empty()) else { return };
        let mut state = runtime.lock();
        let site = state.results.call_site(call, caller(from)).site;
        let task = match host_function() {
            Some(task) => task,
            None => {
                let call = HostCall { api: call.to_owned(), site, within: None };
                state.host_segment(runtime, thread_number(), call)
            }
        };
        drop(state);
        for access in seen {
            runtime.backend.listener().range(&RangeAccess {
                task,
                site,
                address: access.address,
                bytes: access.bytes,
                write: access.writes,
            });
        }
    }

    fn keeps(call: &'static str, address: u64) {
        if watch().exempt(address) {
            unchecked(format!(
                "what the host does with memory that the program gave to `{call}` while work is in flight was not checked"
            ));
        }
    }

    fn unchecked(call: &'static str) {
        if active() {
            unchecked(format!(
                "what `{call}` does with managed or pinned memory while work is in flight was not checked"
            ));
        }
    }

    fn give_up(call: &'static str) {
        if active() {
            watch().give_up();
            unchecked(format!(
                "what the host does with managed and pinned memory from a call of `{call}` until it has waited for the \
                 device was not checked"
            ));
        }
    }

    fn end(call: &'static str) {
        if watch().end() {
            unchecked(format!(
                "what the host does with managed and pinned memory while work is in flight was not checked from a call of \
                 `{call}` on"
            ));
        }
    }
}
