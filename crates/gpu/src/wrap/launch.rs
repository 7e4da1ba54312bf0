//! Wrappers of the launch functions. They count launches, delay a launch until the device can reach the sink,
//! and pass the launch parameter that identifies the launch.

mod counted;

use super::{Handle, order};
use crate::capture::{self, Call};
use crate::driver::{self, LaunchKernel};
use crate::graphs::{CLUSTER, COOPERATIVE};
use crate::hooks::{Code, INVALID_VALUE};
use crate::reclaim::{self, Launching};
use crate::state::{self, Launch, StandIns, Without};
use crate::{parts, session, streams, timing};
use counted::Counted;
use instrument::guard::launches::{BYTES, Launched};
use std::ffi::{c_int, c_uint};

/// `CUlaunchConfig`
#[repr(C)]
pub(crate) struct Config {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
    stream: Handle,
    attributes: *const Attribute,
    number: c_uint,
}

/// `CUlaunchAttribute`
#[repr(C)]
struct Attribute {
    id: c_int,
    _pad: c_uint,
    value: [c_uint; 16],
}

/// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`, `_PROGRAMMATIC_EVENT`, `_LAUNCH_COMPLETION_EVENT`
const OVERLAPS: c_int = 6;
const EARLY_EVENT: c_int = 7;
const COMPLETION_EVENT: c_int = 12;

/// The arguments of a launch, followed by the launch parameter. This value owns the memory that the pointers
/// refer to.
#[derive(Default)]
pub(super) struct Arguments {
    /// The program's own kernel, in the place of the one with checks.
    original: Option<Handle>,
    told: Option<Box<[u8; BYTES as usize]>>,
    pointers: Vec<Handle>,
    buffer: Vec<u64>,
    bytes: usize,
    extra: [usize; 5],
    /// Ends the measurement of the launch's time when this value is dropped.
    _measured: Option<timing::Measured>,
    /// Compares the contents of arguments' memory when this value is dropped.
    _stand_ins: StandIns,
    _launching: Launching,
}

impl Arguments {
    /// Appends the launch parameter `told` to a launch's arguments.
    ///
    /// # Safety
    /// The pointers are those of a launch of this kernel, and `kernel` describes the kernel's own parameters.
    unsafe fn new(
        told: [u8; BYTES as usize],
        kernel: Launched,
        parameters: *const Handle,
        extra: *const Handle,
    ) -> Arguments {
        let mut out = Arguments { told: Some(Box::new(told)), ..Arguments::default() };
        let number = kernel.parameters as usize;
        if parameters.is_null() && !extra.is_null() {
            // SAFETY: the caller's promise.
            if let Some(given) = unsafe { capture::buffer(extra) } {
                let at = kernel.at as usize;
                out.bytes = at + told.len();
                out.buffer = vec![0; out.bytes.div_ceil(8)];
                // SAFETY: the copies write at most as many bytes as the buffer has.
                unsafe {
                    let into = out.buffer.as_mut_ptr().cast::<u8>();
                    std::ptr::copy_nonoverlapping(given.as_ptr(), into, given.len().min(at));
                    std::ptr::copy_nonoverlapping(told.as_ptr(), into.add(at), told.len());
                }
                return out;
            }
        }
        if !parameters.is_null() {
            // SAFETY: the caller passes a pointer for each of the kernel's own parameters.
            out.pointers.extend((0..number).map(|i| unsafe { *parameters.add(i) }));
        }
        out.pointers.resize(number, std::ptr::null_mut());
        if let Some(told) = &mut out.told {
            out.pointers.push(told.as_mut_ptr().cast());
        }
        out
    }

    /// Returns the kernel to launch, where the program launches `function`.
    fn kernel(&self, function: Handle) -> Handle {
        self.original.unwrap_or(function)
    }

    /// Returns the pointers `parameters` and `extra` for the driver: the caller's own if no parameter was
    /// added.
    pub(super) fn pass(&mut self, parameters: *mut Handle, extra: *mut Handle) -> (*mut Handle, *mut Handle) {
        if self.told.is_none() {
            return (parameters, extra);
        }
        if self.buffer.is_empty() {
            return (self.pointers.as_mut_ptr(), std::ptr::null_mut());
        }
        let buffer = self.buffer.as_mut_ptr() as usize;
        self.extra = [capture::POINTER, buffer, capture::SIZE, (&raw mut self.bytes) as usize, 0];
        (std::ptr::null_mut(), self.extra.as_mut_ptr().cast())
    }
}

