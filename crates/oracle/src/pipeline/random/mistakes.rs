//! Mistakes in programs, and instructions at random.

use super::{CELL, Draw};
use crate::pipeline::accesses::shared;
use crate::pipeline::program::{Object, Op, Range};
use events::sync::ProxySpace;
use events::{Scope, Sem, Space};

impl Draw {
    /// Makes a mistake in the program.
    pub(super) fn mistake(&mut self) {
        let t = self.thread();
        let length = self.program.threads[t].code.len();
        if length == 0 {
            return;
        }
        let at = self.below(length as u64) as usize;
        match self.below(10) {
            0..4 => {
                self.program.threads[t].code.remove(at);
            }
            4 if at + 1 < length => self.program.threads[t].code.swap(at, at + 1),
            4 | 5 => {
                let op = self.any(t);
                self.program.threads[t].code.insert(at, op);
            }
            _ => {
                let op = self.program.threads[t].code[at];
                self.program.threads[t].code[at] = self.altered(op);
            }
        }
    }

    /// Changes an operand or a qualifier of an instruction.
    fn altered(&mut self, op: Op) -> Op {
        let scope = self.pick(&[Scope::Cta, Scope::Cluster]);
        let half = self.below(2) == 0;
        match op {
            Op::Access { at, writes } if half => Op::Access { at, writes: !writes },
            Op::Access { at, writes } => Op::Access { at: self.cell(at.space), writes },
            Op::Flag { number, writes, sem, .. } if half => {
                Op::Flag { number, writes, sem, scope: self.pick(&[Scope::Cta, Scope::Cluster]) }
            }
            Op::Flag { number, writes, scope, .. } => Op::Flag { number, writes, sem: Sem::Relaxed, scope },
            Op::ProxyFence { .. } => Op::ProxyFence { space: Some(ProxySpace::Global) },
            Op::Copy { from, to } if half => Op::Copy { from, to: self.cell(to.space) },
            Op::Copy { from, to } => Op::Copy { from: self.cell(from.space), to },
            Op::Wait { keep } => Op::Wait { keep: 1 - keep },
            Op::ArriveCopies { object, noinc } => Op::ArriveCopies { object, noinc: !noinc },
            Op::Bulk { from, to, signals, reduces } if half => {
                Op::Bulk { from, to: self.cell(to.space), signals, reduces }
            }
            Op::Bulk { from, to, reduces, .. } => Op::Bulk { from, to, signals: None, reduces },
            Op::BulkWait { keep, reads } if half => Op::BulkWait { keep, reads: !reads },
            Op::BulkWait { keep, reads } => Op::BulkWait { keep: 1 - keep.min(1), reads },
            Op::Remote { to, object, reduces } => Op::Remote { to, object, reduces: !reduces },
            Op::Init { object, count } => Op::Init { object, count: count + 1 },
            Op::Arrive { object, bytes, sem, .. } if half => Op::Arrive { object, bytes, sem, scope },
            Op::Arrive { object, sem, scope, .. } if self.below(2) == 0 => {
                Op::Arrive { object, bytes: 0, sem, scope }
            }
            Op::Arrive { object, bytes, scope, .. } => Op::Arrive { object, bytes, sem: Sem::Relaxed, scope },
            Op::Await { object, parity, sem, .. } if half => Op::Await { object, parity, sem, scope },
            Op::Await { object, parity, sem, scope } if self.below(2) == 0 => {
                Op::Await { object, parity: 1 - parity, sem, scope }
            }
            Op::Await { object, parity, scope, .. } => Op::Await { object, parity, sem: Sem::Relaxed, scope },
            Op::ProductWait { keep } => Op::ProductWait { keep: 1 - keep.min(1) },
            _ => op,
        }
    }

    /// Draws an instruction.
    pub(super) fn any(&mut self, t: usize) -> Op {
        let own = self.block(t);
        let (space, scope) =
            (self.pick(&[Space::Global, shared(own)]), self.pick(&[Scope::Cta, Scope::Cluster]));
        let sem = self.pick(&[Sem::Release, Sem::Release, Sem::Relaxed]);
        let (cell, other) = (self.cell(shared(own)), self.cell(Space::Global));
        let number = self.below(self.objects.max(1));
        let object = Object { block: own, number };
        let peer = Object { block: self.below(self.blocks.into()) as u32, number };
        match self.below(20) {
            0..4 => {
                let cell = self.cell(space);
                Op::Access { at: self.part(cell), writes: self.below(2) == 0 }
            }
            4 => Op::ProxyFence { space: self.pick(&[None, None, Some(ProxySpace::Global)]) },
            5 => Op::Copy { from: other, to: cell },
            6 => self.pick(&[Op::Commit, Op::Wait { keep: 0 }, Op::Wait { keep: 1 }]),
            7 => Op::ArriveCopies { object, noinc: self.below(2) == 0 },
            8 | 9 => Op::Bulk { from: other, to: cell, signals: Some(object), reduces: false },
            10 => Op::Bulk { from: cell, to: other, signals: None, reduces: self.below(2) == 0 },
            11 => Op::BulkCommit,
            12 => Op::BulkWait { keep: 0, reads: self.below(2) == 0 },
            13 if self.below(2) == 0 => Op::Expect { object, bytes: CELL },
            13 => Op::Remote { to: self.cell(shared(peer.block)), object: peer, reduces: self.below(2) == 0 },
            14 | 15 => Op::Arrive { object: peer, bytes: self.pick(&[0, 0, CELL]), sem, scope },
            16 | 17 => {
                let sem = self.pick(&[Sem::Acquire, Sem::Acquire, Sem::Relaxed]);
                Op::Await { object, parity: self.below(2), sem, scope }
            }
            18 => Op::Fence { sem: Sem::AcqRel, scope },
            _ if self.below(3) == 0 => Op::Reduce { at: Range { bytes: 4, ..other } },
            _ => {
                let (number, writes) = (self.below(2), self.below(2) == 0);
                let strong = if writes { sem } else { Sem::Acquire };
                Op::Flag { number, writes, sem: strong, scope }
            }
        }
    }
}
