//! Engine `guard`'s table: memory of the device, at an address that is known before any kernel is compiled.
//!
//! Addresses are reserved and memory is mapped there (`cuMemAddressReserve`, `cuMemCreate`, `cuMemMap`), which needs no context:
//! modules are loaded before there is one.

use crate::driver;
use crate::hooks::{Code, SUCCESS};
use instrument::guard::{FEWEST, LAUNCHES, MOST, table_bytes};
use std::ffi::{CStr, c_int, c_uint, c_void};

/// At most this part of the device's memory.
const SHARE: u64 = 64;
/// Where it should be; the driver may choose another place.
const HINT: u64 = 0x6000_0000_0000;

/// `CU_MEM_ALLOCATION_TYPE_PINNED`, `CU_MEM_LOCATION_TYPE_DEVICE`, `CU_MEM_ACCESS_FLAGS_PROT_READWRITE`
const PINNED: c_int = 1;
const DEVICE: c_int = 1;
const READ_WRITE: c_int = 3;
/// `CU_STREAM_NON_BLOCKING`
const NON_BLOCKING: c_uint = 1;

/// `CUmemLocation`
#[repr(C)]
#[derive(Clone, Copy)]
struct Location {
    kind: c_int,
    id: c_int,
}

/// `CUmemAllocationProp`
#[repr(C)]
struct Properties {
    kind: c_int,
    handles: c_int,
    location: Location,
    windows: *mut c_void,
    flags: [u8; 8],
}

/// `CUmemAccessDesc`
#[repr(C)]
struct Access {
    location: Location,
    flags: c_int,
}

/// What kernels find in the table's header as the clock if they are to look at nothing.
const ENDED: u32 = u32::MAX >> 4;
/// No grid has this number for long.
const NO_LAUNCH: u32 = u32::MAX;

pub(crate) struct Table {
    base: u64,
    lines: u32,
    bytes: u64,
    /// Is it full of zeros, or of what kernels wrote?
    begun: bool,
    /// Is its memory gone?
    gone: bool,
    /// Are kernels to look at nothing?
    ended: bool,
}

/// Calls a function of the driver by its name; a sentence fragment if it is not there or fails.
macro_rules! call {
    ($name:literal($($arg:expr => $ty:ty),* $(,)?)) => {{
        type Function = unsafe extern "C" fn($($ty),*) -> Code;
        let found = driver::function($name);
        if found.is_null() {
            Err(missing($name))
        } else {
            // SAFETY: the driver's function of this name has this type, and is given what it asks for.
            match unsafe { std::mem::transmute::<*mut c_void, Function>(found)($($arg),*) } {
                SUCCESS => Ok(()),
                code => Err(format!("{} failed with error {code}", $name.to_string_lossy())),
            }
        }
    }};
}

fn missing(name: &CStr) -> String {
    format!("the driver has no {}", name.to_string_lossy())
}

impl Table {
    /// In the memory of the only device; smaller if there is not enough. The error is a sentence fragment.
    pub(crate) fn new() -> Result<Table, String> {
        let mut total = 0usize;
        call!(c"cuDeviceTotalMem_v2"(&mut total => *mut usize, 0 => c_int))?;
        let mut lines = MOST;
        while lines > FEWEST && table_bytes(lines) > total as u64 / SHARE {
            lines -= 1;
        }
        loop {
            match Table::of(lines) {
                Err(_) if lines > FEWEST => lines -= 1,
                made => {
                    return made.map_err(|why| format!("there is no memory for engine guard's table: {why}"));
                }
            }
        }
    }

    fn of(lines: u32) -> Result<Table, String> {
        let mut bytes = 0;
        let base = mapped(HINT, |grain| {
            bytes = table_bytes(lines).next_multiple_of(grain);
            bytes
        })?;
        Ok(Table { base, lines, bytes, begun: false, gone: false, ended: false })
    }

    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    pub(crate) fn lines(&self) -> u32 {
        self.lines
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Fills it with zeros, once, in the current context.
    pub(crate) fn begin(&mut self) -> Result<(), String> {
        if self.begun {
            return Ok(());
        }
        if self.gone || self.fill().is_err() {
            // What was there may be there still, for the driver.
            let _ = call!(c"cuMemUnmap"(self.base => u64, self.bytes as usize => usize));
            let _ = call!(c"cuMemAddressFree"(self.base => u64, self.bytes as usize => usize));
            let bytes = self.bytes;
            if mapped(self.base, |_| bytes)? != self.base {
                return Err("engine guard's table was lost with its context".into());
            }
            self.gone = false;
            self.fill()?;
        }
        self.begun = true;
        Ok(())
    }

    fn fill(&self) -> Result<(), String> {
        driver::beside_captures(|| {
            let mut stream: *mut c_void = std::ptr::null_mut();
            call!(c"cuStreamCreate"(&mut stream => *mut *mut c_void, NON_BLOCKING => c_uint))?;
            let filled = call!(c"cuMemsetD8Async"(
                self.base => u64, 0 => u8, self.bytes as usize => usize, stream => *mut c_void,
            ))
            .and_then(|()| match self.ended {
                true => call!(c"cuMemsetD32Async"(self.base => u64, ENDED => u32, 1 => usize, stream => *mut c_void)),
                false => Ok(()),
            })
            .and_then(|()| call!(c"cuStreamSynchronize"(stream => *mut c_void)));
            let _ = call!(c"cuStreamDestroy_v2"(stream => *mut c_void));
            filled
        })
    }

    /// What the stream launches next is another launch, whatever its number.
    pub(crate) fn forget_launch(&mut self, stream: *mut c_void) -> Result<(), String> {
        let (at, bytes) = LAUNCHES;
        let words = bytes as usize / 4;
        call!(c"cuMemsetD32Async"(self.base + at => u64, NO_LAUNCH => u32, words => usize, stream => *mut c_void))
    }

    /// Kernels look at nothing from now on.
    pub(crate) fn end(&mut self) {
        if !std::mem::replace(&mut self.ended, true) {
            self.begun = false;
        }
    }

    /// A context is gone, or all of the device's memory.
    pub(crate) fn forget(&mut self, device: bool) {
        self.begun = false;
        self.gone |= device;
    }
}

/// So many bytes of the device's memory, told by their granularity, at `hint` or elsewhere.
fn mapped(hint: u64, bytes: impl FnOnce(u64) -> u64) -> Result<u64, String> {
    let location = Location { kind: DEVICE, id: 0 };
    let properties =
        Properties { kind: PINNED, handles: 0, location, windows: std::ptr::null_mut(), flags: [0; 8] };
    let mut grain = 0usize;
    call!(c"cuMemGetAllocationGranularity"(
        &mut grain => *mut usize, &properties => *const Properties, 0 => c_int,
    ))?;
    let bytes = bytes(grain.max(1) as u64) as usize;
    let (mut handle, mut base) = (0u64, 0u64);
    call!(c"cuMemCreate"(
        &mut handle => *mut u64, bytes => usize, &properties => *const Properties, 0 => u64,
    ))?;
    let made = call!(c"cuMemAddressReserve"(
        &mut base => *mut u64, bytes => usize, 0 => usize, hint => u64, 0 => u64,
    ))
    .and_then(|()| call!(c"cuMemMap"(base => u64, bytes => usize, 0 => usize, handle => u64, 0 => u64)));
    // The mapping keeps the memory.
    let _ = call!(c"cuMemRelease"(handle => u64));
    made?;
    let access = Access { location, flags: READ_WRITE };
    call!(c"cuMemSetAccess"(base => u64, bytes => usize, &access => *const Access, 1 => usize))?;
    Ok(base)
}