/// When a launch begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begins {
    /// In its stream, or when the graph is launched that the stream is captured into.
    InStream,
    /// Perhaps before the kernel before it has ended.
    Early,
    /// When the graph is launched of which it is a node.
    AsNode,
}

/// Prepares a launch: counts it, saves it if asked, and returns its arguments. The error is the code that the
/// program receives in place of the launch. The stream of a node is not used.
pub(super) fn before(function: Handle, call: Call, begins: Begins) -> Result<Arguments, Code> {
    crate::stack::ready();
    surroundings::ask();
    // The time at which a graph launches its kernels is unknown, so they belong to no stream.
    let is_in_graph = begins == Begins::AsNode || streams::is_captured(call.stream);
    let stream = (!is_in_graph).then_some(call.stream);
    let overlaps = begins == Begins::Early;
    let Without { original, left_out, repeated, memory } = match begins {
        Begins::Early => Without::default(),
        // SAFETY: the caller's arguments.
        _ => unsafe { state::without(function, &call, begins == Begins::AsNode) },
    };
    if state::has_order() && stream.is_some() {
        reclaim::renew();
    }
    let launching = if state::has_order() { reclaim::launching() } else { None };
    let Call { grid, block, parameters, extra, .. } = call;
    let (parameters, extra) = (parameters.cast_const(), extra.cast_const());
    let call = (!is_in_graph).then_some(call);
    let Some(mut state) = state::lock() else { return Ok(Arguments::default()) };
    if state.wants_ranges() {
        state.load_ranges(super::module::device());
    }
    let count = |of: [c_uint; 3]| of.iter().map(|&n| u64::from(n)).product::<u64>();
    let (blocks, each) = (count(grid), count(block));
    let launch = Launch { function: function as usize, blocks, threads: blocks.saturating_mul(each), call };
    state.launch(launch, || driver::name(function))?;
    if let Some(call) = call.filter(|_| session::is_on()) {
        state.session_launch(function as usize, &call, overlaps);
    }
    let counted =
        Counted { function, stream, overlaps, parameters, extra, left_out, repeated, memory, launching };
    Ok(match stream {
        Some(stream) if original.is_some() => {
            state.runs_proved(function as usize, stream);
            drop(state);
            counted.with(Arguments { original, ..Arguments::default() })
        }
        _ => counted.prepared(state),
    })
}

/// Wraps `cuFuncGetParamInfo` and hides the added launch parameter from the program.
pub(super) unsafe fn parameter(
    real: driver::ParameterInfo,
    function: Handle,
    which: usize,
    offset: *mut usize,
    bytes: *mut usize,
) -> Code {
    if state::has_order()
        && let Some(mut state) = state::lock()
        && state
            .added(function as usize, |at| driver::parameter(function, at))
            .is_some_and(|own| own == which)
    {
        return INVALID_VALUE;
    }
    // SAFETY: the caller's arguments.
    unsafe { real(function, which, offset, bytes) }
}

#[allow(clippy::too_many_arguments)]
pub(super) unsafe fn kernel(
    real: LaunchKernel,
    function: Handle,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    stream: Handle,
    parameters: *mut Handle,
    extra: *mut Handle,
) -> Code {
    let function = parts::checked(function);
    let (grid, block, cluster, cooperative) = ([gx, gy, gz], [bx, by, bz], [1; 3], false);
    let call = Call { grid, block, cluster, shared, cooperative, stream, parameters, extra };
    match before(function, call, Begins::InStream) {
        Ok(mut arguments) => {
            let (parameters, extra) = arguments.pass(parameters, extra);
            // SAFETY: the caller's arguments.
            unsafe {
                real(arguments.kernel(function), gx, gy, gz, bx, by, bz, shared, stream, parameters, extra)
            }
        }
        Err(code) => code,
    }
}

type Extended = unsafe extern "C" fn(*const Config, Handle, *mut Handle, *mut Handle) -> Code;

