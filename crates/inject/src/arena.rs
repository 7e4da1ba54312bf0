//! The pages behind device memory.
//!
//! One memory file is mapped twice. The *engine's view* is always readable and writable; the virtual GPU and
//! the copy engines work through it. The *program's view* holds the addresses that the program receives: it
//! is inaccessible for device memory, so that a host dereference faults as on hardware, and accessible for
//! managed and pinned memory (where its protection can change without affecting the engine). Device addresses
//! are addresses of the program's view.
//!
//! The child of a fork inherits neither view, as with the CUDA driver's mappings.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::ptr::null_mut;

/// The unit of protection.
pub(crate) const PAGE: u64 = 4096;

/// `cudaMalloc` aligns to at least 256 bytes; drivers use 512.
const DEVICE_ALIGN: u64 = 512;

/// The preferred address of the program's view: the same in every run, so that programs which print or hash
/// pointers are repeatable.
const PREFERRED: u64 = 0x2000_0000_0000;

/// The size of the first reservation attempt; it is halved until the system grants it.
const LARGEST: u64 = 1 << 39;
const SMALLEST: u64 = 1 << 30;

/// The protection of an allocation in the program's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visibility {
    /// Host accesses fault.
    Device,
    /// Host accesses fault, and the memory is far from other memory: device-side heaps, which wild addresses
    /// must not hit.
    Heap,
    /// Ordinary memory for the host.
    Host,
}

/// A range that the arena has allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The address in the program's view, which is the device address.
    pub(crate) base: u64,
    /// The usable bytes, fewer than are reserved.
    pub(crate) bytes: u64,
    pub(crate) visibility: Visibility,
}

#[derive(Debug)]
pub(crate) struct Arena {
    file: i32,
    program: u64,
    engine: u64,
    device: Zone,
    heap: Zone,
    host: Zone,
}

impl Arena {
    pub(crate) fn new() -> io::Result<Arena> {
        let mut bytes = LARGEST;
        loop {
            match Self::with_capacity(bytes) {
                Ok(arena) => return Ok(arena),
                Err(error) if bytes <= SMALLEST => return Err(error),
                Err(_) => bytes /= 2,
            }
        }
    }

