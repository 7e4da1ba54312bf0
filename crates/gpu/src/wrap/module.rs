//! Wrappers of the functions that load modules and libraries. They replace the image by an instrumented one,
//! and record the handles of modules and kernels.
//!
//! If the driver refuses the instrumented image, the original is loaded.

use super::Handle;
use crate::driver;
use crate::hooks::{Code, NOT_FOUND, SUCCESS};
use crate::state::{self, Function};
use compilers::Texts;
use std::cell::Cell;
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;

thread_local! {
    /// Whether the driver is loading an image on this thread that this library has already instrumented.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

pub(super) unsafe fn init(real: unsafe extern "C" fn(c_uint) -> Code, flags: c_uint) -> Code {
    // SAFETY: the caller's argument.
    let code = unsafe { real(flags) };
    if code != SUCCESS
        && let Some(mut state) = state::lock()
    {
        state.no_driver(code);
    }
    code
}

/// Loads an image, instrumented if possible. `real` receives the image and writes the module's handle.
///
/// # Safety
/// `image` is an image that the driver accepts, and `real` may be called with it.
unsafe fn loaded(handle: *mut Handle, image: *const c_void, real: impl Fn(*const c_void) -> Code) -> Code {
    if INSIDE.get() {
        return real(image);
    }
    let device = device();
    let Some(mut state) = state::lock() else { return real(image) };
    // SAFETY: the caller's promise.
    let (id, replaced) = unsafe { state.load(image, device) };
    drop(state);
    crate::stack::ready();
    INSIDE.set(true);
    let mut code = NOT_FOUND;
    let with_checks = replaced.is_some();
    if let Some(replaced) = replaced {
        code = real(replaced.leak());
    }
    let refused = code;
    if code != SUCCESS {
        code = real(image);
    }
    INSIDE.set(false);
    if let Some(mut state) = state::lock() {
        if with_checks && refused != SUCCESS {
            state.refused(id, refused);
        }
        if code == SUCCESS && !handle.is_null() {
            // SAFETY: the driver has written it.
            state.named(unsafe { *handle } as usize, id);
        }
    }
    code
}

/// Returns ten times the compute capability of the current device, or of device 0 if there is no context.
pub(super) fn device() -> u32 {
    type Current = unsafe extern "C" fn(*mut c_int) -> Code;
    type Attribute = unsafe extern "C" fn(*mut c_int, c_int, c_int) -> Code;
    /// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR` and `_MINOR`
    const MAJOR: c_int = 75;
    const MINOR: c_int = 76;
    let (current, attribute) =
        (driver::function(c"cuCtxGetDevice"), driver::function(c"cuDeviceGetAttribute"));
    if current.is_null() || attribute.is_null() {
        return 0;
    }
    // SAFETY: the driver's functions of these names have these types.
    let (current, attribute) = unsafe {
        (
            std::mem::transmute::<*mut c_void, Current>(current),
            std::mem::transmute::<*mut c_void, Attribute>(attribute),
        )
    };
    let mut device = 0;
    // SAFETY: `current` writes the device; without a context it fails, and device 0 is used.
    if unsafe { current(&mut device) } != SUCCESS {
        device = 0;
    }
    let get = |which| {
        let mut value = 0;
        // SAFETY: `attribute` writes the value.
        let code = unsafe { attribute(&mut value, which, device) };
        if code == SUCCESS { value.max(0) as u32 } else { 0 }
    };
    get(MAJOR) * 10 + get(MINOR)
}

type Load = unsafe extern "C" fn(*mut Handle, *const c_void) -> Code;

pub(super) unsafe fn load(real: Load, module: *mut Handle, image: *const c_void) -> Code {
    // SAFETY: the caller's arguments.
    unsafe { loaded(module, image, |image| real(module, image)) }
}

type LoadEx = unsafe extern "C" fn(*mut Handle, *const c_void, c_uint, *mut c_int, *mut Handle) -> Code;

pub(super) unsafe fn load_ex(
    real: LoadEx,
    module: *mut Handle,
    image: *const c_void,
    options: c_uint,
    names: *mut c_int,
    values: *mut Handle,
) -> Code {
    // SAFETY: the caller's arguments.
    unsafe { loaded(module, image, |image| real(module, image, options, names, values)) }
}

/// Returns a file's bytes as aligned words followed by at least one zero byte, or `None` if the file cannot
/// be read.
fn contents(file: *const c_char) -> Option<Vec<u64>> {
    if file.is_null() {
        return None;
    }
    // SAFETY: the caller passes a C string.
    let name = unsafe { CStr::from_ptr(file) };
    let bytes = std::fs::read(OsStr::from_bytes(name.to_bytes())).ok()?;
    let mut words = vec![0u64; bytes.len() / 8 + 1];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks(8)) {
        let mut eight = [0; 8];
        eight[..chunk.len()].copy_from_slice(chunk);
        *word = u64::from_le_bytes(eight);
    }
    Some(words)
}

