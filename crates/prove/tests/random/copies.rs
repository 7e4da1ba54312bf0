//! Asynchronous copies, pipelines of copies, and matrix accesses in shared and global memory.

use super::Writer;
use std::fmt::Write as _;

impl Writer {
    /// Writes the address of the thread's element of `bytes` bytes, or of one of the first elements.
    fn place(&mut self, base: &str, index: &str, bytes: u32) -> String {
        let (d, w, at) = (self.reg(), self.wide(), self.wide());
        if self.dice.one(2) {
            self.emit(format!("mul.wide.u32 {w}, %r1, {bytes};"));
        } else {
            self.emit(format!("and.b32 {d}, {index}, {}; mul.wide.u32 {w}, {d}, {bytes};", 256 / bytes - 1));
        }
        self.emit(format!("add.s64 {at}, {base}, {w};"));
        at
    }

    /// Writes the address of a stage's element: the thread's own, or that of the mirrored thread.
    fn stage(&mut self, stage: &str, more: u64, mask: u64, mirrored: bool) -> String {
        let (d, w, at, t) = (self.reg(), self.wide(), self.wide(), self.reg());
        self.emit(format!("add.s32 {d}, {stage}, {more}; and.b32 {d}, {d}, {mask}; shl.b32 {d}, {d}, 7;"));
        match mirrored {
            true => self.emit(format!("sub.s32 {t}, 127, %r1; add.s32 {d}, {d}, {t};")),
            false => self.emit(format!("add.s32 {d}, {d}, %r1;")),
        }
        self.emit(format!("mul.wide.u32 {w}, {d}, 4; add.s64 {at}, %rd3, {w};"));
        at
    }

    fn copy_stage(&mut self, stage: &str, more: u64, mask: u64) {
        let to = self.stage(stage, more, mask, false);
        self.emit(format!("cp.async.ca.shared.global [{to}], [%rd2], 4;"));
    }

    /// Writes a pipeline of copies in a loop; often something is left out, exchanged or off by one.
    pub(super) fn pipeline(&mut self) {
        let mask = [1, 3, 3][self.dice.roll(3) as usize];
        let deep = self.dice.one(2);
        let ahead = if deep { self.dice.roll(mask) + 1 } else { 1 };
        for i in 0..ahead {
            self.copy_stage(&i.to_string(), 0, mask);
            if !self.dice.one(12) {
                self.emit("cp.async.commit_group;");
            }
        }
        let (mut steps, mut left) = match deep {
            // With one barrier per iteration, the copy refills the stage that was read in the previous
            // iteration.
            true => ("wbcmr".to_owned(), ahead - 1),
            false => ("cmwbrb".to_owned(), ahead),
        };
        for _ in 0..self.dice.roll(3) {
            let n = steps.len() as u64;
            let (i, j) = (self.dice.roll(n) as usize, self.dice.roll(n) as usize);
            match self.dice.roll(6) {
                0 => drop(steps.remove(i)),
                1 => left += 1,
                2 => left = left.saturating_sub(1),
                3 => steps.insert(i, ['b', 'w', 'm', 'r', 's'][self.dice.roll(5) as usize]),
                _ => {
                    let mut all: Vec<char> = steps.chars().collect();
                    all.swap(i, j);
                    steps = all.into_iter().collect();
                }
            }
        }
        let (k, p) = (self.reg(), self.pred());
        self.labels += 2;
        let (head, end) = (self.labels - 1, self.labels);
        let bound = ["%r9", "3", "6"][self.dice.roll(3) as usize];
        self.emit(format!("mov.u32 {k}, 0;"));
        let _ = writeln!(self.text, "L{head}:");
        self.emit(format!("setp.ge.s32 {p}, {k}, {bound}; @{p} bra L{end};"));
        for step in steps.chars() {
            match step {
                'w' if self.dice.one(12) => self.emit("cp.async.wait_all;"),
                'w' => self.emit(format!("cp.async.wait_group {left};")),
                'b' => self.emit("bar.sync 0;"),
                'c' => self.copy_stage(&k, ahead, mask),
                'm' => self.emit("cp.async.commit_group;"),
                _ => {
                    let (mirrored, more) = (!self.dice.one(3), u64::from(self.dice.one(8)));
                    let at = self.stage(&k, more, mask, mirrored);
                    let d = self.reg();
                    match step {
                        'r' => self.emit(format!("ld.shared.u32 {d}, [{at}];")),
                        _ => self.emit(format!("st.shared.u32 [{at}], 1;")),
                    }
                }
            }
        }
        self.emit(format!("add.s32 {k}, {k}, 1; bra L{head};"));
        let _ = writeln!(self.text, "L{end}:");
        if self.dice.one(3) {
            let line = if self.dice.one(4) { "bar.sync 0;" } else { "cp.async.wait_all; bar.sync 0;" };
            self.emit(line);
            let at = self.stage("%r9", 0, mask, true);
            let d = self.reg();
            self.emit(format!("ld.shared.u32 {d}, [{at}];"));
        }
    }

