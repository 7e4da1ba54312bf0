//! Checks every row function against `num::eval`, lane by lane, on special and random bits.

use super::convert::{convert, convert_low};
use super::{Choice, W, select};
use ptx::ast::ScalarType::{self, *};
use ptx::op::{Cmp, MulPart, Op, Precision, PrmtMode, Rounding, VideoOp, VideoSimd};

/// Generates special values, then random ones.
struct Values(u64);

impl Values {
    fn next(&mut self, n: usize) -> u64 {
        const SPECIAL: [u64; 44] = [
            0,
            1,
            0xffff_ffff_ffff_ffff,
            0x8000_0000_8000_0000,
            0x7fff_ffff_7fff_ffff,
            0x8000_0000_0000_0000,
            0x3f80_0000_3f80_0000,
            0xbf80_0000_0000_8000,
            0x7f80_0000_7f80_0000,
            0xff80_0000_ff80_0000,
            0x7fc0_0000_7fc0_0001,
            0x7ff0_0000_0000_0000,
            0x7ff8_0000_0000_0001,
            0xfff0_0000_0000_0001,
            0x0000_0001_0000_0001,
            0x8000_0001_807f_ffff,
            0x3ff0_0000_0000_0000,
            0x000f_ffff_ffff_ffff,
            31,
            64,
            // Limits of the ranges of `f16` and `bf16`, infinities, NaN, one, and half of the last bit.
            0x0001_8001_03ff_8400,
            0x7bff_fbff_7c00_fc00,
            0x7c01_7e00_7fff_ffff,
            0x3c00_bc00_3801_0400,
            0x7f7f_ff7f_7f80_ff80,
            0x0080_8080_007f_807f,
            0x7f81_7fc0_3f80_bf80,
            // In `f32`: half of the least `f16`, the end of its normal range, its overflow, ties.
            0x3300_0000_3300_0001,
            0x387f_e000_387f_f000,
            0x477f_efff_477f_f000,
            0x3f80_1000_3f80_3000,
            0x3f80_8000_3f81_8000,
            0x7f7f_8000_7f7f_7fff,
            // 448 and 464 (8-bit formats), 2^31, -2^31, 2^63.
            0x43e0_0000_43e8_0000,
            0x4f00_0000_cf00_0000,
            0x5f00_0000_df00_0000,
            // The same limits in `f64`, and halves.
            0x41e0_0000_0000_0000,
            0xc1e0_0000_0020_0000,
            0x43e0_0000_0000_0000,
            0x3fe0_0000_0000_0000,
            0xc004_0000_0000_0000,
            0x380f_ffff_f000_0000,
            0x3690_0000_0000_0000,
            0x47ef_ffff_f000_0000,
        ];
        let special = SPECIAL[(n * 7 + self.0 as usize) % SPECIAL.len()];
        if n.is_multiple_of(4) {
            return special;
        }
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let random = self.0 ^ self.0 >> 29;
        match n % 4 {
            // A neighbour of a special value.
            1 => special.wrapping_add(random >> 61).wrapping_sub(4),
            // A value of moderate size: as one `f64`, two `f32`, or four `f16`.
            2 if random & 1 == 0 => random & 0x83ff_ffff_83ff_ffff | 0x3c00_0000_3c00_0000,
            2 => random & 0x8fff_8fff_8fff_8fff | 0x3000_3000_3000_3000,
            _ => random,
        }
    }
}

/// A row of either width.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Row([u64; 32]);

impl Row {
    fn get(&self, w: W, lane: usize) -> u64 {
        match w {
            W::W64 => self.0[lane],
            W::W32 => self.0[lane / 2] >> (32 * (lane % 2)) & 0xffff_ffff,
            W::P => self.0[0] >> lane & 1,
        }
    }

    fn set(&mut self, w: W, lane: usize, v: u64) {
        match w {
            W::W64 => self.0[lane] = v,
            W::W32 => {
                let shift = 32 * (lane % 2);
                self.0[lane / 2] = self.0[lane / 2] & !(0xffff_ffff << shift) | (v & 0xffff_ffff) << shift;
            }
            W::P => self.0[0] = self.0[0] & !(1 << lane) | (v & 1) << lane,
        }
    }
}

