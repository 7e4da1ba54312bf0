//! Engine `guard`'s table: memory of a device, at an address that is known before any kernel is compiled.
//!
//! Where a program sees several devices, each has one of its own, made when something is launched there first, and launches are told
//! where it is: what one device does is compared with what it did itself. If the device's memory is full, the table is in the host's.
//!
//! Addresses are reserved and memory is mapped there (`cuMemAddressReserve`, `cuMemCreate`, `cuMemMap`), which needs no context:
//! modules are loaded before there is one.

use crate::call::call;
use crate::driver;
use crate::hooks::{Code, NOT_FOUND, SUCCESS};
use crate::log;
use instrument::guard::{FEWEST, LAUNCHES, MOST, table_bytes};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::{CStr, c_int, c_uint, c_void};

/// At most this part of the device's memory.
const SHARE: u64 = 64;
/// Where it should be; the driver may choose another place.
const HINT: u64 = 0x6000_0000_0000;

/// `CU_MEM_ALLOCATION_TYPE_PINNED`, `CU_MEM_LOCATION_TYPE_DEVICE`, `CU_MEM_LOCATION_TYPE_HOST_NUMA`,
/// `CU_MEM_ACCESS_FLAGS_PROT_READWRITE`
const PINNED: c_int = 1;
const DEVICE: c_int = 1;
const HOST: c_int = 3;
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
    device: c_int,
    base: u64,
    on_host: bool,
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
macro_rules! tried {
    ($name:literal($($args:tt)*)) => { judged($name, call!($name($($args)*))) };
}

fn judged(name: &CStr, code: Code) -> Result<(), String> {
    match code {
        SUCCESS => Ok(()),
        NOT_FOUND => Err(format!("the driver has no {}", name.to_string_lossy())),
        code => Err(format!("{} failed with error {code}", name.to_string_lossy())),
    }
}

impl Table {
    /// In the memory of a device, smaller if there is not enough and `may_shrink`, or else the host's. The error is a sentence fragment.
    fn new(device: c_int, mut lines: u32, may_shrink: bool) -> Result<Table, String> {
        loop {
            match Table::of(device, lines, false) {
                Err(_) if lines > FEWEST && may_shrink => lines -= 1,
                Err(_) => break,
                made => return made,
            }
        }
        Table::of(device, lines, true)
            .map_err(|why| format!("there is no memory for engine guard's table: {why}"))
    }

    fn of(device: c_int, lines: u32, on_host: bool) -> Result<Table, String> {
        let mut bytes = 0;
        let base = mapped(device, on_host, HINT, |grain| {
            bytes = table_bytes(lines).next_multiple_of(grain);
            bytes
        })?;
        log::note(|| {
            format!("device {device}'s table has {bytes} bytes at {base:#x}; on the host: {on_host}")
        });
        Ok(Table { device, base, on_host, lines, bytes, begun: false, gone: false, ended: false })
    }

    /// Has it in the host's memory from now on, at the same address: the device's is full. No kernel runs.
    fn leave(&mut self) -> Result<(), String> {
        self.on_host = true;
        (self.begun, self.gone) = (false, true);
        if self.begin().is_err() {
            // Back to where it was: nothing else has been given that memory meanwhile.
            self.on_host = false;
        }
        self.begin()
    }

    /// Fills it with zeros, once, in the current context, which is of its device.
    fn begin(&mut self) -> Result<(), String> {
        if self.begun {
            return Ok(());
        }
        if self.gone || self.fill().is_err() {
            // What was there may be there still, for the driver.
            let _ = tried!(c"cuMemUnmap"(self.base => u64, self.bytes as usize => usize));
            let _ = tried!(c"cuMemAddressFree"(self.base => u64, self.bytes as usize => usize));
            let bytes = self.bytes;
            if mapped(self.device, self.on_host, self.base, |_| bytes)? != self.base {
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
            tried!(c"cuStreamCreate"(&mut stream => *mut *mut c_void, NON_BLOCKING => c_uint))?;
            let filled = tried!(c"cuMemsetD8Async"(
                self.base => u64, 0 => u8, self.bytes as usize => usize, stream => *mut c_void,
            ))
            .and_then(|()| match self.ended {
                true => tried!(c"cuMemsetD32Async"(self.base => u64, ENDED => u32, 1 => usize, stream => *mut c_void)),
                false => Ok(()),
            })
            .and_then(|()| tried!(c"cuStreamSynchronize"(stream => *mut c_void)));
            let _ = tried!(c"cuStreamDestroy_v2"(stream => *mut c_void));
            filled
        })
    }

    /// What the stream launches next is another launch, whatever its number.
    fn forget_launch(&mut self, stream: *mut c_void) -> Result<(), String> {
        let (at, bytes) = LAUNCHES;
        let words = bytes as usize / 4;
        tried!(c"cuMemsetD32Async"(self.base + at => u64, NO_LAUNCH => u32, words => usize, stream => *mut c_void))
    }

    /// Kernels look at nothing from now on.
    fn end(&mut self) {
        if !std::mem::replace(&mut self.ended, true) {
            self.begun = false;
        }
    }

    /// A context is gone, or all of the device's memory.
    fn forget(&mut self, device: bool) {
        self.begun = false;
        self.gone |= device;
    }
}

/// All of them.
#[derive(Default)]
pub(crate) struct Tables {
    /// Of all, once it is known.
    lines: Option<u32>,
    by_device: HashMap<c_int, Table>,
    ended: bool,
}

