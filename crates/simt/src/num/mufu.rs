//! The multi-function unit: the approximations behind `.approx`.
//!
//! Its tables are not published. These functions round the true value, which keeps
//! every error bound that PTX documents; a GPU may differ in the last bits
//! (`docs/assumptions.md`). Subnormal inputs and results are zero, NaN is 0x7fffffff.

use super::half::Half;
use super::single::{NAN, flush};

#[inline(always)]
fn input(a: u32) -> f64 {
    f32::from_bits(flush(a)).into()
}

#[inline(always)]
fn output(r: f64) -> u32 {
    let r = r as f32;
    if r.is_nan() { NAN } else { flush(r.to_bits()) }
}

/// `1 / a`.
pub(super) fn rcp(a: u32) -> u32 {
    output(1.0 / input(a))
}

/// `1 / sqrt(a)`; zeros give infinity of their sign.
pub(super) fn rsqrt(a: u32) -> u32 {
    let x = input(a);
    output(if x == 0.0 { 1.0 / x } else { 1.0 / x.sqrt() })
}

pub(super) fn sqrt(a: u32) -> u32 {
    output(input(a).sqrt())
}

/// The sine of an angle in turns.
pub(super) fn sin(a: u32) -> u32 {
    // Whole turns go exactly; infinities become NaN.
    output(((input(a) % 1.0) * std::f64::consts::TAU).sin())
}

/// The cosine of an angle in turns.
pub(super) fn cos(a: u32) -> u32 {
    output(((input(a) % 1.0) * std::f64::consts::TAU).cos())
}

pub(super) fn lg2(a: u32) -> u32 {
    output(input(a).log2())
}

/// `2^a`.
pub(super) fn ex2(a: u32) -> u32 {
    output(input(a).exp2())
}

/// Subnormals pass.
pub(super) fn tanh(a: u32) -> u32 {
    let r = f64::from(f32::from_bits(a)).tanh() as f32;
    if r.is_nan() { NAN } else { r.to_bits() }
}

/// `2^a` of a half; `bf16` inputs are flushed.
pub(super) fn ex2_half(half: Half, a: u16) -> u16 {
    let a = if half == Half::Bf16 { half.format().flush(a.into()) as u16 } else { a };
    half.round(f64::from(half.value(a)).exp2() as f32)
}

pub(super) fn tanh_half(half: Half, a: u16) -> u16 {
    half.round(f64::from(half.value(a)).tanh() as f32)
}

/// The upper word of the reciprocal of the double with upper word `a` and a lower word of zero.
pub(super) fn rcp64h(a: u32) -> u32 {
    high_output(1.0 / high_input(a))
}

/// The upper word of the reciprocal square root, likewise.
pub(super) fn rsqrt64h(a: u32) -> u32 {
    let x = high_input(a);
    high_output(if x == 0.0 { 1.0 / x } else { 1.0 / x.sqrt() })
}

fn high_input(a: u32) -> f64 {
    let a = if a & 0x7ff0_0000 == 0 { a & 1 << 31 } else { a };
    f64::from_bits(u64::from(a) << 32)
}

fn high_output(r: f64) -> u32 {
    if r.is_nan() {
        return NAN;
    }
    let a = (r.to_bits() >> 32) as u32;
    if a & 0x7ff0_0000 == 0 { a & 1 << 31 } else { a }
}
