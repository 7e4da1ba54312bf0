//! Caches of addresses across accesses: the regions that contain them, and the strides between them.

use crate::memory::AddressSpace;

/// A cache of the most recently used regions, like a TLB: kernels access few regions, repeatedly.
#[derive(Debug)]
pub(crate) struct Tlb {
    generation: u64,
    entries: [Entry; Tlb::ENTRIES],
    next: usize,
    /// The entry that was last used, for each instruction (hashed by its place in the program).
    hints: [u8; 64],
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub base: u64,
    pub end: u64,
    pub host: *mut u8,
    pub accessible: bool,
    pub read_only: bool,
}

// SAFETY: the pointers are those of regions; by `crate::memory`, any thread may use them.
unsafe impl Send for Tlb {}

const NOTHING: Entry =
    Entry { base: 0, end: 0, host: std::ptr::null_mut(), accessible: false, read_only: false };

impl Tlb {
    const ENTRIES: usize = 8;

    pub(crate) fn new() -> Tlb {
        Tlb { generation: u64::MAX, entries: [NOTHING; Tlb::ENTRIES], next: 0, hints: [0; 64] }
    }

    /// Finds a region; first tries the one that the instruction at `pc` accessed last. Otherwise like
    /// [`Tlb::find`].
    #[inline(always)]
    pub(super) fn find_at(
        &mut self,
        pc: u32,
        memory: &AddressSpace,
        address: u64,
        device: u32,
    ) -> Option<Entry> {
        let hint = &mut self.hints[pc as usize % 64];
        if memory.generation() == self.generation {
            let entry = &self.entries[usize::from(*hint) % Tlb::ENTRIES];
            if address.wrapping_sub(entry.base) < entry.end - entry.base {
                return Some(*entry);
            }
            for (i, entry) in self.entries.iter().enumerate() {
                if address.wrapping_sub(entry.base) < entry.end - entry.base {
                    *hint = i as u8;
                    return Some(*entry);
                }
            }
        }
        self.fill(memory, address, device, memory.generation())
    }

    #[inline(always)]
    pub(super) fn find(&mut self, memory: &AddressSpace, address: u64, device: u32) -> Option<Entry> {
        let generation = memory.generation();
        if generation == self.generation {
            for entry in &self.entries {
                if address.wrapping_sub(entry.base) < entry.end - entry.base {
                    return Some(*entry);
                }
            }
        }
        self.fill(memory, address, device, generation)
    }

    #[cold]
    fn fill(&mut self, memory: &AddressSpace, address: u64, device: u32, generation: u64) -> Option<Entry> {
        if generation != self.generation {
            self.entries = [NOTHING; Tlb::ENTRIES];
            self.generation = generation;
        }
        let region = memory.find(address)?;
        let entry = Entry {
            base: region.base,
            end: region.base + region.bytes,
            host: region.host,
            accessible: region.accessible_from >> device.min(63) & 1 != 0,
            read_only: region.read_only,
        };
        self.entries[self.next] = entry;
        self.next = (self.next + 1) % self.entries.len();
        Some(entry)
    }
}

/// A stride prefetcher: the address of the last access to global memory, for each instruction. A loop's next
/// access is usually at the same distance again. The host's own prefetcher cannot see such strides, because
/// one host instruction performs the accesses of all instructions of a kernel.
#[derive(Debug)]
pub(crate) struct Strides {
    last: [u64; Strides::PLACES],
}

impl Strides {
    const PLACES: usize = 256;

    pub(crate) fn new() -> Strides {
        Strides { last: [0; Strides::PLACES] }
    }

    /// Records an access at `address`, whose host address is `host`, by the instruction at `pc`; prefetches
    /// `bytes` bytes at the predicted next address.
    #[inline(always)]
    pub(super) fn ahead(&mut self, pc: u32, address: u64, host: *const u8, bytes: u64) {
        let last = &mut self.last[pc as usize % Strides::PLACES];
        let stride = address.wrapping_sub(*last);
        *last = address;
        let next = host.wrapping_add(stride as usize);
        expect(next);
        if bytes > 64 {
            expect(next.wrapping_add(64));
        }
    }
}

/// Prefetches memory that is about to be accessed.
#[inline(always)]
pub(super) fn expect(place: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch has no visible effect and cannot fault.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
