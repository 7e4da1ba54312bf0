//! Where in the program a call of the driver comes from, through whatever runtime is between them.

use crate::watch::is_program;
use events::Site;
use std::ffi::c_void;

/// Frames of the stack that are looked at: a framework has many.
const FRAMES: usize = 32;

/// The places that this call returns to, the innermost first.
pub(crate) fn callers() -> Vec<u64> {
    let mut frames = [std::ptr::null_mut::<c_void>(); FRAMES];
    // SAFETY: writes no more than so many addresses.
    let count = unsafe { libc::backtrace(frames.as_mut_ptr(), FRAMES as _) };
    frames.iter().take(usize::try_from(count).unwrap_or(0)).map(|frame| *frame as u64).collect()
}

/// The innermost of these in the program's own code of which the source is known: a runtime has no debug information. That takes a while.
pub(crate) fn site(callers: &[u64]) -> Option<Site> {
    // The return address is behind the call; one byte earlier is inside it.
    let described = |address: &u64| host::lines::described(address.saturating_sub(1), host::lines::object);
    callers.iter().filter(|address| is_program(**address)).map(described).find(|site| !site.frames.is_empty())
}
