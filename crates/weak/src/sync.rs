//! Fences and barriers.

use crate::known::ProxyFence;
use crate::meetings::Published;
use crate::memory::Memory;
use crate::message::{Heads, Reach};
use crate::stronger::Stronger;
use crate::thread::ThreadId;
use events::access::Warp;
use events::{Access, AsyncOpId, BarrierId, BlockId, LaneMask, Scope, Sem, Sync};

pub(crate) fn lanes(warp: Warp, mask: LaneMask) -> impl Iterator<Item = ThreadId> {
    let first = u32::from(warp.warp.0) * 32;
    (0..32)
        .filter(move |lane| mask >> lane & 1 != 0)
        .map(move |lane| ThreadId { block: warp.block.0, thread: first + lane })
}

impl Memory {
    /// Returns the kind of a synchronisation whose order the memory does not model; copies that began here
    /// are modelled.
    pub(crate) fn stronger_of(&self, sync: &Sync<'_>) -> Option<Stronger> {
        let known = |ops: &[AsyncOpId]| ops.iter().all(|&op| self.copy(op).is_some());
        match *sync {
            Sync::AsyncWaited { ops, together: false, .. } if known(ops) => None,
            Sync::AsyncArrive { ops, .. } if known(ops) => None,
            Sync::MbarrierCompleteTx { op, .. } if known(&[op]) => None,
            _ => Stronger::of_sync(sync),
        }
    }

    /// Receives a synchronisation.
    pub fn sync(&mut self, sync: &Sync<'_>) {
        if let Some(why) = self.stronger_of(sync) {
            return self.floor(why);
        }
        match *sync {
            Sync::Fence { warp, lanes: mask, sem, scope, .. } => {
                lanes(warp, mask).for_each(|thread| self.fence(thread, sem, scope));
            }
            Sync::ProxyFence { warp, lanes: mask, proxy, space, .. } => {
                for fence in ProxyFence::of(proxy, space) {
                    lanes(warp, mask).for_each(|thread| self.proxy_fence(thread, fence));
                }
            }
            Sync::BarrierArrive { warp, id, lanes: mask, waits, sem, .. } => {
                let block = barrier_block(id, warp.block);
                for thread in lanes(warp, mask) {
                    let published = self.published(thread);
                    let generation = self.meetings.barriers.entry((id, block)).or_default();
                    generation.arrived.join(&published, sem != Sem::Relaxed);
                    if waits {
                        generation.waiting.push(thread);
                    }
                }
            }
            Sync::BarrierComplete { block, id, .. } => {
                let key = (id, barrier_block(id, block));
                let Some(generation) = self.meetings.barriers.remove(&key) else { return };
                if matches!(id, BarrierId::Cluster(_)) {
                    self.meetings.clusters.join(&generation.arrived, true);
                }
                for thread in generation.waiting {
                    self.receive(thread, &generation.arrived);
                }
            }
            Sync::ClusterWait { warp, lanes: mask, .. } => {
                let arrived = self.meetings.clusters.clone();
                lanes(warp, mask).for_each(|thread| self.receive(thread, &arrived));
            }
            Sync::WarpSync { warp, lanes: mask, .. } => {
                let mut arrived = Published::default();
                lanes(warp, mask).for_each(|thread| arrived.join(&self.published(thread), true));
                lanes(warp, mask).for_each(|thread| self.receive(thread, &arrived));
            }
            _ => self.sync_object(sync),
        }
    }

    /// Receives an access that the engine performed by other means than [`Memory::read`], [`Memory::write`]
    /// and [`Memory::update`].
    pub fn foreign(&mut self, access: &Access<'_>) {
        if access.kind.writes() {
            self.floor(Stronger::of_access(access));
        }
    }

    fn fence(&mut self, thread: ThreadId, sem: Sem, scope: Scope) {
        let reach = self.reach(scope);
        if sem.acquires() && self.late.iter().any(|late| late.read.is_some() && late.view.id == thread) {
            self.foresee(thread, reach);
        }
        let thread = self.threads.get(thread);
        if sem.acquires() {
            thread.received.acquire(reach, &mut thread.known);
        }
        if sem == Sem::Sc {
            // Two fences are morally strong if each one's scope includes the other's thread (PTX §8.9.3).
            let near = self.meetings.block_fences.entry(thread.id.block).or_default();
            thread.known.join(near);
            if reach == Reach::Launch {
                thread.known.join(&self.meetings.launch_fences);
            }
        }
        if sem.acquires() {
            let whole = thread.whole();
            self.late.iter_mut().for_each(|late| late.pass(thread.id, reach, &whole));
        }
        if !sem.releases() {
            return;
        }
        let clock = thread.publish();
        thread.released.release(&clock, reach);
        let mut heads = Heads::default();
        heads.release(&clock, reach);
        self.meetings.released.add(thread.id.block, &heads);
        if sem == Sem::Sc {
            let near = self.meetings.block_fences.entry(thread.id.block).or_default();
            near.join(&clock);
            if reach == Reach::Launch {
                self.meetings.launch_fences.join(&clock);
            }
        }
    }

    pub fn proxy_fence(&mut self, thread: ThreadId, fence: ProxyFence) {
        let thread = self.threads.get(thread);
        let whole = thread.publish();
        thread.known.fence(&whole, fence, thread.id.block);
    }

    fn published(&mut self, thread: ThreadId) -> Published {
        let thread = self.threads.get(thread);
        Published { known: thread.publish(), past: thread.whole_past() }
    }

    fn receive(&mut self, thread: ThreadId, published: &Published) {
        let thread = self.threads.get(thread);
        thread.known.join(&published.known);
        thread.past.join(&published.past);
    }
}

/// Returns the block that identifies a barrier: a cluster's barrier is one for all of its blocks.
fn barrier_block(id: BarrierId, block: BlockId) -> BlockId {
    match id {
        BarrierId::Cta(_) => block,
        BarrierId::Cluster(first) => first,
    }
}
