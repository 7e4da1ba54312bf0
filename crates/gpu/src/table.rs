//! Engine `guard`'s table: device memory at an address that is known before any kernel is compiled.
//!
//! A program that sees several devices has one table for each. A table is made at the first launch on its
//! device, and the launch parameter holds its address. If the device's memory is full, the table lies in the
//! host's memory.
//!
//! Once devices may reach common memory ([`Tables::meet`]), all of them use the table of the device with the first
//! launch, which the others reach like the memory of a peer. A device that cannot reach it keeps its own table. When a
//! context ends, each device returns to its own table, since an emptied table must not be in use.
//!
//! The address range is reserved and mapped with `cuMemAddressReserve`, `cuMemCreate` and `cuMemMap`, which
//! need no context: programs load modules before they have one.

mod common;

use crate::call::call;
use crate::driver;
use crate::hooks::{Code, NOT_FOUND, SUCCESS};
use crate::log;
use common::Common;
use instrument::guard::objects::{BYTES, Objects};
use instrument::guard::{CLOCK_END, FEWEST, LAUNCHES, MOST, OBJECTS, table_bytes};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, c_int, c_uint, c_void};
use std::time::{Duration, Instant};

/// The table takes at most one `SHARE`th of the device's memory.
const SHARE: u64 = 64;
/// The preferred address; the driver may choose another.
const HINT: u64 = 0x6000_0000_0000;

/// `CU_MEM_ALLOCATION_TYPE_PINNED`, `CU_MEM_LOCATION_TYPE_DEVICE`, `CU_MEM_LOCATION_TYPE_HOST_NUMA`,
/// `CU_MEM_ACCESS_FLAGS_PROT_READWRITE`
const PINNED: c_int = 1;
const DEVICE: c_int = 1;
const HOST: c_int = 3;
const READ_WRITE: c_int = 3;
/// `CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED`
const NATIVE_ATOMICS: c_int = 3;
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

/// Value of the clock in the table's header that makes kernels check nothing.
const ENDED: u32 = u32::MAX >> 4;
/// A table is emptied once its clock has passed this value.
const WORN: u32 = CLOCK_END / 4 * 3;
/// How often clocks are read, and how long no table is emptied after that has failed.
const PULSE: Duration = Duration::from_millis(100);
const REST: Duration = Duration::from_secs(60);

/// A grid number that no launch has for long.
const NO_LAUNCH: u32 = u32::MAX;

pub(crate) struct Table {
    device: c_int,
    base: u64,
    on_host: bool,
    lines: u32,
    bytes: u64,
    /// Whether the table has been filled with zeros since its memory was made.
    begun: bool,
    /// Whether the table's memory is lost.
    gone: bool,
    /// Whether kernels are to check nothing.
    ended: bool,
    /// How many changes of the device's textures and surfaces the table has.
    described: usize,
}

