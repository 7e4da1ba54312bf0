//! The words of D.

use crate::num::half::Half;
use crate::num::narrow::odd_single;

/// The word of a sum that is no number.
const NAN: u32 = 0x7fff_ffff;

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
    /// Writes the values of words of D, each multiplied by `scale`.
    #[inline(always)]
    pub(super) fn sums(self, words: &[u32], scale: f64, sums: &mut [f64]) {
        let both = sums.iter_mut().zip(words);
        match self {
            // A loop of its own, of vectors.
            Accumulator::F32 => both.for_each(|(sum, word)| *sum = f64::from(f32::from_bits(*word)) * scale),
            _ => both.for_each(|(sum, word)| *sum = self.sum(*word) * scale),
        }
    }

    /// Writes the words of D of sums.
    #[inline(always)]
    pub(super) fn words(self, sums: &[f64], words: &mut [u32]) {
        let both = words.iter_mut().zip(sums);
        match self {
            Accumulator::F32 => both.for_each(|(word, &sum)| {
                *word = if sum.is_nan() { NAN } else { (sum as f32).to_bits() };
            }),
            _ => both.for_each(|(word, sum)| *word = self.word(*sum)),
        }
    }

    /// Returns the value of a word of D.
    fn sum(self, word: u32) -> f64 {
        match self {
            Accumulator::F32 => f64::from(f32::from_bits(word)),
            Accumulator::F16 => f64::from(Half::F16.value(word as u16)),
            Accumulator::S32 { .. } => f64::from(word as i32),
        }
    }

    /// Returns the word of D of a sum. Integers that are too large wrap, or saturate.
    fn word(self, sum: f64) -> u32 {
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