/// Loads a file as an image in memory, since the instrumented form exists in memory only.
unsafe fn loaded_file(
    handle: *mut Handle,
    file: *const c_char,
    from_memory: Option<&dyn Fn(*const c_void) -> Code>,
    real: impl Fn() -> Code,
) -> Code {
    let (Some(bytes), Some(from_memory), false) = (contents(file), from_memory, INSIDE.get()) else {
        return real();
    };
    let image: *const c_void = bytes.as_ptr().cast();
    // SAFETY: the contents of a file that the driver accepts, with a zero behind them.
    unsafe {
        // An image without checks is loaded from its file.
        loaded(handle, image, |given| if std::ptr::eq(given, image) { real() } else { from_memory(given) })
    }
}

pub(super) unsafe fn load_file(
    real: unsafe extern "C" fn(*mut Handle, *const c_char) -> Code,
    module: *mut Handle,
    file: *const c_char,
) -> Code {
    let load = driver::function(c"cuModuleLoadData");
    let from_memory = |image: *const c_void| {
        // SAFETY: the driver's function of this name has this type, and the image is one.
        unsafe { std::mem::transmute::<*mut c_void, Load>(load)(module, image) }
    };
    let from_memory: Option<&dyn Fn(*const c_void) -> Code> =
        if load.is_null() { None } else { Some(&from_memory) };
    // SAFETY: the caller's arguments.
    unsafe { loaded_file(module, file, from_memory, || real(module, file)) }
}

type LoadLibrary = unsafe extern "C" fn(
    *mut Handle,
    *const c_void,
    *mut c_int,
    *mut Handle,
    c_uint,
    *mut c_int,
    *mut Handle,
    c_uint,
) -> Code;

#[allow(clippy::too_many_arguments)]
pub(super) unsafe fn load_library(
    real: LoadLibrary,
    library: *mut Handle,
    image: *const c_void,
    jit_names: *mut c_int,
    jit_values: *mut Handle,
    jit_options: c_uint,
    names: *mut c_int,
    values: *mut Handle,
    options: c_uint,
) -> Code {
    let load =
        // SAFETY: the caller's arguments, the image possibly another one.
        |image| unsafe { real(library, image, jit_names, jit_values, jit_options, names, values, options) };
    // SAFETY: the caller's arguments.
    unsafe { loaded(library, image, load) }
}

type LoadLibraryFile = unsafe extern "C" fn(
    *mut Handle,
    *const c_char,
    *mut c_int,
    *mut Handle,
    c_uint,
    *mut c_int,
    *mut Handle,
    c_uint,
) -> Code;

