//! Exchanges between lanes of a warp, with barriers of tiles, of lanes in a constant mask, or of all lanes.

use super::Writer;
use std::fmt::Write as _;

impl Writer {
    /// Writes a barrier of a tile of `tile` lanes, as cooperative groups compile to, or of the first `tile`
    /// lanes of the warp.
    fn meet_in(&mut self, tile: u64, constant: bool) {
        let ones = (1u64 << tile) - 1;
        if constant || tile == 32 {
            return self.emit(format!("bar.warp.sync {ones};"));
        }
        let (begin, mask, m) = (self.reg(), self.reg(), self.reg());
        let lane = if self.dice.one(2) { "%laneid" } else { "%r8" };
        self.emit(format!(
            "mov.u32 {begin}, {lane}; and.b32 {begin}, {begin}, -{tile}; mov.u32 {m}, {ones};"
        ));
        self.emit(format!("shl.b32 {mask}, {m}, {begin};"));
        self.emit(format!("bar.warp.sync {mask};"));
    }

    /// Writes an access to the element of a nearby lane.
    fn of_lane(&mut self, turned: u64, store: bool) {
        let (d, w, at) = (self.reg(), self.wide(), self.wide());
        self.emit(format!("xor.b32 {d}, %r1, {turned}; mul.wide.u32 {w}, {d}, 4; add.s64 {at}, %rd3, {w};"));
        match store {
            true => self.emit(format!("st.shared.u32 [{at}], 7;")),
            false => self.emit(format!("ld.shared.u32 {d}, [{at}];")),
        }
    }

    /// Writes stores, barriers and loads: by all lanes, by the first ones of each warp, or in a loop;
    /// sometimes with a part left out, exchanged, applied to other lanes or executed by some lanes only.
    pub(super) fn lanes(&mut self) {
        let tile = [2, 4, 8, 16][self.dice.roll(4) as usize];
        let constant = self.dice.one(3);
        self.labels += 3;
        let (head, end, out) = (self.labels - 2, self.labels - 1, self.labels);
        if constant {
            let (p, most) = (self.pred(), if self.dice.one(6) { 2 * tile } else { tile });
            self.emit(format!("setp.ge.u32 {p}, %r8, {most};"));
            self.emit(format!("@{p} bra L{out};"));
        }
        let (i, p, turns) = (self.reg(), self.pred(), self.dice.one(2));
        if turns {
            self.emit(format!("mov.u32 {i}, 0;"));
            let _ = writeln!(self.text, "L{head}:");
            let bound = if self.dice.one(6) { "%r8" } else { "%r9" };
            self.emit(format!("setp.ge.s32 {p}, {i}, {bound};"));
            self.emit(format!("@{p} bra L{end};"));
        }
        let mut steps = if turns { b"wbrb".to_vec() } else { b"wbrbwbr".to_vec() };
        for _ in 0..self.dice.roll(3) {
            let n = steps.len() as u64;
            let (a, b) = (self.dice.roll(n) as usize, self.dice.roll(n) as usize);
            match self.dice.roll(3) {
                0 if n > 1 => drop(steps.remove(a)),
                1 => steps.insert(a, b"bwr"[self.dice.roll(3) as usize]),
                _ => steps.swap(a, b),
            }
        }
        for step in steps {
            let skipped = self.dice.one(12).then(|| self.pred());
            if let Some(p) = &skipped {
                self.labels += 1;
                // The condition may be the same for the lanes of a tile, or not.
                let (what, by) = (self.reg(), [tile, 1, 32][self.dice.roll(3) as usize]);
                self.emit(format!("div.u32 {what}, %r1, {by}; and.b32 {what}, {what}, 1;"));
                self.emit(format!("setp.eq.s32 {p}, {what}, 0;"));
                self.emit(format!("@{p} bra L{};", self.labels));
            }
            let label = self.labels;
            let turned = [0, 0, 1, tile - 1, tile - 1, tile][self.dice.roll(6) as usize];
            match step {
                b'w' => {
                    let other = self.dice.one(4);
                    self.of_lane(if other { turned } else { 0 }, true);
                }
                b'r' => self.of_lane(turned, false),
                _ => {
                    let tile = match self.dice.roll(8) {
                        0 if !constant => 32,
                        1 => [2, 4, 8, 16][self.dice.roll(4) as usize],
                        _ => tile,
                    };
                    let constant = constant != self.dice.one(12);
                    self.meet_in(tile, constant);
                }
            }
            if skipped.is_some() {
                let _ = writeln!(self.text, "L{label}:");
            }
        }
        if turns {
            self.emit(format!("add.s32 {i}, {i}, 1;"));
            self.emit(format!("bra L{head};"));
            let _ = writeln!(self.text, "L{end}:");
        }
        let _ = writeln!(self.text, "L{out}:");
    }
}
