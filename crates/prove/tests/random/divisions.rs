//! Quotients and remainders by constants as compilers write them, and some sequences with another factor or
//! shift.

use super::Writer;

impl Writer {
    /// Writes a multiplication by an inverse and the correction after it; sometimes one part is wrong.
    pub(super) fn division(&mut self) {
        let a = self.value();
        let x = self.reg();
        self.emit(format!("mov.u32 {x}, {a};"));
        let d = [3i64, 3, 3, 5, 6, 7, 7, 9, 10, 11, 14, 21, 25, 100][self.dice.roll(14) as usize];
        let log = 64 - (d - 1).leading_zeros();
        let wrong = self.dice.one(4);
        let (mut off, mut shifted, mut kept) = (0, 0, true);
        if wrong {
            match self.dice.roll(3) {
                0 => off = [-1, 1, 1 << 8, -(1 << 20), 1 << 27][self.dice.roll(5) as usize],
                1 => shifted = 1,
                _ => kept = false,
            }
        }
        let q = if self.dice.one(2) {
            self.signed(&x, d, log, (off, shifted, kept))
        } else {
            self.unsigned(&x, d, log, (off, shifted, kept))
        };
        if self.dice.one(3) {
            return self.values.push(q);
        }
        let (product, r) = (self.reg(), self.reg());
        match self.dice.one(2) {
            true => self.emit(format!("mad.lo.s32 {r}, {q}, {}, {x};", -d)),
            false => self.emit(format!("mul.lo.s32 {product}, {q}, {d}; sub.s32 {r}, {x}, {product};")),
        }
        self.values.push(q);
        self.values.push(r);
    }

    fn unsigned(&mut self, x: &str, d: i64, log: u32, (off, shifted, kept): (i64, u32, bool)) -> String {
        // The factor needs 33 bits for some divisors; adding the dividend makes up for the missing bit.
        let full = (1u128 << (32 + log)) / d as u128 + 1;
        let (q, w) = (self.reg(), self.wide());
        let (mut factor, mut shift) = (full, log);
        while factor.is_multiple_of(2) && shift > 0 {
            (factor, shift) = (factor / 2, shift - 1);
        }
        if factor < 1 << 32 || self.dice.one(6) {
            let m = (factor as i64).wrapping_add(off) as u32 as i32;
            match self.dice.one(2) {
                true => self.emit(format!(
                    "mul.wide.u32 {w}, {x}, {m}; shr.u64 {w}, {w}, {}; cvt.u32.u64 {q}, {w};",
                    32 + shift + shifted
                )),
                false => {
                    self.emit(format!("mul.hi.u32 {q}, {x}, {m}; shr.u32 {q}, {q}, {};", shift + shifted))
                }
            }
            return q;
        }
        let m = ((full - (1 << 32)) as i64 + off) as u32 as i32;
        let (h, rest) = (self.reg(), self.reg());
        self.emit(format!("mul.hi.u32 {h}, {x}, {m}; sub.s32 {rest}, {x}, {h}; shr.u32 {rest}, {rest}, 1;"));
        if kept {
            self.emit(format!("add.s32 {rest}, {rest}, {h};"));
        }
        self.emit(format!("shr.u32 {q}, {rest}, {};", log - 1 + shifted));
        q
    }

    fn signed(&mut self, x: &str, d: i64, log: u32, (off, shifted, kept): (i64, u32, bool)) -> String {
        let full = (1i64 << (31 + log)) / d + 1;
        let (mut factor, mut shift) = (full, log - 1);
        while factor % 2 == 0 && shift > 0 {
            (factor, shift) = (factor / 2, shift - 1);
        }
        let (h, sign, q) = (self.reg(), self.reg(), self.reg());
        self.emit(format!("mul.hi.s32 {h}, {x}, {};", factor.wrapping_add(off) as i32));
        if factor >= 1 << 31 {
            self.emit(format!("add.s32 {h}, {h}, {x};"));
        }
        let of = if self.dice.one(3) { x } else { &h };
        self.emit(format!("shr.u32 {sign}, {of}, 31; shr.s32 {q}, {h}, {};", shift + shifted));
        if kept {
            self.emit(format!("add.s32 {q}, {q}, {sign};"));
        }
        q
    }
}
