//! `dlsym`, before everybody else's.

// What C calls is public to C, not to Rust.
#![allow(unreachable_pub)]

#[cfg(not(test))]
use crate::driver::REAL;
use crate::driver::real;
use crate::{active, compilers, hooks};
use std::ffi::{CStr, c_char, c_int, c_void};

/// What [`answer`] says if the C library is to answer.
const ASK: usize = 0;
/// What it says if there is no such function.
const NOTHING: usize = 1;

/// The C library's function, but for functions of the driver that are stood before.
///
/// The real one looks at its return address when it is asked for what is *next*: it is jumped to, not called.
///
/// # Safety
/// As the C library's.
#[cfg(not(test))]
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    std::arch::naked_asm!(
        "push rdi",
        "push rsi",
        "sub rsp, 8",
        "call {answer}",
        "add rsp, 8",
        "pop rsi",
        "pop rdi",
        "cmp rax, 1",
        "jb 2f",
        "jne 3f",
        "xor eax, eax",
        "3:",
        "ret",
        "2:",
        "mov rax, qword ptr [rip + {real}]",
        "jmp rax",
        answer = sym answer,
        real = sym REAL,
    )
}

/// [`ASK`], [`NOTHING`] or the address of a function.
extern "C" fn answer(handle: *mut c_void, name: *const c_char) -> usize {
    let real = real();
    if name.is_null() || !active::is_active() {
        return ASK;
    }
    // SAFETY: the caller of `dlsym` passes a C string.
    let name = unsafe { CStr::from_ptr(name) };
    // Most are of no interest, and some come while nothing but these lines can run.
    if let b"nv" | b"__" = name.to_bytes().get(..2).unwrap_or_default() {
        return compiler(handle, name);
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
        // Our own, by the program's global scope: it must not exist where the driver does not.
        return if hook.real().is_null() { NOTHING } else { hook.wrapper() as usize };
    }
    hook.found(found);
    hook.wrapper() as usize
}

/// The same for functions of compilers.
fn compiler(handle: *mut c_void, name: &CStr) -> usize {
    let Some(stood) = compilers::named(name) else { return ASK };
    // SAFETY: the arguments are those of the call.
    let found = unsafe { real()(handle, name.as_ptr()) };
    if found.is_null() {
        return ASK;
    }
    if found.cast_const() == stood.wrapper() {
        return if stood.real().is_null() { NOTHING } else { stood.wrapper() as usize };
    }
    if stood.found(found) { stood.wrapper() as usize } else { ASK }
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
    // SAFETY: as above; the driver has checked them.
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
    // SAFETY: as above; the driver has checked them.
    unsafe { stand_before(code, symbol, function, version, flags) };
    code
}

/// Changes the driver's answer.
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
        // Answered by the C library: nothing is loaded here that has them.
        assert_eq!(answer(std::ptr::null_mut(), c"malloc".as_ptr()), ASK);
        assert_ne!((ASK, NOTHING), (NOTHING, ASK));
    }
}
