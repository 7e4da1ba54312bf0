//! Asynchronous copies: operations that are not in their thread's program order (PTX §8.9.1.1).
//!
//! A copy is a thread of its own. It begins with what its issuer knew, and its issuer follows it only where it
//! waits for it. What a copy publishes are its own accesses, not those before it; the completion of a bulk copy
//! is a fence of the async proxy for them.

use crate::known::{Known, ProxyFence};
use crate::meetings::Copy;
use crate::memory::Memory;
use crate::path::Proxy;
use crate::thread::ThreadId;
use clocks::Shared;
use events::access::Warp;
use events::{AsyncOpId, LaneMask};

impl Memory {
    /// Begins a copy by a thread. Its accesses are [`Memory::read`] and [`Memory::write`] by the thread that
    /// [`Memory::copy`] returns.
    pub fn begin_copy(&mut self, op: AsyncOpId, issuer: ThreadId, proxy: events::Proxy) {
        let begun = self.meetings.copies.begun.entry(issuer).or_default();
        let thread = issuer.copy(*begun);
        *begun += 1;
        let issuing = self.threads.get(issuer);
        let (known, past) = (issuing.publish(), issuing.whole_past());
        let copy = self.threads.get(thread);
        copy.publish();
        (copy.known, copy.past) = (known, past);
        self.meetings.copies.running.insert(op, Copy { thread, proxy });
    }

    /// Returns the thread that performs a copy; `None` if the copy has not begun here.
    pub fn copy(&self, op: AsyncOpId) -> Option<ThreadId> {
        self.meetings.copies.running.get(&op).map(|copy| copy.thread)
    }

    /// Returns what the completion of a copy publishes: its own accesses, and what precedes them in every
    /// interleaving.
    pub(crate) fn completed(&mut self, op: AsyncOpId) -> Option<(Known, Shared)> {
        let Copy { thread: id, proxy } = *self.meetings.copies.running.get(&op)?;
        let thread = self.threads.get(id);
        let mut own = Known::default();
        own.raise(id.block, id.thread, thread.now);
        thread.publish();
        if proxy != events::Proxy::Generic {
            let accesses = own.clone();
            for shared in [false, true] {
                own.fence(&accesses, ProxyFence::Of(Proxy::of(proxy, shared)), id.block);
            }
        }
        Some((own, thread.whole_past()))
    }

    pub(crate) fn end_copy(&mut self, op: AsyncOpId) {
        self.meetings.copies.running.remove(&op);
    }

    /// Receives that each of some lanes has waited for one of its own copies for each of `ops`.
    pub(crate) fn waited(&mut self, warp: Warp, lanes: LaneMask, ops: &[AsyncOpId], reads_only: bool) {
        for thread in crate::sync::lanes(warp, lanes) {
            for op in ops.iter().map(|op| op.of_lane(lanes, thread.thread % 32)) {
                // A wait for the reads alone orders no write.
                if let Some((own, past)) = self.completed(op).filter(|_| !reads_only) {
                    let thread = self.threads.get(thread);
                    thread.known.join(&own);
                    thread.past.join(&past);
                    self.end_copy(op);
                }
            }
        }
    }
}
