//! Memory of the host that kernels write to: a file, so that what they wrote outlives the process, whatever ends it.

use crate::driver;
use crate::hooks::{Code, SUCCESS};
use instrument::collide::KINDS;
use instrument::sink::{ADDRESS, RECORD};
use std::ffi::{CStr, c_uint, c_void};
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
    /// Of it, for records.
    most: u64,
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
        Ok(Sink { file, path: path.to_owned(), base, bytes: 0, most: RESERVED, registered: 0 })
    }

    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    /// Its name in its folder.
    pub(crate) fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Makes room for the records of any checks up to `records` bytes, and for what comes behind them.
    pub(crate) fn reserve(&mut self, records: u64, behind: u64) -> io::Result<()> {
        let bytes = (records + behind).next_multiple_of(CHUNK);
        if bytes > self.bytes {
            self.file.set_len(bytes)?;
            self.bytes = bytes;
            self.most = records;
        }
        Ok(())
    }

    /// Makes room for the records of so many checks.
    pub(crate) fn grow(&mut self, checks: u32) -> io::Result<()> {
        let bytes = (u64::from(checks) * u64::from(KINDS) * RECORD).next_multiple_of(CHUNK);
        if bytes > self.most {
            return Err(io::Error::other("there are too many instructions to check"));
        }
        if bytes > self.bytes {
            self.file.set_len(bytes)?;
            self.bytes = bytes;
        }
        Ok(())
    }

    /// Makes the device see it, at the same address. Fails with the driver's code.
    pub(crate) fn register(&mut self) -> Result<(), Code> {
        if self.registered == self.bytes {
            return Ok(());
        }
        type Exchange = unsafe extern "C" fn(*mut c_uint) -> Code;
        type Register = unsafe extern "C" fn(*mut c_void, usize, c_uint) -> Code;
        type Where = unsafe extern "C" fn(*mut u64, *mut c_void, c_uint) -> Code;
        let (Some(register), Some(place)) =
            (driver(c"cuMemHostRegister_v2"), driver(c"cuMemHostGetDevicePointer_v2"))
        else {
            return Err(crate::hooks::NOT_FOUND);
        };
        // SAFETY: the driver's functions of these names have these types.
        let (register, place, exchange) = unsafe {
            (
                std::mem::transmute::<*mut c_void, Register>(register),
                std::mem::transmute::<*mut c_void, Where>(place),
                driver(c"cuThreadExchangeStreamCaptureMode")
                    .map(|f| std::mem::transmute::<*mut c_void, Exchange>(f)),
            )
        };
        // While a stream is being captured, strict modes forbid what has nothing to do with it.
        let mut mode: c_uint = 2;
        let exchanged = |mode: &mut c_uint| {
            if let Some(exchange) = exchange {
                // SAFETY: reads and writes the mode.
                unsafe { exchange(mode) };
            }
        };
        exchanged(&mut mode);
        let (at, length) = (self.base + self.registered, self.bytes - self.registered);
        // SAFETY: the range is mapped, backed by the file, and stays so until the process ends.
        let mut code = unsafe { register(at as *mut c_void, length as usize, FLAGS) };
        if code == ALREADY {
            code = SUCCESS;
        }
        let mut device = 0;
        if code == SUCCESS {
            // SAFETY: just registered.
            code = unsafe { place(&mut device, at as *mut c_void, 0) };
        }
        exchanged(&mut mode);
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

fn driver(name: &CStr) -> Option<*mut c_void> {
    let found = driver::function(name);
    (!found.is_null()).then_some(found)
}