#[allow(clippy::too_many_arguments)]
pub(super) unsafe fn load_library_file(
    real: LoadLibraryFile,
    library: *mut Handle,
    file: *const c_char,
    jit_names: *mut c_int,
    jit_values: *mut Handle,
    jit_options: c_uint,
    names: *mut c_int,
    values: *mut Handle,
    options: c_uint,
) -> Code {
    let load = driver::function(c"cuLibraryLoadData");
    let from_memory = |image: *const c_void| {
        // SAFETY: the driver's function of this name has this type, and the image is one.
        unsafe {
            let load = std::mem::transmute::<*mut c_void, LoadLibrary>(load);
            load(library, image, jit_names, jit_values, jit_options, names, values, options)
        }
    };
    let from_memory: Option<&dyn Fn(*const c_void) -> Code> =
        if load.is_null() { None } else { Some(&from_memory) };
    // SAFETY: the caller's arguments.
    unsafe {
        loaded_file(library, file, from_memory, || {
            real(library, file, jit_names, jit_values, jit_options, names, values, options)
        })
    }
}

type Link = unsafe extern "C" fn(
    Handle,
    c_int,
    *mut c_void,
    usize,
    *const c_char,
    c_uint,
    *mut c_int,
    *mut Handle,
) -> Code;

/// `CU_JIT_INPUT_PTX`
const PTX: c_int = 1;

/// Wraps `cuLinkAddData`. PTX that is linked is instrumented; the kernels of the linked image are found by
/// their names.
#[allow(clippy::too_many_arguments)]
pub(super) unsafe fn link(
    real: Link,
    linked: Handle,
    kind: c_int,
    data: *mut c_void,
    bytes: usize,
    name: *const c_char,
    options: c_uint,
    names: *mut c_int,
    values: *mut Handle,
) -> Code {
    // SAFETY: the caller's arguments, some of them replaced by values that are valid in the same place.
    let add = |data, bytes| unsafe { real(linked, kind, data, bytes, name, options, names, values) };
    if kind != PTX || data.is_null() || INSIDE.get() {
        return add(data, bytes);
    }
    // SAFETY: the caller passes the length of `data`.
    let text = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), bytes) };
    let end = text.iter().position(|&b| b == 0).unwrap_or(bytes);
    let texts = Texts { texts: vec![String::from_utf8_lossy(&text[..end]).into_owned()], ..Texts::default() };
    let Some(mut state) = state::lock() else { return add(data, bytes) };
    let replaced = state.replace_text(&texts);
    drop(state);
    if let Some(text) = replaced.and_then(|text| CString::new(text).ok()) {
        let code = add(text.as_ptr().cast_mut().cast(), text.as_bytes_with_nul().len());
        if code == SUCCESS {
            return code;
        }
    }
    add(data, bytes)
}

pub(super) unsafe fn function(
    real: unsafe extern "C" fn(*mut Handle, Handle, *const c_char) -> Code,
    function: *mut Handle,
    of: Handle,
    name: *const c_char,
) -> Code {
    // SAFETY: the caller's arguments.
    let code = unsafe { real(function, of, name) };
    if code == SUCCESS
        && !name.is_null()
        && let Some(mut state) = state::lock()
    {
        let image = state.image_of(of as usize);
        // SAFETY: a C string, and what the driver has written.
        let (name, handle) = unsafe { (CStr::from_ptr(name), *function) };
        state.function(
            handle as usize,
            Function { name: name.to_string_lossy().into_owned(), image, launched: None },
        );
    }
    code
}

pub(super) unsafe fn module_of_library(
    real: unsafe extern "C" fn(*mut Handle, Handle) -> Code,
    module: *mut Handle,
    library: Handle,
) -> Code {
    // SAFETY: the caller's arguments.
    let code = unsafe { real(module, library) };
    if code == SUCCESS
        && let Some(mut state) = state::lock()
        && let Some(image) = state.image_of(library as usize)
    {
        // SAFETY: the driver has written it.
        state.named(unsafe { *module } as usize, image);
    }
    code
}

pub(super) unsafe fn function_of_kernel(
    real: unsafe extern "C" fn(*mut Handle, Handle) -> Code,
    function: *mut Handle,
    kernel: Handle,
) -> Code {
    // SAFETY: the caller's arguments.
    let code = unsafe { real(function, kernel) };
    if code == SUCCESS
        && let Some(mut state) = state::lock()
        && let Some(known) = state.function_of(kernel as usize)
    {
        // SAFETY: the driver has written it.
        state.function(unsafe { *function } as usize, known);
    }
    code
}
