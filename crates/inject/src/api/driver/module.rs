//! Modules and libraries: device code that the program hands to the driver.

use super::{Call, CudaError, CudaResult, answer};
use crate::context::{self, MemoryKind, State};
use compilers::{image, sources};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;

pub(super) type Handle = *mut c_void;

/// The architecture of the virtual GPU, and one later than all.
const OWN: u32 = 90;
const ANY: u32 = 999;

/// What to do about device code whose PTX is not known.
const WAY_OUT: &str =
    "have the program compile it under warprace (remove caches of compiled kernels), or hand the driver PTX";

/// The texts of an image.
///
/// # Safety
/// As that of [`image::texts`].
unsafe fn texts(call: &Call, image: *const c_void) -> CudaResult<Vec<String>> {
    if image.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: the caller's promise.
    let found = unsafe { image::texts(image, OWN).or_else(|why| image::texts(image, ANY).map_err(|_| why)) };
    found.map(|found| found.texts.into_iter().map(sources::named).collect()).map_err(|why| {
        let what = format!("device code that `{}` was given cannot be run: {why}; {WAY_OUT}", call.api);
        call.runtime.lock().results.inconclusive(what);
        CudaError::NO_KERNEL_IMAGE_FOR_DEVICE
    })
}

/// A number for messages.
fn name(state: &State) -> String {
    format!("module {}", state.registry.fatbin_count())
}

/// Makes a module of texts, on the device of the current context; its handle.
fn add(call: &Call, texts: Vec<String>) -> CudaResult<usize> {
    let mut state = call.state()?;
    let name = name(&state);
    let handle = state.add_module(name, texts);
    let fatbin = state.fatbin_of(handle)?;
    match context::module(call.runtime, &mut state, fatbin, call.device) {
        Ok(_) => Ok(handle),
        Err(error) => {
            state.remove_module(handle)?;
            Err(error)
        }
    }
}

/// # Safety
/// As for [`texts`]; `out` is null or valid.
pub(super) unsafe fn load(call: &Call, out: *mut Handle, image: *const c_void) -> CudaResult {
    // SAFETY: the caller's promise.
    unsafe {
        let texts = texts(call, image)?;
        answer(out, add(call, texts)? as Handle)
    }
}

/// A file's bytes with zeros behind them.
fn contents(file: *const c_char) -> CudaResult<Vec<u8>> {
    if file.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: the program's C string.
    let name = unsafe { CStr::from_ptr(file) };
    let mut bytes =
        std::fs::read(std::ffi::OsStr::from_bytes(name.to_bytes())).map_err(|_| CudaError::FILE_NOT_FOUND)?;
    bytes.extend([0; 16]);
    Ok(bytes)
}

fn load_file(call: &Call, out: *mut Handle, file: *const c_char) -> CudaResult {
    let bytes = contents(file)?;
    // SAFETY: the whole file, which the program takes for an image, with zeros behind it.
    unsafe { load(call, out, bytes.as_ptr().cast()) }
}

/// Answers the logs that a program wants of a compiler: they are empty.
///
/// # Safety
/// `names` and `values` have `count` entries, as the driver's reference says.
unsafe fn empty_logs(count: c_uint, names: *const c_int, values: *mut *mut c_void) {
    /// `CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES`, `CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES`, and the buffers before them.
    const SIZES: [c_int; 2] = [4, 6];
    const BUFFERS: [c_int; 2] = [3, 5];
    if names.is_null() || values.is_null() {
        return;
    }
    for i in 0..count as usize {
        // SAFETY: the caller's promise.
        unsafe {
            let which = *names.add(i);
            if SIZES.contains(&which) {
                *values.add(i) = std::ptr::null_mut();
            } else if BUFFERS.contains(&which) && !(*values.add(i)).is_null() {
                (*values.add(i)).cast::<u8>().write(0);
            }
        }
    }
}

fn text(name: *const c_char) -> CudaResult<String> {
    if name.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: the program's C string.
    Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
}

fn function(call: &Call, out: *mut Handle, module: Handle, name: *const c_char) -> CudaResult {
    let name = text(name)?;
    let mut state = call.state()?;
    let fatbin = state.fatbin_of(module as usize)?;
    let loaded = context::module(call.runtime, &mut state, fatbin, call.device)?;
    loaded.kernel(&name).ok_or(CudaError::SYMBOL_NOT_FOUND)?;
    let handle = state.named_function(fatbin, &name);
    // SAFETY: the program's variable.
    unsafe { answer(out, handle as Handle) }
}

/// Address and size of a module's variable.
fn global(
    call: &Call,
    pointer: *mut u64,
    bytes: *mut usize,
    module: Handle,
    name: *const c_char,
) -> CudaResult {
    let name = text(name)?;
    let mut state = call.state()?;
    let fatbin = state.fatbin_of(module as usize)?;
    let loaded = context::module(call.runtime, &mut state, fatbin, call.device)?;
    let found = loaded.variable(&name).ok_or(CudaError::SYMBOL_NOT_FOUND)?;
    // SAFETY: the program's variables; each may be null.
    unsafe {
        if !pointer.is_null() {
            pointer.write(found.address);
        }
        if !bytes.is_null() {
            bytes.write(found.bytes as usize);
        }
    }
    Ok(())
}

/// Handles of a module's kernels, in order of definition.
fn functions(call: &Call, module: Handle) -> CudaResult<Vec<usize>> {
    let mut state = call.state()?;
    let fatbin = state.fatbin_of(module as usize)?;
    let loaded = context::module(call.runtime, &mut state, fatbin, call.device)?;
    Ok(loaded.kernels().iter().map(|kernel| state.named_function(fatbin, &kernel.name)).collect())
}

