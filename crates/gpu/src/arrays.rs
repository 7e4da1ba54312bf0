//! Addresses for arrays, whose own ones the driver does not tell: for engine `guard`, the elements of an array lie as
//! rows and slices in a range where the process has no memory.

use crate::images;
use snapshot::Layout;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The preferred address of the range, and its bytes.
const HINT: u64 = 0x5200_0000_0000;
const BYTES: u64 = 1 << 40;
/// Arrays begin at multiples of this.
const APART: u64 = 512;

/// The begin of the range, once it is reserved.
static BEGIN: AtomicU64 = AtomicU64::new(0);
static ARRAYS: Mutex<Option<Arrays>> = Mutex::new(None);

struct Arrays {
    by_handle: HashMap<usize, Layout>,
    next: u64,
}

impl Arrays {
    /// Reserves the range; `None` if the system does not.
    fn new() -> Option<Arrays> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping without access, at an address that the system chooses.
        let at = unsafe { libc::mmap(HINT as *mut c_void, BYTES as usize, libc::PROT_NONE, flags, -1, 0) };
        if at == libc::MAP_FAILED {
            return None;
        }
        BEGIN.store(at as u64, Ordering::Release);
        Some(Arrays { by_handle: HashMap::new(), next: at as u64 })
    }

    fn layout(&mut self, handle: *mut c_void) -> Option<(Layout, bool)> {
        let (layout, bytes) = images::layout(handle, self.next)?;
        if let Some(known) = self.by_handle.get(&(handle as usize))
            && (Layout { base: layout.base, ..*known }) == layout
        {
            return Some((*known, false));
        }
        let next = self.next.checked_add(bytes)?.next_multiple_of(APART);
        if next - BEGIN.load(Ordering::Acquire) > BYTES {
            return None;
        }
        self.next = next;
        self.by_handle.insert(handle as usize, layout);
        Some((layout, true))
    }
}

/// Returns where the elements of an array lie, and whether the array is a new one; `None` if its elements are not
/// understood, or there is no room.
pub(crate) fn layout(handle: *mut c_void) -> Option<(Layout, bool)> {
    let mut arrays = ARRAYS.lock().unwrap_or_else(PoisonError::into_inner);
    if arrays.is_none() {
        *arrays = Arrays::new();
    }
    arrays.as_mut()?.layout(handle)
}

/// Records that an array is about to be destroyed. Its addresses are not used again.
pub(crate) fn gone(handle: *mut c_void) {
    if let Some(arrays) = ARRAYS.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        arrays.by_handle.remove(&(handle as usize));
    }
}

/// Returns whether an address is one of an array.
pub(crate) fn holds(address: u64) -> bool {
    match BEGIN.load(Ordering::Acquire) {
        0 => false,
        begin => address.checked_sub(begin).is_some_and(|at| at < BYTES),
    }
}
