//! Programmatic dependent launch: what a kernel does before it waits for the kernel before it, and what that one
//! had released when it let the next begin.
//!
//! Source: PTX ISA §9.7.13, `griddepcontrol`, and the Programming Guide, "Programmatic Dependent Launch and
//! Synchronization"; see also `docs/assumptions.md`, H7. `griddepcontrol.wait` orders its thread, and whatever
//! comes after it by causality, behind the kernels waited for, and behind what those had waited for. That it was passed is one more thing that
//! threads know and tell each other ([`WAITED`]), so that one thread can wait for its whole block. What is done
//! without knowing it is kept apart, in a footprint of its own, since later accesses of the same threads would
//! take its place in the shadow.

use crate::ptx::access::entry::Entry;
use crate::ptx::access::touches::touches;
use crate::ptx::order::knowledge::{BlockState, WarpState};
use crate::ptx::tasks::{Pieces, Tasks};
use crate::shadow::lock;
use clocks::{Clock, Shared};
use events::{Access, LaneMask, Space, TaskId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The key under which clocks keep that the kernels before were waited for.
const WAITED: u32 = u32::MAX - 1;

/// Cells of a page.
const CELLS: u64 = 256;

/// One launch's part in programmatic dependent launches.
#[derive(Debug, Default)]
pub(crate) struct Early {
    /// Whether it may begin before the kernel before it has ended.
    overlaps: bool,
    /// Accesses before the wait, by page.
    pages: Mutex<FxHashMap<u64, Pieces>>,
    /// Blocks that have let the next kernel begin: the first time counts.
    triggered: Mutex<FxHashSet<u32>>,
    /// Knowledge that the threads that let it begin had released before.
    released: Mutex<Clock>,
    /// One block had waited for the kernels before it let the next begin.
    gates: AtomicBool,
    /// A thread has waited, so that the launch cannot end before the kernels waited for.
    waited: AtomicBool,
}

impl Early {
    pub(crate) fn new(overlaps: bool) -> Self {
        Early { overlaps, ..Early::default() }
    }

    /// Returns whether it may begin before the kernel before it has ended.
    pub(crate) fn overlaps(&self) -> bool {
        self.overlaps
    }

    /// Keeps what lanes do that do not know of any wait. Returns by how many bytes it grew, or none if it would
    /// have to and must not.
    pub(crate) fn access(
        &self,
        access: &Access<'_>,
        warp: &WarpState,
        new: Entry,
        may_grow: impl FnOnce() -> bool,
    ) -> Option<usize> {
        if !self.overlaps || access.space != Space::Global {
            return Some(0);
        }
        let mask = unaware(warp, access.mask);
        if mask == 0 {
            return Some(0);
        }
        if !may_grow() {
            return None;
        }
        let mut pages = lock(&self.pages);
        let mut grown = 0;
        for touch in touches(&Access { mask, ..*access }, true) {
            let page = pages.entry(touch.cell / CELLS).or_default();
            let before = page.bytes();
            let entry = Entry { lanes: touch.lanes, bytes: touch.bytes, ..new };
            page.entry((touch.cell % CELLS) as usize, &entry, &Clock::default());
            grown += page.thin(before);
        }
        Some(grown)
    }

    /// `griddepcontrol.wait` of some lanes.
    pub(crate) fn waited(&self, warp: &mut WarpState, lanes: LaneMask) {
        if self.overlaps {
            self.waited.store(true, Ordering::Relaxed);
            let mut mark = Clock::default();
            mark.block_mut(WAITED).raise_thread(0, 1);
            warp.learn(lanes, &Shared::from(mark));
        }
    }

    /// `griddepcontrol.launch_dependents` of some lanes. "Repeated invocations … have no additional side effects."
    ///
    /// Releases what was before each release fence of GPU scope that happens before the trigger: of the triggering lanes by
    /// program order, of others by a barrier between their fence and the trigger (`docs/assumptions.md`, H7).
    pub(crate) fn triggers(&self, block: u32, warp: &WarpState, lanes: LaneMask) {
        if !lock(&self.triggered).insert(block) {
            return;
        }
        if self.overlaps && unaware(warp, lanes) == 0 {
            self.gates.store(true, Ordering::Relaxed);
        }
        lock(&self.released).join(&warp.released(lanes));
    }

    /// A block that ends lets the next kernel begin, as far as it is concerned, and has waited if one of its threads has.
    pub(crate) fn block_ends(&self, block: u32, state: &BlockState) {
        if self.overlaps
            && lock(&self.triggered).insert(block)
            && state.warps.iter().any(|warp| unaware(warp, warp.full) != warp.full)
        {
            self.gates.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn released(&self) -> Clock {
        lock(&self.released).clone()
    }

    /// Returns whether a thread has waited for the kernels before, or none could have begun before they ended.
    pub(crate) fn has_waited(&self) -> bool {
        !self.overlaps || self.waited.load(Ordering::Relaxed)
    }

    /// Returns whether the kernels before it had ended before the next could begin.
    pub(crate) fn gates(&self) -> bool {
        !self.overlaps || self.gates.load(Ordering::Relaxed)
    }

    /// Compares what was done before the wait with what the kernels before did.
    pub(crate) fn sum_up(&self, task: TaskId, tasks: &Tasks) {
        for (number, pieces) in std::mem::take(&mut *lock(&self.pages)) {
            tasks.compare_before_wait(task, number, pieces.joined());
        }
    }

    /// Memory was freed or is new.
    pub(crate) fn forget(&self, base: u64, bytes: u64) {
        if !self.overlaps {
            return;
        }
        let end = base.saturating_add(bytes);
        for (number, pieces) in lock(&self.pages).iter_mut() {
            let start = number << 12;
            let within = |at: u64| at.saturating_sub(start).min(4096) as u16;
            if start < end && base < start + 4096 {
                pieces.forget(within(base), within(end));
            }
        }
    }
}

/// Those of the lanes that do not know of any wait.
fn unaware(warp: &WarpState, lanes: LaneMask) -> LaneMask {
    let waited = |lane: u8| warp.clock(lane).get().is_some_and(|clock| clock.block(WAITED).is_some());
    if warp.uniform() {
        return if waited(0) { 0 } else { lanes };
    }
    (0..32).filter(|&lane| lanes >> lane & 1 != 0 && !waited(lane)).fold(0, |mask, lane| mask | 1 << lane)
}
