//! Selects row functions of conversions.

use super::{BIN32, Choice, TRI32, UN32, UN64, W, choice};
use crate::alu::convert::{How, pack_x, select as c};
use crate::alu::{AluFn, select as s};
use crate::num::fp::{BF16, E4M3, E5M2, F16 as F16_FORMAT, F32 as F32_FORMAT, Format, Round, TF32};
use crate::num::int::IntTy;
use ptx::ast::ScalarType::{self, *};
use ptx::op::{Op, Rounding};

const WIDEN: &[W] = &[W::W64, W::W32];
const NARROW: &[W] = &[W::W32, W::W64];

/// Selects the function of a `cvt` to a register of `dst_bits` bits, or of a `cvt.pack`.
pub(in crate::lower) fn convert(op: &Op, dst_bits: u32) -> Option<Choice> {
    match *op {
        Op::Cvt { scaled: true, .. } => None,
        Op::Cvt { dst, src, rnd, ftz, sat, relu, satfinite, .. } => {
            let plain = !(ftz || sat || relu || satfinite);
            if plain && let Some(choice) = exact(dst, src, rnd, dst_bits) {
                return Some(choice);
            }
            let how = How { ftz, sat, relu, satfinite, short: dst_bits == 16, ..How::new() };
            match (IntTy::of(src), IntTy::of(dst)) {
                (Some(from), Some(int)) => between_integers(How { from, int, ..how }, dst_bits),
                (Some(int), None) => from_integer(How { int, ..how }, dst, rnd),
                (None, Some(int)) => to_integer(How { int, ..how }, src, rnd, dst_bits),
                (None, None) => between_floats(how, dst, src, rnd),
            }
        }
        Op::CvtPack { convert, from: S32, with_c } => {
            let (bits, signed) = match convert {
                U4 => (4, false),
                S4 => (4, true),
                other => IntTy::of(other).map(|t| (t.bits, t.signed))?,
            };
            let x = pack_x(bits, signed);
            match (bits, with_c) {
                (16, false) => Some(Choice { f: c::pack_halves(), widths: BIN32, x }),
                (4 | 8, true) => Some(Choice { f: c::pack_below(), widths: TRI32, x }),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Selects the function of a `cvt` from a word in the low half of a 64-bit register to a 64-bit register.
pub(in crate::lower) fn convert_low(op: &Op) -> Option<Choice> {
    match *op {
        Op::Cvt { dst, src, rnd: None, sat: false, relu: false, satfinite: false, .. }
            if dst.bits() == 64 && src.bits() == 32 && !dst.is_float() && !src.is_float() =>
        {
            choice(if src.is_signed() { s::low_sext64() } else { s::low_zext64() }, UN64)
        }
        _ => None,
    }
}

fn with(f: AluFn, widths: &'static [W], how: How) -> Option<Choice> {
    Some(Choice { f, widths, x: how.pack() })
}

/// Returns whether the conversion rounds to an integral value.
fn integral(rnd: Option<Rounding>) -> bool {
    use Rounding::{DownInt, NearestInt, UpInt, ZeroInt};
    matches!(rnd, Some(NearestInt | ZeroInt | DownInt | UpInt))
}

fn format(ty: ScalarType) -> Option<Format> {
    Some(match ty {
        F16 | F16x2 => F16_FORMAT,
        Bf16 | Bf16x2 => BF16,
        F32 => F32_FORMAT,
        Tf32 => TF32,
        E4m3 | E4m3x2 => E4M3,
        E5m2 | E5m2x2 => E5M2,
        _ => return None,
    })
}

fn between_floats(how: How, dst: ScalarType, src: ScalarType, rnd: Option<Rounding>) -> Option<Choice> {
    if integral(rnd) {
        let how = How { rnd: Round::of(rnd?)?, ..how };
        (!how.relu && !how.satfinite).then_some(())?;
        let plain = !how.ftz && !how.sat;
        return match (dst, src) {
            (F32, F32) => with(c::integral_single(), UN32, how),
            (F64, F64) if !how.ftz => with(c::integral_double(), UN64, how),
            (F16, F16) if plain => with(c::integral_f16(), UN32, how),
            (Bf16, Bf16) if plain => with(c::integral_bf16(), UN32, how),
            _ => None,
        };
    }
    let direction = rnd.map_or(Some(Round::Nearest), Round::of)?;
    let plain = !(how.ftz || how.sat || how.relu || how.satfinite);
    let nearest = plain && direction == Round::Nearest;
    let how = How { rnd: direction, ..how };
    let to = |format| How { format, ..how };
    match (dst, src) {
        (F16, F32) if nearest => choice(c::single_to_f16(), UN32),
        (Bf16, F32) if nearest => choice(c::single_to_bf16(), UN32),
        (F16x2, F32) if nearest => choice(c::single_to_f16x2(), BIN32),
        (Bf16x2, F32) if nearest => choice(c::single_to_bf16x2(), BIN32),
        // `.ftz` has no effect on conversions to `f16`.
        (F16 | F16x2, F32) => {
            let how = How { ftz: false, ..to(F16_FORMAT) };
            if dst == F16 { with(c::single_to(), UN32, how) } else { with(c::single_to_pair16(), BIN32, how) }
        }
        (Bf16, F32) => with(c::single_to(), UN32, to(BF16)),
        (Bf16x2, F32) => with(c::single_to_pair16(), BIN32, to(BF16)),
        (E4m3x2 | E5m2x2, F32) if how.satfinite => with(c::single_to_pair8(), BIN32, to(format(dst)?)),
        (E4m3x2 | E5m2x2, F16x2) if how.satfinite && !how.ftz => {
            with(c::f16x2_to_pair8(), UN32, to(format(dst)?))
        }
        (F16x2, E4m3x2 | E5m2x2) if !how.ftz && !how.sat && !how.satfinite && nearest_or_relu(how) => {
            with(c::pair8_to_f16x2(), UN32, to(format(src)?))
        }
        (Tf32, F32) if direction == Round::NearestAway => {
            if plain {
                with(c::single_to_tf32_away(), UN32, to(TF32))
            } else {
                None
            }
        }
        (Tf32, F32) => with(c::single_to_tf32(), UN32, to(TF32)),
        (F32, F16) if plain => choice(c::f16_to_single(), UN32),
        (F32, Bf16) if plain => choice(c::bf16_to_single(), UN32),
        (F64, F16) if plain => choice(c::f16_to_double(), WIDEN),
        (F64, Bf16) if plain => choice(c::bf16_to_double(), WIDEN),
        (Bf16, F16) if !how.ftz => with(c::f16_to(), UN32, to(BF16)),
        (F16, Bf16) if !how.ftz => with(c::bf16_to(), UN32, to(F16_FORMAT)),
        (F32, F64) => with(c::double_to(), NARROW, to(F32_FORMAT)),
        (F16 | Bf16, F64) if !how.ftz => with(c::double_to(), NARROW, to(format(dst)?)),
        (F64, F32) if !how.relu && !how.satfinite => with(c::single_to_double(), WIDEN, how),
        (F32, F32) if rnd.is_none() && (how.ftz || how.sat) && !how.relu && !how.satfinite => {
            with(c::single_to_single(), UN32, how)
        }
        _ => None,
    }
}

/// Returns whether the modifiers are at most `.relu`: the extension of 8-bit numbers is exact, and no other
/// modifier exists.
fn nearest_or_relu(how: How) -> bool {
    how.rnd == Round::Nearest
}

fn to_integer(how: How, src: ScalarType, rnd: Option<Rounding>, dst_bits: u32) -> Option<Choice> {
    let how = How { rnd: rnd.map_or(Some(Round::Zero), Round::of)?, ..how };
    // Conversions to integers have no ties-away rounding.
    (how.rnd != Round::NearestAway).then_some(())?;
    let long = how.int.bits == 64;
    // A narrow result in a wide register is left to the evaluator.
    (long || dst_bits <= 32).then_some(())?;
    match src {
        F32 if long => with(c::single_to_long(), WIDEN, how),
        F32 => with(c::single_to_int(), UN32, how),
        F64 if how.ftz => None,
        F64 if long => with(c::double_to_long(), UN64, how),
        F64 => with(c::double_to_int(), NARROW, how),
        F16 | Bf16 if how.ftz => None,
        F16 | Bf16 => {
            let how = How { format: format(src)?, ..how };
            if long { with(c::half_to_long(), WIDEN, how) } else { with(c::half_to_int(), UN32, how) }
        }
        _ => None,
    }
}

fn from_integer(how: How, dst: ScalarType, rnd: Option<Rounding>) -> Option<Choice> {
    let how = How { rnd: rnd.map_or(Some(Round::Nearest), Round::of)?, ftz: false, ..how };
    (!how.relu && !how.satfinite).then_some(())?;
    let long = how.int.bits == 64;
    let nearest = how.rnd == Round::Nearest && !how.sat;
    match dst {
        F64 if how.sat => None,
        F64 if !long => with(c::int_to_double(), WIDEN, how),
        F64 if nearest && how.int.signed => choice(c::signed_long_to_double(), UN64),
        F64 if nearest => choice(c::unsigned_long_to_double(), UN64),
        F64 => None,
        F32 if nearest && long && how.int.signed => choice(c::signed_long_to_single(), NARROW),
        F32 if nearest && long => choice(c::unsigned_long_to_single(), NARROW),
        F32 | F16 | Bf16 => {
            let how = How { format: format(dst)?, ..how };
            if long { with(c::long_to_float(), NARROW, how) } else { with(c::int_to_float(), UN32, how) }
        }
        _ => None,
    }
}

/// Selects the function of a conversion between integers with `.sat`; without it the value is a part of the
/// source, which [`exact`] handles.
fn between_integers(how: How, dst_bits: u32) -> Option<Choice> {
    how.sat.then_some(())?;
    match (how.int.bits == 64, how.from.bits == 64) {
        (false, _) if dst_bits > 32 => None,
        (false, false) => with(c::saturate_32_32(), UN32, how),
        (false, true) => with(c::saturate_64_32(), NARROW, how),
        (true, false) => with(c::saturate_32_64(), WIDEN, how),
        (true, true) => with(c::saturate_64_64(), UN64, how),
    }
}

/// Selects the function of a conversion without modifiers: those that the host performs, and those between
/// integers.
fn exact(dst: ScalarType, src: ScalarType, rnd: Option<Rounding>, dst_bits: u32) -> Option<Choice> {
    let int = |t: ScalarType| !t.is_float();
    match (dst, src) {
        (F64, F32) if !integral(rnd) => choice(c::cvt_f64_f32(), WIDEN),
        (F32, F64) if rnd == Some(Rounding::Nearest) => choice(c::cvt_f32_f64(), NARROW),
        (F32, S32) if rnd == Some(Rounding::Nearest) => choice(c::cvt_f32_s32(), UN32),
        (F32, U32) if rnd == Some(Rounding::Nearest) => choice(c::cvt_f32_u32(), UN32),
        (F64, S32) => choice(c::cvt_f64_s32(), WIDEN),
        (F64, U32) => choice(c::cvt_f64_u32(), WIDEN),
        _ if int(dst) && int(src) && (dst.bits() <= src.bits() || dst.bits() == dst_bits) => {
            // The value is that of the narrower type, extended to the register by that type's signedness.
            let narrow = if dst.bits() <= src.bits() { dst } else { src };
            let signed = narrow.is_signed();
            match (narrow.bits(), signed, src.bits(), dst_bits) {
                (64, _, 64, 64) => choice(s::mov64(), UN64),
                (32, _, 64, 32) => choice(s::low32(), NARROW),
                (32, _, 32, 32) => choice(s::mov32(), UN32),
                (32, false, 32, 64) => choice(s::zext64(), WIDEN),
                (32, true, 32, 64) => choice(s::sext64(), WIDEN),
                (16, _, 64, 16) => choice(s::low16(), NARROW),
                (16, _, 16 | 32, 16) => choice(s::zext16(), UN32),
                (16, false, 16 | 32, 32) => choice(s::zext16(), UN32),
                (16, true, 16 | 32, 32) => choice(s::sext16(), UN32),
                (16, false, 16 | 32, 64) => choice(s::zext16_64(), WIDEN),
                (16, true, 16 | 32, 64) => choice(s::sext16_64(), WIDEN),
                (8, false, 8 | 16 | 32, 16 | 32) => choice(s::zext8(), UN32),
                (8, true, 8 | 16 | 32, 32) => choice(s::sext8(), UN32),
                (8, true, 8 | 16 | 32, 16) => choice(s::sext8_16(), UN32),
                (8, false, 8 | 16 | 32, 64) => choice(s::zext8_64(), WIDEN),
                (8, true, 8 | 16 | 32, 64) => choice(s::sext8_64(), WIDEN),
                _ => None,
            }
        }
        _ => None,
    }
}
