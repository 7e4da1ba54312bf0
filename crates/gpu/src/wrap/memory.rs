//! Wrappers of allocation functions, which give memory its name in reports, and of context functions: a
//! context that is destroyed takes along what was registered in it.

use super::{Handle, order};
use crate::call::call;
use crate::driver;
use crate::hooks::{Code, SUCCESS};
use crate::{reclaim, session, state, streams, watch};
use events::AllocKind;
use snapshot::session::MemoryKind;
use std::ffi::{CStr, c_char, c_int, c_uint};

fn note(code: Code, address: u64, bytes: usize, kind: AllocKind, api: &str) -> Code {
    if code == SUCCESS && bytes > 0 {
        let kind = match kind {
            AllocKind::Managed => MemoryKind::Managed,
            AllocKind::HostMapped => MemoryKind::Pinned,
            _ => MemoryKind::Device,
        };
        session::allocated(api, address, bytes as u64, kind, None);
    }
    known(code, address, bytes, kind, api)
}

fn known(code: Code, address: u64, bytes: usize, kind: AllocKind, api: &str) -> Code {
    if code == SUCCESS
        && bytes > 0
        && let Some(mut state) = state::lock()
    {
        state.allocated(address, bytes as u64, kind, api);
    }
    code
}

/// Records memory that was allocated in a stream's order. In a stream that is captured it belongs to a graph.
///
/// # Safety
/// If `code` is success, `address` may be read.
unsafe fn in_order(code: Code, address: *const u64, bytes: usize, stream: Handle, api: &str) -> Code {
    if code != SUCCESS {
        return code;
    }
    // SAFETY: the caller's promise.
    let address = unsafe { *address };
    if !streams::is_captured(stream) {
        session::allocated(api, address, bytes as u64, MemoryKind::Pool, Some(stream));
    }
    known(code, address, bytes, AllocKind::Device, api)
}

/// Records memory that is mapped at an address.
pub(super) fn mapped(code: Code, address: u64, bytes: usize) -> Code {
    if code == SUCCESS
        && let Some(mut state) = state::lock()
    {
        state.mapped(address, bytes as u64);
    }
    code
}

/// Records that memory is mapped no longer.
pub(super) fn unmapped(code: Code, address: u64, bytes: usize) -> Code {
    if code == SUCCESS
        && let Some(mut state) = state::lock()
    {
        state.unmapped(address, bytes as u64);
    }
    code
}

/// # Safety
/// `address` may be read.
unsafe fn device(code: Code, address: *const u64, bytes: usize, api: &str) -> Code {
    match code {
        // SAFETY: the driver has just written it.
        SUCCESS => note(code, unsafe { *address }, bytes, AllocKind::Device, api),
        code => code,
    }
}

pub(super) unsafe fn alloc(
    real: unsafe extern "C" fn(*mut u64, usize) -> Code,
    address: *mut u64,
    bytes: usize,
) -> Code {
    // SAFETY: the caller's arguments.
    unsafe { device(reclaim::allocate(|| real(address, bytes)), address, bytes, "cuMemAlloc") }
}

pub(super) unsafe fn alloc_pitch(
    real: unsafe extern "C" fn(*mut u64, *mut usize, usize, usize, c_uint) -> Code,
    address: *mut u64,
    pitch: *mut usize,
    width: usize,
    height: usize,
    element: c_uint,
) -> Code {
    // SAFETY: the caller's arguments.
    unsafe {
        let code = reclaim::allocate(|| real(address, pitch, width, height, element));
        let bytes = if code == SUCCESS { (*pitch).saturating_mul(height) } else { 0 };
        device(code, address, bytes, "cuMemAllocPitch")
    }
}

pub(super) unsafe fn alloc_managed(
    real: unsafe extern "C" fn(*mut u64, usize, c_uint) -> Code,
    address: *mut u64,
    bytes: usize,
    flags: c_uint,
) -> Code {
    // SAFETY: the caller's arguments; on success the driver has written the address.
    unsafe {
        match real(address, bytes, flags) {
            SUCCESS => note(SUCCESS, *address, bytes, AllocKind::Managed, "cuMemAllocManaged"),
            code => code,
        }
    }
}

