//! The real functions: the C library's `dlsym`, and what the driver exports.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

unsafe extern "C" {
    fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void;
}

pub(crate) type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

/// `cuLaunchKernel`: the function, the grid, the block, bytes of shared memory, the stream, parameters, `extra`.
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

/// The C library's `dlsym`.
pub(crate) static REAL: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// The C library's `dlsym`, looked up on first use.
pub(crate) fn real() -> Dlsym {
    let mut real = REAL.load(Ordering::Acquire);
    if real.is_null() {
        // SAFETY: the names are C strings; every C library for this architecture has this version.
        real = unsafe { dlvsym(libc::RTLD_NEXT, c"dlsym".as_ptr(), c"GLIBC_2.2.5".as_ptr()) };
        REAL.store(real, Ordering::Release);
    }
    // SAFETY: a function of this type. There is no process without it: the loader has linked this library to it.
    unsafe { std::mem::transmute::<*mut c_void, Dlsym>(real) }
}

/// A function that the driver's library exports, if that is loaded; null otherwise.
pub(crate) fn function(name: &CStr) -> *mut c_void {
    // SAFETY: C strings; a library that is loaded already is not initialised again.
    unsafe {
        let driver = libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if driver.is_null() { std::ptr::null_mut() } else { real()(driver, name.as_ptr()) }
    }
}

/// Does something that streams which are being captured have nothing to do with: strict modes forbid it otherwise.
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
    // SAFETY: as above.
    unsafe { exchange(&mut mode) };
    out
}

/// This thread's context.
pub(crate) fn context() -> Option<usize> {
    type Current = unsafe extern "C" fn(*mut *mut c_void) -> c_int;
    let found = function(c"cuCtxGetCurrent");
    let mut context = std::ptr::null_mut();
    // SAFETY: the driver's function of this name has this type, and writes the context.
    let code = (!found.is_null())
        .then(|| unsafe { std::mem::transmute::<*mut c_void, Current>(found)(&mut context) });
    (code == Some(0) && !context.is_null()).then_some(context as usize)
}

/// Has this thread a context?
pub(crate) fn has_context() -> bool {
    context().is_some()
}

/// How many GPUs the program sees; 0 before the driver is initialised.
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

/// The device of this thread's context.
pub(crate) fn device() -> Option<c_int> {
    type Current = unsafe extern "C" fn(*mut c_int) -> c_int;
    let found = function(c"cuCtxGetDevice");
    let mut out = 0;
    // SAFETY: the driver's function of this name has this type, and writes one integer.
    let code =
        (!found.is_null()).then(|| unsafe { std::mem::transmute::<*mut c_void, Current>(found)(&mut out) });
    (code == Some(0)).then_some(out)
}

/// The same, but for the one device that there is: 0, without asking.
pub(crate) fn device_of_several() -> Option<c_int> {
    if devices() > 1 { device() } else { Some(0) }
}

pub(crate) type ParameterInfo = unsafe extern "C" fn(*mut c_void, usize, *mut usize, *mut usize) -> c_int;

/// Does the driver tell of kernels' parameters? From CUDA 12.4 on.
pub(crate) fn tells_parameters() -> bool {
    !function(c"cuFuncGetParamInfo").is_null()
}

/// Where a parameter of a kernel stands, and its bytes, by either of the handles that there are.
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

/// The name of a kernel, mangled, by either of the handles that there are.
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
        // SAFETY: a launch takes handles of either kind; the driver tells which it has.
        let code = unsafe { get(&mut text, kernel) };
        // SAFETY: on success a C string that lives as long as the function.
        (code == 0 && !text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    })
}
