//! Whose code it is that accesses memory.

use std::ffi::{CStr, c_void};

/// Whose code is that?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    Program,
    /// Functions that work for others.
    Library,
    /// The driver's, ours, or nobody's.
    Other,
}

/// Whose the code at an address is, by the file that it was loaded from.
pub(super) fn code(at: u64) -> Code {
    // SAFETY: all-zero is a value; the function fills it, and names live as long as their objects.
    let path = unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(at as *const c_void, &mut info) == 0 || info.dli_fname.is_null() {
            return Code::Other;
        }
        CStr::from_ptr(info.dli_fname).to_bytes()
    };
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let is = |all: &[&[u8]]| all.iter().any(|one| name.starts_with(one));
    if is(&[b"libcuda", b"libnvidia", b"libwarprace", b"ld-linux", b"libpthread"]) {
        Code::Other
    } else if is(&[b"libc.so", b"libc-"]) {
        Code::Library
    } else {
        Code::Program
    }
}