    fn with_capacity(bytes: u64) -> io::Result<Arena> {
        // SAFETY: the name is a C string; the descriptor is checked.
        let file = unsafe { libc::memfd_create(c"warprace".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        let views = (|| {
            // SAFETY: `file` is an open descriptor of this library.
            let sized = processes::post::guarded(|| unsafe { libc::ftruncate(file, bytes as libc::off_t) });
            if sized != 0 {
                let error = io::Error::last_os_error();
                return match error.raw_os_error() {
                    Some(libc::EFBIG) => map_twice(bytes),
                    _ => Err(error),
                };
            }
            let engine = map(file, bytes, libc::PROT_READ | libc::PROT_WRITE, None)?;
            let program = map(file, bytes, libc::PROT_NONE, Some(PREFERRED))
                .or_else(|_| map(file, bytes, libc::PROT_NONE, None));
            match program {
                Ok(program) => Ok((engine, program)),
                Err(error) => {
                    // SAFETY: unmaps a new mapping to which no pointer exists.
                    unsafe { libc::munmap(engine as *mut _, bytes as usize) };
                    Err(error)
                }
            }
        })();
        let (engine, program) = match views {
            Ok(views) => views,
            Err(error) => {
                // SAFETY: closes this library's own descriptor once.
                unsafe { libc::close(file) };
                return Err(error);
            }
        };
        let (heap, host) = (program + bytes / 2, program + bytes / 4 * 3);
        Ok(Arena {
            file,
            program,
            engine,
            device: Zone::new(program..heap, DEVICE_ALIGN, DEVICE_ALIGN),
            heap: Zone::new(heap..host, PAGE, PAGE),
            host: Zone::new(host..program + bytes, PAGE, PAGE),
        })
    }

    /// Reserves `bytes` (at least 1) aligned to `align`, a power of two; fresh contents are zero. Returns
    /// `None` if there is no room.
    pub(crate) fn allocate(&mut self, bytes: u64, align: u64, visibility: Visibility) -> Option<Block> {
        let zone = match visibility {
            Visibility::Device => &mut self.device,
            Visibility::Heap => &mut self.heap,
            Visibility::Host => &mut self.host,
        };
        let base = zone.allocate(bytes, align)?;
        if visibility == Visibility::Host {
            // The zone allocates whole pages, so no other allocation's pages change.
            protect(base, bytes, libc::PROT_READ | libc::PROT_WRITE);
        }
        Some(Block { base, bytes, visibility })
    }

    /// Frees a block. Its whole pages read as zero if they are allocated again.
    pub(crate) fn free(&mut self, block: Block) {
        let pages = match block.visibility {
            Visibility::Device | Visibility::Heap => {
                let first = block.base.next_multiple_of(PAGE);
                first..((block.base + block.bytes) & !(PAGE - 1)).max(first)
            }
            Visibility::Host => block.base..(block.base + block.bytes).next_multiple_of(PAGE),
        };
        if block.visibility == Visibility::Host {
            protect(block.base, block.bytes, libc::PROT_NONE);
        }
        if pages.start < pages.end {
            let offset = pages.start - self.program;
            // SAFETY: the range lies in the arena, and the block is no longer in use.
            unsafe {
                let length = pages.end - pages.start;
                libc::madvise((self.engine + offset) as *mut _, length as usize, libc::MADV_REMOVE);
            }
        }
        match block.visibility {
            Visibility::Device => self.device.free(block.base),
            Visibility::Heap => self.heap.free(block.base),
            Visibility::Host => self.host.free(block.base),
        }
    }

    /// Returns the location of an address: the memory file, as this process's descriptor, and the offset in
    /// it.
    pub(crate) fn locate(&self, address: u64) -> (i32, u64) {
        (self.file, address - self.program)
    }

    #[cfg(test)]
    pub(crate) fn locate_base(&self) -> u64 {
        self.program
    }

    /// Maps a part of another process's memory file like an allocation. Returns `None` if there is no room.
    pub(crate) fn import(&mut self, file: i32, offset: u64, bytes: u64) -> Option<Block> {
        let first = offset & !(PAGE - 1);
        let length = (offset + bytes).next_multiple_of(PAGE) - first;
        if self.file < 0 {
            return None;
        }
        let page = self.device.allocate(length, PAGE)?;
        if !self.replace(page, length, file, first) {
            // The arena's own pages are mapped again.
            self.replace(page, length, self.file, page - self.program);
            self.device.free(page);
            return None;
        }
        Some(Block { base: page + (offset - first), bytes, visibility: Visibility::Device })
    }

    /// Undoes [`Arena::import`]. The block is no longer in use.
    pub(crate) fn release(&mut self, block: Block) {
        let page = block.base & !(PAGE - 1);
        let length = (block.base + block.bytes).next_multiple_of(PAGE) - page;
        self.replace(page, length, self.file, page - self.program);
        self.device.free(page);
    }

    /// Maps a file's pages over both views of pages in this arena.
    fn replace(&self, page: u64, length: u64, file: i32, offset: u64) -> bool {
        let views = [
            (page, libc::PROT_NONE),
            (page - self.program + self.engine, libc::PROT_READ | libc::PROT_WRITE),
        ];
        views.into_iter().all(|(at, protection)| {
            // SAFETY: the pages are reserved for this block in both views, and are not in use before or after
            // the block's life.
            unsafe {
                let flags = libc::MAP_SHARED | libc::MAP_NORESERVE | libc::MAP_FIXED;
                let mapped =
                    libc::mmap(at as *mut _, length as usize, protection, flags, file, offset as libc::off_t);
                if mapped != libc::MAP_FAILED {
                    libc::madvise(mapped, length as usize, libc::MADV_DONTFORK);
                    libc::madvise(mapped, length as usize, libc::MADV_DONTDUMP);
                }
                mapped != libc::MAP_FAILED
            }
        })
    }

    /// Returns the engine's address for an address in the program's view.
    pub(crate) fn engine_view(&self, address: u64) -> *mut u8 {
        (address - self.program + self.engine) as *mut u8
    }
}

/// Changes the program's protection of the pages that cover `bytes` from `base`.
pub(crate) fn protect(base: u64, bytes: u64, protection: i32) -> bool {
    let first = base & !(PAGE - 1);
    let end = (base + bytes).next_multiple_of(PAGE);
    // SAFETY: the pages belong to the program's view, in which no Rust object lives.
    unsafe { libc::mprotect(first as *mut _, (end - first) as usize, protection) == 0 }
}

fn map(file: i32, bytes: u64, protection: i32, at: Option<u64>) -> io::Result<u64> {
    let place = if at.is_some() { libc::MAP_FIXED_NOREPLACE } else { 0 };
    // SAFETY: a new mapping that replaces none.
    let address = unsafe {
        libc::mmap(
            at.map_or(null_mut(), |a| a as *mut _),
            bytes as usize,
            protection,
            libc::MAP_SHARED | libc::MAP_NORESERVE | place,
            file,
            0,
        )
    };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the range was just mapped. Kernels that ignore `MAP_FIXED_NOREPLACE` may have placed it
    // elsewhere, which is acceptable. Core dumps must not contain sparse terabytes.
    unsafe {
        libc::madvise(address, bytes as usize, libc::MADV_DONTFORK);
        libc::madvise(address, bytes as usize, libc::MADV_DONTDUMP);
    }
    Ok(address as u64)
}

/// Maps the same memory twice without a file, whose length `ulimit -f` forbids. Other processes cannot share
/// this memory.
fn map_twice(bytes: u64) -> io::Result<(u64, u64)> {
    let shared = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: new mappings that replace none; moving a shared mapping with the length 0 duplicates it.
    unsafe {
        let engine =
            libc::mmap(null_mut(), bytes as usize, libc::PROT_READ | libc::PROT_WRITE, shared, -1, 0);
        if engine == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let program = libc::mremap(engine, 0, bytes as usize, libc::MREMAP_MAYMOVE);
        if program == libc::MAP_FAILED {
            let error = io::Error::last_os_error();
            libc::munmap(engine, bytes as usize);
            return Err(error);
        }
        libc::mprotect(program, bytes as usize, libc::PROT_NONE);
        for view in [engine, program] {
            libc::madvise(view, bytes as usize, libc::MADV_DONTFORK);
            libc::madvise(view, bytes as usize, libc::MADV_DONTDUMP);
        }
        Ok((engine as u64, program as u64))
    }
}

/// A next-fit allocator: freed addresses are reused late, so that a use after free hits unallocated memory
/// rather than another allocation.
#[derive(Debug)]
struct Zone {
    range: Range<u64>,
    align: u64,
    /// Size of the unused guard after every allocation.
    guard: u64,
    /// Live reservations with their guards: base to end.
    live: BTreeMap<u64, u64>,
    cursor: u64,
}

/// The cursor wraps after this much address space, so that page tables stay bounded.
const WINDOW: u64 = 16 << 30;

impl Zone {
    fn new(range: Range<u64>, align: u64, guard: u64) -> Self {
        Zone { cursor: range.start, range, align, guard, live: BTreeMap::new() }
    }

    fn allocate(&mut self, bytes: u64, align: u64) -> Option<u64> {
        let align = align.max(self.align);
        let need = bytes.max(1).checked_next_multiple_of(self.align)?.checked_add(self.guard)?;
        let window = (self.range.start + WINDOW).min(self.range.end);
        let base = self
            .fit(self.cursor..window, need, align)
            .or_else(|| self.fit(self.range.start..window, need, align))
            .or_else(|| self.fit(self.range.clone(), need, align))?;
        self.live.insert(base, base + need);
        self.cursor = base + need;
        if self.cursor >= window {
            self.cursor = self.range.start;
        }
        Some(base)
    }

    /// Returns the first gap of `need` bytes that begins in `place`.
    fn fit(&self, place: Range<u64>, need: u64, align: u64) -> Option<u64> {
        let mut at = place.start;
        if let Some((_, &end)) = self.live.range(..at).next_back() {
            at = at.max(end);
        }
        at = at.checked_next_multiple_of(align)?;
        for (&base, &end) in self.live.range(place.start..) {
            if base >= at && base - at >= need {
                break;
            }
            at = at.max(end).checked_next_multiple_of(align)?;
            if at >= place.end {
                return None;
            }
        }
        (at < place.end && at.checked_add(need)? <= self.range.end).then_some(at)
    }

    fn free(&mut self, base: u64) {
        self.live.remove(&base);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_views_show_the_same_bytes() {
        let mut arena = Arena::new().unwrap();
        let block = arena.allocate(100, 1, Visibility::Host).unwrap();
        let (program, engine) = (block.base as *mut u8, arena.engine_view(block.base));
        // SAFETY: both views of a live block of 100 bytes.
        unsafe {
            *program.add(99) = 7;
            assert_eq!(*engine.add(99), 7);
            *engine = 9;
            assert_eq!(*program, 9);
        }
        arena.free(block);
        // SAFETY: the engine's view stays mapped for the arena's life.
        assert_eq!(unsafe { *engine.add(99) }, 0, "freed pages are given back");
    }

    #[test]
    fn blocks_are_aligned_apart_and_not_reused_at_once() {
        let mut arena = Arena::new().unwrap();
        let a = arena.allocate(1, 1, Visibility::Device).unwrap();
        let b = arena.allocate(513, 4096, Visibility::Device).unwrap();
        let c = arena.allocate(1, 1, Visibility::Device).unwrap();
        assert_eq!(a.base % 512, 0);
        assert_eq!(b.base % 4096, 0);
        assert!(a.base + 512 < b.base && b.base + 1024 < c.base);
        arena.free(b);
        let d = arena.allocate(513, 1, Visibility::Device).unwrap();
        assert!(d.base > c.base);
    }

    #[test]
    fn what_is_imported_is_shared_until_it_is_released() {
        let (mut theirs, mut ours) = (Arena::new().unwrap(), Arena::new().unwrap());
        theirs.allocate(700, 1, Visibility::Device).unwrap();
        let exported = theirs.allocate(9000, 1, Visibility::Device).unwrap();
        let (file, offset) = theirs.locate(exported.base);
        assert_ne!(offset % PAGE, 0, "its neighbour lies in the same page");
        let imported = ours.import(file, offset, 9000).unwrap();
        let (a, b) = (theirs.engine_view(exported.base), ours.engine_view(imported.base));
        // SAFETY: the engine's views of live blocks of 9000 bytes.
        unsafe {
            a.add(8999).write(5);
            assert_eq!(b.add(8999).read(), 5);
            b.write(6);
            assert_eq!(a.read(), 6);
        }
        let own = ours.allocate(16, 1, Visibility::Device).unwrap();
        ours.release(imported);
        // SAFETY: both views stay mapped, whatever file is behind them.
        unsafe {
            assert_eq!(b.read(), 0, "the arena's own pages are back");
            b.write(7);
            assert_eq!(a.read(), 6);
            ours.engine_view(own.base).write(1);
        }
    }

    #[test]
    fn more_than_there_is_is_refused() {
        let mut arena = Arena::new().unwrap();
        assert_eq!(arena.allocate(1 << 50, 1, Visibility::Device), None);
        assert_eq!(arena.allocate(u64::MAX, 1, Visibility::Host), None);
    }

    #[test]
    fn a_zone_turns_back_and_reuses_what_was_freed() {
        let mut zone = Zone::new(0x1000..0x2000, 0x100, 0x100);
        let blocks: Vec<u64> = std::iter::from_fn(|| zone.allocate(0x100, 1)).collect();
        assert_eq!(blocks.len(), 8);
        zone.free(blocks[3]);
        assert_eq!(zone.allocate(0x100, 1), Some(blocks[3]));
        zone.free(blocks[0]);
        zone.free(blocks[1]);
        assert_eq!(zone.allocate(0x200, 1), Some(blocks[0]));
        assert_eq!(zone.allocate(0x200, 1), None);
    }

    #[test]
    fn the_host_cannot_touch_device_memory() {
        let mut arena = Arena::new().unwrap();
        let block = arena.allocate(8, 8, Visibility::Device).unwrap();
        // SAFETY: the child only reads one address and exits; it shares no locks with the parent.
        let status = unsafe {
            let child = libc::fork();
            if child == 0 {
                std::ptr::read_volatile(block.base as *const u8);
                libc::_exit(0);
            }
            let mut status = 0;
            libc::waitpid(child, &mut status, 0);
            status
        };
        assert!(libc::WIFSIGNALED(status));
        assert_eq!(libc::WTERMSIG(status), libc::SIGSEGV);
    }
}
