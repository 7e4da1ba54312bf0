//! The entry point that `warprace replay` calls.

use crate::abi::error::CudaError;
use crate::replayed;
use std::ffi::{CStr, OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

api! {
    /// Performs the launch of the file at `path` and waits for its end.
    fn warprace_launch_saved(path: *const c_char) = |call| {
        if path.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the caller passes a C string.
        let path = unsafe { CStr::from_ptr(path) };
        replayed::run(call, Path::new(OsStr::from_bytes(path.to_bytes())))
    };
}