/// `on` returns the stream that the handle of the configuration denotes.
pub(super) unsafe fn extended(
    real: Extended,
    on: fn(Handle) -> Handle,
    config: *const Config,
    function: Handle,
    parameters: *mut Handle,
    extra: *mut Handle,
) -> Code {
    if config.is_null() {
        // SAFETY: the caller's arguments.
        return unsafe { real(config, function, parameters, extra) };
    }
    // SAFETY: the caller passes a configuration.
    let Config { grid, block, shared, stream, attributes, number } = unsafe { config.read() };
    let function = parts::checked(function);
    let stream = on(stream);
    let mut call =
        Call { grid, block, cluster: [1; 3], shared, cooperative: false, stream, parameters, extra };
    let (mut overlaps, mut events) = (false, Vec::new());
    for i in 0..if attributes.is_null() { 0 } else { number as usize } {
        // SAFETY: the configuration has `number` attributes.
        let Attribute { id, value, .. } = unsafe { attributes.add(i).read() };
        match id {
            COOPERATIVE => call.cooperative = value[0] != 0,
            CLUSTER => call.cluster = [value[0], value[1], value[2]],
            OVERLAPS => overlaps = value[0] != 0,
            EARLY_EVENT | COMPLETION_EVENT => events.push(u64::from(value[0]) | u64::from(value[1]) << 32),
            _ => {}
        }
    }
    // Such an event stands for a part of the launch only, so its meaning is unknown.
    events.iter().for_each(|event| order::foreign(*event as Handle));
    if !events.is_empty() {
        session::unseen("an event of a part of a launch");
    }
    let begins = if overlaps { Begins::Early } else { Begins::InStream };
    match before(function, call, begins) {
        Ok(mut arguments) => {
            // Other work may learn of the launch through these events.
            if !events.is_empty() {
                order::came(stream);
            }
            let (parameters, extra) = arguments.pass(parameters, extra);
            // SAFETY: the caller's arguments.
            unsafe { real(config, arguments.kernel(function), parameters, extra) }
        }
        Err(code) => code,
    }
}

type Cooperative = unsafe extern "C" fn(
    Handle,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    Handle,
    *mut Handle,
) -> Code;

#[allow(clippy::too_many_arguments)]
pub(super) unsafe fn cooperative(
    real: Cooperative,
    function: Handle,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    stream: Handle,
    parameters: *mut Handle,
) -> Code {
    let function = parts::checked(function);
    let (grid, block, cluster, cooperative) = ([gx, gy, gz], [bx, by, bz], [1; 3], true);
    let extra = std::ptr::null_mut();
    let call = Call { grid, block, cluster, shared, cooperative, stream, parameters, extra };
    match before(function, call, Begins::InStream) {
        Ok(mut arguments) => {
            let (parameters, _) = arguments.pass(parameters, extra);
            // SAFETY: the caller's arguments.
            unsafe { real(arguments.kernel(function), gx, gy, gz, bx, by, bz, shared, stream, parameters) }
        }
        Err(code) => code,
    }
}

/// `CUDA_LAUNCH_PARAMS`
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct OnDevice {
    function: Handle,
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
    stream: Handle,
    parameters: *mut Handle,
}

/// Wraps a cooperative launch of one kernel on several devices.
pub(super) unsafe fn several(
    real: unsafe extern "C" fn(*mut OnDevice, c_uint, c_uint) -> Code,
    all: *mut OnDevice,
    number: c_uint,
    flags: c_uint,
) -> Code {
    let mut launches = Vec::new();
    for i in 0..if all.is_null() { 0 } else { number as usize } {
        // SAFETY: the caller passes `number` launches.
        launches.push(unsafe { all.add(i).read() });
    }
    let mut arguments = Vec::new();
    for launch in &mut launches {
        launch.function = parts::checked(launch.function);
        let &mut OnDevice { function, grid, block, shared, stream, parameters } = launch;
        let (cluster, extra) = ([1; 3], std::ptr::null_mut());
        let call = Call { grid, block, cluster, shared, cooperative: true, stream, parameters, extra };
        match before(function, call, Begins::InStream) {
            // The heap blocks behind the pointers do not move when the value does.
            Ok(mut told) => {
                launch.function = told.kernel(function);
                (launch.parameters, _) = told.pass(parameters, extra);
                arguments.push(told);
            }
            Err(code) => return code,
        }
    }
    // SAFETY: the caller's arguments, with those of the kernels.
    unsafe { real(if all.is_null() { all } else { launches.as_mut_ptr() }, number, flags) }
}
