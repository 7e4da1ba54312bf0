//! Memory that host and device share, while kernels or copies may use it: what the host's own instructions do there.
//!
//! Pages are made inaccessible from a launch that was given them until the host knows of its end, so that an instruction of the host
//! which touches them faults. The handler finds out what it accesses, notes that with what the host knew of launches at that moment, and lets this one
//! instruction through. Whether a kernel has accessed the same is looked up when the host has waited ([`crate::state`]).
//!
//! Devices do not mind. Of managed memory that was seen with driver 580 (CUDA 13.0, an H100); with older ones it is not watched, since a driver that asks for the
//! host's rights would end kernels. What the driver itself does with such memory opens it again, and so does whatever cannot be followed: that loses
//! accesses, and invents none.
//!
//! For engine `collide`, which has no table, memory is looked at again behind an access ([`again`]).
//!
//! The handlers ([`host::steps`]) take this module's lock alone, which nobody holds while touching the program's memory.

mod again;
mod alone;
#[cfg(not(test))]
mod system;
mod whose;

pub(crate) use again::{Changed, doubts, looks_again};

use again::Again;
use host::decode::{Instruction, Operand};
use host::steps::{Fault, Further, PAGE, Watcher};
use instrument::guard::launches::Before;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use whose::{Code, code};

/// So many accesses are followed between two waits, and in all: who makes more is not to wait for it.
const MOST: usize = 256;
const MOST_TOGETHER: u32 = 20_000;
/// Protecting takes at most one of so many parts of the time, beside a while at the beginning.
const SHARE: u32 = 20;
const BEGINNING: Duration = Duration::from_millis(50);
/// The first version of CUDA whose driver was seen to leave the host's rights to managed memory to the host.
const MANAGED_SINCE: c_int = 13000;

/// What the host's instruction at `at` has accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) writes: bool,
    pub(crate) at: u64,
    /// Which launches are ordered before it, and which there were.
    pub(crate) before: Before,
    pub(crate) so_far: Before,
}

#[derive(Clone, Copy, Debug)]
struct Shared {
    end: u64,
    managed: bool,
    /// A variable, which kernels need not be given.
    named: bool,
    /// Inaccessible until the host knows of these launches.
    until: Option<Before>,
}

#[derive(Debug, Default)]
struct Watch {
    shared: BTreeMap<u64, Shared>,
    seen: Vec<Seen>,
    again: Again,
    host: Before,
    so_far: Before,
    /// No more is followed until the host has waited.
    full: bool,
    faults: u32,
    spent: Duration,
    begun: Option<Instant>,
}

static WATCH: Mutex<Option<Watch>> = Mutex::new(None);
/// Is there memory that may be watched, and is any watched?
static SHARED: AtomicBool = AtomicBool::new(false);
static ACTIVE: AtomicBool = AtomicBool::new(false);
fn lock() -> MutexGuard<'static, Option<Watch>> {
    WATCH.lock().unwrap_or_else(PoisonError::into_inner)
}

fn protect(base: u64, end: u64, protection: c_int) -> bool {
    let first = base & !(PAGE - 1);
    // SAFETY: pages of memory that the driver gave the program, in which no Rust object lives.
    unsafe { libc::mprotect(first as *mut _, (end.next_multiple_of(PAGE) - first) as usize, protection) == 0 }
}

const OPEN: c_int = libc::PROT_READ | libc::PROT_WRITE;

/// Is that the program's code, or a library's that is no part of this, the driver or the system?
pub(crate) fn is_program(address: u64) -> bool {
    code(address) == Code::Program
}

/// Is there anything that could be watched?
pub(crate) fn has_shared() -> bool {
    SHARED.load(Ordering::Relaxed)
}

/// Is anything watched, or noted?
pub(crate) fn is_active() -> bool {
    ACTIVE.load(Ordering::Acquire)
}

/// There is memory that host and device access.
pub(crate) fn allocated(base: u64, bytes: u64, managed: bool, named: bool) {
    let mut watch = lock();
    let watch = watch.get_or_insert_default();
    let end = base.saturating_add(bytes);
    watch.shared.insert(base, Shared { end, managed, named, until: None });
    SHARED.store(true, Ordering::Relaxed);
}

/// There no longer is.
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

/// All of it is gone.
pub(crate) fn forget() {
    if let Some(watch) = lock().as_mut() {
        watch.open_all();
        watch.shared.clear();
        watch.seen.clear();
    }
}

/// This is the child of a fork, where that memory is not.
pub(crate) fn forked() {
    if let Ok(mut watch) = WATCH.try_lock() {
        *watch = None;
    }
    SHARED.store(false, Ordering::Relaxed);
    ACTIVE.store(false, Ordering::Release);
}

/// May managed memory be watched?
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

