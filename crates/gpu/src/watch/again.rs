//! Engine `collide`: behind an access of the host memory is looked at again, as threads do (SuperCollider §3, with the host in the place of a thread).
//!
//! Nobody else of the program runs, and this thread goes on only afterwards, so that a change is a device's, and nothing orders it with the access: an
//! order before the access would have had it seen what was written, and behind it nothing was done yet that could order anything. That holds as long as devices
//! make weak accesses alone: by strong ones of the system's scope host and device may meet (PTX §8.7). Who reads what the host writes sees that by its own checks.

use super::alone::is_alone;
use host::decode::Operand;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// So many accesses are followed between two waits, behind so many of them memory is looked at again, for so long.
const FOLLOWED: usize = 16;
const LOOKS: usize = 4;
const LOOK: Duration = Duration::from_micros(200);
/// Changes that are kept until the host calls the driver.
const CHANGES: usize = 64;

/// Is memory to be looked at again, rather than accesses noted?
static WANTED: AtomicBool = AtomicBool::new(false);
static DOUBTED: AtomicBool = AtomicBool::new(false);

/// A change of memory behind an access of the host's instruction at `at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) writes: bool,
    pub(crate) at: u64,
    /// What was there, and what there was a moment later.
    pub(crate) was: u64,
    pub(crate) is: u64,
}

/// Memory is looked at again behind the host's accesses.
pub(crate) fn looks_again() {
    WANTED.store(true, Ordering::Relaxed);
}

pub(super) fn is_wanted() -> bool {
    WANTED.load(Ordering::Relaxed)
}

/// Somebody may change what the host accesses in an order that nobody sees here: a kernel with strong accesses of the system's scope,
/// the driver on behalf of the program, another process. It is not looked at again from now on.
pub(crate) fn doubts() {
    DOUBTED.store(true, Ordering::Relaxed);
}

pub(super) fn is_doubted() -> bool {
    DOUBTED.load(Ordering::Relaxed) || has_network()
}

/// May other devices on the bus write to the program's memory?
fn has_network() -> bool {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    // SAFETY: a C string; a library that is loaded already is not initialised again.
    let found = || unsafe { libc::dlopen(c"libibverbs.so.1".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    *KNOWN.get_or_init(|| !found().is_null())
}

/// What is looked at between two waits, and what was seen.
#[derive(Debug, Default)]
pub(super) struct Again {
    changes: Vec<Changed>,
    followed: usize,
    looked: usize,
}

impl Again {
    /// Handlers allocate nothing.
    pub(super) fn make_room(&mut self) {
        self.changes.reserve(CHANGES.saturating_sub(self.changes.len()));
    }

    /// The host has waited.
    pub(super) fn begin(&mut self) {
        (self.followed, self.looked) = (0, 0);
    }

    /// Is one more access followed?
    pub(super) fn follows(&mut self) -> bool {
        self.followed += 1;
        self.followed <= FOLLOWED
    }

    /// Is memory looked at behind one more?
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

/// Looks for a while whether what an instruction has just accessed changes. Its pages are accessible meanwhile.
pub(super) fn look(operand: Operand, at: u64) -> Option<Changed> {
    let Operand { address, bytes, writes, .. } = operand;
    let size = bytes.min(8);
    if !size.is_power_of_two() || !address.is_multiple_of(size) || !is_alone() {
        return None;
    }
    let value = || {
        let place = std::ptr::with_exposed_provenance::<u8>(address as usize);
        // SAFETY: the instruction has accessed these bytes, which are aligned, and accessible until its pages are closed again.
        unsafe {
            match size {
                1 => u64::from(place.read_volatile()),
                2 => u64::from(place.cast::<u16>().read_volatile()),
                4 => u64::from(place.cast::<u32>().read_volatile()),
                _ => place.cast::<u64>().read_volatile(),
            }
        }
    };
    // The program's own handlers come later.
    // SAFETY: all-zero is a value; the sets are filled in, and what was blocked before is so again.
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
        // A device needs no processor, and what stands for one does.
        std::thread::yield_now();
        is = value();
    }
    // SAFETY: as above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut()) };
    (is != was).then_some(Changed { address, bytes: size, writes, at, was, is })
}
