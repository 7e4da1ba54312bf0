//! Finds the program's source line behind a driver call, through any runtime that lies between the two.

use crate::watch::is_program;
use events::Site;
use std::ffi::c_void;

/// Limits how many stack frames a backtrace holds. Frameworks put many frames between the program and the
/// driver.
const FRAMES: usize = 32;

/// Returns the return addresses of the current call stack, innermost first.
pub(crate) fn callers() -> Vec<u64> {
    let mut frames = [std::ptr::null_mut::<c_void>(); FRAMES];
    // SAFETY: `backtrace` writes at most `FRAMES` addresses.
    let count = unsafe { libc::backtrace(frames.as_mut_ptr(), FRAMES as _) };
    frames.iter().take(usize::try_from(count).unwrap_or(0)).map(|frame| *frame as u64).collect()
}

/// Returns the source location of the innermost frame that lies in the program's own code and has debug
/// information. Runtimes have none. The look-up is slow.
pub(crate) fn site(callers: &[u64]) -> Option<Site> {
    // The return address lies behind the call instruction, so the address one byte earlier lies inside it.
    let described = |address: &u64| host::lines::described(address.saturating_sub(1), host::lines::object);
    callers.iter().filter(|address| is_program(**address)).map(described).find(|site| !site.frames.is_empty())
}
