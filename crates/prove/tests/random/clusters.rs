//! Blocks of a cluster that access each other's shared memory, between barriers of the cluster and of the
//! block.

use super::Writer;
use std::fmt::Write as _;

/// The choices that all accesses of a kernel share.
struct Habit {
    /// The block and the element that are accessed.
    target: u64,
    element: u64,
    generic: bool,
}

impl Writer {
    /// Writes the rank of the accessed block.
    fn target(&mut self, habit: &Habit) -> String {
        let d = self.reg();
        let wrong = self.dice.one(10);
        let small = self.dice.roll(2);
        match if wrong { self.dice.roll(7) } else { habit.target } {
            0..2 => self.emit(format!("xor.b32 {d}, %r10, 1;")),
            2 => self.emit(format!("add.u32 {d}, %r10, 1; rem.u32 {d}, {d}, %r11;")),
            3 => self.emit(format!("mov.u32 {d}, {small};")),
            4 => self.emit(format!("mov.u32 {d}, %r10;")),
            5 => {
                let p = self.pred();
                self.emit(format!("setp.eq.s32 {p}, %r10, 0; selp.b32 {d}, 1, 0, {p};"));
            }
            _ => {
                let of = self.value();
                self.emit(format!("and.b32 {d}, {of}, 1;"));
            }
        }
        d
    }

    /// Writes the byte offset of the accessed element: the thread's own, the mirrored one or one of its
    /// block's part.
    fn element(&mut self, habit: &Habit, stage: &str, mirrored: bool) -> String {
        let (d, w) = (self.reg(), self.wide());
        self.emit(format!("mul.lo.s32 {d}, {stage}, 1024; add.s32 {d}, {d}, %r1;"));
        if mirrored {
            self.emit(format!(
                "add.s32 {d}, {d}, %r3; sub.s32 {d}, {d}, %r1; sub.s32 {d}, {d}, %r1; sub.s32 {d}, {d}, 1;"
            ));
        }
        if habit.element == 1 {
            let stride = if self.dice.one(8) { 64 } else { 128 };
            self.emit(format!("mad.lo.s32 {d}, %r10, {stride}, {d};"));
        }
        self.emit(format!("mul.wide.u32 {w}, {d}, 4;"));
        w
    }

    /// Writes an access to another block's memory: `what` is `st`, `ld` or `red`.
    fn of_other_block(&mut self, habit: &Habit, stage: &str, what: &str) {
        let mirrored = self.dice.one(2);
        let (rank, w) = (self.target(habit), self.element(habit, stage, mirrored));
        let (at, t) = (self.wide(), self.reg());
        let behind = self.dice.one(2);
        if !behind {
            self.emit(format!("add.s64 {w}, {w}, %rd3;"));
        }
        let own = if behind { "%rd3" } else { &w };
        let space = if habit.generic {
            self.emit(format!("cvta.shared.u64 {at}, {own}; mapa.u64 {at}, {at}, {rank};"));
            ""
        } else {
            self.emit(format!("mapa.shared::cluster.u64 {at}, {own}, {rank};"));
            ".shared::cluster"
        };
        if behind {
            self.emit(format!("add.s64 {at}, {at}, {w};"));
        }
        match what {
            "st" => self.emit(format!("st{space}.u32 [{at}], 7;")),
            "ld" => self.emit(format!("ld{space}.u32 {t}, [{at}];")),
            _ => {
                let scope = ["gpu", "gpu", "cluster", "cluster", "cta"][self.dice.roll(5) as usize];
                self.emit(format!("red.relaxed.{scope}{space}.add.u32 [{at}], 1;"));
            }
        }
    }

    fn of_own_block(&mut self, habit: &Habit, stage: &str, what: &str) {
        let mirrored = self.dice.one(2);
        let habit = Habit { element: if self.dice.one(3) { habit.element } else { 0 }, ..*habit };
        let (w, t) = (self.element(&habit, stage, mirrored && what == "ld"), self.reg());
        self.emit(format!("add.s64 {w}, {w}, %rd3;"));
        match what {
            "st" => self.emit(format!("st.shared.u32 [{w}], 7;")),
            _ => self.emit(format!("ld.shared.u32 {t}, [{w}];")),
        }
    }

