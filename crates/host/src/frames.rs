//! The functions around an instruction that was interrupted, by the tables that unwinders use.

use std::ffi::{CStr, c_int, c_void};

/// So many are looked at.
const MOST: usize = 32;

/// Addresses of code, the innermost first: the instruction, then return addresses.
#[derive(Clone, Copy, Debug)]
pub struct Frames {
    all: [u64; MOST],
    count: usize,
}

impl Frames {
    /// The instruction alone.
    pub fn only(at: u64) -> Frames {
        let mut all = [0; MOST];
        all[0] = at;
        Frames { all, count: 1 }
    }

    /// The instruction at `rip`, which a signal has interrupted, and what called it. Called in the signal's handler.
    pub fn interrupted(rip: u64) -> Frames {
        let mut walk = Walk { begin: rip, frames: Frames { all: [0; MOST], count: 0 } };
        // SAFETY: the function has the type that the unwinder calls, with the pointer that it was given.
        unsafe { _Unwind_Backtrace(step, (&raw mut walk).cast()) };
        if walk.frames.count == 0 { Frames::only(rip) } else { walk.frames }
    }

    /// Leaves out the frames of the system's libraries that were entered last: the first that is left is the program's. All stay if none is.
    pub fn of_program(&self) -> &[u64] {
        let all = &self.all[..self.count];
        match all.iter().position(|&at| !is_system(at)) {
            Some(first) => &all[first..],
            None => all,
        }
    }
}

struct Walk {
    begin: u64,
    frames: Frames,
}

unsafe extern "C" {
    fn _Unwind_Backtrace(step: extern "C" fn(*mut c_void, *mut c_void) -> c_int, data: *mut c_void) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

extern "C" fn step(context: *mut c_void, data: *mut c_void) -> c_int {
    const GO_ON: c_int = 0;
    const END: c_int = 5;
    // SAFETY: the unwinder's context, and the pointer that `interrupted` gave it.
    let (ip, walk) = unsafe { (_Unwind_GetIP(context) as u64, &mut *data.cast::<Walk>()) };
    let Walk { begin, frames } = walk;
    // The handler's own frames come first.
    if (frames.count == 0 && ip != *begin) || ip == 0 {
        return GO_ON;
    }
    frames.all[frames.count] = ip;
    frames.count += 1;
    if frames.count == MOST { END } else { GO_ON }
}

/// Returns whether the code at an address is the C library's, the loader's, the compiler's runtime, or this
/// library's.
pub fn is_system(at: u64) -> bool {
    // SAFETY: all-zero is a value; the function fills it, and names live as long as their objects.
    let path = unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr((at - u64::from(at > 0)) as *const c_void, &mut info) == 0 || info.dli_fname.is_null()
        {
            return false;
        }
        CStr::from_ptr(info.dli_fname).to_bytes()
    };
    const SYSTEM: [&[u8]; 13] = [
        b"libc.so",
        b"libc-",
        b"ld-linux",
        b"ld-",
        b"libpthread",
        b"libm.so",
        b"libm-",
        b"librt",
        b"libdl",
        b"libgcc_s",
        b"libstdc++",
        b"linux-vdso",
        b"linux-gate",
    ];
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    SYSTEM.iter().any(|one| name.starts_with(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_libraries_are_known() {
        assert!(is_system(libc::memcpy as *const () as u64 + 1));
        assert!(!is_system(system_libraries_are_known as *const () as u64 + 1));
        assert!(!is_system(16));
    }
}
