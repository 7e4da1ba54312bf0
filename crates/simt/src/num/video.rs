//! Video instructions, PTX §9.7.19: arithmetic on bytes, halves and words of registers.
//!
//! Sources are extended by their own signs, the operation is exact, and only then is the result clamped,
//! merged or combined, as the manual specifies. The code that a driver generates for the scalar instructions
//! on an H200 deviates from the manual in some forms; `docs/assumptions.md` lists them.

use ptx::ast::ScalarType;
use ptx::op::{Cmp, Video, VideoMad, VideoOp, VideoPart, VideoSecond, VideoSimd};

/// Returns the low `bits` of `v`, extended by the type's sign.
fn extend(v: u32, bits: u32, ty: ScalarType) -> i128 {
    let shift = 32 - bits;
    if ty.is_signed() { ((v << shift) as i32 >> shift).into() } else { (v << shift >> shift).into() }
}

/// Returns a part's lowest bit and its width.
fn place(part: VideoPart) -> (u32, u32) {
    match part {
        VideoPart::Word => (0, 32),
        VideoPart::Half(n) => (16 * u32::from(n & 1), 16),
        VideoPart::Byte(n) => (8 * u32::from(n & 3), 8),
    }
}

fn take(v: u32, part: VideoPart, ty: ScalarType) -> i128 {
    let (at, bits) = place(part);
    extend(v >> at, bits, ty)
}

/// Clamps to the range of the type with `bits` bits.
fn clamp(v: i128, bits: u32, ty: ScalarType) -> i128 {
    if ty.is_signed() {
        v.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        v.clamp(0, (1 << bits) - 1)
    }
}

/// Performs the operation. A word shifted left by 32 has 65 bits, hence the wide type.
fn operate(op: VideoOp, a: i128, b: i128) -> i128 {
    match op {
        VideoOp::Add => a + b,
        VideoOp::Sub => a - b,
        VideoOp::AbsDiff => (a - b).abs(),
        VideoOp::Min => a.min(b),
        VideoOp::Max => a.max(b),
        // A half is rounded away from zero.
        VideoOp::Average => (a + b + i128::from(a + b >= 0)) >> 1,
        VideoOp::Shl { wrap } => a << amount(b, wrap),
        VideoOp::Shr { wrap } => a >> amount(b, wrap),
        VideoOp::Set(cmp) => i128::from(match cmp {
            Cmp::Eq => a == b,
            Cmp::Ne => a != b,
            Cmp::Lt => a < b,
            Cmp::Le => a <= b,
            Cmp::Gt => a > b,
            _ => a >= b,
        }),
    }
}

fn amount(b: i128, wrap: bool) -> i128 {
    if wrap { b & 31 } else { b.min(32) }
}

/// Computes a scalar video instruction other than `vmad`.
pub fn scalar(how: &Video, a: u32, b: u32, c: u32) -> u32 {
    let (at, bits) = place(how.d_part);
    let mut v = operate(how.op, take(a, how.a_part, how.a), take(b, how.b_part, how.b));
    if how.sat {
        v = clamp(v, bits, how.ty);
    }
    let third = extend(c, 32, how.ty);
    match how.second {
        Some(VideoSecond::Add) => v += third,
        Some(VideoSecond::Min) => v = v.min(third),
        Some(VideoSecond::Max) => v = v.max(third),
        None => {}
    }
    if how.d_part == VideoPart::Word {
        return v as u32;
    }
    let mask = ((1 << bits) - 1) << at;
    c & !mask | (v as u32) << at & mask
}

/// `vmad`: the sum is exact before it is scaled and clamped.
pub fn mad(how: &VideoMad, a: u32, b: u32, c: u32) -> u32 {
    let signed = how.a.is_signed() || how.b.is_signed() || how.negate_product || how.negate_c;
    let product = take(a, how.a_part, how.a) * take(b, how.b_part, how.b);
    let addend = extend(c, 32, if signed { ScalarType::S32 } else { ScalarType::U32 });
    let sum = match (how.negate_product, how.negate_c) {
        (true, _) => addend - product,
        (_, true) => product - addend,
        _ => product + addend + i128::from(how.plus_one),
    };
    let scaled = sum >> how.shift;
    let limited = match (how.sat, signed) {
        (false, _) => scaled,
        (true, true) => scaled.clamp(i32::MIN.into(), i32::MAX.into()),
        (true, false) => scaled.clamp(0, u32::MAX.into()),
    };
    limited as u32
}

pub fn simd(how: &VideoSimd, a: u32, b: u32, c: u32) -> u32 {
    let bits = if how.lanes == 2 { 16 } else { 8 };
    let both = u64::from(b) << 32 | u64::from(a);
    let element = |row: u16, k: u32, ty| {
        let n = u32::from(row >> (4 * k) & 7);
        extend((both >> (n * bits)) as u32, bits, ty)
    };
    let mut d = c;
    for k in (0..u32::from(how.lanes)).filter(|k| how.mask >> k & 1 != 0) {
        let mut v = operate(how.op, element(how.a_select, k, how.a), element(how.b_select, k, how.b));
        if how.sat {
            v = clamp(v, bits, how.ty);
        }
        if how.accumulate {
            d = d.wrapping_add(v as u32);
        } else {
            let mask = ((1u32 << bits) - 1) << (k * bits);
            d = d & !mask | (v as u32) << (k * bits) & mask;
        }
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;
    use ScalarType::{S32, U32};

    fn video(op: VideoOp, ty: ScalarType, a: ScalarType, b: ScalarType) -> Video {
        let word = VideoPart::Word;
        Video { op, ty, a, b, sat: false, second: None, d_part: word, a_part: word, b_part: word }
    }

    /// Checks forms without usable recordings against the manual's pseudocode.
    #[test]
    fn scalar_forms_that_drivers_get_wrong_follow_the_manual() {
        let merged = Video {
            d_part: VideoPart::Half(1),
            a_part: VideoPart::Byte(0),
            b_part: VideoPart::Byte(2),
            ..video(VideoOp::AbsDiff, S32, S32, U32)
        };
        assert_eq!(scalar(&merged, 2, 0xffff_ffff, 0xffff_fffe), 0x00fd_fffe);
        let sum = Video { sat: true, ..video(VideoOp::Add, U32, S32, U32) };
        assert_eq!(scalar(&sum, 0x7fff_ffff, 0xffff_fffe, 0), 0xffff_ffff);
        let shifted = Video { sat: true, ..video(VideoOp::Shl { wrap: false }, U32, U32, U32) };
        assert_eq!(scalar(&shifted, 0xffff_ffff, 99, 0), 0xffff_ffff);
        let least = Video { second: Some(VideoSecond::Min), ..video(VideoOp::Sub, S32, U32, U32) };
        assert_eq!(scalar(&least, 1, 3, 0), 0xffff_fffe);
        let mad = VideoMad {
            a: U32,
            b: U32,
            a_part: VideoPart::Word,
            b_part: VideoPart::Word,
            negate_product: false,
            negate_c: false,
            plus_one: true,
            sat: false,
            shift: 15,
        };
        assert_eq!(super::mad(&mad, 0xffff_ffff, 0xff, 7), 0x01fd_ffff);
        assert_eq!(super::mad(&VideoMad { sat: true, ..mad }, 0xffff_ffff, 0xffff_ffff, 7), 0xffff_ffff);
    }
}
