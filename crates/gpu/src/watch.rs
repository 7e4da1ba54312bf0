//! Observes the host's own accesses to memory that host and device share, while kernels or copies may use it.
//!
//! The pages of such memory are protected from a launch that may access it until the host is ordered after
//! the launch, so an instruction of the host that touches them faults. The signal handler decodes the access,
//! records it with the host's clock, and lets this one instruction through. Whether a kernel has accessed the
//! same memory is decided after the host has waited ([`crate::state`]).
//!
//! Devices ignore the protection. For managed memory this was observed with driver 580 (CUDA 13.0, an H100);
//! with older drivers managed memory is not watched, since a driver that checks the host's rights would end
//! kernels. Accesses by the driver itself, and all accesses that cannot be decoded, open the pages: that
//! loses accesses, and invents none.
//!
//! Engine `collide` has no table; for it, memory is read again after an access ([`reread`]).
//!
//! The handlers ([`host::steps`]) take this module's lock only, and no thread touches the program's memory
//! while it holds that lock.
//!
//! **Size:** one lock, with all that its handlers do under it.

mod code_origin;
mod reread;
mod single_thread;
#[cfg(not(test))]
mod system;

pub(crate) use reread::{Changed, doubts, looks_again};

use code_origin::{Code, code};
use host::decode::{Instruction, Operand};
use host::steps::{Fault, Further, PAGE, Watcher};
use instrument::guard::launches::Before;
use reread::Again;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Limits how many accesses are recorded between two waits, and how many faults are handled in all, so that a
/// program with many accesses is not slowed down.
const MOST: usize = 256;
const MOST_TOGETHER: u32 = 20_000;
/// Protecting pages takes at most one `SHARE`th of the time, apart from a grace period at the beginning.
const SHARE: u32 = 20;
const BEGINNING: Duration = Duration::from_millis(50);
/// The first CUDA version whose driver was observed to leave the protection of managed memory to the host.
const MANAGED_SINCE: c_int = 13000;

/// An access by the host's instruction at `at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) writes: bool,
    pub(crate) at: u64,
    /// The host's clock at the access, and the launches up to then.
    pub(crate) before: Before,
    pub(crate) so_far: Before,
}

#[derive(Clone, Copy, Debug)]
struct Shared {
    end: u64,
    managed: bool,
    /// Whether it is a variable, which kernels access without an argument.
    named: bool,
    /// If set, the pages are protected until the host's clock covers this one.
    until: Option<Before>,
}

#[derive(Debug, Default)]
struct Watch {
    shared: BTreeMap<u64, Shared>,
    seen: Vec<Seen>,
    again: Again,
    host: Before,
    so_far: Before,
    /// Whether the budget is used up until the host waits.
    full: bool,
    faults: u32,
    spent: Duration,
    begun: Option<Instant>,
}

static WATCH: Mutex<Option<Watch>> = Mutex::new(None);
/// Whether there is memory that may be watched, and whether any pages are protected or accesses recorded.
static SHARED: AtomicBool = AtomicBool::new(false);
static ACTIVE: AtomicBool = AtomicBool::new(false);
/// Receives each access with the address of its instruction; `None` if a system call of this thread has made it.
static RECEIVER: OnceLock<Receiver> = OnceLock::new();
type Receiver = fn(&Operand, Option<u64>);

fn lock() -> MutexGuard<'static, Option<Watch>> {
    WATCH.lock().unwrap_or_else(PoisonError::into_inner)
}

fn protect(base: u64, end: u64, protection: c_int) -> bool {
    let first = base & !(PAGE - 1);
    // SAFETY: these pages belong to memory that the driver gave the program, in which no Rust object lives.
    unsafe { libc::mprotect(first as *mut _, (end.next_multiple_of(PAGE) - first) as usize, protection) == 0 }
}

const OPEN: c_int = libc::PROT_READ | libc::PROT_WRITE;

/// Returns whether the code at an address belongs to the program or its libraries, rather than to this
/// library, the driver or the system.
pub(crate) fn is_program(address: u64) -> bool {
    code(address) == Code::Program
}

/// Returns whether there is memory that may be watched.
pub(crate) fn has_shared() -> bool {
    SHARED.load(Ordering::Relaxed)
}

/// Returns whether any pages are protected or accesses recorded.
pub(crate) fn is_active() -> bool {
    ACTIVE.load(Ordering::Acquire)
}

