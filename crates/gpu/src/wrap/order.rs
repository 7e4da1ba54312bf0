//! Streams, events, and waiting: what engines `guard` and `collide` have to know of the order of launches.
//!
//! Called behind the real function, with its answer, unless the order has to be known before somebody else can act on it.

use super::Handle;
use crate::driver;
use crate::hooks::{Code, NOT_READY, SUCCESS};
use crate::order::{Order, Stream};
use crate::state::{self, Accessed};
use crate::streams::{NON_BLOCKING, is_captured, seen, stream};
use crate::{room, watch};
use std::ffi::{c_int, c_uint, c_void};

/// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`
const MEMORY_TYPE: c_int = 2;

/// `CUipcEventHandle`
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct IpcHandle([u8; 64]);

/// Tells the order, if there is one, of something about a stream that is not captured.
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

/// The host has waited, as the order knows by now.
fn settles() {
    if watch::is_active()
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

/// A stream was made.
///
/// # Safety
/// On success it may be read.
pub(super) unsafe fn made(code: Code, made: *const Handle, flags: c_uint) -> Code {
    if code == SUCCESS {
        // SAFETY: the caller's promise.
        let handle = unsafe { made.read() };
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

/// A stream will be gone.
pub(super) fn destroyed(handle: Handle) {
    tell_all(|order| order.destroyed(stream(handle)));
}

/// The host has waited for a stream, or has been told that it is done.
pub(super) fn waited(code: Code, handle: Handle) -> Code {
    failed(code);
    if code == SUCCESS {
        tell(handle, Order::waited);
        settles();
    }
    code
}

/// The host may have waited for all.
pub(super) fn may_have_waited(code: Code) -> Code {
    if code == SUCCESS {
        tell_all(Order::may_have_waited);
        settles();
    }
    code
}

/// The host has waited for all that its device does.
pub(super) fn waited_all(code: Code) -> Code {
    if code == SUCCESS && state::has_order() {
        match driver::device_of_several() {
            Some(device) => tell_all(|order| order.waited_all(Some(device))),
            None => tell_all(Order::may_have_waited),
        }
        settles();
    }
    code
}

/// The same of a context that need not be the current one.
pub(super) fn waited_for(code: Code, context: Handle) -> Code {
    if context.is_null() || driver::devices() <= 1 {
        return waited_all(code);
    }
    may_have_waited(code)
}

/// What the stream does now is told to others, of which nothing more is seen; and may wait for others.
pub(super) fn passes(handle: Handle) {
    watch::doubts();
    tell(handle, Order::passed);
}

/// Others, of which nothing more is seen, may be told what is done in the stream.
pub(super) fn tells(handle: Handle) {
    watch::doubts();
    tell(handle, Order::tells);
}

/// What was launched last in the stream others may learn of by more than its end.
pub(super) fn came(handle: Handle) {
    tell(handle, Order::came);
}

pub(super) fn recorded(code: Code, event: Handle, handle: Handle) -> Code {
    if code == SUCCESS {
        if is_captured(handle) {
            tell_all(|order| order.foreign(event as usize));
        } else {
            tell(handle, |order, stream| order.recorded(event as usize, stream));
        }
    }
    code
}

pub(super) fn waits(code: Code, handle: Handle, event: Handle) -> Code {
    if code == SUCCESS {
        tell(handle, |order, stream| order.waits(stream, event as usize));
    }
    code
}

pub(super) fn reached(code: Code, event: Handle) -> Code {
    if code == SUCCESS {
        tell_all(|order| order.reached(event as usize));
        settles();
    }
    code
}

/// It stands for something that is not known.
pub(super) fn foreign(event: Handle) {
    tell_all(|order| order.foreign(event as usize));
}

pub(super) fn recorded_all(code: Code, event: Handle) -> Code {
    if code == SUCCESS {
        tell_all(|order| order.recorded_all(event as usize));
    }
    code
}

pub(super) fn event_destroyed(event: Handle) {
    tell_all(|order| order.event_destroyed(event as usize));
}

/// Another process records it.
///
/// # Safety
/// On success it may be read.
pub(super) unsafe fn imported(code: Code, event: *const Handle) -> Code {
    if code == SUCCESS {
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

/// Before a call that accesses memory in a stream. Of the host's memory that the driver does not know of nobody else does.
pub(super) fn looks(api: &'static str, handle: Handle, all: &[Accessed]) {
    if !state::has_order() || is_captured(handle) {
        return;
    }
    tell(handle, Order::came);
    let known = |access: &&Accessed| access.1 > 0 && is_known(access.0);
    let has_streams = state::lock().is_some_and(|mut state| state.order().has_streams());
    if !has_streams {
        return;
    }
    let all: Vec<Accessed> = all.iter().filter(known).copied().collect();
    let _launching = room::launching();
    let looks = state::lock().map(|mut state| state.called(api, handle, &all)).unwrap_or_default();
    for mut looks in looks {
        looks.launch(handle);
    }
}

/// One side of `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Side {
    x: usize,
    y: usize,
    kind: c_uint,
    host: u64,
    device: u64,
    array: Handle,
    pitch: usize,
}

/// `CUDA_MEMCPY2D`
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Copy2d {
    from: Side,
    to: Side,
    width: usize,
    height: usize,
}

/// `CU_MEMORYTYPE_HOST`, `_DEVICE`, `_UNIFIED`
const HOST: c_uint = 1;
const DEVICE: c_uint = 2;
const UNIFIED: c_uint = 4;
/// Rows of a copy that are looked at.
const ROWS: usize = 16;

/// Where a side of a copy begins, if it is memory.
pub(super) fn place(kind: c_uint, host: u64, device: u64) -> Option<u64> {
    match kind {
        HOST => Some(host),
        DEVICE | UNIFIED => Some(device),
        _ => None,
    }
}

impl Side {
    /// Where its rows begin, if they are memory.
    fn rows(&self, height: usize) -> impl Iterator<Item = u64> {
        let base = place(self.kind, self.host, self.device);
        let &Side { x, y, pitch, .. } = self;
        let row = move |base: u64, n: usize| base.wrapping_add(((y + n) * pitch + x) as u64);
        base.into_iter().flat_map(move |base| (0..height.min(ROWS)).map(move |n| row(base, n)))
    }
}

/// Before a copy in two dimensions.
///
/// # Safety
/// `how` is null or points to `CUDA_MEMCPY2D`.
pub(super) unsafe fn looks_2d(api: &'static str, handle: Handle, how: Handle) {
    // SAFETY: the caller's promise.
    let Some(&Copy2d { from, to, width, height }) = (unsafe { how.cast::<Copy2d>().as_ref() }) else {
        return;
    };
    let rows = |side: &Side, writes: bool| -> Vec<Accessed> {
        side.rows(height).map(|at| (at, width as u64, writes)).collect()
    };
    looks(api, handle, &[rows(&to, true), rows(&from, false)].concat());
}

/// Both sides of a copy in two dimensions that are memory.
///
/// # Safety
/// As there.
pub(super) unsafe fn sides(how: Handle) -> Vec<u64> {
    // SAFETY: the caller's promise.
    match unsafe { how.cast::<Copy2d>().as_ref() } {
        Some(Copy2d { from, to, .. }) => [from, to].iter().flat_map(|side| side.rows(1)).collect(),
        None => Vec::new(),
    }
}

/// What was looked at for a call that fails did not happen: nobody is told to race with it.
fn failed(code: Code) {
    if code != SUCCESS && code != NOT_READY {
        tell_all(Order::may_have_waited);
    }
}

/// A copy in a stream, which the host waits for if one side is memory that the driver has to stage.
pub(super) fn copied(code: Code, handle: Handle, sides: &[u64]) -> Code {
    failed(code);
    tell(handle, Order::came);
    if code == SUCCESS && state::has_order() && sides.iter().any(|side| !is_known(*side)) {
        tell(handle, Order::tells);
    }
    // What the driver has accessed itself is accessible now.
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

/// Is it the device's memory, or the host's that the driver knows of?
fn is_known(address: u64) -> bool {
    attribute(MEMORY_TYPE, address).is_some_and(|kind| kind != 0)
}

/// What the driver says of an address.
pub(super) fn attribute(which: c_int, address: u64) -> Option<c_uint> {
    type Attribute = unsafe extern "C" fn(*mut c_void, c_int, u64) -> Code;
    let found = driver::function(c"cuPointerGetAttribute");
    if found.is_null() {
        return None;
    }
    let mut value: c_uint = 0;
    // SAFETY: the driver's function of this name has this type, and writes no more than a `u32` for these attributes.
    let code = unsafe {
        let get = std::mem::transmute::<*mut c_void, Attribute>(found);
        get((&raw mut value).cast(), which, address)
    };
    (code == SUCCESS).then_some(value)
}