/// `CU_POINTER_ATTRIBUTE_IS_MANAGED`
const IS_MANAGED: c_int = 8;

/// Wraps the query for a variable's address. Managed variables are watched from then on.
pub(super) unsafe fn variable(
    real: unsafe extern "C" fn(*mut u64, *mut usize, Handle, *const c_char) -> Code,
    address: *mut u64,
    bytes: *mut usize,
    module: Handle,
    name: *const c_char,
) -> Code {
    // SAFETY: the caller's arguments.
    let code = unsafe { named(real, address, bytes, module, name) };
    if code == SUCCESS
        && session::is_on()
        && let Some(state) = state::lock()
    {
        state.session_module(module as usize, module);
    }
    code
}

/// Does what [`variable`] does, for a variable of a library.
pub(super) unsafe fn library_variable(
    real: unsafe extern "C" fn(*mut u64, *mut usize, Handle, *const c_char) -> Code,
    address: *mut u64,
    bytes: *mut usize,
    library: Handle,
    name: *const c_char,
) -> Code {
    // SAFETY: the caller's arguments.
    let code = unsafe { named(real, address, bytes, library, name) };
    if code == SUCCESS && session::is_on() {
        let mut module: Handle = std::ptr::null_mut();
        let found = call!(c"cuLibraryGetModule"(&mut module => *mut Handle, library => Handle));
        if found == SUCCESS
            && let Some(state) = state::lock()
        {
            state.session_module(library as usize, module);
        }
    }
    code
}

unsafe fn named(
    real: unsafe extern "C" fn(*mut u64, *mut usize, Handle, *const c_char) -> Code,
    address: *mut u64,
    bytes: *mut usize,
    of: Handle,
    name: *const c_char,
) -> Code {
    let (mut at, mut length) = (0, 0);
    // SAFETY: the caller's arguments, of which the first two are written below.
    let code = unsafe { real(&mut at, &mut length, of, name) };
    if code != SUCCESS {
        return code;
    }
    // SAFETY: the caller passes a writable place for each of the two, or null.
    unsafe {
        if !address.is_null() {
            *address = at;
        }
        if !bytes.is_null() {
            *bytes = length;
        }
    }
    if (state::has_order() || session::is_on()) && driver::attribute(IS_MANAGED, at) == Some(1) {
        // SAFETY: the caller passes a C string.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        if let Some(mut state) = state::lock() {
            state.managed_variable(at, length as u64, name);
        }
    }
    code
}

/// Launches the check of an allocation in a stream: other streams must be ordered after the allocation to use
/// the memory.
///
/// # Safety
/// If `code` is success, `address` may be read.
unsafe fn got(code: Code, address: *const u64, bytes: usize, stream: Handle, api: &'static str) -> Code {
    if code == SUCCESS {
        // SAFETY: the caller's promise.
        order::looks(api, stream, &[(unsafe { *address }, bytes as u64, true)]);
    }
    code
}

pub(super) unsafe fn alloc_async(
    real: unsafe extern "C" fn(*mut u64, usize, Handle) -> Code,
    address: *mut u64,
    bytes: usize,
    stream: Handle,
) -> Code {
    // SAFETY: the caller's arguments.
    unsafe {
        let code = in_order(real(address, bytes, stream), address, bytes, stream, "cuMemAllocAsync");
        got(code, address, bytes, stream, "cuMemAllocAsync")
    }
}

pub(super) unsafe fn alloc_from_pool(
    real: unsafe extern "C" fn(*mut u64, usize, Handle, Handle) -> Code,
    address: *mut u64,
    bytes: usize,
    pool: Handle,
    stream: Handle,
) -> Code {
    // SAFETY: the caller's arguments.
    unsafe {
        let code =
            in_order(real(address, bytes, pool, stream), address, bytes, stream, "cuMemAllocFromPoolAsync");
        got(code, address, bytes, stream, "cuMemAllocFromPoolAsync")
    }
}

pub(super) unsafe fn host_alloc(
    real: unsafe extern "C" fn(*mut Handle, usize, c_uint) -> Code,
    address: *mut Handle,
    bytes: usize,
    flags: c_uint,
) -> Code {
    // SAFETY: the caller's arguments; on success the driver has written the address.
    unsafe {
        match real(address, bytes, flags) {
            SUCCESS => note(SUCCESS, *address as u64, bytes, AllocKind::HostMapped, "cuMemHostAlloc"),
            code => code,
        }
    }
}