/// Records memory that host and device share.
pub(crate) fn allocated(base: u64, bytes: u64, managed: bool, named: bool) {
    let mut watch = lock();
    let watch = watch.get_or_insert_default();
    let end = base.saturating_add(bytes);
    watch.shared.insert(base, Shared { end, managed, named, until: None });
    SHARED.store(true, Ordering::Relaxed);
}

/// Forgets memory that is being freed, and opens its pages.
pub(crate) fn freed(base: u64) {
    if !has_shared() {
        return;
    }
    if let Some(watch) = lock().as_mut()
        && let Some(shared) = watch.shared.remove(&base)
        && shared.until.is_some()
    {
        protect(base, shared.end, OPEN);
    }
}

/// Opens and forgets all memory.
pub(crate) fn forget() {
    if let Some(watch) = lock().as_mut() {
        watch.open_all();
        watch.shared.clear();
        watch.seen.clear();
    }
}

/// Forgets all memory in the child of a fork, which does not have it.
pub(crate) fn forked() {
    if let Ok(mut watch) = WATCH.try_lock() {
        *watch = None;
    }
    SHARED.store(false, Ordering::Relaxed);
    ACTIVE.store(false, Ordering::Release);
}

/// Returns whether managed memory may be watched.
fn may_watch_managed() -> bool {
    type Version = unsafe extern "C" fn(*mut c_int) -> c_int;
    static KNOWN: OnceLock<bool> = OnceLock::new();
    *KNOWN.get_or_init(|| {
        let found = crate::driver::function(c"cuDriverGetVersion");
        let mut version = 0;
        // SAFETY: the driver's function of this name has this type, and writes the version.
        let code = (!found.is_null())
            .then(|| unsafe { std::mem::transmute::<*mut c_void, Version>(found)(&mut version) });
        code == Some(0) && version >= MANAGED_SINCE
    })
}

/// Returns whether any of these words is an address of memory that host and device share.
pub(crate) fn is_reached(words: &[u64]) -> bool {
    lock().as_ref().is_some_and(|watch| words.iter().any(|word| watch.find(*word).is_some()))
}

/// Protects memory that a launch may access. Each of `words` may be an address. `kernel` means that the
/// launch may also follow addresses in memory, unlike a copy.
pub(crate) fn flies(words: &[u64], kernel: bool, host: Before, so_far: Before) {
    if reread::is_wanted() && reread::is_doubted() {
        return;
    }
    let mut watch = lock();
    let Some(watch) = watch.as_mut() else { return };
    (watch.host, watch.so_far) = (host, so_far);
    let begun = *watch.begun.get_or_insert_with(Instant::now);
    if watch.full || watch.faults > MOST_TOGETHER || watch.spent > BEGINNING + begun.elapsed() / SHARE {
        return;
    }
    let mut bases: Vec<u64> = words.iter().filter_map(|word| watch.find(*word)).collect();
    let reached = bases.iter().any(|base| watch.shared[base].managed);
    let more = watch.shared.iter().filter(|(_, s)| kernel && s.managed && (reached || s.named));
    bases.extend(more.map(|(base, _)| *base));
    if bases.is_empty() {
        return;
    }
    host::steps::install::<Watched>();
    let now = Instant::now();
    for base in bases {
        if let Some(shared) = watch.shared.get_mut(&base)
            && (!shared.managed || may_watch_managed())
        {
            // Memory that was protected before is protected again, since single pages may have been opened.
            if protect(base, shared.end, libc::PROT_NONE) {
                shared.until = Some(so_far);
            }
        }
    }
    watch.spent += now.elapsed();
    watch.seen.reserve(MOST);
    watch.again.make_room();
    ACTIVE.store(true, Ordering::Release);
}

/// Updates the host's clock, and opens memory whose launches it covers.
pub(crate) fn learned(host: Before, so_far: Before) {
    let mut watch = lock();
    let Some(watch) = watch.as_mut() else { return };
    (watch.host, watch.so_far) = (host, so_far);
    let mut active = false;
    for (base, shared) in &mut watch.shared {
        match shared.until {
            Some(until) if host.covers(&until) => {
                protect(*base, shared.end, OPEN);
                shared.until = None;
            }
            until => active |= until.is_some(),
        }
    }
    if !active {
        watch.full = false;
        watch.again.begin();
    }
    ACTIVE.store(active || !watch.seen.is_empty() || watch.again.has_seen(), Ordering::Release);
}