impl Tables {
    /// The lines of all tables; and where the table is, if there is one device: it is made. The error is a sentence fragment.
    pub(crate) fn prepare(&mut self) -> Result<(Option<u64>, u32), String> {
        let devices = driver::devices();
        let lines = match self.lines {
            Some(lines) => lines,
            None => {
                let mut lines = MOST;
                for device in 0..devices {
                    let mut total = 0usize;
                    tried!(c"cuDeviceTotalMem_v2"(&mut total => *mut usize, device => c_int))?;
                    while lines > FEWEST && table_bytes(lines) > total as u64 / SHARE {
                        lines -= 1;
                    }
                }
                lines
            }
        };
        if devices > 1 {
            self.lines = Some(lines);
            return Ok((None, lines));
        }
        let table = self.of(0, lines, true)?;
        let (base, lines) = (table.base, table.lines);
        self.lines = Some(lines);
        Ok((Some(base), lines))
    }

    fn of(&mut self, device: c_int, lines: u32, may_shrink: bool) -> Result<&mut Table, String> {
        match self.by_device.entry(device) {
            Entry::Occupied(table) => Ok(table.into_mut()),
            Entry::Vacant(place) => {
                let mut table = Table::new(device, lines, may_shrink)?;
                if self.ended {
                    table.end();
                }
                Ok(place.insert(table))
            }
        }
    }

    /// Makes the current device's table ready, if there is something that needs it.
    pub(crate) fn begin(&mut self) -> Result<(), String> {
        let (Some(lines), Some(device)) = (self.lines, driver::device_of_several()) else { return Ok(()) };
        self.of(device, lines, false)?.begin()
    }

    /// Where a device's table is, if it is ready.
    pub(crate) fn base(&self, device: c_int) -> Option<u64> {
        self.by_device.get(&device).filter(|table| table.begun).map(|table| table.base)
    }

    /// Is any of them in the host's memory?
    pub(crate) fn on_host(&self) -> bool {
        self.by_device.values().any(|table| table.on_host)
    }

    /// The table and its lines, where there is one device.
    pub(crate) fn only(&self) -> Option<(u64, u32)> {
        let table = self.by_device.get(&0).filter(|table| table.begun && !table.on_host);
        table.filter(|_| driver::devices() == 1).map(|table| (table.base, table.lines))
    }

    fn may_leave_of(&self) -> Option<c_int> {
        let device = driver::device_of_several()?;
        self.by_device.get(&device).filter(|table| !table.on_host).map(|_| device)
    }

    /// Is the current device's table in its memory?
    pub(crate) fn may_leave(&self) -> bool {
        self.may_leave_of().is_some()
    }

    /// It leaves that; false if it could not. No kernel runs.
    pub(crate) fn leave(&mut self) -> bool {
        let table = self.may_leave_of().and_then(|device| self.by_device.get_mut(&device));
        table.is_some_and(|table| match table.leave() {
            Ok(()) => true,
            Err(why) => {
                log::note(|| format!("the table stays: {why}"));
                false
            }
        })
    }

    /// What the stream launches next is another launch, whatever its number. Of graphs on several devices nothing is looked at.
    pub(crate) fn forget_launch(&mut self, stream: *mut c_void) -> Result<(), String> {
        self.begin()?;
        match self.by_device.get_mut(&0).filter(|_| driver::devices() == 1) {
            Some(table) => table.forget_launch(stream),
            None => Ok(()),
        }
    }

    /// Kernels look at nothing from now on.
    pub(crate) fn end(&mut self) {
        self.ended = true;
        self.by_device.values_mut().for_each(Table::end);
    }

    /// A context is gone, or all of a device's memory.
    pub(crate) fn forget(&mut self, device: Option<c_int>) {
        for (number, table) in &mut self.by_device {
            if device.is_none_or(|device| device == *number) {
                table.forget(device.is_some());
            }
        }
    }
}

/// So many bytes of a device's memory, told by their granularity, at `hint` or elsewhere; or of the host's, for the device.
fn mapped(device: c_int, on_host: bool, hint: u64, bytes: impl FnOnce(u64) -> u64) -> Result<u64, String> {
    let reader = Location { kind: DEVICE, id: device };
    let location = if on_host { Location { kind: HOST, id: 0 } } else { reader };
    let properties =
        Properties { kind: PINNED, handles: 0, location, windows: std::ptr::null_mut(), flags: [0; 8] };
    let mut grain = 0usize;
    tried!(c"cuMemGetAllocationGranularity"(
        &mut grain => *mut usize, &properties => *const Properties, 0 => c_int,
    ))?;
    let bytes = bytes(grain.max(1) as u64) as usize;
    let (mut handle, mut base) = (0u64, 0u64);
    tried!(c"cuMemCreate"(
        &mut handle => *mut u64, bytes => usize, &properties => *const Properties, 0 => u64,
    ))?;
    let made = tried!(c"cuMemAddressReserve"(
        &mut base => *mut u64, bytes => usize, 0 => usize, hint => u64, 0 => u64,
    ))
    .and_then(|()| tried!(c"cuMemMap"(base => u64, bytes => usize, 0 => usize, handle => u64, 0 => u64)));
    // The mapping keeps the memory.
    let _ = tried!(c"cuMemRelease"(handle => u64));
    made?;
    let access = Access { location: reader, flags: READ_WRITE };
    let set = tried!(c"cuMemSetAccess"(base => u64, bytes => usize, &access => *const Access, 1 => usize));
    if set.is_err() {
        let _ = tried!(c"cuMemUnmap"(base => u64, bytes => usize));
        let _ = tried!(c"cuMemAddressFree"(base => u64, bytes => usize));
    }
    set.map(|()| base)
}
