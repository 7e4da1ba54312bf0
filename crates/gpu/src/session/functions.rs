//! Functions of the host that the driver calls in stream order. The driver gets a function of this library in their
//! place, which calls them and records what they do.

use super::shared::{self, within};
use super::{Recorder, soon, with};
use crate::streams::is_captured;
use snapshot::session::{Step, Within};
use std::ffi::{c_int, c_void};
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

type Handle = *mut c_void;
type Function = unsafe extern "C" fn(Handle);
type Callback = unsafe extern "C" fn(Handle, c_int, Handle);

/// A function of the program, with its argument.
pub(super) struct Wrapped {
    pub(super) number: u64,
    function: Handle,
    data: Handle,
    calls: AtomicU32,
}

impl Recorder {
    /// Returns a function in the form that the driver's own argument points to. The driver may call it as long as the
    /// process lives.
    fn wrapped(&mut self, function: Handle, data: Handle) -> &'static Wrapped {
        self.functions += 1;
        Box::leak(Box::new(Wrapped { number: self.functions, function, data, calls: AtomicU32::new(0) }))
    }

    fn calls_in(&mut self, api: &str, function: u64, stream: Handle) -> io::Result<()> {
        self.host_wrote()?;
        let stream = self.stream(stream)?;
        self.call(api, Step::HostFunction { function, stream }, Vec::new())?;
        let all: Vec<u64> = self.memory.shared().iter().map(|(base, _)| *base).collect();
        self.flies(stream, &all);
        Ok(())
    }
}

impl Wrapped {
    /// Runs what calls the function, and records what it has done.
    fn around(&self, call: impl FnOnce()) {
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        let here = Within { function: self.number, call: number };
        soon(|session| session.host_wrote());
        shared::make_room();
        within(Some(here));
        call();
        within(None);
        soon(|session| session.changed(Some(here)));
    }
}

/// Calls a function of the program that the driver was given by `cuLaunchHostFunc`, or by a node of a graph.
unsafe extern "C" fn call_function(data: Handle) {
    // SAFETY: the driver passes on what it got together with this function.
    let wrapped = unsafe { &*data.cast::<Wrapped>() };
    wrapped.around(|| {
        // SAFETY: the program gave the driver this function with this argument.
        unsafe { std::mem::transmute::<Handle, Function>(wrapped.function)(wrapped.data) }
    });
}

/// Calls a function of the program that the driver was given by `cuStreamAddCallback`.
unsafe extern "C" fn call_callback(stream: Handle, code: c_int, data: Handle) {
    // SAFETY: the driver passes on what it got together with this function.
    let wrapped = unsafe { &*data.cast::<Wrapped>() };
    wrapped.around(|| {
        // SAFETY: the program gave the driver this function with this argument.
        unsafe { std::mem::transmute::<Handle, Callback>(wrapped.function)(stream, code, wrapped.data) }
    });
}

/// Records a function that is about to be submitted to a stream, and returns what the driver is to get.
pub(crate) fn host_function(stream: Handle, function: Handle, data: Handle) -> (Handle, Handle) {
    let mut out = (function, data);
    with(|session| {
        let wrapped = session.wrapped(function, data);
        out = (call_function as Handle, std::ptr::from_ref(wrapped).cast_mut().cast());
        match is_captured(stream) {
            true => Ok(()),
            false => session.calls_in("cuLaunchHostFunc", wrapped.number, stream),
        }
    });
    out
}

/// Records a callback that is about to be submitted to a stream, and returns what the driver is to get.
pub(crate) fn callback(stream: Handle, function: Handle, data: Handle) -> (Handle, Handle) {
    let mut out = (function, data);
    with(|session| {
        let wrapped = session.wrapped(function, data);
        out = (call_callback as Handle, std::ptr::from_ref(wrapped).cast_mut().cast());
        session.calls_in("cuStreamAddCallback", wrapped.number, stream)
    });
    out
}

/// Returns what the driver is to get for a function of a graph's node.
pub(crate) fn host_node(function: Handle, data: Handle) -> (Handle, Handle) {
    let mut out = (function, data);
    with(|session| {
        let wrapped = session.wrapped(function, data);
        out = (call_function as Handle, std::ptr::from_ref(wrapped).cast_mut().cast());
        Ok(())
    });
    out
}

/// Returns the number of a function that the driver was given by this library.
pub(super) fn number(function: Handle, data: Handle) -> Option<u64> {
    // SAFETY: the driver got a function with this address together with such an argument only.
    (function == call_function as Handle).then(|| unsafe { &*data.cast::<Wrapped>() }.number)
}
