//! Interposes `dlsym`, `cuGetProcAddress` and `cuGetProcAddress_v2`.

// C callers see these items, Rust callers do not.
#![allow(unreachable_pub)]

use crate::{active, hooks};
use compilers::lookup::{compiler, may_be_compilers};
use compilers::real::{ASK, NOTHING, real};
use std::ffi::{CStr, c_char, c_int, c_void};

compilers::stand_before_dlsym!(answer);

compilers::stand_before_nvrtc!();

/// Returns [`ASK`], [`NOTHING`] or the address of a wrapper.
extern "C" fn answer(handle: *mut c_void, name: *const c_char) -> usize {
    let real = real();
    if name.is_null() || !active::is_active() {
        return ASK;
    }
    // SAFETY: the caller of `dlsym` passes a C string.
    let name = unsafe { CStr::from_ptr(name) };
    if may_be_compilers(name) {
        // SAFETY: the arguments are those of the call.
        return unsafe { compiler(handle, name) };
    }
    if !name.to_bytes().starts_with(b"cu") {
        return ASK;
    }
    let Some(hook) = hooks::exported(name) else { return ASK };
    // SAFETY: the arguments are those of the call.
    let found = unsafe { real(handle, name.as_ptr()) };
    if found.is_null() {
        return ASK;
    }
    if found.cast_const() == hook.wrapper() {
        // The program's global scope leads to the wrapper itself, which must not exist if the driver lacks
        // the function.
        return if hook.real().is_null() { NOTHING } else { hook.wrapper() as usize };
    }
    hook.found(found);
    hook.wrapper() as usize
}

type GetProcAddress = unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64) -> hooks::Code;
type GetProcAddressV2 =
    unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64, *mut c_int) -> hooks::Code;

pub(crate) unsafe fn get_proc_address(
    real: GetProcAddress,
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    flags: u64,
) -> hooks::Code {
    // SAFETY: the caller's arguments.
    let code = unsafe { real(symbol, function, version, flags) };
    // SAFETY: the caller's arguments, which the driver has validated.
    unsafe { stand_before(code, symbol, function, version, flags) };
    code
}

pub(crate) unsafe fn get_proc_address_v2(
    real: GetProcAddressV2,
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    flags: u64,
    status: *mut c_int,
) -> hooks::Code {
    // SAFETY: the caller's arguments.
    let code = unsafe { real(symbol, function, version, flags, status) };
    // SAFETY: the caller's arguments, which the driver has validated.
    unsafe { stand_before(code, symbol, function, version, flags) };
    code
}

/// Replaces the address that the driver returned by the wrapper's.
///
/// # Safety
/// If `code` is success, `symbol` is a C string and `function` may be written.
unsafe fn stand_before(
    code: hooks::Code,
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    flags: u64,
) {
    if code != hooks::SUCCESS || symbol.is_null() || function.is_null() || !active::is_active() {
        return;
    }
    // SAFETY: the caller's promise.
    let (name, found) = unsafe { (CStr::from_ptr(symbol), *function) };
    if found.is_null() {
        return;
    }
    if let Some(hook) = hooks::by_version(name, version, flags) {
        hook.found(found);
        // SAFETY: the caller's promise.
        unsafe { *function = hook.wrapper().cast_mut() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_chosen_as_the_driver_does() {
        hooks::install(&crate::wrap::HOOKS);
        let chosen =
            |name: &CStr, version, flags| hooks::by_version(name, version, flags).map(|hook| hook.wrapper());
        let of = |name: &CStr| hooks::exported(name).map(|hook| hook.wrapper());
        assert_eq!(chosen(c"cuLaunchKernel", 13000, 0), of(c"cuLaunchKernel"));
        assert_eq!(chosen(c"cuLaunchKernel", 13000, 2), of(c"cuLaunchKernel_ptsz"));
        assert_eq!(chosen(c"cuModuleLoadData", 13000, 2), of(c"cuModuleLoadData"));
        assert_eq!(chosen(c"cuMemAlloc", 13000, 0), of(c"cuMemAlloc_v2"));
        assert_eq!(chosen(c"cuMemAlloc", 2000, 0), None);
        assert_eq!(chosen(c"cuGetProcAddress", 11040, 0), of(c"cuGetProcAddress"));
        assert_eq!(chosen(c"cuGetProcAddress", 12000, 0), of(c"cuGetProcAddress_v2"));
        assert_eq!(chosen(c"cuDeviceGet", 13000, 0), None);
        // The C library answers, since no loaded library has these names.
        assert_eq!(answer(std::ptr::null_mut(), c"malloc".as_ptr()), ASK);
        assert_ne!((ASK, NOTHING), (NOTHING, ASK));
    }
}