    /// Writes a part of a pipeline.
    pub(super) fn copy(&mut self) {
        let line = match self.dice.roll(8) {
            0..3 => {
                let bytes = if self.dice.one(4) { 16 } else { 4 };
                let (to, from) = (self.value(), self.value());
                let to = self.place("%rd3", &to, bytes);
                let array = ["%rd1", "%rd2"][self.dice.roll(2) as usize];
                let from = self.place(array, &from, bytes);
                format!("cp.async.ca.shared.global [{to}+1024], [{from}+1024], {bytes};")
            }
            3..5 => "cp.async.commit_group;".into(),
            5 => "cp.async.wait_all;".into(),
            _ => format!("cp.async.wait_group {};", self.dice.roll(3)),
        };
        let guard = if self.dice.one(6) { format!("@{} ", self.condition()) } else { String::new() };
        self.emit(format!("{guard}{line}"));
        if self.dice.one(3) {
            self.emit("bar.sync 0;");
        }
    }

    /// Writes a matrix access of a whole warp.
    pub(super) fn matrix(&mut self) {
        let list = |n: usize| vec!["%r20"; n].join(", ");
        match self.dice.roll(4) {
            what @ 0..3 => {
                let index = self.value();
                let at = self.place("%rd3", &index, 16);
                let count = [1usize, 2, 4][self.dice.roll(3) as usize];
                let (d, trans) = (list(count), ["", ".trans"][self.dice.roll(2) as usize]);
                self.emit(match what {
                    0 => {
                        format!("stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [{at}+1024], {{{d}}};")
                    }
                    _ => {
                        format!("ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{d}}}, [{at}+1024];")
                    }
                });
            }
            _ => {
                // All lanes of the warp use one address.
                let index = ["%r7", "%r2", "%r9", "0", "2"][self.dice.roll(5) as usize];
                let (base, space) = [("%rd3", "shared"), ("%rd1", "global")][self.dice.roll(2) as usize];
                let (d, w, at) = (self.reg(), self.wide(), self.wide());
                let (apart, stride) =
                    ([32, 512, 1024][self.dice.roll(3) as usize], [16, 24][self.dice.roll(2) as usize]);
                self.emit(format!("and.b32 {d}, {index}, 3; mul.wide.u32 {w}, {d}, {apart};"));
                self.emit(format!("add.s64 {at}, {base}, {w};"));
                let layout = ["row", "col"][self.dice.roll(2) as usize];
                let name = format!("sync.aligned.{layout}.m16n16k16.{space}");
                let all = list(8);
                let line = match self.dice.roll(2) {
                    0 => format!("wmma.load.a.{name}.f16 {{{all}}}, [{at}+1024], {stride};"),
                    _ => format!("wmma.store.d.{name}.f32 [{at}+1024], {{{all}}}, {stride};"),
                };
                self.emit(line);
            }
        }
        if self.dice.one(3) {
            self.emit("bar.sync 0;");
        }
    }
}
