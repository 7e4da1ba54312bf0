//! mbarrier objects: arrivals release, waits for a phase acquire what its arrivals and completed copies
//! released (PTX §9.7.14.15).

use crate::known::Known;
use crate::meetings::Object;
use crate::memory::Memory;
use crate::message::{Heads, Reach};
use crate::sync::lanes;
use crate::thread::ThreadId;
use events::sync::NO_PHASE;
use events::{AsyncOpId, Scope, Sem, Space, Sync};

impl Memory {
    /// Receives a synchronisation by an mbarrier object, or a wait for copies.
    pub(crate) fn sync_object(&mut self, sync: &Sync<'_>) {
        match *sync {
            Sync::MbarrierInit { space, address, .. } | Sync::MbarrierInval { space, address, .. } => {
                self.meetings.mbarriers.forget((space, address));
            }
            Sync::MbarrierArrive { warp, lane, space, address, phase, sem, scope, .. } => {
                for thread in lanes(warp, 1 << lane) {
                    self.mbarrier_arrive(thread, (space, address), phase, (sem, scope));
                }
            }
            Sync::MbarrierCompleteTx { space, address, phase, op, .. } => {
                self.mbarrier_complete((space, address), phase, op, true);
            }
            Sync::AsyncArrive { ops, space, address, phase, .. } => {
                ops.iter().for_each(|&op| self.mbarrier_complete((space, address), phase, op, false));
            }
            Sync::MbarrierWait { warp, lanes: mask, space, address, phase, sem, scope, .. } => {
                for thread in lanes(warp, mask) {
                    self.mbarrier_wait(thread, (space, address), phase, (sem, scope));
                }
            }
            Sync::AsyncWaited { warp, lanes: mask, ops, reads_only, .. } => {
                self.waited(warp, mask, ops, reads_only);
            }
            _ => {}
        }
    }

    pub(crate) fn mbarrier_arrive(
        &mut self,
        id: ThreadId,
        object: Object,
        phase: u64,
        (sem, scope): (Sem, Scope),
    ) {
        let reach = self.reach(scope);
        let thread = self.threads.get(id);
        // Earlier release fences form a pattern with a relaxed arrival, too (§8.8).
        let mut heads = thread.released.clone();
        if sem.releases() {
            heads.release(&thread.publish(), reach);
        }
        // A wait observes an arrival whose scope includes it.
        if reach == Reach::Block {
            heads.wide = Known::default();
        }
        let past = thread.whole_past();
        let phase = self.meetings.mbarriers.phase(object, phase);
        phase.message.add(id.block, &heads);
        phase.past.join(&past);
    }

    /// Receives that a copy has completed in a phase of an object, or that an arrival waits for it.
    pub(crate) fn mbarrier_complete(&mut self, object: Object, phase: u64, op: AsyncOpId, ends: bool) {
        let Some((own, past)) = self.completed(op) else { return };
        // The threads of the object's block need no wider scope to acquire what the copy has written there.
        let block = match object.0 {
            Space::Shared(block) => block.0,
            _ => 0,
        };
        let mut heads = Heads::default();
        heads.release(&own, self.reach(Scope::Cluster));
        let phase = self.meetings.mbarriers.phase(object, phase);
        phase.message.add(block, &heads);
        phase.past.join(&past);
        if ends {
            self.end_copy(op);
        }
    }

    pub(crate) fn mbarrier_wait(
        &mut self,
        id: ThreadId,
        object: Object,
        phase: u64,
        (sem, scope): (Sem, Scope),
    ) {
        if phase == NO_PHASE {
            return;
        }
        let reach = self.reach(scope);
        let phase = self.meetings.mbarriers.phase(object, phase);
        let (mut received, past) = (phase.message.received(id.block), phase.past.clone());
        if reach == Reach::Block {
            received.far = Known::default();
        }
        let thread = self.threads.get(id);
        if sem.acquires() {
            received.acquire(reach, &mut thread.known);
        }
        thread.received.join(&received);
        thread.past.join(&past);
    }
}
