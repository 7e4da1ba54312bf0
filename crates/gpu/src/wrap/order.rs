//! Wrappers of the driver's functions for streams, events and synchronisation. Engines `guard` and `collide`
//! derive the order of launches from these calls.
//!
//! A wrapper runs after the real function and receives its return code, except where [`Order`] must change
//! before another thread can act on the call.

use super::Handle;
use crate::driver::{self, is_known};
use crate::hooks::{Code, NOT_READY, SUCCESS};
use crate::order::{Order, Stream};
use crate::state::{self, Accessed};
use crate::streams::{NON_BLOCKING, is_captured, seen, stream};
use crate::{arrays, reclaim, session, watch};
use std::ffi::c_uint;

/// `CUipcEventHandle`
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct IpcHandle([u8; 64]);

/// Applies `what` to [`Order`] for a stream, unless no engine uses the order or the stream is being captured.
fn tell(handle: Handle, what: impl FnOnce(&mut Order, Stream)) {
    if !state::has_order() || is_captured(handle) {
        return;
    }
    if let Some(mut state) = state::lock() {
        let order = state.order();
        let stream = seen(order, handle);
        what(order, stream);
        state.host_learned();
    }
}

/// Compares the host's recorded accesses with the table, after the host has waited.
fn settles() {
    if state::has_order()
        && watch::is_active()
        && let Some(mut state) = state::lock()
    {
        state.host_waited();
    }
}

fn tell_all(what: impl FnOnce(&mut Order)) {
    if state::has_order()
        && let Some(mut state) = state::lock()
    {
        what(state.order());
        state.host_learned();
    }
}

/// Records that the program created a stream.
///
/// # Safety
/// If `code` is success, `made` may be read.
pub(super) unsafe fn made(code: Code, made: *const Handle, flags: c_uint) -> Code {
    if code == SUCCESS {
        // SAFETY: the caller's promise.
        let handle = unsafe { made.read() };
        session::made(handle, flags);
        let device = driver::device_of_several();
        tell_all(|order| order.begun(stream(handle), device, flags & NON_BLOCKING == 0));
        if state::has_order() {
            let device = super::module::device();
            if let Some(mut state) = state::lock() {
                state.load_ranges(device);
            }
        }
    }
    code
}

/// Records that the program is about to destroy a stream.
pub(super) fn destroyed(handle: Handle) {
    session::destroyed(handle);
    tell_all(|order| order.destroyed(stream(handle)));
}

/// Records that the host has waited for a stream, or that a query has reported the stream as complete.
pub(super) fn synchronized(code: Code, handle: Handle) -> Code {
    session::synchronized(code, handle);
    know(code, handle)
}

/// Records that a call has waited for the work of a stream and for its own.
pub(super) fn waited(code: Code, handle: Handle) -> Code {
    session::returned(code, handle);
    know(code, handle)
}

fn know(code: Code, handle: Handle) -> Code {
    failed(code);
    if code == SUCCESS {
        tell(handle, Order::waited);
        settles();
    }
    code
}

/// Records that the host may have waited for every launch.
pub(super) fn may_have_waited(code: Code) -> Code {
    if code == SUCCESS {
        tell_all(Order::may_have_waited);
        settles();
    }
    code
}

/// Records that the host has waited for all work of the current device.
pub(super) fn waited_all(code: Code) -> Code {
    session::synchronized_all(code, false);
    know_all(code)
}

fn know_all(code: Code) -> Code {
    if code == SUCCESS && state::has_order() {
        match driver::device_of_several() {
            Some(device) => tell_all(|order| order.waited_all(Some(device))),
            None => tell_all(Order::may_have_waited),
        }
        settles();
    }
    code
}

/// Records that the host has waited for all work of `context`, which need not be the current context.
pub(super) fn waited_for(code: Code, context: Handle) -> Code {
    if context.is_null() || driver::devices() <= 1 {
        return waited_all(code);
    }
    session::synchronized_all(code, true);
    may_have_waited(code)
}

/// Records stream work that this library cannot see into: it may signal other work, and may wait for other
/// work.
pub(super) fn passes(handle: Handle) {
    session::unseen("a wait or a write of a stream for values in memory, or a semaphore,");
    passed(handle);
}

/// Records the launch of a graph in a stream.
pub(super) fn passed(handle: Handle) {
    watch::doubts();
    tell(handle, Order::passed);
}

/// Records that the work of a stream may signal other parties that this library does not see.
pub(super) fn tells(handle: Handle) {
    watch::doubts();
    tell(handle, Order::tells);
}

/// Records stream work that makes the end of the preceding launch visible in more ways than by that launch's
/// end.
pub(super) fn came(handle: Handle) {
    tell(handle, Order::came);
}

pub(super) fn recorded(code: Code, event: Handle, handle: Handle) -> Code {
    if code == SUCCESS {
        if is_captured(handle) {
            tell_all(|order| order.foreign(event as usize));
        } else {
            session::recorded(event, handle);
            tell(handle, |order, stream| order.recorded(event as usize, stream));
        }
    }
    code
}

pub(super) fn waits(code: Code, handle: Handle, event: Handle) -> Code {
    if code == SUCCESS {
        if !is_captured(handle) {
            session::waits(handle, event);
        }
        tell(handle, |order, stream| order.waits(stream, event as usize));
    }
    code
}

