//! `f32` arithmetic on bit patterns, PTX §9.7.3.
//!
//! Round-to-nearest uses the host's arithmetic; the other directions use [`super::fp`]. NaN results are
//! 0x7fffffff, as on hardware, whatever the inputs' payloads.

use super::directed;
use super::fp::{F32, Mode, Round};

/// The NaN that every `f32` instruction returns.
pub const NAN: u32 = 0x7fff_ffff;

/// Replaces a subnormal by the zero of its sign.
#[inline(always)]
pub fn flush(a: u32) -> u32 {
    if a & 0x7f80_0000 == 0 { a & 0x8000_0000 } else { a }
}

#[inline(always)]
fn input(a: u32, mode: Mode) -> u32 {
    if mode.ftz { flush(a) } else { a }
}

/// The least normal number.
const LEAST: u32 = 0x0080_0000;

/// Completes a result of the host's arithmetic, rounded to nearest: makes NaN canonical, then applies `.ftz`
/// and `.sat`.
///
/// The least normal number may have been rounded up from below, where `.ftz` depends on the exact value: then
/// `exact` decides ([`Format::round`](super::fp::Format::round)).
#[inline(always)]
fn output(r: f32, mode: Mode, exact: impl FnOnce() -> u64) -> u32 {
    let bits = if r.is_nan() { NAN } else { r.to_bits() };
    if mode.ftz && bits & 0x7fff_ffff == LEAST {
        return exact() as u32;
    }
    let bits = if mode.ftz { flush(bits) } else { bits };
    if mode.sat { saturate(bits) } else { bits }
}

/// Completes a result in a direction other than to nearest: the host's if it has one. `.ftz` does not affect
/// host results, because they are not small.
#[inline(always)]
fn other(mode: Mode, host: Option<u32>, exact: impl FnOnce() -> u64) -> u32 {
    match host {
        Some(bits) if mode.sat => saturate(bits),
        Some(bits) => bits,
        None => exact() as u32,
    }
}

/// `.sat`: clamps to [+0, 1]; NaN becomes +0.
#[inline(always)]
pub fn saturate(bits: u32) -> u32 {
    let x = f32::from_bits(bits);
    if x > 0.0 { bits.min(0x3f80_0000) } else { 0 }
}

#[inline(always)]
pub fn add(a: u32, b: u32, mode: Mode) -> u32 {
    let (a, b) = (input(a, mode), input(b, mode));
    if mode.rnd == Round::Nearest {
        output(f32::from_bits(a) + f32::from_bits(b), mode, || F32.add(a.into(), b.into(), mode))
    } else {
        other(mode, directed::add_f32(a, b, mode.rnd), || F32.add(a.into(), b.into(), mode))
    }
}

#[inline(always)]
pub fn sub(a: u32, b: u32, mode: Mode) -> u32 {
    add(a, b ^ 0x8000_0000, mode)
}

#[inline(always)]
pub fn mul(a: u32, b: u32, mode: Mode) -> u32 {
    let (a, b) = (input(a, mode), input(b, mode));
    if mode.rnd == Round::Nearest {
        output(f32::from_bits(a) * f32::from_bits(b), mode, || F32.mul(a.into(), b.into(), mode))
    } else {
        other(mode, directed::mul_f32(a, b, mode.rnd), || F32.mul(a.into(), b.into(), mode))
    }
}

/// `fma` and `mad`, rounded once. Inside a function with `#[target_feature(enable = "fma")]` this is one host
/// instruction.
#[inline(always)]
pub fn fma(a: u32, b: u32, c: u32, mode: Mode) -> u32 {
    let (a, b, c) = (input(a, mode), input(b, mode), input(c, mode));
    if mode.rnd == Round::Nearest {
        let r = f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c));
        output(r, mode, || F32.fma(a.into(), b.into(), c.into(), mode))
    } else {
        let exact = || F32.fma(a.into(), b.into(), c.into(), mode);
        other(mode, directed::fma_f32(a, b, c, mode.rnd), exact)
    }
}

/// `div.rnd`.
#[inline(always)]
pub fn div(a: u32, b: u32, mode: Mode) -> u32 {
    let (a, b) = (input(a, mode), input(b, mode));
    if mode.rnd == Round::Nearest {
        output(f32::from_bits(a) / f32::from_bits(b), mode, || F32.div(a.into(), b.into(), mode))
    } else {
        F32.div(a.into(), b.into(), mode) as u32
    }
}

/// `rcp.rnd`.
#[inline(always)]
pub fn rcp(a: u32, mode: Mode) -> u32 {
    div(1f32.to_bits(), a, mode)
}

/// `sqrt.rnd`.
#[inline(always)]
pub fn sqrt(a: u32, mode: Mode) -> u32 {
    let a = input(a, mode);
    if mode.rnd == Round::Nearest {
        output(f32::from_bits(a).sqrt(), mode, || F32.sqrt(a.into(), mode))
    } else {
        F32.sqrt(a.into(), mode) as u32
    }
}

#[inline(always)]
pub fn abs(a: u32, ftz: bool) -> u32 {
    sign_op(a & 0x7fff_ffff, ftz)
}

#[inline(always)]
pub fn neg(a: u32, ftz: bool) -> u32 {
    sign_op(a ^ 0x8000_0000, ftz)
}

#[inline(always)]
fn sign_op(a: u32, ftz: bool) -> u32 {
    let a = if f32::from_bits(a).is_nan() { NAN } else { a };
    if ftz { flush(a) } else { a }
}

/// The treatment of NaN and signs by `min` and `max`, PTX §9.7.3.13.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MinMax {
    pub ftz: bool,
    /// A NaN operand makes the result NaN; without it the other operand is the result.
    pub nan: bool,
    /// Compares magnitudes; the result's sign is the exclusive or of the operands' signs.
    pub xorsign_abs: bool,
}

/// Maps bit patterns of numbers to integers of the same order, with -0 below +0.
#[inline(always)]
fn key(a: u32) -> i32 {
    (a ^ (((a as i32) >> 31) as u32 >> 1)) as i32
}

#[inline(always)]
fn min_max(a: u32, b: u32, how: MinMax, max: bool) -> u32 {
    let (mut x, mut y) = if how.ftz { (flush(a), flush(b)) } else { (a, b) };
    let sign = (x ^ y) & 0x8000_0000;
    if how.xorsign_abs {
        (x, y) = (x & 0x7fff_ffff, y & 0x7fff_ffff);
    }
    let (p, q) = (f32::from_bits(x).is_nan(), f32::from_bits(y).is_nan());
    if p && q || how.nan && (p || q) {
        return NAN;
    }
    let first = q || !p && ((key(x) > key(y)) == max);
    let r = if first { x } else { y };
    if how.xorsign_abs { r | sign } else { r }
}

#[inline(always)]
pub fn min(a: u32, b: u32, how: MinMax) -> u32 {
    min_max(a, b, how, false)
}

#[inline(always)]
pub fn max(a: u32, b: u32, how: MinMax) -> u32 {
    min_max(a, b, how, true)
}

/// `copysign`: returns the magnitude of `b` with the sign of `a`.
#[inline(always)]
pub fn copysign(a: u32, b: u32) -> u32 {
    a & 0x8000_0000 | b & 0x7fff_ffff
}