/// Returns the recorded accesses. Those with which later accesses of launches in flight may still race stay
/// recorded.
pub(crate) fn taken() -> Vec<Seen> {
    let mut watch = lock();
    let Some(watch) = watch.as_mut() else { return Vec::new() };
    let seen = watch.seen.clone();
    let host = watch.host;
    watch.seen.retain(|seen| !host.covers(&seen.so_far));
    seen
}

/// Has a function receive each access, in the fault handler, and those of system calls behind them.
pub(crate) fn passes_on(to: Receiver) {
    let _ = RECEIVER.set(to);
}

fn pass_on(operand: &Operand, at: Option<u64>) {
    if let Some(receiver) = RECEIVER.get() {
        receiver(operand, at);
    }
}

/// Forgets the recorded accesses, which were passed on.
pub(crate) fn forget_seen() {
    if let Some(watch) = lock().as_mut() {
        watch.seen.clear();
    }
}

/// Reads memory that host and device share, without counting as an access.
pub(crate) fn peek(base: u64, into: &mut [u8]) {
    let watch = lock();
    let end = base + into.len() as u64;
    // Other memory in the same pages may be protected.
    let pages = |base: u64, end: u64| (base & !(PAGE - 1), end.next_multiple_of(PAGE));
    let (first, last) = pages(base, end);
    let meets = |(&base, shared): (&u64, &Shared)| {
        let (from, to) = pages(base, shared.end);
        shared.until.is_some() && from < last && first < to
    };
    let closed = watch.as_ref().is_some_and(|watch| watch.shared.iter().any(meets));
    if closed && !protect(base, end, OPEN) {
        return;
    }
    // SAFETY: memory of a live allocation, which is readable. Devices may write it meanwhile, so no reference to it
    // exists.
    unsafe { std::ptr::copy_nonoverlapping(base as *const u8, into.as_mut_ptr(), into.len()) };
    if closed {
        protect(base, end, libc::PROT_NONE);
    }
}

/// Returns the changes that were seen, and forgets them.
pub(crate) fn changes() -> Vec<Changed> {
    lock().as_mut().map(|watch| watch.again.taken()).unwrap_or_default()
}

/// Opens the watched parts of a buffer that a C library function passes to a system call.
fn exposed(address: u64, bytes: u64) {
    // A thread that waits for the lock makes a system call, too.
    outermost(|| open_all_in(address, bytes));
}

/// Passes on what a system call has transferred, if the memory may be watched.
fn transferred(address: u64, bytes: u64, writes: bool) {
    outermost(|| {
        let holds = |watch: &Watch| {
            let before = watch.shared.range(..=address).next_back();
            before.is_some_and(|(_, shared)| address < shared.end)
        };
        let shared = lock().as_ref().is_some_and(holds);
        if shared {
            pass_on(&Operand { address, bytes, reads: !writes, writes }, None);
        }
    });
}

/// Calls `what`, unless this thread is already in such a call.
fn outermost(what: impl FnOnce()) {
    thread_local! {
        static INSIDE: Cell<bool> = const { Cell::new(false) };
    }
    if !INSIDE.replace(true) {
        what();
        INSIDE.set(false);
    }
}

fn open_all_in(address: u64, bytes: u64) {
    if let Some(watch) = lock().as_mut() {
        let end = address.saturating_add(bytes);
        let hit: Vec<u64> = watch
            .shared
            .iter()
            .filter(|&(&base, shared)| base < end && address < shared.end)
            .map(|(base, _)| *base)
            .collect();
        hit.into_iter().for_each(|base| watch.open(base));
    }
}

impl Watch {
    /// Returns the base of the memory that occupies the page of an address.
    fn find(&self, address: u64) -> Option<u64> {
        let (page, mut found) = (address & !(PAGE - 1), None);
        for (&base, shared) in self.shared.range(..page.saturating_add(PAGE)).rev() {
            // Several pieces of memory may share the page in which one begins.
            if shared.end > page {
                match shared.until {
                    Some(_) => return Some(base),
                    None => found = found.or(Some(base)),
                }
            }
            if base <= page {
                break;
            }
        }
        found
    }

