//! Asynchronous copies under schedule `weak`: their reads and writes are those of a thread of [`weak::Memory`],
//! performed before the event that tells of their completion.

use super::Worker;
use super::copied::{Copied, Moved};
use super::data::{read, write};
use super::late::Weak;
use events::{BlockId, LaneMask, Observer, SiteId, Space, Strength, Sync};
use weak::{Next, Operation, Place, ThreadId};

impl<O: Observer> Worker<'_, O> {
    /// Lets the weak memory move the bytes of a copy, if there is one; returns whether it does.
    pub(super) fn copy_weakly(
        &mut self,
        (block, warp, lane): (BlockId, u16, usize),
        site: SiteId,
        moved: Moved,
    ) -> bool {
        let (Some(weak), Some(dst)) = (self.weak(), moved.dst) else { return false };
        let issuer = ThreadId { block: block.0, thread: u32::from(warp) * 32 + lane as u32 };
        let Moved { op, proxy, src, bytes, src_bytes, .. } = moved;
        weak.memory.begin_copy(op, issuer, proxy);
        weak.copies.push(Copied { op, issuer, site, proxy, dst, src, bytes, src_bytes });
        true
    }
}

impl Weak {
    /// Moves the bytes of copies that an event completes.
    pub(super) fn finish_copies(&mut self, sync: &Sync<'_>) {
        if self.copies.is_empty() {
            return;
        }
        match *sync {
            Sync::MbarrierCompleteTx { op, .. } => self.finish(|copied| copied.op == op),
            Sync::AsyncArrive { ops, .. } => self.finish(|copied| ops.contains(&copied.op)),
            Sync::AsyncWaited { lanes, ops, .. } => {
                let of_lane = |lane: u32, copied: &Copied| {
                    lanes >> lane & 1 != 0 && ops.iter().any(|op| op.of_lane(lanes, lane) == copied.op)
                };
                self.finish(|copied| of_lane(copied.issuer.thread % 32, copied));
            }
            Sync::Exit { warp, lanes } => {
                let exits = |lane: u32, lanes: LaneMask| lanes >> lane & 1 != 0;
                self.finish(|copied| {
                    let of_warp = (copied.issuer.block, copied.issuer.thread / 32);
                    of_warp == (warp.block.0, warp.warp.0.into()) && exits(copied.issuer.thread % 32, lanes)
                });
            }
            _ => {}
        }
    }

    fn finish(&mut self, done: impl Fn(&Copied) -> bool) {
        while let Some(at) = self.copies.iter().position(&done) {
            let copied = self.copies.remove(at);
            self.move_bytes(&copied);
        }
    }

    fn move_bytes(&mut self, copied: &Copied) {
        let Some(thread) = self.memory.copy(copied.op) else { return };
        let ends = copied.dst.address | copied.src.map_or(0, |src| src.address);
        let all = ends | u64::from(copied.bytes) | u64::from(copied.src_bytes);
        let size = 1u8 << all.trailing_zeros().min(3);
        let operation = |place: Place| {
            let shared = matches!(place.space, Space::Shared(_));
            let path = weak::Proxy::of(copied.proxy, shared).into();
            Operation { thread, site: copied.site, strength: Strength::Weak, place, path }
        };
        for at in (0..copied.bytes).step_by(size.into()) {
            let mut value = 0;
            if let Some(src) = copied.src.filter(|_| at < copied.src_bytes) {
                // SAFETY: the range was checked when the copy was issued.
                let there = unsafe { read(src.host(at), size) };
                let operation = operation(src.place(at, size));
                value = match self.memory.has_history(&operation) {
                    true => {
                        self.perform_before(Next::Read(&operation));
                        self.memory.read(&operation, there)
                    }
                    false => there,
                };
            }
            let operation = operation(copied.dst.place(at, size));
            self.perform_before(Next::Write(&operation));
            // SAFETY: the range was checked when the copy was issued.
            unsafe {
                let there = read(copied.dst.host(at), size);
                write(copied.dst.host(at), size, self.memory.write(&operation, there, value));
            }
        }
    }
}