fn enumerate(call: &Call, out: *mut Handle, room: c_uint, module: Handle) -> CudaResult {
    if out.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    for (i, handle) in functions(call, module)?.into_iter().take(room as usize).enumerate() {
        // SAFETY: the program's array of `room` entries.
        unsafe { out.add(i).write(handle as Handle) };
    }
    Ok(())
}

fn count(call: &Call, out: *mut c_uint, module: Handle) -> CudaResult {
    let found = functions(call, module)?.len() as c_uint;
    // SAFETY: the program's variable.
    unsafe { answer(out, found) }
}

driver! {
    fn cuModuleLoad(module: *mut Handle, file: *const c_char) = |call| load_file(call, module, file);
    fn cuModuleLoadData(module: *mut Handle, image: *const c_void) = |call| {
        // SAFETY: the program's image.
        unsafe { load(call, module, image) }
    };
    fn cuModuleLoadDataEx(
        module: *mut Handle,
        image: *const c_void,
        options: c_uint,
        names: *mut c_int,
        values: *mut *mut c_void,
    ) = |call| {
        // SAFETY: the program's image and options.
        unsafe {
            empty_logs(options, names, values);
            load(call, module, image)
        }
    };
    fn cuModuleLoadFatBinary(module: *mut Handle, image: *const c_void) = |call| {
        // SAFETY: the program's image.
        unsafe { load(call, module, image) }
    };
    fn cuModuleUnload(module: Handle) = |call| call.state()?.remove_module(module as usize);
    fn cuModuleGetFunction(out: *mut Handle, module: Handle, name: *const c_char) = |call| {
        function(call, out, module, name)
    };
    fn cuModuleGetGlobal_v2(pointer: *mut u64, bytes: *mut usize, module: Handle, name: *const c_char) = |call| {
        global(call, pointer, bytes, module, name)
    };
    fn cuModuleGetFunctionCount(out: *mut c_uint, module: Handle) = |call| count(call, out, module);
    fn cuModuleEnumerateFunctions(out: *mut Handle, room: c_uint, module: Handle) = |call| {
        enumerate(call, out, room, module)
    };
    fn cuLibraryLoadData(
        library: *mut Handle,
        image: *const c_void,
        jit_names: *mut c_int,
        jit_values: *mut *mut c_void,
        jit_options: c_uint,
        _names: *mut c_int,
        _values: *mut *mut c_void,
        _options: c_uint,
    ) = |call| {
        // SAFETY: the program's image and options.
        unsafe {
            empty_logs(jit_options, jit_names, jit_values);
            load(call, library, image)
        }
    };
    fn cuLibraryLoadFromFile(
        library: *mut Handle,
        file: *const c_char,
        jit_names: *mut c_int,
        jit_values: *mut *mut c_void,
        jit_options: c_uint,
        _names: *mut c_int,
        _values: *mut *mut c_void,
        _options: c_uint,
    ) = |call| {
        // SAFETY: the program's options.
        unsafe { empty_logs(jit_options, jit_names, jit_values) };
        load_file(call, library, file)
    };
    fn cuLibraryUnload(library: Handle) = |call| call.state()?.remove_module(library as usize);
    fn cuLibraryGetKernel(out: *mut Handle, library: Handle, name: *const c_char) = |call| {
        function(call, out, library, name)
    };
    fn cuLibraryGetModule(out: *mut Handle, library: Handle) = |call| {
        call.state()?.fatbin_of(library as usize)?;
        // SAFETY: the program's variable. One handle names both.
        unsafe { answer(out, library) }
    };
    fn cuLibraryGetGlobal(pointer: *mut u64, bytes: *mut usize, library: Handle, name: *const c_char) = |call| {
        global(call, pointer, bytes, library, name)
    };
    fn cuLibraryGetManaged(pointer: *mut u64, bytes: *mut usize, library: Handle, name: *const c_char) = |call| {
        let mut found = 0;
        global(call, &mut found, bytes, library, name)?;
        let managed = call.state()?.find(found).is_some_and(|memory| memory.kind == MemoryKind::Managed);
        if !managed {
            return Err(CudaError::SYMBOL_NOT_FOUND);
        }
        if !pointer.is_null() {
            // SAFETY: the program's variable.
            unsafe { pointer.write(found) };
        }
        Ok(())
    };
    fn cuLibraryGetKernelCount(out: *mut c_uint, library: Handle) = |call| count(call, out, library);
    fn cuLibraryEnumerateKernels(out: *mut Handle, room: c_uint, library: Handle) = |call| {
        enumerate(call, out, room, library)
    };
    fn cuKernelGetFunction(out: *mut Handle, kernel: Handle) = |call| {
        call.state()?.function(kernel as usize)?;
        // SAFETY: the program's variable. One handle names both.
        unsafe { answer(out, kernel) }
    };
    fn cuKernelGetLibrary(out: *mut Handle, kernel: Handle) = |call| {
        let found = call.state()?.module_of(kernel as usize)?;
        // SAFETY: the program's variable.
        unsafe { answer(out, found as Handle) }
    };
    fn cuFuncGetModule(out: *mut Handle, function: Handle) = |call| {
        let found = call.state()?.module_of(function as usize)?;
        // SAFETY: the program's variable.
        unsafe { answer(out, found as Handle) }
    };
    fn cuFuncLoad(function: Handle) = |call| call.state()?.function(function as usize).map(|_| ());
    fn cuFuncIsLoaded(loaded: *mut c_int, function: Handle) = |call| {
        call.state()?.function(function as usize)?;
        // SAFETY: the program's variable: `CU_FUNCTION_LOADING_STATE_LOADED`.
        unsafe { answer(loaded, 1) }
    };
}