    /// Returns the base of the protected memory at an address, or the kind of the fault if the pages are not
    /// protected.
    fn is_watched(&self, address: u64) -> Result<u64, Further> {
        let base = self.find(address).ok_or(Further::Foreign)?;
        match self.shared[&base].until {
            Some(_) => Ok(base),
            // Another thread has opened the page meanwhile.
            None if protect(address, address + 1, OPEN) => Err(Further::Over),
            None => Err(Further::Foreign),
        }
    }

    fn open(&mut self, base: u64) {
        if let Some(shared) = self.shared.get_mut(&base)
            && shared.until.take().is_some()
        {
            protect(base, shared.end, OPEN);
        }
    }

    fn open_all(&mut self) {
        let all: Vec<u64> = self.shared.keys().copied().collect();
        all.into_iter().for_each(|base| self.open(base));
    }

    /// Returns whether memory is to be read again after this access.
    fn may_look(&mut self) -> bool {
        let begun = *self.begun.get_or_insert_with(Instant::now);
        self.spent < BEGINNING + begun.elapsed() / SHARE && self.again.takes()
    }

    /// Records an access; returns false if the budget is used up.
    fn note(&mut self, operand: Operand, at: u64) -> bool {
        self.faults += 1;
        if reread::is_wanted() {
            self.full |= !self.again.follows();
            return !self.full && self.faults <= MOST_TOGETHER;
        }
        for (wanted, writes) in [(operand.reads, false), (operand.writes, true)] {
            let Operand { address, bytes, .. } = operand;
            let (before, so_far) = (self.host, self.so_far);
            let seen = Seen { address, bytes, writes, at, before, so_far };
            if wanted && !self.seen.contains(&seen) {
                if self.seen.len() >= MOST {
                    self.full = true;
                    return false;
                }
                self.seen.push(seen);
            }
        }
        self.faults <= MOST_TOGETHER
    }
}

/// The watcher of the host's memory that work in flight may use.
struct Watched;

impl Watcher for Watched {
    fn fault(address: u64, frame: &mut libc::ucontext_t) -> Fault {
        let registers = host::decode::registers(frame);
        // An access in a C library function is attributed to its caller. The string functions concerned have
        // only their return address on the stack.
        let mut at = registers.rip;
        let mut of = code(at);
        if of == Code::Library {
            let stack = registers.general[4];
            // SAFETY: the stack of the interrupted thread. The return address minus one lies in the call; the
            // return address itself may belong to another source line.
            at = unsafe { (stack as *const u64).read() }.wrapping_sub(1);
            of = match code(at) {
                Code::Program => Code::Program,
                _ => Code::Other,
            };
        }
        let mut watch = lock();
        let Some(watch) = watch.as_mut() else { return Fault::Foreign };
        let base = match watch.is_watched(address) {
            Ok(base) => base,
            Err(Further::Over) => return Fault::Over,
            Err(_) => return Fault::Foreign,
        };
        let decoded = match of {
            Code::Program => host::decode::instruction(registers.rip, &registers),
            _ => None,
        };
        let operand = match decoded {
            Some(Instruction::Access(operand)) => operand,
            Some(Instruction::String(op)) => {
                // The whole repeated operation is recorded at once, since a single step would execute one
                // element.
                let count = if op.repeated { registers.general[1] } else { 1 };
                let bytes = count.saturating_mul(op.size);
                const BACKWARD: i64 = 0x400;
                if frame.uc_mcontext.gregs[libc::REG_EFL as usize] & BACKWARD == 0 && bytes > 0 {
                    let [to, from] = [registers.general[7], registers.general[6]];
                    let writes = Operand { address: to, bytes, reads: false, writes: true };
                    watch.note(writes, at);
                    pass_on(&writes, Some(at));
                    if op.copies {
                        let reads = Operand { address: from, bytes, reads: true, writes: false };
                        watch.note(reads, at);
                        pass_on(&reads, Some(at));
                    }
                }
                watch.open(base);
                return Fault::Over;
            }
            None => {
                watch.open(base);
                return Fault::Over;
            }
        };
        pass_on(&operand, Some(at));
        if !watch.note(operand, at) {
            watch.open_all();
            return Fault::Over;
        }
        match protect(address, address + 1, OPEN) {
            true => Fault::Step { operand, at },
            false => Fault::Foreign,
        }
    }

    fn further(address: u64, room: bool) -> Further {
        let mut watch = lock();
        let Some(watch) = watch.as_mut() else { return Further::Foreign };
        match watch.is_watched(address) {
            Err(other) => other,
            Ok(base) if !room => {
                watch.open(base);
                Further::Over
            }
            Ok(_) if protect(address, address + 1, OPEN) => Further::Opened,
            Ok(_) => Further::Foreign,
        }
    }

