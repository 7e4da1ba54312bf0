//! The words of D.

use crate::num::half::Half;
use crate::num::narrow::odd_single;

/// The type of D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accumulator {
    F32,
    /// In the lower half of each word.
    F16,
    S32 {
        saturates: bool,
    },
}

impl Accumulator {
    /// Returns the value of a word of D.
    pub(super) fn sum(self, word: u32) -> f64 {
        match self {
            Accumulator::F32 => f64::from(f32::from_bits(word)),
            Accumulator::F16 => f64::from(Half::F16.value(word as u16)),
            Accumulator::S32 { .. } => f64::from(word as i32),
        }
    }

    /// Returns the word of D of a sum. Integers that are too large wrap, or saturate.
    pub(super) fn word(self, sum: f64) -> u32 {
        const NAN: u32 = 0x7fff_ffff;
        match self {
            Accumulator::S32 { saturates: true } => sum as i32 as u32,
            // The sum of a word and of 32 products is exact.
            Accumulator::S32 { saturates: false } => sum as i64 as u32,
            Accumulator::F16 if sum.is_nan() => NAN & 0x7fff,
            Accumulator::F16 => Half::F16.round(odd_single(sum)).into(),
            Accumulator::F32 if sum.is_nan() => NAN,
            Accumulator::F32 => (sum as f32).to_bits(),
        }
    }
}
