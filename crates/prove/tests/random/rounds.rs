//! Loops over rotating stages, with a barrier of one of several kinds.

use super::Writer;
use std::fmt::Write as _;

impl Writer {
    /// Writes a loop that waits for an mbarrier's phase.
    fn wait_for(&mut self, form: &str, what: &str) {
        let p = self.pred();
        self.labels += 1;
        let l = self.labels;
        let _ = writeln!(self.text, "L{l}:");
        self.emit(format!("mbarrier.test_wait{form}.shared.b64 {p}, [m], {what};"));
        self.emit(format!("@!{p} bra L{l};"));
    }

    /// Writes a barrier of the block of the given `kind`, sometimes an incorrect one. `parity` is the parity
    /// of the awaited phase.
    fn meeting(&mut self, kind: u64, parity: &str) {
        let wrong = self.dice.one(8);
        match kind {
            0 => self.emit("bar.sync 0;"),
            1 => {
                self.emit("barrier.cluster.arrive;");
                if wrong {
                    self.access();
                }
                self.emit("barrier.cluster.wait;");
            }
            _ => {
                let token = self.wide();
                self.emit(format!("mbarrier.arrive.shared.b64 {token}, [m];"));
                if wrong {
                    self.access();
                }
                match kind {
                    2 => self.wait_for("", &token),
                    _ => self.wait_for(".parity", parity),
                }
            }
        }
    }

    /// Writes an access to a stage's element: the thread's own, or that of the mirrored thread in the block.
    fn of_stage(&mut self, stage: &str, mirrored: bool, store: bool) {
        let (d, w, at, t) = (self.reg(), self.wide(), self.wide(), self.reg());
        self.emit(format!("mul.lo.s32 {d}, {stage}, 128;"));
        match mirrored {
            true => self.emit(format!("sub.s32 {t}, %r3, %r1; add.s32 {d}, {d}, {t}; sub.s32 {d}, {d}, 1;")),
            false => self.emit(format!("add.s32 {d}, {d}, %r1;")),
        }
        self.emit(format!("mul.wide.u32 {w}, {d}, 4; add.s64 {at}, %rd3, {w};"));
        match store {
            true => self.emit(format!("st.shared.u32 [{at}], 7;")),
            false => self.emit(format!("ld.shared.u32 {t}, [{at}];")),
        }
    }

    /// Writes the step of the stage register to the next iteration.
    fn next_stage(&mut self, stage: &str, stages: u64, how: u64) {
        match how {
            0 => self.emit(format!("xor.b32 {stage}, {stage}, 1;")),
            1 => self.emit(format!("sub.s32 {stage}, {}, {stage};", stages - 1)),
            2 => {
                let p = self.pred();
                let step = if self.dice.one(8) { 2 } else { 1 };
                self.emit(format!("add.s32 {stage}, {stage}, {step}; setp.ge.s32 {p}, {stage}, {stages};"));
                match step {
                    1 => self.emit(format!("selp.b32 {stage}, 0, {stage}, {p};")),
                    _ => self.emit(format!("@{p} sub.s32 {stage}, {stage}, {stages};")),
                }
            }
            _ => self.emit(format!("add.s32 {stage}, {stage}, 1; rem.u32 {stage}, {stage}, {stages};")),
        }
    }

    /// Writes the loop: a store to a stage, a barrier, and a load of what another thread has stored there;
    /// parts of it may be left out, exchanged or doubled.
    pub(super) fn rounds(&mut self) {
        let (i, stage, parity, p) = (self.reg(), self.reg(), self.reg(), self.pred());
        let kind = self.dice.roll(4);
        let stages = self.dice.roll(2) + 2;
        let how = if stages == 2 { self.dice.roll(4) } else { self.dice.roll(2) + 2 };
        let count = if self.dice.one(10) { "1" } else { "%r3" };
        if kind > 1 {
            self.emit("setp.eq.s32 %p1, %r1, 0;");
            self.emit(format!("@%p1 mbarrier.init.shared.b64 [m], {count};"));
            if !self.dice.one(12) {
                self.emit("bar.sync 0;");
            }
        }
        let first = if self.dice.one(3) { 1 } else { 0 };
        let begun = u64::from(self.dice.one(10));
        self.emit(format!("mov.u32 {i}, 0; mov.u32 {stage}, {first}; mov.u32 {parity}, {begun};"));
        let mut steps = "wbrn".to_owned();
        for _ in 0..self.dice.roll(3) {
            let n = steps.len() as u64;
            let (a, b) = (self.dice.roll(n) as usize, self.dice.roll(n) as usize);
            match self.dice.roll(5) {
                0 if n > 1 => drop(steps.remove(a)),
                1 => steps.insert(a, ['b', 'w', 'r', 'n'][self.dice.roll(4) as usize]),
                _ => {
                    let mut all: Vec<char> = steps.chars().collect();
                    all.swap(a, b);
                    steps = all.into_iter().collect();
                }
            }
        }
        self.labels += 2;
        let (head, end) = (self.labels - 1, self.labels);
        let _ = writeln!(self.text, "L{head}:");
        self.emit(format!("setp.ge.s32 {p}, {i}, %r9;"));
        self.emit(format!("@{p} bra L{end};"));
        for step in steps.chars() {
            match step {
                'w' => self.of_stage(&stage, false, true),
                'r' => self.of_stage(&stage, true, false),
                'n' => self.next_stage(&stage, stages, how),
                _ => {
                    self.meeting(kind, &parity);
                    if !self.dice.one(12) {
                        self.emit(format!("xor.b32 {parity}, {parity}, 1;"));
                    }
                }
            }
        }
        self.emit(format!("add.s32 {i}, {i}, 1;"));
        self.emit(format!("bra L{head};"));
        let _ = writeln!(self.text, "L{end}:");
    }
}
