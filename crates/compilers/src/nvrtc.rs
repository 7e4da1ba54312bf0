//! NVRTC in the program's process: the PTX that it also has is remembered with its machine code.
//!
//! A library that wants lines ([`crate::want_lines`]) has NVRTC write line information, and keeps sources that are in no file
//! that lasts ([`crate::sources`]). The code that NVRTC makes is the same.

use crate::stood::{Code, Get, SUCCESS, Size, Stood, beside};
use crate::{made, sources};
use std::ffi::{CStr, CString, c_char, c_int, c_void};

type Program = *mut c_void;

pub(crate) static STOOD: [Stood; 3] = [
    Stood::new("nvrtcGetCUBIN", get_cubin as *const c_void),
    Stood::new("nvrtcCreateProgram", create as *const c_void),
    Stood::new("nvrtcCompileProgram", compile as *const c_void),
];
const NVRTC_CUBIN: usize = 0;
const NVRTC_CREATE: usize = 1;
const NVRTC_COMPILE: usize = 2;

/// `NVRTC_ERROR_INTERNAL_ERROR`
const INTERNAL: Code = 11;

/// Stands before `nvrtcGetCUBIN`.
///
/// # Safety
/// As NVRTC's.
pub unsafe extern "C" fn get_cubin(program: *mut c_void, cubin: *mut c_char) -> c_int {
    let real = STOOD[NVRTC_CUBIN].real();
    if real.is_null() {
        return INTERNAL;
    }
    // SAFETY: NVRTC's function of this name has this type; the caller's arguments.
    let code = unsafe { std::mem::transmute::<*mut c_void, Get>(real)(program, cubin) };
    if code == SUCCESS && !cubin.is_null() && crate::is_active() {
        // SAFETY: it has just been written.
        unsafe { compiled(real, program, cubin) };
    }
    code
}

type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> Code;

/// Stands before `nvrtcCreateProgram`.
///
/// # Safety
/// As NVRTC's.
pub unsafe extern "C" fn create(
    program: *mut *mut c_void,
    source: *const c_char,
    name: *const c_char,
    count: c_int,
    headers: *const *const c_char,
    names: *const *const c_char,
) -> c_int {
    let real = STOOD[NVRTC_CREATE].real();
    if real.is_null() {
        return INTERNAL;
    }
    if crate::wants_lines() && !source.is_null() {
        let name = match name.is_null() {
            // The name that NVRTC gives the program.
            true => c"default_program",
            // SAFETY: the caller's C string.
            false => unsafe { CStr::from_ptr(name) },
        };
        // SAFETY: the caller's C string.
        sources::keep(&name.to_string_lossy(), unsafe { CStr::from_ptr(source) }.to_bytes());
    }
    // SAFETY: NVRTC's function of this name has this type; the caller's arguments.
    unsafe { std::mem::transmute::<*mut c_void, Create>(real)(program, source, name, count, headers, names) }
}

type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Code;

/// Options that have NVRTC write lines, or that go with no option that does.
const WITH_LINES: [&str; 4] = ["-lineinfo", "--generate-line-info", "-G", "--device-debug"];

/// Stands before `nvrtcCompileProgram`.
///
/// # Safety
/// As NVRTC's.
pub unsafe extern "C" fn compile(program: *mut c_void, count: c_int, options: *const *const c_char) -> c_int {
    let real = STOOD[NVRTC_COMPILE].real();
    if real.is_null() {
        return INTERNAL;
    }
    // SAFETY: NVRTC's function of this name has this type.
    let real = unsafe { std::mem::transmute::<*mut c_void, Compile>(real) };
    let number = if options.is_null() { 0 } else { usize::try_from(count).unwrap_or(0) };
    // SAFETY: the caller passes so many C strings.
    let mut all: Vec<CString> =
        (0..number).map(|i| unsafe { CStr::from_ptr(*options.add(i)) }.to_owned()).collect();
    let has_lines =
        all.iter().any(|option| WITH_LINES.iter().any(|known| option.as_bytes() == known.as_bytes()));
    if !crate::wants_lines() || has_lines {
        // SAFETY: the caller's arguments.
        return unsafe { real(program, count, options) };
    }
    all.push(c"-lineinfo".to_owned());
    let pointers: Vec<*const c_char> = all.iter().map(|option| option.as_ptr()).collect();
    // SAFETY: the caller's program; options that live through the call.
    unsafe { real(program, pointers.len() as c_int, pointers.as_ptr()) }
}