/// Compares the function with the evaluator on the same rows. `bits` narrows 16-bit operands, which rows hold
/// zero-extended; `constants` are the immediates for which the function was chosen.
fn compare(op: &Op, choice: Choice, bits: u32, constants: &[Option<u64>]) -> Vec<String> {
    let mut values = Values(bits as u64 + format!("{op:?}").len() as u64);
    let half = matches!(bits, 16) && !matches!(op, Op::Cvt { .. });
    for round in 0..48 {
        let mut rows = [Row([0; 32]); 3];
        let n = choice.widths.len() - 1;
        for (k, row) in rows.iter_mut().enumerate().take(n) {
            let w = choice.widths[k + 1];
            for lane in 0..32 {
                let mut v = values.next(round + lane * (k + 1));
                if half && w == W::W32 {
                    v &= 0xffff;
                }
                row.set(w, lane, v);
            }
        }
        // Most rounds use a subset of the lanes; the other lanes must stay unchanged.
        let lanes = match round % 4 {
            0 => u32::MAX,
            1 => 1 << (round / 4),
            _ => values.next(round) as u32,
        };
        let mut d = Row([0x5a5a_5a5a_5a5a_5a5a; 32]);
        let old = d;
        // Operands beyond those of the choice are null.
        let row = |k: usize| if k < n { (&raw const rows[k]).cast::<u8>() } else { std::ptr::null() };
        // SAFETY: all rows have 32 lanes of 64 bits.
        unsafe { (choice.f)((&raw mut d).cast(), row(0), row(1), row(2), choice.x, lanes) };
        for lane in 0..32 {
            if lanes >> lane & 1 == 0 {
                assert_eq!(
                    d.get(choice.widths[0], lane),
                    old.get(choice.widths[0], lane),
                    "{op:?}: lane {lane}"
                );
                continue;
            }
            let mut sources: Vec<u64> = (0..n).map(|k| rows[k].get(choice.widths[k + 1], lane)).collect();
            for (k, constant) in constants.iter().enumerate().skip(sources.len()) {
                let _ = k;
                sources.push(constant.unwrap_or(0));
            }
            if let Op::Cvt { src, .. } = op
                && src.bits() < 64
            {
                sources[0] &= (1 << src.bits()) - 1;
            }
            let Some(want) = crate::num::eval(op, &sources, false) else { return Vec::new() };
            let mut want = want.d;
            if let Op::Cvt { dst, .. } = op
                && dst.is_signed()
                && dst.bits() < bits
            {
                let shift = 64 - dst.bits();
                want = ((want << shift) as i64 >> shift) as u64;
                if bits < 64 {
                    want &= (1 << bits) - 1;
                }
            }
            let got = d.get(choice.widths[0], lane);
            if got != want {
                return vec![format!("{op:?} of {sources:x?}: {got:x}, not {want:x}")];
            }
        }
    }
    Vec::new()
}

fn check(wrong: &mut Vec<String>, op: Op, ty: ScalarType, constants: &[Option<u64>]) -> usize {
    let choice = select(&op, constants);
    choice.map_or(0, |choice| {
        wrong.extend(compare(&op, choice, ty.bits(), constants));
        1
    })
}

/// Returns arithmetic instructions with rounding directions other than to nearest.
fn directed(ty: ScalarType, ftz: bool) -> Vec<Op> {
    let of = |rnd: Rounding| {
        let (some, precision) = (Some(rnd), Precision::Ieee(rnd));
        [
            Op::Add { ty, rnd: some, ftz, sat: false },
            Op::Sub { ty, rnd: some, ftz, sat: false },
            Op::Mul { ty, part: None, rnd: some, ftz, sat: false },
            Op::Mad { ty, part: None, rnd: some, ftz, sat: false, relu: false },
            Op::Div { ty, precision: Some(precision), ftz },
            Op::Rcp { ty, precision, ftz },
            Op::Sqrt { ty, precision, ftz },
        ]
    };
    [Rounding::Zero, Rounding::Down, Rounding::Up].into_iter().flat_map(of).collect()
}

fn approximate(ty: ScalarType, ftz: bool) -> Vec<Op> {
    let precision = Precision::Approx;
    vec![
        Op::Div { ty, precision: Some(precision), ftz },
        Op::Div { ty, precision: Some(Precision::Full), ftz },
        Op::Rcp { ty, precision, ftz },
        Op::Sqrt { ty, precision, ftz },
        Op::Rsqrt { ty, ftz },
        Op::Sin { ftz },
        Op::Cos { ftz },
        Op::Lg2 { ftz },
        Op::Ex2 { ty, ftz },
    ]
}

