//! Barriers of a cooperative grid, some of them incorrect.

use super::Writer;
use std::fmt::Write as _;

impl Writer {
    /// Writes the instructions of `grid.sync()`; sometimes with a part changed, left out or executed by other
    /// threads.
    pub(super) fn grid_barrier(&mut self) {
        let wrong = if self.dice.one(4) { self.dice.roll(9) } else { 9 };
        let (low, high, base) = (self.reg(), self.reg(), self.wide());
        let (w, v, p) = (self.wide(), self.wide(), self.pred());
        self.emit(format!("mov.u32 {low}, %envreg2; mov.u32 {high}, %envreg1; cvt.u64.u32 {w}, {low};"));
        self.emit(format!(
            "cvt.u64.u32 {v}, {high}; bfi.b64 {base}, {v}, {w}, 32, 32; add.s64 {base}, {base}, 4;"
        ));
        if wrong != 0 {
            self.emit("bar.sync 0;");
        }
        self.labels += 2;
        let (turn, end) = (self.labels - 1, self.labels);
        let first = if wrong == 1 { 1 } else { 0 };
        self.emit(format!("setp.ne.s32 {p}, %r1, {first}; @{p} bra L{end};"));
        let (step, old, new, is_first) = (self.reg(), self.reg(), self.reg(), self.pred());
        let all = if wrong == 2 { -2147483646i64 } else { -2147483647 };
        let other = if wrong == 3 { 2 } else { 1 };
        self.emit(format!(
            "mov.u32 {step}, {all}; sub.s32 {step}, {step}, %r6; setp.eq.s32 {is_first}, %r2, 0;"
        ));
        self.emit(format!("selp.b32 {step}, {step}, {other}, {is_first};"));
        let release = if wrong == 4 { "relaxed.gpu" } else { "release.gpu" };
        self.emit(format!("atom.add.{release}.u32 {old}, [{base}], {step};"));
        let _ = writeln!(self.text, "L{turn}:");
        let acquire = if wrong == 5 { "relaxed.gpu" } else { "acquire.gpu" };
        self.emit(format!("ld.{acquire}.u32 {new}, [{base}]; xor.b32 {new}, {new}, {old};"));
        if wrong != 6 {
            self.emit(format!("setp.gt.s32 {p}, {new}, -1; @{p} bra L{turn};"));
        }
        let _ = writeln!(self.text, "L{end}:");
        if wrong == 7 {
            self.access();
        }
        if wrong != 8 {
            self.emit("bar.sync 0;");
        }
    }
}