/// Something was launched that was given these words, any of which may be an address, or that accesses memory there itself; `kernel` if it may
/// follow addresses in memory.
pub(crate) fn flies(words: &[u64], kernel: bool, host: Before, so_far: Before) {
    if again::is_wanted() && again::is_doubted() {
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
            // Again even if it was: pages may have been opened.
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

/// What the host knows now.
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

/// What the host has accessed: it stays as long as launches may access the same that it did not know of.
pub(crate) fn taken() -> Vec<Seen> {
    let mut watch = lock();
    let Some(watch) = watch.as_mut() else { return Vec::new() };
    let seen = watch.seen.clone();
    let host = watch.host;
    watch.seen.retain(|seen| !host.covers(&seen.so_far));
    seen
}

/// Changes that were seen, once.
pub(crate) fn changes() -> Vec<Changed> {
    lock().as_mut().map(|watch| watch.again.taken()).unwrap_or_default()
}

/// Opens what is watched of a buffer that a function of the C library is to have the system access.
fn exposed(_: &str, address: u64, bytes: u64, _: bool) {
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
    /// The memory that has an address in its pages.
    fn find(&self, address: u64) -> Option<u64> {
        let (page, mut found) = (address & !(PAGE - 1), None);
        for (&base, shared) in self.shared.range(..page.saturating_add(PAGE)).rev() {
            // What begins in the page may have others before it there.
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

    /// The memory that has an address in its pages, if these are inaccessible; otherwise what a fault there is.
    fn is_watched(&self, address: u64) -> Result<u64, Further> {
        let base = self.find(address).ok_or(Further::Foreign)?;
        match self.shared[&base].until {
            Some(_) => Ok(base),
            // It was opened meanwhile.
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

    /// Is memory to be looked at again behind this access?
    fn may_look(&mut self) -> bool {
        let begun = *self.begun.get_or_insert_with(Instant::now);
        self.spent < BEGINNING + begun.elapsed() / SHARE && self.again.takes()
    }

    /// Notes an access; false if that was too many.
    fn note(&mut self, operand: Operand, at: u64) -> bool {
        self.faults += 1;
        if again::is_wanted() {
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

/// The host's own memory that work in flight may use.
struct Watched;

impl Watcher for Watched {
    fn fault(address: u64, frame: &mut libc::ucontext_t) -> Fault {
        let registers = host::decode::registers(frame);
        // What a function of the C library does its caller does: the fast ones have nothing on the stack but where they return to.
        let mut at = registers.rip;
        let mut of = code(at);
        if of == Code::Library {
            let stack = registers.general[4];
            // SAFETY: the stack of the thread that was interrupted. The call ends where it returns to, which may be
            // another line's first instruction.
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
                // All of it at once; one step is one element.
                let count = if op.repeated { registers.general[1] } else { 1 };
                let bytes = count.saturating_mul(op.size);
                const BACKWARD: i64 = 0x400;
                if frame.uc_mcontext.gregs[libc::REG_EFL as usize] & BACKWARD == 0 && bytes > 0 {
                    let [to, from] = [registers.general[7], registers.general[6]];
                    watch.note(Operand { address: to, bytes, reads: false, writes: true }, at);
                    if op.copies {
                        watch.note(Operand { address: from, bytes, reads: true, writes: false }, at);
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
        // The lock is not held while others are waited for.
        if again::is_wanted() && lock().as_mut().is_some_and(Watch::may_look) {
            let begun = Instant::now();
            let changed = again::look(operand, at);
            if let Some(watch) = lock().as_mut() {
                watch.spent += begun.elapsed();
                watch.again.note(changed);
            }
        }
        if let Some(watch) = lock().as_ref() {
            for &page in pages {
                // Unless it was opened meanwhile.
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

    /// One test: what is watched is the process's.
    #[test]
    fn the_hosts_own_accesses_are_seen_as_long_as_kernels_may_run() {
        let bytes = 4 * PAGE as usize;
        // SAFETY: a new mapping, which only this test knows.
        let memory = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            libc::mmap(std::ptr::null_mut(), bytes, OPEN, flags, -1, 0)
        };
        let (at, words) = (memory as u64, memory.cast::<u32>());
        allocated(at, bytes as u64, false, false);
        // A kernel that is given something else.
        flies(&[at - 8, at + bytes as u64], true, after(0), after(1));
        assert!(has_shared() && !is_active());
        // One whose argument is inside.
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
        // They stay: the kernel may access the same yet.
        assert_eq!(taken().len(), 4);
        // What the system is to access is accessible, and so is all that the host has waited for.
        let into = c"/dev/zero".as_ptr();
        // SAFETY: inside the mapping; the file is closed by the end of the process.
        let read = |place: usize| unsafe {
            libc::read(libc::open(into, libc::O_RDONLY), words.add(place).cast(), 4)
        };
        assert_eq!(read(8), -1);
        exposed("read", at + 32, 4, true);
        assert_eq!(read(8), 4);
        flies(&[at], true, after(1), after(3));
        assert_eq!(read(8), -1);
        learned(after(3), after(3));
        assert_eq!((read(8), taken().len(), taken().len()), (4, 4, 0));
        learned(after(3), after(3));
        assert!(!is_active());
        // What is freed while it is watched is given back as it was.
        flies(&[at], true, after(3), after(4));
        freed(at);
        assert_eq!(read(8), 4);
    }
}
