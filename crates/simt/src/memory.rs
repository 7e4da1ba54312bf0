//! Global memory as the engine sees it: ranges of one virtual address space, each backed by pages that the
//! caller owns.
//!
//! # The invariant behind every raw access
//!
//! A mapped region's `host` pointer is valid for reads and writes of `bytes` bytes from [`AddressSpace::map`]
//! until [`AddressSpace::unmap`] returns, and no region is unmapped while a grid that may access it runs (the
//! CUDA runtime synchronises in `cudaFree`, so this costs a caller nothing). The memory is not a Rust object:
//! the program's host threads and several workers may read and write it at the same time. It is therefore
//! accessed only through raw pointers, never through references, and read-modify-writes are real atomics.
//! `host` has the alignment of `base`, at least 16 bytes, and so do the pages or objects that contain it: the
//! aligned word that holds the region's last byte is valid, too.

use events::task::AllocKind;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, RwLock};

/// A set of devices: bit `i` for device `i`.
pub type DeviceMask = u64;

/// A mapped range of global memory.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    pub base: u64,
    pub bytes: u64,
    /// The engine's own writable mapping of the pages.
    pub host: *mut u8,
    pub kind: AllocKind,
    /// The device that owns it.
    pub device: u32,
    pub accessible_from: DeviceMask,
    /// Whether it is read-only for kernels; the host side may write.
    pub read_only: bool,
}

// SAFETY: `host` is used only under the invariant in the module's description, which does not depend on the
// thread.
unsafe impl Send for Region {}
// SAFETY: a `Region` is plain data, and the invariant does not depend on the thread.
unsafe impl Sync for Region {}

impl Region {
    fn end(&self) -> u64 {
        self.base + self.bytes
    }
}

/// The error of a forbidden access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("illegal access of {bytes} bytes at {address:#x}: {why}")]
    IllegalAddress { address: u64, bytes: u64, why: &'static str },
}

/// The error of an invalid mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MapError {
    #[error("the range {base:#x}..{end:#x} is empty, wraps around or is outside of global memory")]
    Invalid { base: u64, end: u64 },
    #[error("the range {base:#x}..{end:#x} overlaps a mapped one")]
    Overlap { base: u64, end: u64 },
}

/// An exclusive bound of global addresses; the windows of generic addresses lie above.
pub const GLOBAL_LIMIT: u64 = 1 << 56;

/// All ranges that kernels of all devices may access.
#[derive(Debug, Default)]
pub struct AddressSpace {
    /// Sorted by base; disjoint.
    regions: RwLock<Vec<Region>>,
    generation: AtomicU64,
    /// The addresses of descriptions of textures and surfaces whose handles are not addresses themselves.
    objects: OnceLock<HashMap<u64, u64>>,
    /// The addresses of cells of conditional graph nodes by their handles, where these are no addresses.
    cells: OnceLock<HashMap<u64, u64>>,
}

