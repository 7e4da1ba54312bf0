//! What the host's own instructions did: outside of all functions, or in functions that the driver calls in stream
//! order.

use crate::call::Call;
use crate::caller::{Caller, host_function};
use crate::context::{self, HostFunction, State};
use events::task::HostCall;
use events::{RangeAccess, SiteId, TaskId, Tell};
use snapshot::session::{Session, Step, Within};
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

/// What a function has done in one call.
#[derive(Default)]
struct Done {
    accesses: Vec<(u64, u64, bool, Caller)>,
    contents: Vec<(u64, Vec<u8>)>,
}

/// A function of the host, with what it has done in each of its calls.
struct Function {
    calls: Vec<Done>,
    next: AtomicU32,
}

/// The functions of a session by their numbers.
#[derive(Default)]
pub(super) struct Functions(HashMap<u64, &'static Function>);

impl Functions {
    pub(super) fn new(session: &Session, callers: &[Caller]) -> Functions {
        let mut all: HashMap<u64, Vec<Done>> = HashMap::new();
        for call in &session.calls {
            let (Step::HostAccess { within: Some(within), .. } | Step::Contents { within: Some(within), .. }) =
                &call.step
            else {
                continue;
            };
            let Within { function, call: number } = *within;
            let calls = all.entry(function).or_default();
            // The calls of one function follow each other.
            if number as usize >= calls.len() {
                calls.push(Done::default());
            }
            let Some(done) = calls.last_mut() else { continue };
            match &call.step {
                Step::HostAccess { address, bytes, write, .. } => {
                    let caller = call.site.map(|site| callers[site as usize]).unwrap_or_default();
                    done.accesses.push((*address, *bytes, *write, caller));
                }
                Step::Contents { at, .. } => done.contents.push((*at, call.bytes.clone())),
                _ => {}
            }
        }
        let function = |(number, calls)| {
            // Work that refers to it may run until the process ends.
            let kept: &'static Function = Box::leak(Box::new(Function { calls, next: AtomicU32::new(0) }));
            (number, kept)
        };
        Functions(all.into_iter().map(function).collect())
    }

    /// Returns the work of a function. One that has done nothing that was recorded does nothing.
    pub(super) fn work(&self, number: u64) -> HostFunction {
        let data = self.0.get(&number).map_or(0, |function| std::ptr::from_ref(*function) as usize);
        HostFunction::Function { function: Some(run), data }
    }
}

/// Does what a function has done in its next call.
unsafe extern "C-unwind" fn run(data: *mut c_void) {
    // SAFETY: null, or a function of a session, which is never freed.
    let Some(function) = (unsafe { data.cast::<Function>().as_ref() }) else { return };
    let Some(done) = function.calls.get(function.next.fetch_add(1, Ordering::Relaxed) as usize) else {
        return;
    };
    let (Some(runtime), Some(task)) = (context::existing(), host_function()) else { return };
    for (address, bytes, write, caller) in &done.accesses {
        let site = runtime.lock().results.call_site("", *caller).site;
        tell(task, site, (*address, *bytes, *write));
    }
    for (at, bytes) in &done.contents {
        if runtime.backend.write(*at, bytes).is_err() {
            let what = "a function of the host wrote to memory that the session does not have";
            runtime.lock().results.inconclusive(what.into());
        }
    }
}

fn tell(task: TaskId, site: Option<SiteId>, (address, bytes, write): (u64, u64, bool)) {
    let access = RangeAccess { task, site, address, bytes, write };
    context::get().backend.listener().range(&access);
}

/// Reports an access of the host's own instructions.
pub(super) fn accesses(call: &Call, thread: u32, access: (u64, u64, bool)) {
    let mut state: context::Guard = call.runtime.lock();
    let HostCall { site, .. } = state.results.call_site("", call.caller);
    let task = State::host_segment(
        &mut state,
        call.runtime,
        thread,
        HostCall { api: String::new(), site, within: None },
    );
    drop(state);
    tell(task, site, access);
}
