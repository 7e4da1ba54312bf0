//! Checks properties of [`simt::num`] against the host's arithmetic and wide integers.

use proptest::prelude::*;
use ptx::op::MulPart;
use simt::num::fp::{BF16, F16, F32, F64, Mode, Round};
use simt::num::half::Half;
use simt::num::int::{self, IntTy};
use simt::num::{bits, double, single};

/// Generates bit patterns with many similar exponents, so that sums round and cancel.
fn single_bits() -> impl Strategy<Value = u32> {
    prop_oneof![any::<u32>(), (any::<u32>(), 120u32..136).prop_map(|(m, e)| m & 0x807f_ffff | e << 23)]
}

fn double_bits() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        (any::<u64>(), 1015u64..1031).prop_map(|(m, e)| m & 0x800f_ffff_ffff_ffff | e << 52)
    ]
}

/// Compares two bit patterns; NaNs are equal to each other.
fn same(format_nan: impl Fn(u64) -> bool, a: u64, b: u64) -> bool {
    a == b || format_nan(a) && format_nan(b)
}

proptest! {
    /// The integer core rounds to nearest like the host.
    #[test]
    fn soft_single_is_ieee(a in single_bits(), b in single_bits(), c in single_bits()) {
        let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
        let (a, b, c) = (u64::from(a), u64::from(b), u64::from(c));
        let nan = |v| F32.is_nan(v);
        prop_assert!(same(nan, F32.add(a, b, Mode::RN), (x + y).to_bits().into()));
        prop_assert!(same(nan, F32.mul(a, b, Mode::RN), (x * y).to_bits().into()));
        prop_assert!(same(nan, F32.div(a, b, Mode::RN), (x / y).to_bits().into()));
        prop_assert!(same(nan, F32.sqrt(a, Mode::RN), x.sqrt().to_bits().into()));
        prop_assert!(same(nan, F32.fma(a, b, c, Mode::RN), x.mul_add(y, z).to_bits().into()));
    }

    #[test]
    fn soft_double_is_ieee(a in double_bits(), b in double_bits(), c in double_bits()) {
        let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
        let nan = |v| F64.is_nan(v);
        prop_assert!(same(nan, F64.add(a, b, Mode::RN), (x + y).to_bits()));
        prop_assert!(same(nan, F64.mul(a, b, Mode::RN), (x * y).to_bits()));
        prop_assert!(same(nan, F64.div(a, b, Mode::RN), (x / y).to_bits()));
        prop_assert!(same(nan, F64.sqrt(a, Mode::RN), x.sqrt().to_bits()));
        prop_assert!(same(nan, F64.fma(a, b, c, Mode::RN), x.mul_add(y, z).to_bits()));
    }

    /// Down and up enclose the exact sum, and differ by at most one unit.
    #[test]
    fn directed_sums_enclose(a in double_bits(), b in double_bits()) {
        let [down, near, up] = [Round::Down, Round::Nearest, Round::Up]
            .map(|r| f64::from_bits(double::add(a, b, r)));
        prop_assume!(near.is_finite());
        prop_assert!(down <= near && near <= up);
        prop_assert!(down == up || down.next_up() == up || up == 0.0);
    }

    /// Rounding to zero gives the smaller of down and up in magnitude.
    #[test]
    fn truncation_is_towards_zero(a in single_bits(), b in single_bits()) {
        let at = |r| f32::from_bits(single::mul(a, b, Mode::round(r)));
        let (zero, down, up) = (at(Round::Zero), at(Round::Down), at(Round::Up));
        prop_assume!(!zero.is_nan());
        prop_assert_eq!(zero.abs(), down.abs().min(up.abs()));
    }

    /// Halves widen exactly, and round back to themselves.
    #[test]
    fn halves_survive_widening(a: u16) {
        for (half, format) in [(Half::F16, F16), (Half::Bf16, BF16)] {
            let back = half.round(half.value(a));
            prop_assert!(same(|v| format.is_nan(v), a.into(), back.into()));
        }
    }

    /// The fast roundings agree with the integer core.
    #[test]
    fn half_rounding_is_the_cores(a in single_bits()) {
        for (half, format) in [(Half::F16, F16), (Half::Bf16, BF16)] {
            let core = format.round(F32.unpack(a.into()), Mode::RN);
            prop_assert_eq!(u64::from(half.round(f32::from_bits(a))), core);
        }
    }

    #[test]
    fn products_have_two_halves(a: u64, b: u64) {
        let (lo, hi) = (int::mul(IntTy::U64, MulPart::Lo, a, b), int::mul(IntTy::U64, MulPart::Hi, a, b));
        prop_assert_eq!(u128::from(hi) << 64 | u128::from(lo), u128::from(a) * u128::from(b));
        let hi = int::mul(IntTy::S64, MulPart::Hi, a, b) as i64;
        prop_assert_eq!(i128::from(hi), (i128::from(a as i64) * i128::from(b as i64)) >> 64);
    }

    /// A carry chain over two words equals one wide addition.
    #[test]
    fn carries_chain(a: u64, b: u64) {
        let (lo, carry) = int::add_carry(IntTy::U32, a, b, false);
        let (hi, _) = int::add_carry(IntTy::U32, a >> 32, b >> 32, carry);
        prop_assert_eq!(hi << 32 | lo, a.wrapping_add(b));
        let (lo, borrow) = int::sub_carry(IntTy::U32, a, b, false);
        let (hi, _) = int::sub_carry(IntTy::U32, a >> 32, b >> 32, borrow);
        prop_assert_eq!(hi << 32 | lo, a.wrapping_sub(b));
    }

    /// `bfe` extracts the field that `bfi` inserted.
    #[test]
    fn fields_come_back(a: u32, b: u32, pos in 0u64..32, len in 0u64..32) {
        prop_assume!(pos + len <= 32);
        let (pos, len) = (pos, len);
        let inserted = bits::bfi(IntTy::U32, a.into(), b.into(), pos, len);
        let found = bits::bfe(IntTy::U32, inserted, pos, len);
        prop_assert_eq!(found, u64::from(a) & ((1 << len) - 1));
    }

    #[test]
    fn lop3_is_its_table(a: u32, b: u32, c: u32) {
        prop_assert_eq!(bits::lop3(a, b, c, 0xf0 & 0xcc & 0xaa), a & b & c);
        prop_assert_eq!(bits::lop3(a, b, c, 0xf0 ^ 0xcc ^ 0xaa), a ^ b ^ c);
        prop_assert_eq!(bits::lop3(a, b, c, (0xf0 & 0xcc) | (!0xf0 & 0xaa)), (a & b) | (!a & c));
    }
}