#[test]
fn row_functions_agree_with_the_evaluator() {
    let (mut checked, mut wrong) = (0, Vec::new());
    let rn = Some(Rounding::Nearest);
    // Combinations that PTX does not have (`popc.f32`) are neither decoded nor evaluated.
    for ty in [Pred, B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64] {
        let float = ty.is_float();
        for (ftz, sat) in [(false, false), (true, false), (false, true)] {
            if (ftz || sat) && ty != F32 {
                continue;
            }
            let rnd = if float { rn } else { None };
            let none: &[Option<u64>] = &[None, None];
            let mut ops = vec![
                Op::Add { ty, rnd, ftz, sat },
                Op::Sub { ty, rnd, ftz, sat },
                Op::Div { ty, precision: float.then_some(Precision::Ieee(Rounding::Nearest)), ftz },
                Op::Rem { ty },
                Op::Abs { ty, ftz },
                Op::Neg { ty, ftz },
                Op::Min { ty, ftz, nan: false, xorsign_abs: false, relu: false },
                Op::Max { ty, ftz, nan: false, xorsign_abs: false, relu: false },
                Op::Rcp { ty, precision: Precision::Ieee(Rounding::Nearest), ftz },
                Op::Sqrt { ty, precision: Precision::Ieee(Rounding::Nearest), ftz },
                Op::Popc { ty },
                Op::Clz { ty },
                Op::Bfind { ty, shiftamt: false },
                Op::Bfind { ty, shiftamt: true },
                Op::Brev { ty },
            ];
            for part in [None, Some(MulPart::Lo), Some(MulPart::Hi), Some(MulPart::Wide)] {
                if part.is_none() == float {
                    ops.push(Op::Mul { ty, part, rnd, ftz, sat });
                    ops.push(Op::Mad { ty, part, rnd, ftz, sat, relu: false });
                }
            }
            for cmp in
                [Cmp::Eq, Cmp::Ne, Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge, Cmp::Lo, Cmp::Hs, Cmp::Neu, Cmp::Ltu]
            {
                ops.push(Op::Setp { cmp, combine: None, ty, ftz });
            }
            if ty.is_bits() || ty == Pred {
                ops.extend([Op::And { ty }, Op::Or { ty }, Op::Xor { ty }, Op::Not { ty }, Op::Shl { ty }]);
                ops.push(Op::Selp { ty });
            }
            if !float && ty.bits() >= 16 && matches!(ty, B16 | B32 | B64 | U16 | U32 | U64 | S16 | S32 | S64)
            {
                ops.push(Op::Shr { ty });
            }
            if float {
                ops.extend(directed(ty, ftz));
                ops.extend(approximate(ty, ftz));
            }
            for op in ops {
                checked += check(&mut wrong, op, ty, none);
            }
        }
    }
    for (left, wrap) in [(false, false), (false, true), (true, false), (true, true)] {
        checked += check(&mut wrong, Op::Shf { left, wrap }, B32, &[None; 3]);
    }
    checked += check(&mut wrong, Op::Prmt { mode: PrmtMode::Index }, B32, &[None; 3]);
    let differences = VideoSimd {
        op: VideoOp::AbsDiff,
        lanes: 4,
        ty: U32,
        a: U32,
        b: U32,
        sat: false,
        accumulate: true,
        mask: 0b1111,
        a_select: 0x3210,
        b_select: 0x7654,
    };
    checked += check(&mut wrong, Op::VideoSimd(differences), B32, &[None; 3]);
    // Other forms have no row function.
    let other = VideoSimd { mask: 0b0111, ..differences };
    assert_eq!(check(&mut wrong, Op::VideoSimd(other), B32, &[None; 3]), 0);
    for table in [0x96, 0xe8, 0x01, 0xfe, 0xca] {
        checked += check(&mut wrong, Op::Lop3 { combine: None }, B32, &[None, None, None, Some(table)]);
    }
    for (p, l) in [(0, 1), (3, 8), (24, 8), (31, 1), (1, 31)] {
        for ty in [U32, S32] {
            checked += check(&mut wrong, Op::Bfe { ty }, B32, &[None, Some(p), Some(l)]);
        }
        checked += check(&mut wrong, Op::Bfi { ty: B32 }, B32, &[None, None, Some(p), Some(l)]);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(checked > 220, "only {checked} functions were chosen");
}

/// Every comparison.
const COMPARISONS: [Cmp; 14] = [
    Cmp::Eq,
    Cmp::Ne,
    Cmp::Lt,
    Cmp::Le,
    Cmp::Gt,
    Cmp::Ge,
    Cmp::Equ,
    Cmp::Neu,
    Cmp::Ltu,
    Cmp::Leu,
    Cmp::Gtu,
    Cmp::Geu,
    Cmp::Num,
    Cmp::Nan,
];

#[test]
fn rows_of_half_precision_agree_with_the_evaluator() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for ty in [F16, F16x2, Bf16, Bf16x2] {
        for flags in 0..8 {
            let (ftz, sat, relu) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0);
            let mut ops = vec![Op::Mad { ty, part: None, rnd: None, ftz, sat, relu }];
            if !relu {
                let rnd = Some(Rounding::Nearest);
                ops.push(Op::Add { ty, rnd, ftz, sat });
                ops.push(Op::Sub { ty, rnd, ftz, sat });
                ops.push(Op::Mul { ty, part: None, rnd, ftz, sat });
            }
            if !relu && !sat {
                ops.extend([Op::Abs { ty, ftz }, Op::Neg { ty, ftz }]);
            }
            let (nan, xorsign_abs) = (sat, relu);
            ops.push(Op::Min { ty, ftz, nan, xorsign_abs, relu: false });
            ops.push(Op::Max { ty, ftz, nan, xorsign_abs, relu: false });
            for op in ops {
                let n = check(&mut wrong, op.clone(), ty, &[None, None]);
                assert_eq!(n, 1, "no row function for {op:?}");
                checked += n;
            }
        }
        let packed = matches!(ty, F16x2 | Bf16x2);
        for (cmp, ftz) in COMPARISONS.into_iter().flat_map(|cmp| [(cmp, false), (cmp, true)]) {
            if !packed {
                checked += check(&mut wrong, Op::Setp { cmp, combine: None, ty, ftz }, ty, &[None, None]);
            }
            for dst in [ty, U16, U32] {
                if packed != (dst.bits() == 32) {
                    continue;
                }
                checked +=
                    check(&mut wrong, Op::Set { cmp, combine: None, dst, src: ty, ftz }, ty, &[None, None]);
            }
        }
    }
    for (cmp, ftz) in COMPARISONS.into_iter().flat_map(|cmp| [(cmp, false), (cmp, true)]) {
        checked += check(&mut wrong, Op::Setp { cmp, combine: None, ty: F32, ftz }, F32, &[None, None]);
        checked +=
            check(&mut wrong, Op::Setp { cmp, combine: None, ty: F64, ftz: false }, F64, &[None, None]);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(checked > 350, "only {checked} functions were chosen");
}

