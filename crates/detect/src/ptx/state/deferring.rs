//! Which reads of shared memory are put off, and what ends that: see [`crate::ptx::deferred`].

use super::LaunchState;
use crate::ptx::class::AccessClass;
use crate::ptx::deferred::Deferred;
use events::{Access, BarrierId, BarrierMembers, Dim3, Space, Sync};

impl LaunchState {
    /// Puts a weak read of its block's shared memory by the generic proxy off until somebody writes there. False if the access
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
        let may =
            own && plain && !class.writes() && self.order.simple && self.launch.info.cluster == Dim3::ONE;
        // Made by its first access: what follows a write is judged at once, whoever has been heard of before.
        let state = self.block(block);
        // A damaged trace may tell of warps that the launch has not.
        if may && usize::from(access.warp.warp.0) < state.warps.len() && state.deferred.note(access) {
            return true;
        }
        if let Some(reads) = state.deferred.stop() {
            self.judge_all(block, reads);
        }
        if let Space::Shared(owner) = access.space
            && !own
        {
            self.catch_up(owner.0);
        }
        false
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
        if let Some(reads) = self.blocks.get_mut(&block).and_then(|state| state.deferred.stop()) {
            self.judge_all(block, reads);
        }
    }

    #[inline(never)]
    fn judge_all(&mut self, block: u32, reads: Deferred) {
        reads.each(|read| self.judge(read, AccessClass::of(read, self.volatile_strong)));
        if let Some(state) = self.blocks.get_mut(&block) {
            state.deferred.reuse(reads);
        }
    }
}

/// Do all threads of its block go on with the ticks that they have?
fn keeps_ticks(sync: &Sync<'_>) -> bool {
    match sync {
        Sync::BarrierArrive { id, waits, .. } => *waits && matches!(id, BarrierId::Cta(_)),
        Sync::Rendezvous { .. }
        | Sync::Converge { .. }
        | Sync::Exit { .. }
        | Sync::BlockStart { .. }
        | Sync::BlockEnd { .. } => true,
        _ => false,
    }
}
