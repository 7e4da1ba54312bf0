//! NVRTC in the program's process: the PTX that it also has is remembered with its machine code.

use crate::made;
use crate::stood::{Code, NVRTC_CUBIN, STOOD, SUCCESS, Size, beside};
use std::ffi::{c_char, c_int, c_void};

type Program = *mut c_void;
pub(crate) type Get = unsafe extern "C" fn(*mut c_void, *mut c_char) -> Code;

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
        made::remember(std::slice::from_raw_parts(cubin.cast(), bytes), vec![text]);
    }
}

/// Defines the function that a program which is linked to NVRTC finds in place of NVRTC's.
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
    };
}
