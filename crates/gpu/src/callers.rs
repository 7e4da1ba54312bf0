//! Finds the program's source line behind a driver call, through any runtime that lies between the two.

use crate::watch::is_program;
use events::{Frame, Site};
use kernels::libraries::is_library;
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

/// Returns the address of the innermost call in the program's own code.
pub(crate) fn innermost() -> Option<u64> {
    callers().into_iter().find(|address| is_program(*address)).map(|address| address - 1)
}

/// Returns the source location of the innermost frame that lies in the program's own code and has debug
/// information. Runtimes have none. A wrapper in CUDA's headers is followed by its callers. The look-up is slow.
pub(crate) fn site(callers: &[u64]) -> Option<Site> {
    // The return address lies behind the call instruction, so the address one byte earlier lies inside it.
    let described = |address: &u64| host::lines::described(address.saturating_sub(1), host::lines::object);
    let mut sites = callers.iter().filter(|address| is_program(**address)).map(described);
    let mut site = sites.find(|site| !site.frames.is_empty())?;
    while site.frames.iter().all(in_header) {
        match sites.next() {
            Some(outer) if !outer.frames.is_empty() => {
                site.frames.extend(outer.frames);
                site.function = outer.function;
            }
            _ => break,
        }
    }
    Some(site)
}

/// Returns whether a frame belongs to a header, or to the code that nvcc generates for launches.
fn in_header(frame: &Frame) -> bool {
    is_library(&frame.file) || frame.file.ends_with("/host_runtime.h") || frame.file.contains(".cudafe1.")
}
