//! What the host's own instructions do with memory that host and device share.
//!
//! Their accesses are seen by [`watch`](crate::watch), which calls [`touched`] from its fault handler. What they have
//! written is found by comparing the memory with what the session knows of it, before each call that could let
//! kernels see it.

use super::Recorder;
use crate::{callers, tensor_maps, watch};
use host::decode::Operand;
use snapshot::session::{Step, Within};
use std::cell::Cell;
use std::collections::HashMap;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

/// Limits the shared memory that is compared at each call.
const MOST_BYTES: u64 = 64 << 20;
/// Limits how many accesses are recorded between two calls.
const MOST: usize = 512;
/// An access that equals one of so many before it is not recorded again.
const LAST: usize = 8;
/// Changed bytes with at most so many others between them are one record.
const GAP: usize = 16;

thread_local! {
    /// The function of the host that this thread is calling for the driver.
    static WITHIN: Cell<Option<(u64, u32)>> = const { Cell::new(None) };
}

/// An access by the host's instruction at `at`.
#[derive(PartialEq, Eq)]
struct Touched {
    address: u64,
    bytes: u64,
    write: bool,
    at: u64,
    thread: u32,
    within: Option<(u64, u32)>,
}

/// The accesses since the last call. The fault handler adds to it, so it never allocates.
static TOUCHED: Mutex<Vec<Touched>> = Mutex::new(Vec::new());

/// Sets the function that this thread is calling for the driver.
pub(super) fn within(function: Option<Within>) {
    WITHIN.set(function.map(|within| (within.function, within.call)));
}

/// Makes room for accesses. The fault handler calls [`touched`].
pub(super) fn make_room() {
    if let Ok(mut touched) = TOUCHED.lock() {
        let room = MOST - touched.len().min(MOST);
        touched.reserve(room);
    }
}

/// Records an access of the host by the instruction at `at`, in a fault handler, or by a system call.
pub(super) fn touched(operand: &Operand, at: Option<u64>) {
    if !super::is_on() {
        return;
    }
    let at = at.or_else(callers::innermost).unwrap_or_default();
    // No thread allocates or faults while it holds this lock.
    let Ok(mut all) = TOUCHED.lock() else { return };
    for (wanted, write) in [(operand.reads, false), (operand.writes, true)] {
        let &Operand { address, bytes, .. } = operand;
        let touched = Touched { address, bytes, write, at, thread: super::thread(), within: WITHIN.get() };
        // A loop that waits repeats its accesses.
        let repeats = all.iter().rev().take(LAST).any(|other| *other == touched);
        if wanted && !repeats && all.len() < all.capacity() {
            all.push(touched);
        }
    }
}

/// What the session knows of the contents of shared memory.
#[derive(Default)]
pub(super) struct Contents {
    known: HashMap<u64, Vec<u8>>,
}

impl Contents {
    pub(super) fn forget(&mut self, base: u64) {
        self.known.remove(&base);
    }
}

impl Recorder {
    /// Adds the accesses that were seen since the last call.
    pub(super) fn host_did(&mut self) -> io::Result<()> {
        make_room();
        if TOUCHED.lock().is_ok_and(|touched| touched.is_empty()) {
            return Ok(());
        }
        // The handler of another thread's fault never waits for an allocation.
        let mut room = Vec::with_capacity(MOST);
        if let Ok(mut touched) = TOUCHED.lock() {
            std::mem::swap(&mut *touched, &mut room);
        }
        if super::ALONE.load(Ordering::Relaxed) {
            watch::forget_seen();
        }
        for Touched { address, bytes, write, at, thread, within } in room {
            let described = |_: &[u64]| Some(host::lines::described(at, host::lines::object));
            let site = self.site(vec![at], |key| described(key).filter(|site| !site.frames.is_empty()))?;
            let within = within.map(|(function, call)| Within { function, call });
            self.add_of(thread, site, Step::HostAccess { address, bytes, write, within })?;
        }
        Ok(())
    }

    fn add_of(&mut self, thread: u32, site: Option<u32>, step: Step) -> io::Result<()> {
        let device = 0;
        let (api, bytes) = (String::new(), Vec::new());
        self.writer.call(&snapshot::session::Call { api, site, thread, device, step, bytes })
    }

    /// Adds what shared memory holds that the session does not know.
    pub(super) fn host_wrote(&mut self) -> io::Result<()> {
        self.changed(None)
    }

    /// Adds what shared memory holds that the session does not know, as written by a function of the host.
    pub(super) fn changed(&mut self, within: Option<Within>) -> io::Result<()> {
        let all = self.memory.shared();
        let bytes: u64 = all.iter().map(|(_, bytes)| bytes).sum();
        if bytes > MOST_BYTES {
            return self.lacks(format!(
                "what the host writes to its {} MiB of memory that kernels may access is not in the session",
                bytes >> 20
            ));
        }
        for (base, bytes) in all {
            let mut now = vec![0; bytes as usize];
            watch::peek(base, &mut now);
            tensor_maps::exchange(&mut now);
            let known = self.shared.known.entry(base).or_insert_with(|| vec![0; bytes as usize]);
            let changes = changes(known, &now);
            for (from, to) in changes {
                let step = Step::Contents { at: base + from as u64, within };
                self.add("", None, step, now[from..to].to_vec())?;
            }
            self.shared.known.insert(base, now);
        }
        Ok(())
    }
}

/// Returns the ranges in which two contents of one length differ.
fn changes(before: &[u8], now: &[u8]) -> Vec<(usize, usize)> {
    let mut out: Vec<(usize, usize)> = Vec::new();
    const BLOCK: usize = 4096;
    for (block, (old, new)) in before.chunks(BLOCK).zip(now.chunks(BLOCK)).enumerate() {
        if old == new {
            continue;
        }
        for (at, _) in old.iter().zip(new).enumerate().filter(|(_, (old, new))| old != new) {
            let at = block * BLOCK + at;
            match out.last_mut() {
                Some((_, end)) if at <= *end + GAP => *end = at + 1,
                _ => out.push((at, at + 1)),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_bytes_near_each_other_are_one_range() {
        let before = vec![0; 10_000];
        let mut now = before.clone();
        assert_eq!(changes(&before, &now), []);
        for at in [3, 5, 21, 5000, 9999] {
            now[at] = 1;
        }
        assert_eq!(changes(&before, &now), [(3, 22), (5000, 5001), (9999, 10_000)]);
    }
}
