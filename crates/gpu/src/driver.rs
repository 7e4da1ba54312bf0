//! The real functions that the driver exports.

use compilers::real::real;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicI32, Ordering};

/// `cuLaunchKernel`: the function, the grid, the block, bytes of shared memory, the stream, parameters,
/// `extra`.
pub(crate) type LaunchKernel = unsafe extern "C" fn(
    *mut c_void,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    *mut c_void,
    *mut *mut c_void,
    *mut *mut c_void,
) -> c_int;

/// A function that the driver's library exports, if that is loaded; null otherwise.
pub(crate) fn function(name: &CStr) -> *mut c_void {
    // SAFETY: C strings; `RTLD_NOLOAD` does not initialise a loaded library again.
    unsafe {
        let driver = libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if driver.is_null() { std::ptr::null_mut() } else { real()(driver, name.as_ptr()) }
    }
}

/// Runs `what` in the relaxed capture mode, since the strict modes forbid many calls while any stream is
/// being captured.
pub(crate) fn beside_captures<T>(what: impl FnOnce() -> T) -> T {
    type Exchange = unsafe extern "C" fn(*mut c_int) -> c_int;
    /// `CU_STREAM_CAPTURE_MODE_RELAXED`
    const RELAXED: c_int = 2;
    let found = function(c"cuThreadExchangeStreamCaptureMode");
    if found.is_null() {
        return what();
    }
    // SAFETY: the driver's function of this name has this type.
    let exchange = unsafe { std::mem::transmute::<*mut c_void, Exchange>(found) };
    let mut mode = RELAXED;
    // SAFETY: reads and writes the mode.
    unsafe { exchange(&mut mode) };
    let out = what();
    // SAFETY: reads the mode and restores the previous one.
    unsafe { exchange(&mut mode) };
    out
}

/// Returns this thread's current context.
pub(crate) fn context() -> Option<usize> {
    type Current = unsafe extern "C" fn(*mut *mut c_void) -> c_int;
    let found = function(c"cuCtxGetCurrent");
    let mut context = std::ptr::null_mut();
    // SAFETY: the driver's function of this name has this type, and writes the context.
    let code = (!found.is_null())
        .then(|| unsafe { std::mem::transmute::<*mut c_void, Current>(found)(&mut context) });
    (code == Some(0) && !context.is_null()).then_some(context as usize)
}

/// Returns whether this thread has a current context.
pub(crate) fn has_context() -> bool {
    context().is_some()
}

/// Returns the number of GPUs that the program sees; 0 before the driver is initialised.
pub(crate) fn devices() -> c_int {
    type Count = unsafe extern "C" fn(*mut c_int) -> c_int;
    static KNOWN: AtomicI32 = AtomicI32::new(0);
    let known = KNOWN.load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    let found = function(c"cuDeviceGetCount");
    let mut out = 0;
    // SAFETY: the driver's function of this name has this type, and writes one integer.
    if !found.is_null() && unsafe { std::mem::transmute::<*mut c_void, Count>(found)(&mut out) } == 0 {
        KNOWN.store(out, Ordering::Relaxed);
    }
    out
}

/// Returns whether the driver has libraries (from CUDA 12.0 on), whose kernels belong to no context.
pub(crate) fn has_libraries() -> bool {
    !function(c"cuLibraryLoadData").is_null() && !function(c"cuKernelGetFunction").is_null()
}

/// Returns the device of this thread's context.
pub(crate) fn device() -> Option<c_int> {
    type Current = unsafe extern "C" fn(*mut c_int) -> c_int;
    let found = function(c"cuCtxGetDevice");
    let mut out = 0;
    // SAFETY: the driver's function of this name has this type, and writes one integer.
    let code =
        (!found.is_null()).then(|| unsafe { std::mem::transmute::<*mut c_void, Current>(found)(&mut out) });
    (code == Some(0)).then_some(out)
}

/// Returns the device of this thread's context. If there is one device only, returns 0 without a driver call.
pub(crate) fn device_of_several() -> Option<c_int> {
    if devices() > 1 { device() } else { Some(0) }
}

pub(crate) type ParameterInfo = unsafe extern "C" fn(*mut c_void, usize, *mut usize, *mut usize) -> c_int;

/// Returns whether the driver describes kernels' parameters, which it does from CUDA 12.4 on.
pub(crate) fn tells_parameters() -> bool {
    !function(c"cuFuncGetParamInfo").is_null()
}

/// Returns the offset and size of a kernel's parameter, for a handle of either kind (`CUfunction` or
/// `CUkernel`).
pub(crate) fn parameter(kernel: *mut c_void, which: usize) -> Option<(usize, usize)> {
    [c"cuFuncGetParamInfo", c"cuKernelGetParamInfo"].into_iter().find_map(|by| {
        let found = function(by);
        if found.is_null() {
            return None;
        }
        let (mut at, mut bytes) = (0, 0);
        // SAFETY: the driver's functions of these names have this type, and write both.
        let code = unsafe {
            std::mem::transmute::<*mut c_void, ParameterInfo>(found)(kernel, which, &mut at, &mut bytes)
        };
        (code == 0).then_some((at, bytes))
    })
}

/// Returns the mangled name of a kernel, for a handle of either kind (`CUfunction` or `CUkernel`).
pub(crate) fn name(kernel: *mut c_void) -> Option<String> {
    type Name = unsafe extern "C" fn(*mut *const c_char, *mut c_void) -> c_int;
    [c"cuFuncGetName", c"cuKernelGetName"].into_iter().find_map(|which| {
        let found = function(which);
        if found.is_null() {
            return None;
        }
        // SAFETY: the driver's functions of these names have this type.
        let get = unsafe { std::mem::transmute::<*mut c_void, Name>(found) };
        let mut text = std::ptr::null();
        // SAFETY: a launch takes handles of either kind, and the driver rejects a handle of the wrong kind.
        let code = unsafe { get(&mut text, kernel) };
        // SAFETY: on success the driver returns a C string that lives as long as the function.
        (code == 0 && !text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    })
}

/// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`
const MEMORY_TYPE: c_int = 2;

/// Returns whether the driver knows an address: device memory, or pinned, mapped or managed host memory.
pub(crate) fn is_known(address: u64) -> bool {
    attribute(MEMORY_TYPE, address).is_some_and(|kind| kind != 0)
}

/// Returns an attribute of the memory at an address from `cuPointerGetAttribute`.
pub(crate) fn attribute(which: c_int, address: u64) -> Option<c_uint> {
    type Attribute = unsafe extern "C" fn(*mut c_void, c_int, u64) -> c_int;
    let found = function(c"cuPointerGetAttribute");
    if found.is_null() {
        return None;
    }
    let mut value: c_uint = 0;
    // SAFETY: the driver's function of this name has this type, and writes at most a `u32` for these
    // attributes.
    let code = unsafe {
        let get = std::mem::transmute::<*mut c_void, Attribute>(found);
        get((&raw mut value).cast(), which, address)
    };
    (code == 0).then_some(value)
}
