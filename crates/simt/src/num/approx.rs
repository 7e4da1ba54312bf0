//! The `.approx` and `.full` instructions, PTX §9.7.3.
//!
//! A GPU computes these by short sequences around one table look-up of its multi-function unit
//! ([`super::mufu`]). The sequences here are those that ptxas 13.0 emits for sm_90; the scalings extend the
//! functions to subnormals, which the unit itself flushes.

use super::fp::{Mode, Round};
use super::half::Half;
use super::{double, mufu, single};

const RN: Mode = Mode::RN;
const FTZ: Mode = Mode { ftz: true, ..Mode::RN };
const ONE: u32 = 0x3f80_0000;
const HALF: u32 = 0x3f00_0000;
/// The factor `1 / 2 pi`.
const TURN: u32 = 0x3e22_f983;
const TWO_24: u32 = 0x4b80_0000;
const TWO_M12: u32 = 0x3980_0000;
const TWO_12: u32 = 0x4580_0000;
const QUARTER: u32 = 0x3e80_0000;
const TWO_126: u32 = 0x7e80_0000;
const LEAST_NORMAL: u32 = 0x0080_0000;

/// Returns whether the magnitude is below the normal range (false for NaN).
#[inline]
fn is_small(a: u32) -> bool {
    a & 0x7fff_ffff < LEAST_NORMAL
}

/// Returns whether the magnitude is above 2^126 (false for NaN).
#[inline]
fn is_large(a: u32) -> bool {
    let m = a & 0x7fff_ffff;
    m > TWO_126 && m <= 0x7f80_0000
}

/// `rcp.approx{.ftz}.f32`, at most 1 ulp.
#[inline]
pub fn rcp(a: u32, ftz: bool) -> u32 {
    if ftz {
        return mufu::rcp(a);
    }
    let scale = if is_large(a) {
        QUARTER
    } else if is_small(a) {
        TWO_24
    } else {
        return mufu::rcp(a);
    };
    single::mul(scale, mufu::rcp(single::mul(a, scale, RN)), RN)
}

/// `div.approx{.ftz}.f32`: `a * (1/b)`, at most 2 ulp for `|b|` in [2^-126, 2^126]; for larger
/// `|b|` the reciprocal is zero.
#[inline]
pub fn div(a: u32, b: u32, ftz: bool) -> u32 {
    if ftz {
        return single::mul(a, mufu::rcp(b), FTZ);
    }
    let (a, b) = scale_both(a, b, is_small(b), TWO_24, RN);
    single::mul(mufu::rcp(b), a, RN)
}

#[inline]
fn scale_both(a: u32, b: u32, when: bool, scale: u32, mode: Mode) -> (u32, u32) {
    if when { (single::mul(a, scale, mode), single::mul(b, scale, mode)) } else { (a, b) }
}

/// `div.full{.ftz}.f32`: at most 2 ulp over the whole range.
#[inline]
pub fn div_full(a: u32, b: u32, ftz: bool) -> u32 {
    let mode = if ftz { FTZ } else { RN };
    let small = !ftz && is_small(b);
    let (a, b) = scale_both(a, b, is_large(b), QUARTER, mode);
    let (a, b) = scale_both(a, b, small, TWO_24, mode);
    single::mul(mufu::rcp(b), a, mode)
}

/// `sqrt.approx{.ftz}.f32`.
#[inline]
pub fn sqrt(a: u32, ftz: bool) -> u32 {
    if ftz || !is_small(a) {
        return mufu::sqrt(a);
    }
    single::mul(mufu::sqrt(single::mul(a, TWO_24, RN)), TWO_M12, RN)
}

/// `rsqrt.approx{.ftz}.f32`: relative error at most 2^-22.9.
#[inline]
pub fn rsqrt(a: u32, ftz: bool) -> u32 {
    if ftz || !is_small(a) {
        return mufu::rsqrt(a);
    }
    single::mul(mufu::rsqrt(single::mul(a, TWO_24, RN)), TWO_12, RN)
}

/// Returns the argument in turns: `a / 2 pi`, truncated.
#[inline]
fn turns(a: u32) -> u32 {
    single::mul(a, TURN, Mode::round(Round::Zero))
}

/// `sin.approx{.ftz}.f32`: absolute error at most 2^-20.9 in [-pi, pi].
#[inline]
pub fn sin(a: u32, _ftz: bool) -> u32 {
    mufu::sin(turns(a))
}

/// `cos.approx{.ftz}.f32`: absolute error at most 2^-20.9 in [-pi, pi].
#[inline]
pub fn cos(a: u32, _ftz: bool) -> u32 {
    mufu::cos(turns(a))
}

/// `lg2.approx{.ftz}.f32`: absolute error at most 2^-22.6 for arguments in (0.5, 2), relative
/// elsewhere.
#[inline]
pub fn lg2(a: u32, ftz: bool) -> u32 {
    if ftz || !is_small(a) {
        return mufu::lg2(a);
    }
    single::add(mufu::lg2(single::mul(a, TWO_24, RN)), (-24f32).to_bits(), RN)
}

/// `ex2.approx{.ftz}.f32`: relative error at most 2 ulp.
#[inline]
pub fn ex2(a: u32, ftz: bool) -> u32 {
    let x = f32::from_bits(a);
    if ftz || x >= -126.0 || x.is_nan() {
        return mufu::ex2(a);
    }
    let half = mufu::ex2(single::mul(a, 0.5f32.to_bits(), RN));
    single::mul(half, half, RN)
}

