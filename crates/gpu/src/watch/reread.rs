//! The repeated read of engine `collide` for the host: after an access the handler reads the same memory
//! again, as threads do on the device (SuperCollider §3, with the host in place of a thread).
//!
//! No other thread of the program runs, and this thread continues only after the read, so a changed value
//! comes from a device. No synchronisation orders that write with the access: an order before the access
//! would have made the write visible to it, and this thread has executed nothing after the access that could
//! order the two. This argument holds as long as devices make weak accesses only, since strong accesses of
//! system scope may race with the host's (PTX §8.7). The opposite direction, a device that reads what the
//! host writes, is covered by the device's own checks.

use super::single_thread::is_alone;
use host::decode::Operand;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Number of accesses followed between two waits, number of those after which memory is read again, and the
/// time spent on one such read.
const FOLLOWED: usize = 16;
const LOOKS: usize = 4;
const LOOK: Duration = Duration::from_micros(200);
/// Limits how many changes are stored until the host calls the driver.
const CHANGES: usize = 64;

/// Whether the handler reads memory again, rather than recording accesses.
static WANTED: AtomicBool = AtomicBool::new(false);
static DOUBTED: AtomicBool = AtomicBool::new(false);

/// A change of memory after an access by the host's instruction at `at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) writes: bool,
    pub(crate) at: u64,
    /// The value right after the access, and the value that replaced it.
    pub(crate) was: u64,
    pub(crate) is: u64,
}

/// Enables reading memory again after the host's accesses.
pub(crate) fn looks_again() {
    WANTED.store(true, Ordering::Relaxed);
}

pub(super) fn is_wanted() -> bool {
    WANTED.load(Ordering::Relaxed)
}

/// Ends reading memory again: memory may change in an order that this library does not see, by a kernel with
/// strong accesses of system scope, by the driver on behalf of the program, or by another process.
pub(crate) fn doubts() {
    DOUBTED.store(true, Ordering::Relaxed);
}

pub(super) fn is_doubted() -> bool {
    DOUBTED.load(Ordering::Relaxed) || has_network()
}

/// Returns whether other devices on the bus may write to the program's memory, which is so if libibverbs is
/// loaded.
fn has_network() -> bool {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    // SAFETY: C strings; `RTLD_NOLOAD` does not initialise a loaded library again.
    let found = || unsafe { libc::dlopen(c"libibverbs.so.1".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    *KNOWN.get_or_init(|| !found().is_null())
}

/// Budget and results between two waits.
#[derive(Debug, Default)]
pub(super) struct Again {
    changes: Vec<Changed>,
    followed: usize,
    looked: usize,
}

impl Again {
    /// Reserves room for changes, since signal handlers must not allocate.
    pub(super) fn make_room(&mut self) {
        self.changes.reserve(CHANGES.saturating_sub(self.changes.len()));
    }

    /// Resets the budget, after the host has waited.
    pub(super) fn begin(&mut self) {
        (self.followed, self.looked) = (0, 0);
    }

    /// Counts an access and returns whether it is within the budget of followed accesses.
    pub(super) fn follows(&mut self) -> bool {
        self.followed += 1;
        self.followed <= FOLLOWED
    }

    /// Returns whether memory is read again after the current access, and counts it if so.
    pub(super) fn takes(&mut self) -> bool {
        let takes = self.looked < LOOKS && !DOUBTED.load(Ordering::Relaxed);
        self.looked += usize::from(takes);
        takes
    }

    pub(super) fn note(&mut self, changed: Option<Changed>) {
        if let Some(changed) = changed
            && self.changes.len() < CHANGES.min(self.changes.capacity())
        {
            self.changes.push(changed);
        }
    }

    pub(super) fn has_seen(&self) -> bool {
        !self.changes.is_empty()
    }

    pub(super) fn taken(&mut self) -> Vec<Changed> {
        std::mem::take(&mut self.changes)
    }
}

/// Polls the memory that an instruction has just accessed, for [`LOOK`], and returns the change if there is
/// one. The pages stay accessible meanwhile.
pub(super) fn look(operand: Operand, at: u64) -> Option<Changed> {
    let Operand { address, bytes, writes, .. } = operand;
    let size = bytes.min(8);
    if !size.is_power_of_two() || !address.is_multiple_of(size) || !is_alone() {
        return None;
    }
    let value = || {
        let place = std::ptr::with_exposed_provenance::<u8>(address as usize);
        // SAFETY: the instruction has just accessed these bytes, they are aligned, and their pages stay
        // accessible until the handler protects them again.
        unsafe {
            match size {
                1 => u64::from(place.read_volatile()),
                2 => u64::from(place.cast::<u16>().read_volatile()),
                4 => u64::from(place.cast::<u32>().read_volatile()),
                _ => place.cast::<u64>().read_volatile(),
            }
        }
    };
    // SAFETY: all-zero is a valid `sigset_t`, and the previous mask is restored below. Signals are blocked so
    // that the program's own handlers run later.
    let before = unsafe {
        let (mut all, mut before): (libc::sigset_t, libc::sigset_t) =
            (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&mut all);
        libc::sigdelset(&mut all, libc::SIGSEGV);
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, &mut before);
        before
    };
    let (begun, was) = (Instant::now(), value());
    let mut is = was;
    while is == was && begun.elapsed() < LOOK {
        // A real device runs without this processor; the tests' substitute for one needs it.
        std::thread::yield_now();
        is = value();
    }
    // SAFETY: restores the mask that was read above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut()) };
    (is != was).then_some(Changed { address, bytes: size, writes, at, was, is })
}