    fn step(&mut self, habit: &Habit, stage: &str, step: char) {
        match step {
            'w' => self.of_own_block(habit, stage, "st"),
            'l' => self.of_own_block(habit, stage, "ld"),
            'r' => self.of_other_block(habit, stage, "ld"),
            'p' => self.of_other_block(habit, stage, "st"),
            'a' => self.of_other_block(habit, stage, "red"),
            'n' => self.emit(format!("xor.b32 {stage}, {stage}, 1;")),
            's' => self.emit("bar.sync 0;"),
            _ => {
                self.emit("barrier.cluster.arrive;");
                if self.dice.one(30) {
                    self.of_own_block(habit, stage, "st");
                }
                self.emit("barrier.cluster.wait;");
            }
        }
    }

    /// Writes a correct protocol, in which something may be left out, exchanged or doubled; once or in a
    /// loop.
    pub(super) fn clustered(&mut self) {
        self.emit("mov.u32 %r10, %cluster_ctarank; mov.u32 %r11, %cluster_nctarank;");
        let (i, stage, p) = (self.reg(), self.reg(), self.pred());
        let habit =
            Habit { target: self.dice.roll(7), element: self.dice.roll(2), generic: self.dice.one(2) };
        let mut steps: Vec<char> = ["wbrb", "pblb", "ablb", "wbrn", "pbln", "wbrbpblb"]
            [self.dice.roll(6) as usize]
            .chars()
            .collect();
        for _ in 0..self.dice.roll(3) {
            let n = steps.len() as u64;
            let (a, b) = (self.dice.roll(n) as usize, self.dice.roll(n) as usize);
            match self.dice.roll(6) {
                0 if n > 1 => drop(steps.remove(a)),
                1 => steps.insert(a, ['b', 'w', 'r', 'l', 'p', 's', 'a'][self.dice.roll(7) as usize]),
                2 if steps[a] == 'b' => steps[a] = 's',
                _ => steps.swap(a, b),
            }
        }
        self.emit(format!("mov.u32 {i}, 0; mov.u32 {stage}, 0;"));
        let turns = self.dice.one(2);
        self.labels += 2;
        let (head, end) = (self.labels - 1, self.labels);
        if turns {
            // In some kernels the number of iterations differs between blocks.
            let bound = if self.dice.one(12) { "%r10" } else { "%r9" };
            let _ = writeln!(self.text, "L{head}:");
            self.emit(format!("setp.ge.s32 {p}, {i}, {bound};"));
            self.emit(format!("@{p} bra L{end};"));
        }
        for step in steps {
            if !self.dice.one(6) {
                self.step(&habit, &stage, step);
                continue;
            }
            // Some threads, or some blocks, skip the step.
            let (q, small) = (self.pred(), self.dice.roll(2));
            let of = ["%r10", "%r1", "%r9"][self.dice.roll(3) as usize];
            self.labels += 1;
            let l = self.labels;
            self.emit(format!("setp.ne.s32 {q}, {of}, {small};"));
            self.emit(format!("@{q} bra L{l};"));
            self.step(&habit, &stage, step);
            let _ = writeln!(self.text, "L{l}:");
        }
        if turns {
            self.emit(format!("add.s32 {i}, {i}, 1;"));
            self.emit(format!("bra L{head};"));
            let _ = writeln!(self.text, "L{end}:");
        }
        // A block must not end while others access its memory.
        self.emit("barrier.cluster.arrive;");
        self.emit("barrier.cluster.wait;");
    }
}

/// Returns the kernel with clusters of `blocks` blocks, if it does not have a cluster size.
pub(crate) fn with_cluster(text: &str, blocks: u32) -> String {
    match text.contains(".reqnctapercluster") {
        true => text.to_owned(),
        false => text.replacen(".maxntid 128", &format!(".maxntid 128 .reqnctapercluster {blocks}"), 1),
    }
}