pub(super) fn reached(code: Code, event: Handle) -> Code {
    session::synchronized_event(code, event);
    context_waits_for(code, event)
}

/// Records that all streams of a context wait for an event, which counts as a wait of the host.
pub(super) fn context_waits(code: Code, event: Handle) -> Code {
    session::unseen("a wait of a whole context for an event");
    context_waits_for(code, event)
}

fn context_waits_for(code: Code, event: Handle) -> Code {
    if code == SUCCESS {
        tell_all(|order| order.reached(event as usize));
        settles();
    }
    code
}

/// Records that the event stands for work that this library does not see.
pub(super) fn foreign(event: Handle) {
    tell_all(|order| order.foreign(event as usize));
}

pub(super) fn recorded_all(code: Code, event: Handle) -> Code {
    session::unseen("an event that records a whole context");
    if code == SUCCESS {
        tell_all(|order| order.recorded_all(event as usize));
    }
    code
}

pub(super) fn event_destroyed(event: Handle) {
    session::event_destroyed(event);
    tell_all(|order| order.event_destroyed(event as usize));
}

/// Records an event that another process records.
///
/// # Safety
/// If `code` is success, `event` may be read.
pub(super) unsafe fn imported(code: Code, event: *const Handle) -> Code {
    if code == SUCCESS {
        session::unseen("an event of another process");
        watch::doubts();
        // SAFETY: the caller's promise.
        let event = unsafe { event.read() } as usize;
        tell_all(|order| order.foreign(event));
    }
    code
}

pub(super) fn graphs_record() {
    tell_all(Order::graphs_record);
}

/// Launches the checks of a driver call that accesses `all` in a stream, before the call itself. Host memory
/// that the driver does not know is left out: no kernel accesses it.
pub(super) fn looks(api: &'static str, handle: Handle, all: &[Accessed]) {
    if let [(to, bytes, true), (from, _, false)] = *all
        && api.starts_with("cuMemcpy")
        && !api.contains("D2")
        && !api.contains("2D")
        && !api.contains("3D")
    {
        session::copied(api, handle, to, from, bytes as usize);
    }
    checked(api, handle, all);
}

/// Checks ranges as [`looks`] does, for a call that the session records by itself.
pub(super) fn checked(api: &'static str, handle: Handle, all: &[Accessed]) {
    if !state::has_order() || is_captured(handle) {
        return;
    }
    tell(handle, Order::came);
    let known = |access: &&Accessed| access.1 > 0 && (is_known(access.0) || arrays::holds(access.0));
    let has_streams = state::lock().is_some_and(|mut state| state.order().has_streams());
    if !has_streams {
        return;
    }
    let all: Vec<Accessed> = all.iter().filter(known).copied().collect();
    let _launching = reclaim::launching();
    let looks = state::lock().map(|mut state| state.called(api, handle, &all)).unwrap_or_default();
    for mut looks in looks {
        looks.launch(handle);
    }
}

/// `CU_MEMORYTYPE_HOST`, `_DEVICE`, `_UNIFIED`
pub(super) const HOST: c_uint = 1;
const DEVICE: c_uint = 2;
pub(super) const UNIFIED: c_uint = 4;
/// Limits how many rows of a copy are checked.
const ROWS: usize = 16;

/// Returns the base address of one side of a copy, or `None` for an array.
pub(super) fn place(kind: c_uint, host: u64, device: u64) -> Option<u64> {
    match kind {
        HOST => Some(host),
        DEVICE | UNIFIED => Some(device),
        _ => None,
    }
}

/// Launches the checks of a memset in two dimensions, before the memset: `height` rows of `width` elements.
pub(super) fn looks_rows(
    api: &'static str,
    handle: Handle,
    (at, pitch): (u64, usize),
    (value, element): (u32, u32),
    (width, height): (usize, usize),
) {
    session::filled(api, handle, (at, pitch), (value, element), (width, height));
    let bytes = width as u64 * u64::from(element);
    let row = |n: usize| (at.wrapping_add((n * pitch) as u64), bytes, true);
    let rows: Vec<Accessed> = (0..height.min(ROWS)).map(row).collect();
    looks(api, handle, &rows);
}

/// Takes everything as ordered with the host after a failed call: the accesses that were recorded for the call
/// did not happen, so no later access must race with them.
fn failed(code: Code) {
    if code != SUCCESS && code != NOT_READY {
        tell_all(Order::may_have_waited);
    }
}

/// Records a copy in a stream. If one side is pageable host memory, the driver stages it, and the host waits
/// for the copy.
pub(super) fn copied(code: Code, handle: Handle, sides: &[u64]) -> Code {
    failed(code);
    if code == SUCCESS && session::is_on() {
        match sides.iter().any(|side| *side != 0 && !is_known(*side)) {
            true => session::returned(code, handle),
            false => session::begun(handle, sides),
        }
    }
    tell(handle, Order::came);
    if code == SUCCESS && state::has_order() && sides.iter().any(|side| !is_known(*side)) {
        tell(handle, Order::tells);
    }
    // The driver may itself have opened the pages that it accessed.
    if code == SUCCESS
        && watch::has_shared()
        && state::has_order()
        && !is_captured(handle)
        && let Some(state) = state::lock()
    {
        state.flies(sides, false);
    }
    code
}