/// # Safety
/// `real` is NVRTC's `nvrtcGetCUBIN`, and has written `cubin` for `program`.
unsafe fn compiled(real: *mut c_void, program: Program, cubin: *mut c_char) {
    let [cubin_size, ptx_size, get] =
        [c"nvrtcGetCUBINSize", c"nvrtcGetPTXSize", c"nvrtcGetPTX"].map(|name| beside(real, name));
    if cubin_size.is_null() || ptx_size.is_null() || get.is_null() {
        return;
    }
    // SAFETY: NVRTC's functions of these names have these types, write a size, and as many bytes.
    unsafe {
        let (cubin_size, ptx_size) = (
            std::mem::transmute::<*mut c_void, Size>(cubin_size),
            std::mem::transmute::<*mut c_void, Size>(ptx_size),
        );
        let get = std::mem::transmute::<*mut c_void, Get>(get);
        let (mut bytes, mut length) = (0, 0);
        if cubin_size(program, &mut bytes) != SUCCESS || ptx_size(program, &mut length) != SUCCESS {
            return;
        }
        let mut text = vec![0u8; length];
        if length == 0 || get(program, text.as_mut_ptr().cast()) != SUCCESS {
            return;
        }
        let end = text.iter().position(|&b| b == 0).unwrap_or(length);
        let text = String::from_utf8_lossy(&text[..end]).into_owned();
        crate::note(|| format!("NVRTC made {bytes} bytes of machine code of {end} bytes of PTX"));
        let text = sources::named(text);
        made::remember(std::slice::from_raw_parts(cubin.cast(), bytes), vec![text]);
    }
}

/// Defines the functions that a program which is linked to NVRTC finds in place of NVRTC's.
#[macro_export]
macro_rules! stand_before_nvrtc {
    () => {
        /// # Safety
        /// As NVRTC's.
        #[allow(non_snake_case)]
        #[cfg_attr(not(test), unsafe(no_mangle))]
        pub unsafe extern "C" fn nvrtcGetCUBIN(
            program: *mut std::ffi::c_void,
            cubin: *mut std::ffi::c_char,
        ) -> std::ffi::c_int {
            // SAFETY: the caller's arguments.
            unsafe { $crate::nvrtc::get_cubin(program, cubin) }
        }

        /// # Safety
        /// As NVRTC's.
        #[allow(non_snake_case)]
        #[cfg_attr(not(test), unsafe(no_mangle))]
        pub unsafe extern "C" fn nvrtcCreateProgram(
            program: *mut *mut std::ffi::c_void,
            source: *const std::ffi::c_char,
            name: *const std::ffi::c_char,
            count: std::ffi::c_int,
            headers: *const *const std::ffi::c_char,
            names: *const *const std::ffi::c_char,
        ) -> std::ffi::c_int {
            // SAFETY: the caller's arguments.
            unsafe { $crate::nvrtc::create(program, source, name, count, headers, names) }
        }

        /// # Safety
        /// As NVRTC's.
        #[allow(non_snake_case)]
        #[cfg_attr(not(test), unsafe(no_mangle))]
        pub unsafe extern "C" fn nvrtcCompileProgram(
            program: *mut std::ffi::c_void,
            count: std::ffi::c_int,
            options: *const *const std::ffi::c_char,
        ) -> std::ffi::c_int {
            // SAFETY: the caller's arguments.
            unsafe { $crate::nvrtc::compile(program, count, options) }
        }
    };
}