/// Calls a driver function by name. The error, a sentence fragment, says that the function is missing or has
/// failed.
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
    /// Makes a table in a device's memory, smaller if memory is short and `may_shrink` is set, or else in the
    /// host's memory. The error is a sentence fragment.
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
        Ok(Table {
            device,
            base,
            on_host,
            lines,
            bytes,
            begun: false,
            gone: false,
            ended: false,
            described: 0,
        })
    }

    /// Moves the table to the host's memory, at the same address, since the device's memory is full. No
    /// kernel runs.
    fn leave(&mut self) -> Result<(), String> {
        self.on_host = true;
        (self.begun, self.gone) = (false, true);
        if self.begin().is_err() {
            // The table returns to the device, whose memory has not been given to anything else meanwhile.
            self.on_host = false;
        }
        self.begin()
    }

    /// Fills the table with zeros, once, in the current context, which belongs to the table's device.
    fn begin(&mut self) -> Result<(), String> {
        if self.begun {
            return Ok(());
        }
        if self.gone || self.fill().is_err() {
            // The driver may still have the old mapping.
            let _ = tried!(c"cuMemUnmap"(self.base => u64, self.bytes as usize => usize));
            let _ = tried!(c"cuMemAddressFree"(self.base => u64, self.bytes as usize => usize));
            let bytes = self.bytes;
            if mapped(self.device, self.on_host, self.base, |_| bytes)? != self.base {
                return Err("engine guard's table was lost with its context".into());
            }
            self.gone = false;
            self.fill()?;
        }
        (self.begun, self.described) = (true, 0);
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

    /// Writes descriptions of textures and surfaces, by their offsets. No kernel looks for them yet.
    fn describe(&self, all: &BTreeMap<u64, [u8; BYTES as usize]>) -> Result<(), String> {
        driver::beside_captures(|| {
            let mut stream: *mut c_void = std::ptr::null_mut();
            tried!(c"cuStreamCreate"(&mut stream => *mut *mut c_void, NON_BLOCKING => c_uint))?;
            let copied = all.iter().try_for_each(|(at, entry)| {
                tried!(c"cuMemcpyHtoDAsync_v2"(
                    self.base + OBJECTS + at => u64, entry.as_ptr() => *const u8, entry.len() => usize, stream => *mut c_void,
                ))
            });
            let waited = tried!(c"cuStreamSynchronize"(stream => *mut c_void));
            let _ = tried!(c"cuStreamDestroy_v2"(stream => *mut c_void));
            copied.and(waited)
        })
    }

    /// Makes the stream's next launch count as a new one, whatever its grid number.
    fn forget_launch(&mut self, stream: *mut c_void) -> Result<(), String> {
        let (at, bytes) = LAUNCHES;
        let words = bytes as usize / 4;
        tried!(c"cuMemsetD32Async"(self.base + at => u64, NO_LAUNCH => u32, words => usize, stream => *mut c_void))
    }

    /// Returns the clock, which kernels may be advancing.
    fn clock(&self) -> Result<u32, String> {
        driver::beside_captures(|| {
            let (mut stream, mut clock): (*mut c_void, u32) = (std::ptr::null_mut(), 0);
            tried!(c"cuStreamCreate"(&mut stream => *mut *mut c_void, NON_BLOCKING => c_uint))?;
            let read = tried!(c"cuMemcpyDtoHAsync_v2"(
                &mut clock => *mut u32, self.base => u64, 4 => usize, stream => *mut c_void,
            ))
            .and_then(|()| tried!(c"cuStreamSynchronize"(stream => *mut c_void)));
            let _ = tried!(c"cuStreamDestroy_v2"(stream => *mut c_void));
            read.map(|()| clock)
        })
    }

    /// Makes kernels check nothing from now on.
    fn end(&mut self) {
        if !std::mem::replace(&mut self.ended, true) {
            self.begun = false;
        }
    }

    /// Lets another device access the table, with atomic operations that hold between the two.
    fn open(&self, device: c_int) -> Result<(), String> {
        if self.on_host {
            return Err("the table is in the host's memory".into());
        }
        let mut atomics = 0;
        tried!(c"cuDeviceGetP2PAttribute"(
            &mut atomics => *mut c_int, NATIVE_ATOMICS => c_int, device => c_int, self.device => c_int,
        ))?;
        if atomics == 0 {
            return Err("the GPUs have no atomic operations on each other's memory".into());
        }
        let access = Access { location: Location { kind: DEVICE, id: device }, flags: READ_WRITE };
        let (base, bytes) = (self.base, self.bytes as usize);
        tried!(c"cuMemSetAccess"(base => u64, bytes => usize, &access => *const Access, 1 => usize))
    }

    /// Records that a context was destroyed, or that all of the device's memory was.
    fn forget(&mut self, device: bool) {
        self.begun = false;
        self.gone |= device;
    }
}

/// The tables of all devices.
#[derive(Default)]
pub(crate) struct Tables {
    /// The number of lines of every table, once it is known.
    lines: Option<u32>,
    by_device: HashMap<c_int, Table>,
    /// The textures and surfaces of each device.
    objects: HashMap<c_int, Objects>,
    ended: bool,
    /// When the clocks are read next.
    due: Option<Instant>,
    common: Common,
}

impl Tables {
    /// Returns the table's address, if there is one device, and the lines of all tables. Makes the table of a
    /// single device. The error is a sentence fragment.
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

    /// Fills the current device's table with zeros, if a kernel needs it, and describes new textures and surfaces in
    /// it.
    pub(crate) fn begin(&mut self) -> Result<(), String> {
        let (Some(lines), Some(device)) = (self.lines, driver::device_of_several()) else { return Ok(()) };
        let table = self.of(device, lines, false)?;
        table.begin()?;
        let described = table.described;
        if driver::devices() > 1 {
            self.join(device);
        }
        let Some(objects) = self.objects.get(&device).filter(|objects| objects.changes() > described) else {
            return Ok(());
        };
        let Some(table) = self.by_device.get_mut(&device) else { return Ok(()) };
        table.describe(&objects.since(described))?;
        table.described = objects.changes();
        Ok(())
    }