    fn stepped(pages: &[u64], operand: Operand, at: u64) {
        // The lock is released while this thread polls.
        if reread::is_wanted() && lock().as_mut().is_some_and(Watch::may_look) {
            let begun = Instant::now();
            let changed = reread::look(operand, at);
            if let Some(watch) = lock().as_mut() {
                watch.spent += begun.elapsed();
                watch.again.note(changed);
            }
        }
        if let Some(watch) = lock().as_ref() {
            for &page in pages {
                // Pages that were opened meanwhile stay open.
                if watch.find(page).is_some_and(|base| watch.shared[&base].until.is_some()) {
                    protect(page, page + 1, libc::PROT_NONE);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(number: u32) -> Before {
        let mut before = Before::default();
        before.numbers[0] = number;
        before
    }

    /// A thread that waited for the lock in a system call asked for it again, until its stack was full.
    #[test]
    fn system_calls_of_a_waiting_thread_open_nothing() {
        let mut calls = 0;
        outermost(|| {
            calls += 1;
            outermost(|| calls += 10);
        });
        assert_eq!(calls, 1);
        outermost(|| calls += 1);
        assert_eq!(calls, 2);
    }

    /// This is one test, since the watch is global to the process.
    #[test]
    fn the_hosts_own_accesses_are_seen_as_long_as_kernels_may_run() {
        let bytes = 4 * PAGE as usize;
        // SAFETY: a new mapping, to which only this test refers.
        let memory = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            libc::mmap(std::ptr::null_mut(), bytes, OPEN, flags, -1, 0)
        };
        let (at, words) = (memory as u64, memory.cast::<u32>());
        allocated(at, bytes as u64, false, false);
        // The kernel's arguments point outside the memory.
        flies(&[at - 8, at + bytes as u64], true, after(0), after(1));
        assert!(has_shared() && !is_active());
        // An argument points into the memory.
        flies(&[7, at + 400], true, after(1), after(2));
        assert!(is_active());
        // SAFETY: inside the mapping.
        let got = unsafe {
            words.add(3).write_volatile(5);
            words.add(1024).write_volatile(6);
            words.add(3).read_volatile() + words.add(1024).read_volatile()
        };
        assert_eq!(got, 11, "the instructions do what they did");
        let seen = taken();
        let short = |seen: &Seen| (seen.address - at, seen.bytes, seen.writes);
        let all: Vec<_> = seen.iter().map(short).collect();
        assert_eq!(all, [(12, 4, true), (4096, 4, true), (12, 4, false), (4096, 4, false)]);
        assert!(seen.iter().all(|seen| seen.before == after(1) && seen.so_far == after(2)));
        assert_eq!(code(seen[0].at), Code::Program);
        // The accesses stay recorded, since the kernel may still access the same memory.
        assert_eq!(taken().len(), 4);
        // Buffers of system calls are opened, and so is all memory whose launches the host has waited for.
        let into = c"/dev/zero".as_ptr();
        // SAFETY: inside the mapping; the file is closed by the end of the process.
        let read = |place: usize| unsafe {
            libc::read(libc::open(into, libc::O_RDONLY), words.add(place).cast(), 4)
        };
        assert_eq!(read(8), -1);
        exposed(at + 32, 4);
        assert_eq!(read(8), 4);
        // What the call has transferred is passed on, if it lies in shared memory.
        static PASSED: Mutex<Vec<(u64, u64, bool)>> = Mutex::new(Vec::new());
        passes_on(|operand, _| {
            let Operand { address, bytes, writes, .. } = *operand;
            PASSED.lock().unwrap().push((address, bytes, writes));
        });
        transferred(at + 32, 4, true);
        transferred(at + bytes as u64, 4, true);
        assert_eq!(*PASSED.lock().unwrap(), [(at + 32, 4, true)]);
        flies(&[at], true, after(1), after(3));
        assert_eq!(read(8), -1);
        learned(after(3), after(3));
        assert_eq!((read(8), taken().len(), taken().len()), (4, 4, 0));
        learned(after(3), after(3));
        assert!(!is_active());
        // Memory that is freed while it is protected gets its original protection back.
        flies(&[at], true, after(3), after(4));
        freed(at);
        assert_eq!(read(8), 4);
    }
}
