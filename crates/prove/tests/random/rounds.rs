//! Loops over stages that go round, with a barrier of one of several kinds.

use super::Writer;
use std::fmt::Write as _;

impl Writer {
    /// A wait for an mbarrier's phase, in a loop.
    fn wait_for(&mut self, form: &str, what: &str) {
        let p = self.pred();
        self.labels += 1;
        let l = self.labels;
        let _ = writeln!(self.text, "L{l}:");
        self.emit(format!("mbarrier.test_wait{form}.shared.b64 {p}, [m], {what};"));
        self.emit(format!("@!{p} bra L{l};"));
    }

    /// A barrier of the block: `kind` says which; at times something is wrong with it. `parity` is what is waited for.
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

    /// An access of a stage, of the thread that mirrors this one in the block or its own.
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

    /// The register that says which stage it is, one turn on.
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

    /// The loop: a store to a stage, a barrier, and what another thread has stored there; of it something may be left
    /// out, exchanged or doubled.
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
