//! Which accesses of shared memory are put off, and what ends that: see [`crate::ptx::deferral`].

use super::LaunchState;
use crate::ptx::access::class::AccessClass;
use crate::ptx::clues::Clues;
use crate::ptx::deferral::{Deferred, Ticks};
use crate::ptx::order::knowledge::BlockState;
use clocks::Tick;
use events::{Access, BarrierId, BarrierMembers, Space, Sync};

impl LaunchState {
    /// Puts an access of its block's shared memory by the generic proxy off until it may race with something. False if the access
    /// has to be judged now; then nothing is put off any more that it may meet.
    #[inline]
    pub(super) fn defer(&mut self, access: &Access<'_>, class: AccessClass) -> bool {
        let (block, plain) = (access.warp.block.0, class.is_plain());
        if !self.launch.shortcuts.deferral || self.bound.is_some() && self.is_stopped() {
            return false;
        }
        if access.space == Space::Global {
            if !plain {
                // Its warp may begin a tick.
                self.catch_up(block);
            }
            return false;
        }
        let own = access.space == Space::Shared(access.warp.block);
        // An access that meets a copy under way is never deferred.
        let may = own && self.by_intervals && !self.launch.info.uses.asynchronous;
        // Made by its first access: what follows a write is judged at once, whoever has been heard of before.
        let threads = self.launch.threads();
        let state = self.blocks.get_or(block, || BlockState::new(threads));
        // A damaged trace may tell of warps that the launch has not.
        if may && let Some(known) = state.warps.get(usize::from(access.warp.warp.0)) {
            let ticks = (known.tick, known.mates);
            let noted = match (plain, class.writes()) {
                (true, false) => state.deferred.note(access, ticks, &mut self.spare),
                (true, true) => state.deferred.note_write(access, ticks, &mut self.spare),
                _ => state.deferred.note_strong(access, class, ticks),
            };
            if noted {
                self.remembered(access, 0);
                let state = self.blocks.get_or(block, || BlockState::new(threads));
                if !plain && self.launch.info.uses.fences_or_strong {
                    match self.clues.hear(Clues::keep_time) {
                        Some(when) => state.deferred.later(when),
                        None => {
                            self.clues.hear(|clues| state.deferred.tell(block, clues));
                            self.tells(access, class, ticks.0);
                        }
                    }
                }
                return true;
            }
        }
        self.catch_up(block);
        if let Space::Shared(owner) = access.space
            && !own
        {
            self.catch_up(owner.0);
        }
        false
    }

    /// Records clues of a deferred relaxed operation about flags and locks.
    fn tells(&mut self, access: &Access<'_>, class: AccessClass, tick: Tick) {
        let (block, warp) = (access.warp.block.0, access.warp.warp.0);
        self.clues.hear(|clues| clues.before(access, class, tick));
        let proved = |lock| self.launch.sink.is_lock(self.launch.task, lock);
        if class.writes() && self.clues.hear(|clues| clues.after(access, class, tick, proved)) {
            self.catch_up(block);
            self.block(block).advance(warp);
            self.order.ticks();
        }
    }

    /// Something but an access is about to happen.
    #[inline]
    pub(super) fn before(&mut self, sync: &Sync<'_>) {
        let block = sync.place().1.0;
        let whole = matches!(
            sync,
            Sync::BarrierComplete { id: BarrierId::Cta(_), members: BarrierMembers::WholeBlock, .. }
        );
        // Deferred accesses are ordered before all behind a barrier of the whole block. What a warp's lanes knew of
        // each other at an access is kept with it.
        if !whole && !keeps_ticks(sync) && !self.is_of_whole_warp(sync) {
            self.catch_up(block);
        }
    }

    /// Returns whether it tells a warp's lanes, which all know the same, of each other, and nothing else.
    fn is_of_whole_warp(&self, sync: &Sync<'_>) -> bool {
        let Sync::WarpSync { warp, lanes, .. } = *sync else { return false };
        let block = self.blocks.get(warp.block.0);
        let known = block.and_then(|block| block.warps.get(usize::from(warp.warp.0)));
        known.is_some_and(|known| lanes & known.full == known.full && known.uniform())
    }

    /// Judges what was put off of a block, whose threads know what they knew, but for what their warps have told them since.
    #[inline]
    fn catch_up(&mut self, block: u32) {
        let Some(state) = self.blocks.get_mut(block) else { return };
        match state.deferred.stop() {
            Some(noted) => self.judge_all(block, noted),
            None if state.deferred.has_setters() => {
                self.clues.hear(|clues| state.deferred.tell(block, clues))
            }
            None => {}
        }
    }

    #[inline(never)]
    fn judge_all(&mut self, block: u32, noted: Deferred) {
        self.clues.hear(|clues| noted.tell(block, clues));
        self.told = true;
        noted.each(|access, ticks| {
            let now = self.be_at(access, ticks);
            self.judge(access, AccessClass::of(access, self.volatile_strong));
            self.be_at(access, now);
        });
        self.told = false;
        if let Some(state) = self.blocks.get_mut(block) {
            state.deferred.reuse(noted);
        }
    }

    /// Puts the warp of an access at some ticks, and returns those at which it was.
    fn be_at(&mut self, access: &Access<'_>, ticks: Ticks) -> Ticks {
        let warp = usize::from(access.warp.warp.0);
        let block = self.blocks.get_mut(access.warp.block.0);
        let Some(known) = block.and_then(|block| block.warps.get_mut(warp)) else { return ticks };
        let now = (known.tick, known.mates);
        (known.tick, known.mates) = ticks;
        now
    }
}

/// Returns whether all threads of its block go on with the ticks that they have.
fn keeps_ticks(sync: &Sync<'_>) -> bool {
    match sync {
        Sync::BarrierArrive { id, waits, .. } => *waits && matches!(id, BarrierId::Cta(_)),
        Sync::Rendezvous { .. } | Sync::Misuse { .. } | Sync::BlockStart { .. } | Sync::BlockEnd { .. } => {
            true
        }
        _ => false,
    }
}