/// `tanh.approx.f32`: relative error at most 2^-11.
pub fn tanh(a: u32) -> u32 {
    mufu::tanh(a)
}

/// `ex2.approx.f16`, `ex2.approx.ftz.bf16`.
pub fn ex2_half(half: Half, a: u16) -> u16 {
    mufu::ex2_half(half, a)
}

/// `tanh.approx.{f16,bf16}`.
pub fn tanh_half(half: Half, a: u16) -> u16 {
    mufu::tanh_half(half, a)
}

/// `rcp.approx.ftz.f64`: the upper word of the reciprocal of the upper word; the low word is zero.
pub fn rcp_f64(a: u64) -> u64 {
    u64::from(mufu::rcp64h((a >> 32) as u32)) << 32
}

/// `rsqrt.approx.ftz.f64` on the upper words; without `.ftz` one step of a third-order iteration follows.
pub fn rsqrt_f64(a: u64, ftz: bool) -> u64 {
    let high = (a >> 32) as u32;
    if ftz {
        return u64::from(mufu::rsqrt64h(high)) << 32;
    }
    if high.wrapping_sub(0x10_0000) < 0x7fe0_0000 {
        return refine(a);
    }
    let x = f64::from_bits(a);
    if x == 0.0 {
        a & 1 << 63 | 0x7ff0_0000_0000_0000
    } else if x.is_nan() {
        double::add(a, a, Round::Nearest)
    } else if x < 0.0 {
        double::NAN
    } else if x == f64::INFINITY {
        0
    } else {
        // A subnormal is scaled by 2^54, its result by 2^27.
        double::mul(refine(double::mul(a, TWO_54, Round::Nearest)), TWO_27, Round::Nearest)
    }
}

const TWO_54: u64 = 0x4350_0000_0000_0000;
const TWO_27: u64 = 0x41a0_0000_0000_0000;

fn refine(a: u64) -> u64 {
    let rn = Round::Nearest;
    let y = u64::from(mufu::rsqrt64h((a >> 32) as u32)) << 32;
    let e = double::fma(a, double::neg(double::mul(y, y, rn)), 1f64.to_bits(), rn);
    let t = double::fma(e, 0.375f64.to_bits(), 0.5f64.to_bits(), rn);
    double::fma(t, double::mul(y, e, rn), y, rn)
}

/// A row of as many lanes as [`mufu::lanes`] computes at once.
pub type Row = [u32; mufu::lanes::LANES];

#[inline(always)]
fn each(a: &Row, f: impl Fn(usize, u32) -> u32) -> Row {
    let mut out = *a;
    for (i, out) in out.iter_mut().enumerate() {
        *out = f(i, *out);
    }
    out
}

/// Computes [`rcp`] of several lanes.
#[inline(always)]
pub fn rcp_row(a: &Row, ftz: bool) -> Row {
    let scale = |a: u32| {
        let small = if is_small(a) { TWO_24 } else { ONE };
        if ftz {
            ONE
        } else if is_large(a) {
            QUARTER
        } else {
            small
        }
    };
    let r = mufu::lanes::rcp(&each(a, |_, a| if ftz { a } else { single::mul(a, scale(a), RN) }));
    each(&r, |i, r| if ftz || scale(a[i]) == ONE { r } else { single::mul(scale(a[i]), r, RN) })
}

/// Computes [`div`] or, if `full`, [`div_full`] of several lanes.
#[inline(always)]
pub fn div_row(a: &Row, b: &Row, full: bool, ftz: bool) -> Row {
    let mode = if ftz { FTZ } else { RN };
    let scale = |b: u32| {
        let small = if !ftz && is_small(b) { TWO_24 } else { ONE };
        if full && is_large(b) { QUARTER } else { small }
    };
    let scaled = |x: u32, b: u32| if scale(b) == ONE { x } else { single::mul(x, scale(b), mode) };
    let r = mufu::lanes::rcp(&each(b, |_, b| scaled(b, b)));
    each(&r, |i, r| single::mul(r, scaled(a[i], b[i]), mode))
}

/// Computes [`ex2`] of several lanes.
#[inline(always)]
pub fn ex2_row(a: &Row, ftz: bool) -> Row {
    let deep = |a: u32| !ftz && f32::from_bits(a) < -126.0;
    let r = mufu::lanes::ex2(&each(a, |_, a| if deep(a) { single::mul(a, HALF, RN) } else { a }));
    each(&r, |i, r| if deep(a[i]) { single::mul(r, r, RN) } else { r })
}

/// Computes [`sin`] or [`cos`] of several lanes.
#[inline(always)]
pub fn sine_row(a: &Row, cosine: bool) -> Row {
    // The product is exact in `f64`, then truncated to `f32`.
    let turns = |a: u32| {
        let exact = f64::from(f32::from_bits(a)) * f64::from(f32::from_bits(TURN));
        let near = exact as f32;
        let further = (f64::from(near).abs() > exact.abs()) as u32;
        near.to_bits().wrapping_sub(further)
    };
    mufu::lanes::sine(&each(a, |_, a| turns(a)), cosine)
}
