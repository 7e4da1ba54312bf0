//! Registration of device code, called by the compiler's start-up code.

use super::entry;
use crate::abi::types::Dim3;
use crate::caller::Caller;
use crate::context::{self, Function, Variable};
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::ManuallyDrop;

type Handle = *mut *mut c_void;

/// Returns a fatbin's number from the program's handle.
fn number(handle: Handle) -> usize {
    // SAFETY: the handle is null or a pointer that `__cudaRegisterFatBinary` returned.
    if handle.is_null() { usize::MAX } else { unsafe { *handle as usize } }
}

/// Returns a C string as owned text; empty if it is null.
///
/// # Safety
/// `text` is null or a C string.
unsafe fn name(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Registers a wrapper of device code, which is read on first use.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinary(wrapper: *mut c_void) -> Handle {
    crate::operators::registered(wrapper);
    let mut state = context::get().lock();
    state.results.uses_cuda();
    let number = state.registry.add_fatbin(wrapper as usize);
    crate::device::registered(number, wrapper as usize);
    // The handle is leaked, since the program may use it until it ends.
    Box::into_raw(Box::new(number as *mut c_void))
}

/// Marks the end of a fatbin's registrations.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinaryEnd(_: Handle) {}

/// Called before the object with the fatbin is unloaded, or at the program's end. Loaded modules stay.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaUnregisterFatBinary(handle: Handle) {
    let _ = context::get();
    crate::device::unregistered(number(handle));
}

/// Registers a kernel under its host stub's address.
///
/// # Safety
/// Called by the compiler's start-up code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaRegisterFunction(
    handle: Handle,
    host: *const c_void,
    _device: *mut c_char,
    device_name: *const c_char,
    _thread_limit: c_int,
    _tid: *mut c_void,
    _bid: *mut c_void,
    _block: *mut c_void,
    _grid: *mut c_void,
    _warp: *mut c_int,
) {
    // SAFETY: a C string in the program's data.
    let name = unsafe { name(device_name) };
    let function = Function::new(number(handle), name);
    context::get().lock().registry.add_function(host as usize, function);
}

/// Registers a `__device__` or `__constant__` variable under its host shadow's address.
///
/// # Safety
/// Called by the compiler's start-up code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaRegisterVar(
    handle: Handle,
    host: *mut c_char,
    _device: *mut c_char,
    device_name: *const c_char,
    _external: c_int,
    bytes: usize,
    _constant: c_int,
    _global: c_int,
) {
    // SAFETY: a C string in the program's data.
    let name = unsafe { name(device_name) };
    let variable = Variable { fatbin: number(handle), name, bytes: bytes as u64 };
    context::get().lock().registry.add_variable(host as usize, variable);
}

/// Registers a `__managed__` variable and the pointer through which the host finds it.
///
/// # Safety
/// Called by the compiler's start-up code only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cudaRegisterManagedVar(
    handle: Handle,
    host: *mut *mut c_void,
    _device: *mut c_char,
    device_name: *const c_char,
    _external: c_int,
    bytes: usize,
    _constant: c_int,
    _global: c_int,
) {
    // SAFETY: a C string in the program's data.
    let name = unsafe { name(device_name) };
    let variable = Variable { fatbin: number(handle), name, bytes: bytes as u64 };
    context::get().lock().registry.add_managed(host as usize, variable);
}

/// Registers a texture or surface reference of the old kind, which is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterHostVar(_: Handle, _: *const c_char, _: *mut c_void, _: usize) {}

/// Loads the module, so that managed variables have their addresses.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaInitModule(handle: Handle) -> c_char {
    let runtime = context::get();
    let mut state = runtime.lock();
    c_char::from(context::module(runtime, &mut state, number(handle), 0).is_ok())
}

thread_local! {
    /// The launch configurations that `<<<…>>>` has pushed for the stub to pop. Never dropped: destructors of global objects may launch.
    static CONFIGURATIONS: ManuallyDrop<RefCell<Vec<Configuration>>> =
        const { ManuallyDrop::new(RefCell::new(Vec::new())) };
    static LAUNCH_CALLER: Cell<Option<Caller>> = const { Cell::new(None) };
}

#[derive(Clone, Copy)]
struct Configuration {
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: *mut c_void,
    caller: Caller,
}

api! {
    /// The first half of `kernel<<<grid, block, shared, stream>>>(…)`, called from the program's line of the
    /// launch.
    fn __cudaPushCallConfiguration(grid: Dim3, block: Dim3, shared: usize, stream: *mut c_void) = |call| {
        let caller = call.caller;
        let top = Configuration { grid, block, shared, stream, caller };
        CONFIGURATIONS.with(|all| all.borrow_mut().push(top));
        Ok(())
    };
}

/// Returns the call site of the launch whose configuration was popped last.
pub(super) fn take_launch_caller() -> Option<Caller> {
    LAUNCH_CALLER.take()
}

/// The second half of a launch, called by the kernel's host stub.
///
/// # Safety
/// The pointers are the stub's own variables.
#[unsafe(no_mangle)]
#[allow(private_interfaces)]
pub unsafe extern "C" fn __cudaPopCallConfiguration(
    grid: *mut Dim3,
    block: *mut Dim3,
    shared: *mut usize,
    stream: *mut *mut c_void,
) -> i32 {
    let Some(top) = CONFIGURATIONS.with(|all| all.borrow_mut().pop()) else {
        entry::set_last_error(crate::abi::error::CudaError::MISSING_CONFIGURATION);
        return crate::abi::error::CudaError::MISSING_CONFIGURATION.0;
    };
    LAUNCH_CALLER.set(Some(top.caller));
    // SAFETY: the caller's promise.
    unsafe {
        *grid = top.grid;
        *block = top.block;
        *shared = top.shared;
        *stream = top.stream;
    }
    0
}