#[test]
fn conversions_agree_with_the_evaluator() {
    let (mut checked, mut wrong) = (0, Vec::new());
    let types =
        [U8, S8, U16, S16, U32, S32, U64, S64, F16, Bf16, F32, F64, F16x2, Bf16x2, E4m3x2, E5m2x2, Tf32];
    use Rounding::*;
    let directions = [Nearest, Zero, Down, Up, NearestAway, NearestInt, ZeroInt, DownInt, UpInt].map(Some);
    for (dst, src) in types.iter().flat_map(|dst| types.iter().map(move |src| (*dst, *src))) {
        let single = [None];
        for &rnd in single.iter().chain(&directions) {
            for flags in 0..16 {
                let [ftz, sat, relu, satfinite] = [1, 2, 4, 8].map(|bit| flags & bit != 0);
                let op = Op::Cvt { dst, src, rnd, ftz, sat, relu, satfinite, scaled: false };
                // Combinations of modifiers that no instruction has.
                let int = |ty: ScalarType| !ty.is_float() && ptx_integer(ty);
                if (ftz && src != F32 && dst != F32)
                    || ((relu || satfinite) && (int(dst) || int(src)))
                    || crate::num::eval(&op, &[0, 0], false).is_none()
                {
                    continue;
                }
                for dst_bits in [16, 32, 64] {
                    if dst_bits < dst.bits() || !int(dst) && dst_bits != dst.bits().max(16) {
                        continue;
                    }
                    if let Some(choice) = convert(&op, dst_bits) {
                        wrong.extend(compare(&op, choice, dst_bits, &[]));
                        checked += 1;
                    }
                }
            }
        }
    }
    for (dst, src) in [(S64, S32), (U64, S32), (S64, U32), (U64, U32)] {
        let (ftz, sat, relu, satfinite, scaled) = (false, false, false, false, false);
        let op = Op::Cvt { dst, src, rnd: None, ftz, sat, relu, satfinite, scaled };
        let choice = convert_low(&op).expect("a word in a register of 64 bits has a function");
        wrong.extend(compare(&op, choice, 64, &[]));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(checked > 1000, "only {checked} functions were chosen");
}

fn ptx_integer(ty: ScalarType) -> bool {
    crate::num::int::IntTy::of(ty).is_some()
}

#[test]
fn packing_conversions_agree_with_the_evaluator() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for convert_to in [U16, S16, U8, S8, U4, S4] {
        let op = Op::CvtPack { convert: convert_to, from: S32, with_c: convert_to.bits() < 16 };
        if let Some(choice) = convert(&op, 32) {
            wrong.extend(compare(&op, choice, 32, &[]));
            checked += 1;
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(checked, 6);
}
