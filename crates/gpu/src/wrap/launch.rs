//! Launches: counted, and held back until the device can reach the sink.

use super::Handle;
use crate::capture::Call;
use crate::driver;
use crate::hooks::{Code, SUCCESS};
use crate::state::{self, Launch};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

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

/// `CU_LAUNCH_ATTRIBUTE_COOPERATIVE`, `_CLUSTER_DIMENSION`
const COOPERATIVE: c_int = 2;
const CLUSTER: c_int = 4;

/// `CUDA_KERNEL_NODE_PARAMS`, as far as it is read.
#[repr(C)]
pub(crate) struct Node {
    function: Handle,
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
    parameters: *mut Handle,
    extra: *mut Handle,
    kernel: Handle,
    context: Handle,
}

/// What to do before a launch; the code of a launch that must not be.
fn before(function: Handle, grid: [c_uint; 3], block: [c_uint; 3], call: Option<Call>) -> Code {
    let Some(mut state) = state::lock() else { return SUCCESS };
    let count = |of: [c_uint; 3]| of.iter().map(|&n| u64::from(n)).product::<u64>();
    let (blocks, each) = (count(grid), count(block));
    let launch = Launch { function: function as usize, blocks, threads: blocks.saturating_mul(each), call };
    state.launch(launch, || name(function)).err().unwrap_or(SUCCESS)
}

/// The name of a function that nobody saw being looked up.
fn name(function: Handle) -> Option<String> {
    type Name = unsafe extern "C" fn(*mut *const c_char, Handle) -> Code;
    [c"cuFuncGetName", c"cuKernelGetName"].into_iter().find_map(|which| {
        let found = driver::function(which);
        if found.is_null() {
            return None;
        }
        // SAFETY: the driver's functions of these names have this type.
        let get = unsafe { std::mem::transmute::<*mut c_void, Name>(found) };
        let mut text = std::ptr::null();
        // SAFETY: a launch takes handles of either kind; the driver tells which it has.
        let code = unsafe { get(&mut text, function) };
        // SAFETY: on success a C string that lives as long as the function.
        (code == SUCCESS && !text.is_null())
            .then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    })
}

type Kernel = unsafe extern "C" fn(
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
    *mut Handle,
) -> Code;

#[allow(clippy::too_many_arguments)]
pub(super) unsafe fn kernel(
    real: Kernel,
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
    let (grid, block, cluster, cooperative) = ([gx, gy, gz], [bx, by, bz], [1; 3], false);
    let call = Call { grid, block, cluster, shared, cooperative, stream, parameters, extra };
    match before(function, grid, block, Some(call)) {
        // SAFETY: the caller's arguments.
        SUCCESS => unsafe { real(function, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra) },
        code => code,
    }
}

type Extended = unsafe extern "C" fn(*const Config, Handle, *mut Handle, *mut Handle) -> Code;

pub(super) unsafe fn extended(
    real: Extended,
    config: *const Config,
    function: Handle,
    parameters: *mut Handle,
    extra: *mut Handle,
) -> Code {
    let code = if config.is_null() {
        SUCCESS
    } else {
        // SAFETY: the caller passes a configuration.
        let Config { grid, block, shared, stream, attributes, number } = unsafe { config.read() };
        let mut call =
            Call { grid, block, cluster: [1; 3], shared, cooperative: false, stream, parameters, extra };
        for i in 0..if attributes.is_null() { 0 } else { number as usize } {
            // SAFETY: it has so many attributes.
            let Attribute { id, value, .. } = unsafe { attributes.add(i).read() };
            match id {
                COOPERATIVE => call.cooperative = value[0] != 0,
                CLUSTER => call.cluster = [value[0], value[1], value[2]],
                _ => {}
            }
        }
        before(function, grid, block, Some(call))
    };
    match code {
        // SAFETY: the caller's arguments.
        SUCCESS => unsafe { real(config, function, parameters, extra) },
        code => code,
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
    let (grid, block, cluster, cooperative) = ([gx, gy, gz], [bx, by, bz], [1; 3], true);
    let extra = std::ptr::null_mut();
    let call = Call { grid, block, cluster, shared, cooperative, stream, parameters, extra };
    match before(function, grid, block, Some(call)) {
        // SAFETY: the caller's arguments.
        SUCCESS => unsafe { real(function, gx, gy, gz, bx, by, bz, shared, stream, parameters) },
        code => code,
    }
}

type AddNode = unsafe extern "C" fn(*mut Handle, Handle, *const Handle, usize, *const Node) -> Code;

/// A kernel of a graph counts as one launch, however often the graph is launched.
pub(super) unsafe fn node(
    real: AddNode,
    node: *mut Handle,
    graph: Handle,
    after: *const Handle,
    number: usize,
    node_of: *const Node,
) -> Code {
    let code = if node_of.is_null() {
        SUCCESS
    } else {
        // SAFETY: the caller passes the parameters of a node.
        let of = unsafe { node_of.read() };
        before(if of.function.is_null() { of.kernel } else { of.function }, of.grid, of.block, None)
    };
    match code {
        // SAFETY: the caller's arguments.
        SUCCESS => unsafe { real(node, graph, after, number, node_of) },
        code => code,
    }
}