pub(super) unsafe fn alloc_host(
    real: unsafe extern "C" fn(*mut Handle, usize) -> Code,
    address: *mut Handle,
    bytes: usize,
) -> Code {
    // SAFETY: the caller's arguments; on success the driver has written the address.
    unsafe {
        match real(address, bytes) {
            SUCCESS => note(SUCCESS, *address as u64, bytes, AllocKind::HostMapped, "cuMemAllocHost"),
            code => code,
        }
    }
}

/// Records a deallocation. Callers do so before the real function runs, since another thread may receive the
/// same address as soon as it returns.
fn freed(address: u64) {
    if let Some(mut state) = state::lock() {
        state.freed(address);
    }
}

pub(super) unsafe fn free(real: unsafe extern "C" fn(u64) -> Code, address: u64) -> Code {
    session::freed("cuMemFree", address, None);
    freed(address);
    // SAFETY: the caller's argument.
    order::may_have_waited(unsafe { real(address) })
}

pub(super) unsafe fn free_async(
    real: unsafe extern "C" fn(u64, Handle) -> Code,
    address: u64,
    stream: Handle,
) -> Code {
    if !streams::is_captured(stream) {
        session::freed("cuMemFreeAsync", address, Some(stream));
    }
    let bytes = state::lock().map_or(0, |mut state| state.order().bytes_at(address));
    order::looks("cuMemFreeAsync", stream, &[(address, bytes, true)]);
    freed(address);
    // SAFETY: the caller's arguments.
    unsafe { real(address, stream) }
}

pub(super) unsafe fn free_host(real: unsafe extern "C" fn(Handle) -> Code, address: Handle) -> Code {
    session::freed("cuMemFreeHost", address as u64, None);
    freed(address as u64);
    // SAFETY: the caller's argument.
    order::may_have_waited(unsafe { real(address) })
}

/// Records pages of the program that the driver has registered.
pub(super) fn registered(code: Code, address: Handle, bytes: usize) -> Code {
    if code == SUCCESS {
        session::allocated("cuMemHostRegister", address as u64, bytes as u64, MemoryKind::Registered, None);
        if let Some(mut state) = state::lock() {
            state.registered();
        }
    }
    code
}

/// Records that several devices may reach common memory, after a call that lets them.
pub(super) fn met(code: Code) -> Code {
    if code == SUCCESS
        && let Some(mut state) = state::lock()
    {
        state.meets();
    }
    code
}

/// Records that the current device may access memory of another context's device, or no longer.
pub(super) fn peer(code: Code, context: Handle, access: bool) -> Code {
    if access {
        met(code);
    }
    if code == SUCCESS && session::is_on() {
        let (mut device, mut popped): (c_int, Handle) = (0, std::ptr::null_mut());
        let pushed = call!(c"cuCtxPushCurrent_v2"(context => Handle));
        let found = call!(c"cuCtxGetDevice"(&mut device => *mut c_int));
        if pushed == SUCCESS {
            let _ = call!(c"cuCtxPopCurrent_v2"(&mut popped => *mut Handle));
        }
        if pushed == SUCCESS && found == SUCCESS {
            session::peer(device as u32, access);
        }
    }
    code
}

fn gone(code: Code, device: Option<c_int>) -> Code {
    order::may_have_waited(SUCCESS);
    if let Some(mut state) = state::lock() {
        state.context_gone(device);
    }
    code
}

pub(super) unsafe fn device_gone(real: unsafe extern "C" fn(c_int) -> Code, device: c_int) -> Code {
    // This precedes the reset, since the driver may give the pages to another allocation.
    watch::forget();
    session::device_gone();
    // SAFETY: the caller's argument.
    gone(unsafe { real(device) }, Some(device))
}

pub(super) unsafe fn context_gone(real: unsafe extern "C" fn(Handle) -> Code, context: Handle) -> Code {
    watch::forget();
    // SAFETY: the caller's argument.
    gone(unsafe { real(context) }, None)
}
