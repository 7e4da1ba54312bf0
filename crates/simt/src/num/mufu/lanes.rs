//! A branch-free multi-function unit for several lanes at once.
//!
//! It returns the same bits as the functions for one lane (`lower/select/tests.rs`). Decoding numbers and
//! squaring offsets are vectorised over all lanes; segments are looked up lane by lane.

use super::tables::{EX2, RCP, SIN, Segment};
use super::{INF, NAN, ONE, SIGN, square};

/// The number of lanes computed at once.
pub(crate) const LANES: usize = 8;

type Row = [u32; LANES];

/// Implements [`super::interpolate`] for several lanes.
#[inline(always)]
fn interpolate<const BITS: u32, const CUT: u32>(table: &[Segment], fractions: &Row) -> [i64; LANES] {
    let mut squares = [0u32; LANES];
    for i in 0..LANES {
        squares[i] = square::<BITS, CUT>(fractions[i] & ((1 << BITS) - 1)) as u32;
    }
    let mut values = [0; LANES];
    for i in 0..LANES {
        let segment = &table[(fractions[i] >> BITS) as usize];
        let offset = i64::from(fractions[i] & ((1 << BITS) - 1));
        values[i] = segment.constant + 2 * segment.slope * offset + 4 * segment.curve * i64::from(squares[i]);
    }
    values
}

/// Returns the magnitude of `value * 2^exp`, truncated to 24 bits, with zero below the normal range, like
/// [`super::truncated`].
#[inline(always)]
fn truncated(value: i64, exp: i32) -> u32 {
    let value = value as u64;
    let up = value.leading_zeros();
    let fraction = (value << (up & 63) >> 40) as u32 & 0x7f_ffff;
    let biased = 63 - up as i32 + exp + 127;
    let magnitude = if biased >= 255 { INF - 1 } else { (biased as u32) << 23 | fraction };
    if biased <= 0 || value == 0 { 0 } else { magnitude }
}

#[inline(always)]
fn exponent(magnitude: u32) -> i32 {
    (magnitude >> 23) as i32 - 127
}

/// `1 / a`.
#[inline(always)]
pub(crate) fn rcp(a: &Row) -> Row {
    let mut fractions = [0; LANES];
    for i in 0..LANES {
        fractions[i] = a[i] & 0x7f_ffff;
    }
    let values = interpolate::<16, 17>(&RCP, &fractions);
    let mut out = [0; LANES];
    for i in 0..LANES {
        let magnitude = a[i] & !SIGN;
        let r = truncated(values[i] >> 18, -24 - exponent(magnitude));
        let r = if magnitude == INF { 0 } else { r };
        let r = if magnitude < 0x80_0000 { INF } else { r } | a[i] & SIGN;
        out[i] = if magnitude > INF { NAN } else { r };
    }
    out
}

/// Returns a number's significand in fixed point with `bits` fraction bits; bits beyond the word are lost.
#[inline(always)]
fn fixed(magnitude: u32, bits: i32) -> u32 {
    let significand = magnitude & 0x7f_ffff | 1 << 23;
    let up = exponent(magnitude) - 23 + bits;
    let (left, right) = (up.clamp(0, 31), (-up).clamp(0, 31));
    significand << left >> right
}

/// `2^a`.
#[inline(always)]
pub(crate) fn ex2(a: &Row) -> Row {
    let (mut places, mut fractions) = ([0i32; LANES], [0; LANES]);
    for i in 0..LANES {
        let magnitude = fixed(a[i] & !SIGN, 23);
        // Negative numbers are complemented; integers are negated and exact.
        let whole = magnitude & 0x7f_ffff == 0;
        let negative = if whole { magnitude.wrapping_neg() } else { !magnitude };
        places[i] = if a[i] & SIGN != 0 { negative } else { magnitude } as i32;
        fractions[i] = places[i] as u32 & 0x7f_ffff;
    }
    let values = interpolate::<17, 19>(&EX2, &fractions);
    let mut out = [0; LANES];
    for i in 0..LANES {
        let magnitude = a[i] & !SIGN;
        let r = truncated(values[i] >> 18, (places[i] >> 23) - 23);
        let r = if places[i] >> 23 >= 128 { INF } else { r };
        // Magnitudes from 2^8 on, and infinity.
        let beyond = if a[i] & SIGN != 0 { 0 } else { INF };
        let r = if exponent(magnitude) >= 8 { beyond } else { r };
        let r = if magnitude < 0x80_0000 { ONE } else { r };
        out[i] = if magnitude > INF { NAN } else { r };
    }
    out
}

/// Returns the sine of an angle in turns, or its cosine: the sine a quarter turn further.
#[inline(always)]
pub(crate) fn sine(a: &Row, cosine: bool) -> Row {
    let (mut turns, mut fractions) = ([0; LANES], [0; LANES]);
    for i in 0..LANES {
        turns[i] = fixed(a[i] & !SIGN, 25).wrapping_add(if cosine { 1 << 23 } else { 0 });
        // The second and fourth quarters run backwards.
        let backwards = 0u32.wrapping_sub(turns[i] >> 23 & 1);
        fractions[i] = (turns[i] ^ backwards) & 0x7f_ffff;
    }
    let values = interpolate::<17, 19>(&SIN, &fractions);
    let mut out = [0; LANES];
    for i in 0..LANES {
        let magnitude = a[i] & !SIGN;
        let flip = if cosine { 0 } else { a[i] & SIGN };
        let r = truncated(values[i], -42) | (turns[i] << 7 & SIGN) ^ flip;
        let zero = if cosine { ONE } else { flip };
        let r = if magnitude < 0x80_0000 { zero } else { r };
        out[i] = if magnitude >= INF { NAN } else { r };
    }
    out
}
