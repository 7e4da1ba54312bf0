//! Memory and events shared with other processes of the run (`cudaIpc…`).
//!
//! Memory: a handle identifies a place in the exporting process's memory file, which the importing process
//! opens through `/proc` and maps. Both virtual GPUs then work on the same bytes.
//!
//! Events: each interprocess event has a [`Cell`] in device memory. A record takes the next number, and is
//! marked as reached when everything before it is complete. Stream work that waits for the event waits at a
//! [`Gate`] for the number that was the latest at the time of the call.
//!
//! A process's detector receives its own accesses only. Actions of other processes between two of them may
//! order them. Once anything is shared, therefore, the host counts as ordered after every reached record of
//! an interprocess event, and work that waits for another process's event counts as ordered after every
//! record: `docs/assumptions.md`.

use std::ffi::CString;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, Ordering};

/// The handle of memory or an event for other processes; opaque to programs.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Handle {
    magic: u64,
    process: u32,
    file: i32,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
    pub(crate) device: u32,
    reserved: [u32; 7],
}

const _: () = assert!(size_of::<Handle>() == 64);

const MAGIC: u64 = 0x7761_7270_6970_6331;

impl Handle {
    pub(crate) fn new((file, offset): (i32, u64), bytes: u64, device: u32) -> Handle {
        let process = std::process::id();
        Handle { magic: MAGIC, process, file, offset, bytes, device, reserved: [0; 7] }
    }

    pub(crate) fn is_own(&self) -> bool {
        self.process == std::process::id()
    }

    /// Opens the exporting process's memory file, if it still exists.
    pub(crate) fn open(&self) -> Option<File> {
        if self.magic != MAGIC {
            return None;
        }
        let path = format!("/proc/{}/fd/{}", self.process, self.file);
        let target = std::fs::read_link(&path).ok()?;
        if !target.to_string_lossy().starts_with("/memfd:warprace") {
            return None;
        }
        let path = CString::new(path).ok()?;
        // SAFETY: the path is a C string.
        let file = unsafe { libc::open(path.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
        if file < 0 {
            return None;
        }
        let file = File(file);
        let mut status = MaybeUninit::<libc::stat>::uninit();
        // SAFETY: this process's own descriptor; the structure is filled in if the call succeeds.
        let size = unsafe {
            if libc::fstat(file.0, status.as_mut_ptr()) != 0 {
                return None;
            }
            status.assume_init().st_size as u64
        };
        (self.offset.checked_add(self.bytes)? <= size).then_some(file)
    }
}

/// A descriptor that is closed on drop.
pub(crate) struct File(pub(crate) i32);

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: this process's own descriptor, closed once.
        unsafe { libc::close(self.0) };
    }
}

/// The shared part of an event. All zeros is an event that was never recorded.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Cell {
    /// The number of the latest record.
    latest: AtomicU64,
    /// The process that made the latest record.
    recorder: AtomicU64,
    /// The latest reached record for each number modulo the array's length.
    reached: [AtomicU64; 62],
}

const _: () = assert!(size_of::<Cell>() == 512);

impl Cell {
    /// Returns the cell at an address.
    ///
    /// # Safety
    /// `address`, aligned to 8, points to zeros or a cell, which stay mapped as long as the process lives.
    pub(crate) unsafe fn at(address: usize) -> &'static Cell {
        // SAFETY: the caller's promise; every byte pattern is a valid cell.
        unsafe { &*(address as *const Cell) }
    }

    /// Records the event, and returns the record, which is to be reached when everything before it is
    /// complete.
    pub(crate) fn record(&'static self) -> Gate {
        let number = self.latest.fetch_add(1, Ordering::AcqRel) + 1;
        self.recorder.store(std::process::id().into(), Ordering::Release);
        Gate { cell: self, number }
    }

    /// Returns the latest record.
    pub(crate) fn latest(&'static self) -> Gate {
        Gate { cell: self, number: self.latest.load(Ordering::Acquire) }
    }
}

/// One record of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gate {
    cell: &'static Cell,
    pub(crate) number: u64,
}

impl Gate {
    fn slot(&self) -> &AtomicU64 {
        &self.cell.reached[self.number as usize % self.cell.reached.len()]
    }

    pub(crate) fn reach(&self) {
        self.slot().fetch_max(self.number, Ordering::AcqRel);
    }

    /// Returns whether everything before the record is complete. A process that has ended completes nothing
    /// more.
    pub(crate) fn is_open(&self) -> bool {
        self.number == 0 || self.slot().load(Ordering::Acquire) >= self.number || !self.is_pending()
    }

    fn is_pending(&self) -> bool {
        let recorder = self.cell.recorder.load(Ordering::Acquire) as libc::pid_t;
        // SAFETY: signal 0 only tests whether the process exists.
        recorder == 0 || unsafe { libc::kill(recorder, 0) } == 0
    }
}

/// Maps an event's cell in another process's memory file. It stays mapped.
pub(crate) fn map_cell(file: &File, offset: u64) -> Option<&'static Cell> {
    const PAGE: u64 = crate::arena::PAGE;
    let first = offset & !(PAGE - 1);
    if !offset.is_multiple_of(512) {
        return None;
    }
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping that replaces none.
    let page = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            PAGE as usize,
            protection,
            libc::MAP_SHARED,
            file.0,
            first as libc::off_t,
        )
    };
    if page == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: cells lie at multiples of their size, so this one is inside the page, which is never unmapped.
    Some(unsafe { Cell::at(page as usize + (offset - first) as usize) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell() -> &'static Cell {
        // SAFETY: leaked zeros, aligned.
        unsafe { Cell::at(Box::leak(Box::new([0u64; 64])).as_ptr() as usize) }
    }

    #[test]
    fn a_gate_opens_when_its_record_is_reached_and_not_with_another() {
        let cell = cell();
        assert!(cell.latest().is_open(), "an event that was never recorded holds nobody up");
        let (first, second) = (cell.record(), cell.record());
        assert!(!first.is_open() && !second.is_open());
        second.reach();
        assert!(!first.is_open() && cell.latest().is_open());
        first.reach();
        assert!(first.is_open());
    }

    #[test]
    fn a_process_that_is_gone_holds_nobody_up() {
        // SAFETY: the child does nothing but exit.
        let child = unsafe {
            let child = libc::fork();
            if child == 0 {
                libc::_exit(0);
            }
            libc::waitpid(child, std::ptr::null_mut(), 0);
            child
        };
        let cell = cell();
        let gate = cell.record();
        assert!(!gate.is_open());
        cell.recorder.store(child as u64, Ordering::Relaxed);
        assert!(gate.is_open());
    }

    #[test]
    fn only_handles_of_live_memory_files_are_opened() {
        let arena = crate::arena::Arena::new().unwrap();
        let (file, _) = arena.locate(arena.locate_base());
        let handle = Handle::new((file, 4096), 8, 0);
        assert!(handle.is_own() && handle.open().is_some());
        assert!(Handle { magic: 1, ..handle }.open().is_none());
        assert!(Handle { offset: u64::MAX, ..handle }.open().is_none());
        assert!(Handle::new((0, 0), 8, 0).open().is_none(), "standard input is none of ours");
    }
}