    /// Returns the textures and surfaces of a device.
    pub(crate) fn objects(&mut self, device: c_int) -> &mut Objects {
        self.objects.entry(device).or_default()
    }

    /// Returns the address of the table that a device's launches use, if it is ready; of launches without a lane
    /// (`apart`) the device's own table.
    pub(crate) fn base(&self, device: c_int, apart: bool) -> Option<u64> {
        let device = if apart { device } else { self.common.home_of(device) };
        self.by_device.get(&device).filter(|table| table.begun).map(|table| table.base)
    }

    /// Returns the table that the current device's launches use.
    fn current(&mut self) -> Option<&mut Table> {
        let device = self.common.home_of(driver::device_of_several()?);
        self.by_device.get_mut(&device)
    }

    /// Returns whether the clock of the current device's table is near its end, so that the table has to be emptied. The
    /// clock is read from time to time only.
    pub(crate) fn is_worn(&mut self) -> bool {
        let now = Instant::now();
        if self.ended || *self.due.get_or_insert(now + PULSE) > now {
            return false;
        }
        self.due = Some(now + PULSE);
        let clock = self.current().filter(|table| table.begun).and_then(|table| table.clock().ok());
        clock.is_some_and(|clock| clock >= WORN)
    }

    /// Empties the current device's table, while no kernel that uses it runs: all earlier accesses count as ordered before later ones.
    pub(crate) fn renew(&mut self) {
        // A failure recurs at the launch, which reports it.
        let renewed = self.current().map(|table| {
            table.begun = false;
            table.begin()
        });
        log::note(|| format!("the table is emptied, because its clock is near the end: {renewed:?}"));
    }

    /// Records that a table could not be emptied.
    pub(crate) fn rest(&mut self) {
        self.due = Some(Instant::now() + REST);
    }

    /// Returns whether any table is in the host's memory.
    pub(crate) fn on_host(&self) -> bool {
        self.by_device.values().any(|table| table.on_host)
    }

    /// Returns the address and the lines of the table, if there is one device and the table is in its memory.
    pub(crate) fn only(&self) -> Option<(u64, u32)> {
        let table = self.by_device.get(&0).filter(|table| table.begun && !table.on_host);
        table.filter(|_| driver::devices() == 1).map(|table| (table.base, table.lines))
    }

    fn may_leave_of(&self) -> Option<c_int> {
        let device = driver::device_of_several()?;
        // A table that several devices use stays where it is.
        let is_common = self.are_joined() && self.common.home == Some(device);
        self.by_device.get(&device).filter(|table| !table.on_host && !is_common).map(|_| device)
    }

    /// Returns whether the current device's table is in the device's memory.
    pub(crate) fn may_leave(&self) -> bool {
        self.may_leave_of().is_some()
    }

    /// Moves the current device's table to the host; returns false if that fails. No kernel runs.
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

    /// Makes the stream's next launch count as a new one, whatever its grid number. Graphs on several devices
    /// are not checked.
    pub(crate) fn forget_launch(&mut self, stream: *mut c_void) -> Result<(), String> {
        self.begin()?;
        match self.by_device.get_mut(&0).filter(|_| driver::devices() == 1) {
            Some(table) => table.forget_launch(stream),
            None => Ok(()),
        }
    }

    /// Returns the address and the bytes of the grid numbers by which kernels of graphs find that they have begun, and a
    /// word that is no grid number; `None` without a table, or with several devices, where such kernels are not checked.
    pub(crate) fn grid_numbers(&mut self) -> Option<(u64, u64, u32)> {
        self.prepare().and_then(|_| self.begin()).ok()?;
        let (at, bytes) = LAUNCHES;
        let table = self.by_device.get(&0).filter(|_| driver::devices() == 1)?;
        Some((table.base + at, bytes, NO_LAUNCH))
    }

    /// Makes kernels check nothing from now on.
    pub(crate) fn end(&mut self) {
        self.ended = true;
        self.by_device.values_mut().for_each(Table::end);
    }

    /// Records that a context was destroyed, or that all of a device's memory was.
    pub(crate) fn forget(&mut self, device: Option<c_int>) {
        self.common.is_over |= self.are_joined();
        self.common.guests.clear();
        self.common.opened.clear();
        for (number, table) in &mut self.by_device {
            if device.is_none_or(|device| device == *number) {
                table.forget(device.is_some());
            }
        }
    }
}

/// Maps memory of a device, or of the host for the device, at `hint` or elsewhere, and returns its address.
/// `bytes` receives the granularity and returns the size.
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
    // The mapping holds a reference to the memory.
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
