//! Identifies streams by their handles.

use crate::hooks::{Code, SUCCESS};
use crate::order::{Order, Stream};
use crate::{capture, driver};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

type Handle = *mut c_void;

/// `CU_STREAM_LEGACY`, `CU_STREAM_PER_THREAD`
const LEGACY: usize = 1;
const PER_THREAD: usize = 2;
/// `CU_STREAM_NON_BLOCKING`
pub(crate) const NON_BLOCKING: c_uint = 1;

/// Whether any stream has ever been captured.
static CAPTURES: AtomicBool = AtomicBool::new(false);

/// Returns the stream that a handle denotes in a function for per-thread default streams.
pub(crate) fn own(stream: Handle) -> Handle {
    if stream.is_null() { PER_THREAD as Handle } else { stream }
}

/// Returns the stream that a handle denotes.
pub(crate) fn stream(handle: Handle) -> Stream {
    let device = || driver::device_of_several().unwrap_or(0);
    match handle as usize {
        0 | LEGACY => Stream::Legacy(device()),
        // SAFETY: has no preconditions.
        PER_THREAD => Stream::Thread(unsafe { libc::pthread_self() }, device()),
        made => Stream::Made(made),
    }
}

/// Returns whether a stream is ordered with the legacy default stream.
pub(crate) fn is_blocking(stream: Handle) -> bool {
    type Flags = unsafe extern "C" fn(Handle, *mut c_uint) -> Code;
    let found = driver::function(c"cuStreamGetFlags");
    let mut flags = 0;
    if !found.is_null() {
        // SAFETY: the driver's function of this name has this type, and writes the flags.
        unsafe { std::mem::transmute::<*mut c_void, Flags>(found)(stream, &mut flags) };
    }
    flags & NON_BLOCKING == 0
}

/// Returns the device of a stream whose creation was not observed.
fn device_of(stream: Handle) -> Option<c_int> {
    type Device = unsafe extern "C" fn(Handle, *mut c_int) -> Code;
    if driver::devices() <= 1 {
        return Some(0);
    }
    let found = driver::function(c"cuStreamGetDevice");
    let mut device = 0;
    // SAFETY: the driver's function of this name (from CUDA 12.8 on) has this type, and writes the device.
    let code = (!found.is_null())
        .then(|| unsafe { std::mem::transmute::<*mut c_void, Device>(found)(stream, &mut device) });
    (code == Some(SUCCESS)).then_some(device)
}

/// Returns whether the stream is being captured into a graph.
pub(crate) fn is_captured(stream: Handle) -> bool {
    CAPTURES.load(Ordering::Relaxed) && capture::is_captured(stream)
}

/// Records that a stream is about to be captured.
pub(crate) fn captures() {
    CAPTURES.store(true, Ordering::Relaxed);
}

/// Returns the stream that a handle denotes, and adds it to `order` if it is new.
pub(crate) fn seen(order: &mut Order, handle: Handle) -> Stream {
    let stream = stream(handle);
    if !order.knows(stream) {
        order.begun(stream, device_of(handle), is_blocking(handle));
    }
    stream
}
