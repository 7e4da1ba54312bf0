//! Wrappers of allocation functions, which give memory its name in reports, and of context functions: a
//! context that is destroyed takes along what was registered in it.

use super::{Handle, order};
use crate::hooks::{Code, SUCCESS};
use crate::{reclaim, state, watch};
use events::AllocKind;
use std::ffi::{CStr, c_char, c_int, c_uint};

fn note(code: Code, address: u64, bytes: usize, kind: AllocKind, api: &str) -> Code {
    if code == SUCCESS
        && bytes > 0
        && let Some(mut state) = state::lock()
    {
        state.allocated(address, bytes as u64, kind, api);
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
    if state::has_order() && order::attribute(IS_MANAGED, at) == Some(1) {
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
        let code = device(real(address, bytes, stream), address, bytes, "cuMemAllocAsync");
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
        let code = device(real(address, bytes, pool, stream), address, bytes, "cuMemAllocFromPoolAsync");
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
    freed(address);
    // SAFETY: the caller's argument.
    order::may_have_waited(unsafe { real(address) })
}

pub(super) unsafe fn free_async(
    real: unsafe extern "C" fn(u64, Handle) -> Code,
    address: u64,
    stream: Handle,
) -> Code {
    let bytes = state::lock().map_or(0, |mut state| state.order().bytes_at(address));
    order::looks("cuMemFreeAsync", stream, &[(address, bytes, true)]);
    freed(address);
    // SAFETY: the caller's arguments.
    unsafe { real(address, stream) }
}

pub(super) unsafe fn free_host(real: unsafe extern "C" fn(Handle) -> Code, address: Handle) -> Code {
    freed(address as u64);
    // SAFETY: the caller's argument.
    order::may_have_waited(unsafe { real(address) })
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
    // SAFETY: the caller's argument.
    gone(unsafe { real(device) }, Some(device))
}

pub(super) unsafe fn context_gone(real: unsafe extern "C" fn(Handle) -> Code, context: Handle) -> Code {
    watch::forget();
    // SAFETY: the caller's argument.
    gone(unsafe { real(context) }, None)
}
