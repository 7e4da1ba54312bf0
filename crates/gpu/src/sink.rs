//! Memory of the host that kernels write to: a file, so that what they wrote outlives the process, whatever ends it.

use crate::driver;
use crate::hooks::{Code, SUCCESS};
use instrument::collide::KINDS;
use instrument::sink::{ADDRESS, RECORD, field};
use std::ffi::{c_uint, c_void};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

/// Address space for all records there can be: eight million of them.
const RESERVED: u64 = 1 << 30;
/// The file grows by so much, so that pages are pinned a few times only.
const CHUNK: u64 = 4 << 20;
/// Where to look for such a space, from [`ADDRESS`] on.
const STEP: u64 = 1 << 40;
const TRIES: u64 = 8;

/// `CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP`
const FLAGS: c_uint = 3;
/// `CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED`
const ALREADY: Code = 712;

pub(crate) struct Sink {
    file: File,
    path: PathBuf,
    base: u64,
    /// Of the file.
    bytes: u64,
    /// What the driver knows of.
    registered: u64,
}

impl Sink {
    /// An empty file of this name, mapped.
    pub(crate) fn new(path: &Path) -> io::Result<Sink> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
        let mut tried = Err(io::Error::other("no address is free"));
        for n in 0..TRIES {
            let at = ADDRESS + n * STEP;
            // SAFETY: a mapping where there is none; the file's length does not matter before it is accessed.
            let mapped = unsafe {
                libc::mmap(
                    at as *mut c_void,
                    RESERVED as usize,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_SHARED | libc::MAP_FIXED_NOREPLACE | libc::MAP_NORESERVE,
                    file.as_raw_fd(),
                    0,
                )
            };
            if mapped == libc::MAP_FAILED {
                tried = Err(io::Error::last_os_error());
            } else if mapped as u64 == at {
                tried = Ok(at);
                break;
            } else {
                // A kernel that does not know of MAP_FIXED_NOREPLACE.
                // SAFETY: just mapped, and nobody's.
                unsafe { libc::munmap(mapped, RESERVED as usize) };
            }
        }
        let base = tried?;
        Ok(Sink { file, path: path.to_owned(), base, bytes: 0, registered: 0 })
    }

    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    /// Its name in its folder.
    pub(crate) fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Is at least so large from now on.
    pub(crate) fn reserve(&mut self, bytes: u64) -> io::Result<()> {
        let bytes = bytes.next_multiple_of(CHUNK);
        if bytes > self.bytes {
            self.file.set_len(bytes)?;
            self.bytes = bytes;
        }
        Ok(())
    }

    /// Makes room for the records of so many checks.
    pub(crate) fn grow(&mut self, checks: u32) -> io::Result<()> {
        let bytes = (u64::from(checks) * u64::from(KINDS) * RECORD).next_multiple_of(CHUNK);
        if bytes > RESERVED {
            return Err(io::Error::other("there are too many instructions to check"));
        }
        self.reserve(bytes)
    }

    /// Has anybody failed that check? Kernels that run may be about to say so.
    pub(crate) fn is_written(&self, check: u32) -> bool {
        (0..u64::from(KINDS)).any(|kind| {
            let at = (u64::from(check) * u64::from(KINDS) + kind) * RECORD + field::COUNT;
            // SAFETY: within the file, which is mapped as long as it is reserved; others write the word whole.
            at + RECORD <= self.bytes && unsafe { ((self.base + at) as *const u32).read_volatile() } != 0
        })
    }

    /// Makes the device see it, at the same address. Fails with the driver's code.
    pub(crate) fn register(&mut self) -> Result<(), Code> {
        if self.registered == self.bytes {
            return Ok(());
        }
        type Register = unsafe extern "C" fn(*mut c_void, usize, c_uint) -> Code;
        type Where = unsafe extern "C" fn(*mut u64, *mut c_void, c_uint) -> Code;
        let (register, place) =
            (driver::function(c"cuMemHostRegister_v2"), driver::function(c"cuMemHostGetDevicePointer_v2"));
        if register.is_null() || place.is_null() {
            return Err(crate::hooks::NOT_FOUND);
        }
        // SAFETY: the driver's functions of these names have these types.
        let (register, place) = unsafe {
            (
                std::mem::transmute::<*mut c_void, Register>(register),
                std::mem::transmute::<*mut c_void, Where>(place),
            )
        };
        let (at, length) = (self.base + self.registered, self.bytes - self.registered);
        let mut device = 0;
        let code = driver::beside_captures(|| {
            // SAFETY: the range is mapped, backed by the file, and stays so until the process ends.
            match unsafe { register(at as *mut c_void, length as usize, FLAGS) } {
                // SAFETY: it is registered.
                SUCCESS | ALREADY => unsafe { place(&mut device, at as *mut c_void, 0) },
                code => code,
            }
        });
        match code {
            SUCCESS if device == at => {
                self.registered = self.bytes;
                Ok(())
            }
            // The device has host memory elsewhere: `CUDA_ERROR_NOT_SUPPORTED`.
            SUCCESS => Err(801),
            code => Err(code),
        }
    }

    /// A context is gone, and what was registered in it.
    pub(crate) fn forget(&mut self) {
        self.registered = 0;
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        // Only a forked child drops it: the parent's kernels do not write here.
        // SAFETY: mapped in `new`; nobody here has a reference into it.
        unsafe { libc::munmap(self.base as *mut c_void, RESERVED as usize) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_tells_that_a_check_has_failed() {
        let path = std::env::temp_dir().join(format!("warprace-sink-{}", std::process::id()));
        let mut sink = Sink::new(&path).unwrap();
        sink.grow(3).unwrap();
        let kind = u64::from(KINDS) - 1;
        let at = sink.base() + (u64::from(KINDS) + kind) * RECORD + field::COUNT;
        // SAFETY: in the second check's records, which are mapped.
        unsafe { (at as *mut u32).write_volatile(1) };
        assert_eq!([0, 1, 2, 1 << 20].map(|check| sink.is_written(check)), [false, true, false, false]);
        std::fs::remove_file(&path).unwrap();
    }
}
