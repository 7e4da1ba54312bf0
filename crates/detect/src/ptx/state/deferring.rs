//! Which accesses of shared memory are put off, and what ends that: see [`crate::ptx::deferred`].

use super::LaunchState;
use crate::ptx::class::AccessClass;
use crate::ptx::deferred::Deferred;
use events::{Access, BarrierId, BarrierMembers, Dim3, Space, Sync};

impl LaunchState {
    /// Puts an access of its block's shared memory by the generic proxy off until it may race with something. False if the access
    /// has to be judged now; then nothing is put off any more that it may meet.
    #[inline]
    pub(super) fn defer(&mut self, access: &Access<'_>, class: AccessClass) -> bool {
        let (block, plain) = (access.warp.block.0, class.is_plain());
        if self.bound.is_some() {
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
        let may = own && self.order.orderless && self.launch.info.cluster == Dim3::ONE;
        // Made by its first access: what follows a write is judged at once, whoever has been heard of before.
        let state = self.block(block);
        // A damaged trace may tell of warps that the launch has not.
        if may && usize::from(access.warp.warp.0) < state.warps.len() {
            if plain && !class.writes() && state.deferred.note(access) {
                return true;
            }
            if state.deferred.note_strong(access, class) {
                self.tells(access, class);
                return true;
            }
        }
        if let Some(noted) = state.deferred.stop() {
            self.judge_all(block, noted);
        }
        if let Space::Shared(owner) = access.space
            && !own
        {
            self.catch_up(owner.0);
        }
        false
    }

    /// What a relaxed operation that is put off tells of flags and locks.
    fn tells(&mut self, access: &Access<'_>, class: AccessClass) {
        if !self.launch.info.uses.fences_or_strong {
            return;
        }
        let (block, warp) = (access.warp.block.0, access.warp.warp.0);
        let Some(state) = self.blocks.get(&block) else { return };
        let Some(tick) = state.warps.get(usize::from(warp)).map(|own| own.tick) else { return };
        self.clues.hear(|clues| clues.before(state, access, class));
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
        // What was put off is ordered before all behind a barrier of the whole block.
        if !whole && !keeps_ticks(sync) {
            self.catch_up(block);
        }
    }

    /// Judges what was put off of a block, whose threads have the ticks that they had.
    #[inline]
    fn catch_up(&mut self, block: u32) {
        if let Some(noted) = self.blocks.get_mut(&block).and_then(|state| state.deferred.stop()) {
            self.judge_all(block, noted);
        }
    }

    #[inline(never)]
    fn judge_all(&mut self, block: u32, noted: Deferred) {
        self.told = true;
        noted.each(|access| self.judge(access, AccessClass::of(access, self.volatile_strong)));
        self.told = false;
        if let Some(state) = self.blocks.get_mut(&block) {
            state.deferred.reuse(noted);
        }
    }
}

/// Do all threads of its block go on with the ticks that they have?
fn keeps_ticks(sync: &Sync<'_>) -> bool {
    match sync {
        Sync::BarrierArrive { id, waits, .. } => *waits && matches!(id, BarrierId::Cta(_)),
        Sync::Rendezvous { .. } | Sync::BlockStart { .. } | Sync::BlockEnd { .. } => true,
        _ => false,
    }
}
