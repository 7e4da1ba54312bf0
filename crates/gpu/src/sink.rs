//! The sink: host memory in which kernels write their records. It is a mapped file, so the records outlive
//! the process however it ends.

use crate::driver;
use crate::hooks::{Code, SUCCESS};
use instrument::collide::KINDS;
use instrument::sink::{ADDRESS, RECORD, field};
use std::ffi::{c_uint, c_void};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

/// Size of the reserved address space, enough for eight million records.
const RESERVED: u64 = 1 << 30;
/// The file grows in steps of this size, so that pages are pinned only a few times.
const CHUNK: u64 = 4 << 20;
/// Distance between the addresses that are tried, from [`ADDRESS`] on, and their number.
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
    /// The file's length.
    bytes: u64,
    /// The length that is registered with the driver.
    registered: u64,
}

impl Sink {
    /// Creates an empty file at `path` and maps it.
    pub(crate) fn new(path: &Path) -> io::Result<Sink> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
        let mut tried = Err(io::Error::other("no address is free"));
        for n in 0..TRIES {
            let at = ADDRESS + n * STEP;
            // SAFETY: the mapping replaces no other; the file's length does not matter before the memory is
            // accessed.
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
                // SAFETY: the range was just mapped and is not referenced. An operating system without
                // `MAP_FIXED_NOREPLACE` may place the mapping elsewhere.
                unsafe { libc::munmap(mapped, RESERVED as usize) };
            }
        }
        let base = tried?;
        Ok(Sink { file, path: path.to_owned(), base, bytes: 0, registered: 0 })
    }

    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    /// Returns the address of a word, if the file has it.
    pub(crate) fn word(&self, at: u64) -> Option<u64> {
        (at + 4 <= self.bytes).then_some(self.base + at)
    }

    /// Returns the file's name within its folder.
    pub(crate) fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Makes the file at least `bytes` long.
    pub(crate) fn reserve(&mut self, bytes: u64) -> io::Result<()> {
        let bytes = bytes.next_multiple_of(CHUNK);
        if bytes > self.bytes {
            self.file.set_len(bytes)?;
            self.bytes = bytes;
        }
        Ok(())
    }

    /// Makes room for the records of `checks` checks.
    pub(crate) fn grow(&mut self, checks: u32) -> io::Result<()> {
        let bytes = (u64::from(checks) * u64::from(KINDS) * RECORD).next_multiple_of(CHUNK);
        if bytes > RESERVED {
            return Err(io::Error::other("there are too many instructions to check"));
        }
        self.reserve(bytes)
    }

    /// Returns whether a check has failed. Running kernels may be about to record further failures.
    pub(crate) fn is_written(&self, check: u32) -> bool {
        (0..u64::from(KINDS)).any(|kind| {
            let at = (u64::from(check) * u64::from(KINDS) + kind) * RECORD + field::COUNT;
            // SAFETY: the word lies in the file, which is mapped while it is reserved; kernels write the word
            // as a whole.
            at + RECORD <= self.bytes && unsafe { ((self.base + at) as *const u32).read_volatile() } != 0
        })
    }

    /// Registers the file's memory with the driver, so that the device sees it at the same address. Fails
    /// with the driver's code.
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
            // The device maps host memory at another address: `CUDA_ERROR_NOT_SUPPORTED`.
            SUCCESS => Err(801),
            code => Err(code),
        }
    }

    /// Forgets the registration, which ends with its context.
    pub(crate) fn forget(&mut self) {
        self.registered = 0;
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        // SAFETY: mapped in `new`, and no reference into the mapping exists. Only a forked child drops this
        // value; the parent's kernels do not write to the child's mapping.
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
        // SAFETY: the address lies in the second check's records, which are mapped.
        unsafe { (at as *mut u32).write_volatile(1) };
        assert_eq!([0, 1, 2, 1 << 20].map(|check| sink.is_written(check)), [false, true, false, false]);
        std::fs::remove_file(&path).unwrap();
    }
}
