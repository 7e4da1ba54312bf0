//! The `.approx` instructions, PTX §9.7.3.
//!
//! The hardware's tables are not published. These functions round the true value,
//! which keeps every error bound that PTX documents; results may differ from a GPU's
//! in the last bits (`docs/assumptions.md`). The special values are the documented
//! ones.

use super::fp::Mode;
use super::half::Half;
use super::single::{self, NAN, flush};

const FTZ: Mode = Mode { ftz: true, ..Mode::RN };

#[inline(always)]
fn input(a: u32, ftz: bool) -> f64 {
    f32::from_bits(if ftz { flush(a) } else { a }).into()
}

#[inline(always)]
fn output(r: f64, ftz: bool) -> u32 {
    let r = r as f32;
    let bits = if r.is_nan() { NAN } else { r.to_bits() };
    if ftz { flush(bits) } else { bits }
}

/// `rcp.approx{.ftz}.f32`, at most 1 ulp.
pub fn rcp(a: u32, ftz: bool) -> u32 {
    output(1.0 / input(a, ftz), ftz)
}

/// `div.approx{.ftz}.f32`: `a * (1/b)`, at most 2 ulp for `|b|` in [2^-126, 2^126]; for larger
/// `|b|` the reciprocal is zero.
pub fn div(a: u32, b: u32, ftz: bool) -> u32 {
    let mode = if ftz { FTZ } else { Mode::RN };
    let magnitude = b & 0x7fff_ffff;
    if magnitude > 0x7e80_0000 && magnitude < 0x7f80_0000 {
        return single::mul(a, b & 0x8000_0000, mode);
    }
    output(input(a, ftz) * (1.0 / input(b, ftz)), ftz)
}

/// `div.full{.ftz}.f32`: at most 2 ulp over the whole range.
pub fn div_full(a: u32, b: u32, ftz: bool) -> u32 {
    output(input(a, ftz) / input(b, ftz), ftz)
}

/// `sqrt.approx{.ftz}.f32`.
pub fn sqrt(a: u32, ftz: bool) -> u32 {
    output(input(a, ftz).sqrt(), ftz)
}

/// `rsqrt.approx{.ftz}.f32`: relative error at most 2^-22.9.
pub fn rsqrt(a: u32, ftz: bool) -> u32 {
    let x = input(a, ftz);
    // The sign of zero decides the infinity.
    output(if x == 0.0 { 1.0 / x } else { 1.0 / x.sqrt() }, ftz)
}

/// `sin.approx{.ftz}.f32`: absolute error at most 2^-20.9 in [-pi, pi].
pub fn sin(a: u32, ftz: bool) -> u32 {
    output(input(a, ftz).sin(), ftz)
}

pub fn cos(a: u32, ftz: bool) -> u32 {
    output(input(a, ftz).cos(), ftz)
}

/// `lg2.approx{.ftz}.f32`: absolute error at most 2^-22.6 for results near 0, else relative.
pub fn lg2(a: u32, ftz: bool) -> u32 {
    output(input(a, ftz).log2(), ftz)
}

/// `ex2.approx{.ftz}.f32`: relative error at most 2 ulp.
pub fn ex2(a: u32, ftz: bool) -> u32 {
    output(input(a, ftz).exp2(), ftz)
}

/// `tanh.approx.f32`: relative error at most 2^-11.
pub fn tanh(a: u32) -> u32 {
    output(input(a, false).tanh(), false)
}

/// `ex2.approx.{f16,ftz.bf16}`.
pub fn ex2_half(half: Half, a: u16) -> u16 {
    let a = if half == Half::Bf16 { half.format().flush(a.into()) as u16 } else { a };
    half.round((f64::from(half.value(a)).exp2()) as f32)
}

/// `tanh.approx.{f16,bf16}`.
pub fn tanh_half(half: Half, a: u16) -> u16 {
    half.round((f64::from(half.value(a)).tanh()) as f32)
}

/// `rcp.approx.ftz.f64`: the upper word of the reciprocal of the upper word; the low word is zero.
pub fn rcp_f64(a: u64) -> u64 {
    high(1.0 / from_high(a))
}

/// `rsqrt.approx{.ftz}.f64`, likewise on the upper words.
pub fn rsqrt_f64(a: u64) -> u64 {
    let x = from_high(a);
    high(if x == 0.0 { 1.0 / x } else { 1.0 / x.sqrt() })
}

/// The upper word as a number, subnormals flushed.
fn from_high(a: u64) -> f64 {
    let a = a & 0xffff_ffff_0000_0000;
    f64::from_bits(if a & 0x7ff0_0000_0000_0000 == 0 { a & 1 << 63 } else { a })
}

fn high(r: f64) -> u64 {
    if r.is_nan() {
        return 0x7fff_ffff_0000_0000;
    }
    let bits = r.to_bits();
    let bits = if bits & 0x7ff0_0000_0000_0000 == 0 { bits & 1 << 63 } else { bits };
    bits & 0xffff_ffff_0000_0000
}
