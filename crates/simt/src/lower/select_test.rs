//! Every row function against `num::eval`, lane by lane, on special and random bits.

use super::select::{Choice, W, convert, select};
use ptx::ast::ScalarType::{self, *};
use ptx::op::{Cmp, MulPart, Op, Precision, PrmtMode, Rounding, VideoOp, VideoSimd};

/// Values that break things, then random ones.
struct Values(u64);

impl Values {
    fn next(&mut self, n: usize) -> u64 {
        const SPECIAL: [u64; 20] = [
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
        ];
        if n % 3 != 2 {
            return SPECIAL[(n * 7 + self.0 as usize) % SPECIAL.len()];
        }
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ self.0 >> 29
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

/// Runs the function and the evaluator on the same rows. `bits` narrows 16-bit operands, which
/// rows hold zero-extended; `constants` are the immediates the function was chosen for.
fn compare(op: &Op, choice: Choice, bits: u32, constants: &[Option<u64>]) -> Vec<String> {
    let mut values = Values(bits as u64 + format!("{op:?}").len() as u64);
    for round in 0..24 {
        let mut rows = [Row([0; 32]); 3];
        let n = choice.widths.len() - 1;
        for (k, row) in rows.iter_mut().enumerate().take(n) {
            let w = choice.widths[k + 1];
            for lane in 0..32 {
                let mut v = values.next(round + lane * (k + 1));
                if bits == 16 && w == W::W32 {
                    v &= 0xffff;
                }
                row.set(w, lane, v);
            }
        }
        let mut d = Row([0; 32]);
        // SAFETY: all rows have 32 lanes of 64 bits.
        unsafe {
            (choice.f)(
                (&raw mut d).cast(),
                (&raw const rows[0]).cast(),
                (&raw const rows[1]).cast(),
                (&raw const rows[2]).cast(),
                choice.x,
            );
        }
        for lane in 0..32 {
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

/// Arithmetic in other directions than to nearest.
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
    // An instruction that PTX does not have (`popc.f32`) is neither decoded nor evaluated.
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
    // Only this one.
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

#[test]
fn conversions_agree_with_the_evaluator() {
    let (mut checked, mut wrong) = (0, Vec::new());
    let types = [U8, S8, U16, S16, U32, S32, U64, S64, F32, F64];
    for dst in types {
        for src in types {
            for rnd in [None, Some(Rounding::Nearest)] {
                for dst_bits in [16, 32, 64] {
                    let op = Op::Cvt { dst, src, rnd, ftz: false, sat: false, relu: false, satfinite: false };
                    if dst_bits < dst.bits() || crate::num::eval(&op, &[0], false).is_none() {
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
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(checked > 60, "only {checked} functions were chosen");
}