impl AddressSpace {
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a range accessible.
    ///
    /// The caller guarantees the module's invariant for `region.host`.
    pub fn map(&self, region: Region) -> Result<(), MapError> {
        let end = region.base.checked_add(region.bytes);
        let end = match end {
            Some(end) if region.bytes > 0 && end <= GLOBAL_LIMIT && region.base > 0 => end,
            _ => {
                return Err(MapError::Invalid {
                    base: region.base,
                    end: region.base.wrapping_add(region.bytes),
                });
            }
        };
        let mut regions = self.write_regions();
        let at = regions.partition_point(|r| r.end() <= region.base);
        if regions.get(at).is_some_and(|next| next.base < end) {
            return Err(MapError::Overlap { base: region.base, end });
        }
        regions.insert(at, region);
        self.generation.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// Removes the region that begins at `base`; returns it.
    pub fn unmap(&self, base: u64) -> Option<Region> {
        let mut regions = self.write_regions();
        let at = regions.binary_search_by_key(&base, |r| r.base).ok()?;
        let region = regions.remove(at);
        self.generation.fetch_add(1, Ordering::Release);
        Some(region)
    }

    /// Sets which devices may access the region that begins at `base`; returns whether there is one.
    pub fn set_access(&self, base: u64, mask: DeviceMask) -> bool {
        let mut regions = self.write_regions();
        match regions.binary_search_by_key(&base, |r| r.base) {
            Ok(at) => {
                regions[at].accessible_from = mask;
                self.generation.fetch_add(1, Ordering::Release);
                true
            }
            Err(_) => false,
        }
    }

    /// Returns the region that contains `address`.
    pub fn find(&self, address: u64) -> Option<Region> {
        let regions = self.read_regions();
        let at = regions.partition_point(|r| r.end() <= address);
        regions.get(at).filter(|r| r.base <= address).copied()
    }

    /// Returns all regions, by address.
    pub fn regions(&self) -> Vec<Region> {
        self.read_regions().clone()
    }

    /// Sets, once, the addresses of descriptions of textures and surfaces, and of cells of conditional nodes, whose
    /// handles are not addresses themselves. A handle may denote one of each.
    pub fn name_objects(&self, objects: HashMap<u64, u64>, cells: HashMap<u64, u64>) {
        let (_, _) = (self.objects.set(objects), self.cells.set(cells));
    }

    /// Returns the address of the cell of a conditional node's handle.
    pub(crate) fn cell(&self, handle: u64) -> u64 {
        self.cells.get().and_then(|cells| cells.get(&handle)).copied().unwrap_or(handle)
    }

    /// Returns the address of a handle's description.
    #[inline]
    pub(crate) fn object(&self, handle: u64) -> u64 {
        self.objects.get().and_then(|objects| objects.get(&handle)).copied().unwrap_or(handle)
    }

    /// Returns a counter that changes whenever a region does.
    #[inline]
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Reads bytes for the host side, regardless of access masks. A range may span adjacent regions.
    pub fn read(&self, address: u64, out: &mut [u8]) -> Result<(), Fault> {
        self.pieces(address, out.len() as u64, |host, at, len| {
            // SAFETY: `pieces` yields parts of mapped regions, valid by the module's invariant, and `at +
            // len` is within `out`.
            unsafe { std::ptr::copy_nonoverlapping(host, out.as_mut_ptr().add(at), len) }
        })
    }

    /// Writes bytes for the host side, read-only regions included.
    pub fn write(&self, address: u64, data: &[u8]) -> Result<(), Fault> {
        self.pieces(address, data.len() as u64, |host, at, len| {
            // SAFETY: `pieces` yields parts of mapped regions; `data` is the caller's and cannot overlap
            // memory that is no Rust object.
            unsafe { std::ptr::copy_nonoverlapping(data.as_ptr().add(at), host, len) }
        })
    }

    /// Fills bytes for the host side.
    pub fn fill(&self, address: u64, bytes: u64, value: u8) -> Result<(), Fault> {
        self.pieces(address, bytes, |host, _, len| {
            // SAFETY: `pieces` yields parts of mapped regions, valid by the module's invariant.
            unsafe { std::ptr::write_bytes(host, value, len) }
        })
    }

    fn pieces(
        &self,
        address: u64,
        bytes: u64,
        mut f: impl FnMut(*mut u8, usize, usize),
    ) -> Result<(), Fault> {
        let regions = self.read_regions();
        // The first pass only checks, so that a fault has no partial effect.
        for run in [false, true] {
            let mut done = 0;
            let mut at = regions.partition_point(|r| r.end() <= address);
            while done < bytes {
                let here = address + done;
                let region = regions.get(at).filter(|r| r.base <= here && here < r.end()).ok_or(
                    Fault::IllegalAddress {
                        address: here,
                        bytes: bytes - done,
                        why: "nothing is mapped there",
                    },
                )?;
                let len = (region.end() - here).min(bytes - done);
                if run {
                    // SAFETY: `here` is inside the region, so the offset stays inside its mapping.
                    let host = unsafe { region.host.add((here - region.base) as usize) };
                    f(host, done as usize, len as usize);
                }
                done += len;
                at += 1;
            }
        }
        Ok(())
    }

    fn read_regions(&self) -> std::sync::RwLockReadGuard<'_, Vec<Region>> {
        self.regions.read().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn write_regions(&self) -> std::sync::RwLockWriteGuard<'_, Vec<Region>> {
        self.regions.write().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(base: u64, memory: &mut [u8]) -> Region {
        Region {
            base,
            bytes: memory.len() as u64,
            host: memory.as_mut_ptr(),
            kind: AllocKind::Device,
            device: 0,
            accessible_from: 1,
            read_only: false,
        }
    }

    #[test]
    fn regions_do_not_overlap_and_are_found_by_any_inner_address() {
        let space = AddressSpace::new();
        let (mut a, mut b, mut c) = ([0u8; 16], [0u8; 16], [0u8; 2]);
        space.map(region(0x1000, &mut a)).unwrap();
        space.map(region(0x1010, &mut b)).unwrap();
        assert!(matches!(space.map(region(0x100f, &mut c)), Err(MapError::Overlap { .. })));
        assert!(matches!(space.map(region(u64::MAX - 1, &mut c)), Err(MapError::Invalid { .. })));
        assert_eq!(space.find(0x100f).unwrap().base, 0x1000);
        assert_eq!(space.find(0x1010).unwrap().base, 0x1010);
        assert!(space.find(0x1020).is_none());
        assert!(space.find(0xfff).is_none());
        space.write(0x100e, &[1, 2, 3, 4]).unwrap();
        let mut out = [0; 4];
        space.read(0x100e, &mut out).unwrap();
        assert_eq!(out, [1, 2, 3, 4]);
        assert!(space.write(0x101e, &[9, 9, 9]).is_err());
        space.read(0x101e, &mut out[..2]).unwrap();
        assert_eq!(out[..2], [0, 0], "a fault writes nothing");
        space.unmap(0x1000).unwrap();
        assert!(space.read(0x100f, &mut out[..1]).is_err());
    }
}
