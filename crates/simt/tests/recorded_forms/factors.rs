//! Random numbers of the types that matrix products multiply.

/// A generator of factors and accumulators of matrix products.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(crate) fn draw(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as u32
    }

    /// Returns a number of a type; `wide` ones have many exponents.
    pub(crate) fn value(&mut self, ty: &str, wide: bool) -> u32 {
        let (sign, fraction) = (self.draw() & 1, self.draw());
        let mut exponent = |narrow: (u32, u32), far: (u32, u32)| {
            let (least, count) = if wide { far } else { narrow };
            least + self.draw() % count
        };
        match ty {
            "f16" => sign << 15 | exponent((14, 3), (8, 14)) << 10 | fraction & 0x3ff,
            "bf16" => sign << 15 | exponent((126, 3), (115, 24)) << 7 | fraction & 0x7f,
            "tf32" | "f32" => sign << 31 | exponent((126, 3), (115, 24)) << 23 | fraction & 0x7f_ffff,
            "e4m3" if fraction & 0x7f == 0x7f => 0x38,
            "e5m2" if fraction & 0x7c == 0x7c => 0x38,
            _ => fraction & 0xff,
        }
    }

    /// Returns a register of an accumulator.
    pub(crate) fn accumulator(&mut self, ty: &str, wide: bool) -> u32 {
        match ty {
            "f32" => self.value("f32", wide),
            "f16" => self.value("f16", wide) | self.value("f16", wide) << 16,
            _ => {
                let bits = self.draw() << 16 ^ self.draw();
                bits | if self.draw() & 1 != 0 { 0x7fff_0000 } else { 0 }
            }
        }
    }
}
