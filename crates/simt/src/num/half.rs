//! `f16` and `bf16` arithmetic on bit patterns, PTX §9.7.4.
//!
//! One set of functions serves both formats; the packed types apply them to each
//! half (see [`super::packed`]).

use super::fp::{BF16, F16, Format, Mode};
use super::single::MinMax;
use ptx::ast::ScalarType;

/// A 16-bit float format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Half {
    F16,
    Bf16,
}

impl Half {
    /// Returns the format of `f16`, `bf16` and their packed types, and whether the type is packed.
    pub fn of(ty: ScalarType) -> Option<(Half, bool)> {
        Some(match ty {
            ScalarType::F16 => (Half::F16, false),
            ScalarType::F16x2 => (Half::F16, true),
            ScalarType::Bf16 => (Half::Bf16, false),
            ScalarType::Bf16x2 => (Half::Bf16, true),
            _ => return None,
        })
    }

    #[inline(always)]
    pub fn format(self) -> Format {
        match self {
            Half::F16 => F16,
            Half::Bf16 => BF16,
        }
    }

    /// Returns the exact value; NaN remains NaN.
    #[inline(always)]
    pub fn value(self, a: u16) -> f32 {
        match self {
            Half::Bf16 => f32::from_bits(u32::from(a) << 16),
            Half::F16 => {
                let sign = u32::from(a & 0x8000) << 16;
                let magnitude = u32::from(a & 0x7fff);
                let m = if magnitude >= 0x7c00 {
                    0x7f80_0000 | (magnitude & 0x3ff) << 13
                } else {
                    // Moves the fields, then corrects the bias by an exact product.
                    (f32::from_bits(magnitude << 13) * f32::from_bits(0x7780_0000)).to_bits()
                };
                f32::from_bits(sign | m)
            }
        }
    }

    /// Rounds to nearest even; NaN becomes 0x7fff.
    #[inline(always)]
    pub fn round(self, x: f32) -> u16 {
        if x.is_nan() {
            return 0x7fff;
        }
        let bits = x.to_bits();
        match self {
            Half::Bf16 => ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16,
            Half::F16 => {
                let sign = (bits >> 16 & 0x8000) as u16;
                let magnitude = bits & 0x7fff_ffff;
                sign | if magnitude >= 0x4780_0000 {
                    0x7c00
                } else if magnitude < 0x3880_0000 {
                    // Subnormal result: adding 0.5 aligns the last bit at 2^-24 and rounds.
                    ((f32::from_bits(magnitude) + 0.5).to_bits() - 0x3f00_0000) as u16
                } else {
                    let m = magnitude - 0x3800_0000;
                    ((m + 0xfff + (m >> 13 & 1)) >> 13) as u16
                }
            }
        }
    }

    #[inline(always)]
    fn input(self, a: u16, ftz: bool) -> u16 {
        if ftz { self.format().flush(a.into()) as u16 } else { a }
    }

    /// Adds two numbers. The sum is rounded to `f32` first, which is harmless: 24 bits are at least twice 11
    /// plus two. Sums below the normal range are exact, so it suffices to flush the result.
    #[inline(always)]
    pub fn add(self, a: u16, b: u16, mode: Mode) -> u16 {
        let (a, b) = (self.input(a, mode.ftz), self.input(b, mode.ftz));
        let r = self.input(self.round(self.value(a) + self.value(b)), mode.ftz);
        if mode.sat { self.format().saturate(r.into()) as u16 } else { r }
    }

    #[inline(always)]
    pub fn sub(self, a: u16, b: u16, mode: Mode) -> u16 {
        self.add(a, b ^ 0x8000, mode)
    }

    #[inline(always)]
    pub fn mul(self, a: u16, b: u16, mode: Mode) -> u16 {
        let (a, b) = (self.input(a, mode.ftz), self.input(b, mode.ftz));
        // A product of `bf16` can be subnormal in `f32` and would be rounded twice; flushing requires the
        // exact product.
        if self == Half::F16 && !mode.ftz {
            let r = self.round(self.value(a) * self.value(b));
            return if mode.sat { self.format().saturate(r.into()) as u16 } else { r };
        }
        self.format().mul(a.into(), b.into(), mode) as u16
    }

    #[inline]
    pub fn fma(self, a: u16, b: u16, c: u16, mode: Mode, relu: bool) -> u16 {
        let (a, b, c) = (self.input(a, mode.ftz), self.input(b, mode.ftz), self.input(c, mode.ftz));
        let r = self.format().fma(a.into(), b.into(), c.into(), mode) as u16;
        if relu { self.relu(r) } else { r }
    }

    #[inline(always)]
    pub fn relu(self, a: u16) -> u16 {
        self.format().relu(a.into()) as u16
    }

    #[inline(always)]
    pub fn abs(self, a: u16, ftz: bool) -> u16 {
        if self.is_nan(a) { 0x7fff } else { self.input(a & 0x7fff, ftz) }
    }

    #[inline(always)]
    pub fn neg(self, a: u16, ftz: bool) -> u16 {
        if self.is_nan(a) { 0x7fff } else { self.input(a ^ 0x8000, ftz) }
    }

    #[inline]
    pub fn min(self, a: u16, b: u16, how: MinMax) -> u16 {
        self.min_max(a, b, how, false)
    }

    #[inline]
    pub fn max(self, a: u16, b: u16, how: MinMax) -> u16 {
        self.min_max(a, b, how, true)
    }

    fn min_max(self, a: u16, b: u16, how: MinMax, max: bool) -> u16 {
        let (mut x, mut y) = (self.input(a, how.ftz), self.input(b, how.ftz));
        let sign = (x ^ y) & 0x8000;
        if how.xorsign_abs {
            (x, y) = (x & 0x7fff, y & 0x7fff);
        }
        let (p, q) = (self.is_nan(x), self.is_nan(y));
        if p && q || how.nan && (p || q) {
            return 0x7fff;
        }
        let key = |v: u16| (v ^ (((v as i16) >> 15) as u16 >> 1)) as i16;
        let first = q || !p && ((key(x) > key(y)) == max);
        let r = if first { x } else { y };
        if how.xorsign_abs { r | sign } else { r }
    }

    #[inline(always)]
    pub fn is_nan(self, a: u16) -> bool {
        self.format().is_nan(a.into())
    }
}
