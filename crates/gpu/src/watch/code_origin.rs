//! Classifies the code that accesses memory by its origin.

use std::ffi::{CStr, c_void};

/// The origin of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    Program,
    /// The C library, whose functions act on behalf of their callers.
    Library,
    /// The driver, this library, the loader, or no loaded object.
    Other,
}

/// Returns the origin of the code at an address, by the file from which it was loaded.
pub(super) fn code(at: u64) -> Code {
    // SAFETY: all-zero is a valid value; `dladdr` fills it, and names live as long as their objects.
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
