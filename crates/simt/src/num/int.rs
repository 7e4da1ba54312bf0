//! Integer arithmetic, PTX §9.7.1 and §9.7.2, for every width.

use ptx::ast::ScalarType;
use ptx::op::MulPart;

/// An integer type: width in bits (8, 16, 32 or 64) and signedness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntTy {
    pub bits: u32,
    pub signed: bool,
}

impl IntTy {
    pub const U16: IntTy = IntTy { bits: 16, signed: false };
    pub const S16: IntTy = IntTy { bits: 16, signed: true };
    pub const U32: IntTy = IntTy { bits: 32, signed: false };
    pub const S32: IntTy = IntTy { bits: 32, signed: true };
    pub const U64: IntTy = IntTy { bits: 64, signed: false };
    pub const S64: IntTy = IntTy { bits: 64, signed: true };

    /// Returns the integer type of a scalar type; `.bN` is unsigned. Returns `None` for floats and packed
    /// types.
    pub fn of(ty: ScalarType) -> Option<IntTy> {
        use ScalarType::*;
        let (bits, signed) = match ty {
            U8 | B8 => (8, false),
            U16 | B16 => (16, false),
            U32 | B32 => (32, false),
            U64 | B64 => (64, false),
            S8 => (8, true),
            S16 => (16, true),
            S32 => (32, true),
            S64 => (64, true),
            _ => return None,
        };
        Some(IntTy { bits, signed })
    }

    #[inline(always)]
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// Truncates to the type's width, zero-extended.
    #[inline(always)]
    pub fn wrap(self, v: u64) -> u64 {
        v & self.mask()
    }

    /// Returns the value of the bits, sign- or zero-extended.
    #[inline(always)]
    pub fn value(self, v: u64) -> i128 {
        if self.signed { i128::from(self.signed_value(v)) } else { i128::from(self.wrap(v)) }
    }

    /// Returns the two's complement value, whatever the type's signedness.
    #[inline(always)]
    pub fn signed_value(self, v: u64) -> i64 {
        let shift = 64 - self.bits;
        ((v << shift) as i64) >> shift
    }

    pub fn min_value(self) -> i128 {
        if self.signed { -(1i128 << (self.bits - 1)) } else { 0 }
    }

    pub fn max_value(self) -> i128 {
        if self.signed { (1i128 << (self.bits - 1)) - 1 } else { i128::from(self.mask()) }
    }

    /// Clamps an exact value to the type's range.
    #[inline(always)]
    pub fn saturate(self, v: i128) -> u64 {
        self.wrap(v.clamp(self.min_value(), self.max_value()) as u64)
    }
}

/// `add`; `.sat` clamps to the type's range.
#[inline(always)]
pub fn add(ty: IntTy, a: u64, b: u64, sat: bool) -> u64 {
    if sat { ty.saturate(ty.value(a) + ty.value(b)) } else { ty.wrap(a.wrapping_add(b)) }
}

#[inline(always)]
pub fn sub(ty: IntTy, a: u64, b: u64, sat: bool) -> u64 {
    if sat { ty.saturate(ty.value(a) - ty.value(b)) } else { ty.wrap(a.wrapping_sub(b)) }
}

/// Returns the exact product, as two's complement of twice the width.
#[inline(always)]
fn product(ty: IntTy, a: u64, b: u64) -> u128 {
    if ty.signed {
        (i128::from(ty.signed_value(a)) * i128::from(ty.signed_value(b))) as u128
    } else {
        u128::from(ty.wrap(a)) * u128::from(ty.wrap(b))
    }
}

/// `mul.{lo,hi,wide}`; `wide` returns twice the type's width (16 and 32 bit types only).
#[inline(always)]
pub fn mul(ty: IntTy, part: MulPart, a: u64, b: u64) -> u64 {
    match part {
        MulPart::Lo => ty.wrap(a.wrapping_mul(b)),
        MulPart::Hi => ty.wrap((product(ty, a, b) >> ty.bits) as u64),
        MulPart::Wide => wide(ty).wrap(product(ty, a, b) as u64),
    }
}

/// Returns the type of a `.wide` result.
#[inline(always)]
fn wide(ty: IntTy) -> IntTy {
    IntTy { bits: (ty.bits * 2).min(64), signed: ty.signed }
}

/// `mad.{lo,hi,wide}`; `.hi.sat.s32` clamps the sum.
#[inline(always)]
pub fn mad(ty: IntTy, part: MulPart, a: u64, b: u64, c: u64, sat: bool) -> u64 {
    let out = if part == MulPart::Wide { wide(ty) } else { ty };
    add(out, mul(ty, part, a, b), c, sat)
}

/// `mul24`: the low 24 bits of the sources; `hi` is bits 47 to 16 of the product.
#[inline(always)]
pub fn mul24(signed: bool, part: MulPart, a: u64, b: u64) -> u64 {
    let v = |x: u64| if signed { i64::from(((x as i32) << 8) >> 8) } else { (x & 0xff_ffff) as i64 };
    let p = v(a).wrapping_mul(v(b));
    if part == MulPart::Hi { u64::from((p >> 16) as u32) } else { u64::from(p as u32) }
}

#[inline(always)]
pub fn mad24(signed: bool, part: MulPart, a: u64, b: u64, c: u64, sat: bool) -> u64 {
    add(IntTy { bits: 32, signed }, mul24(signed, part, a, b), c, sat)
}

/// `sad`: `c + |a - b|`.
#[inline(always)]
pub fn sad(ty: IntTy, a: u64, b: u64, c: u64) -> u64 {
    let (x, y) = (ty.value(a), ty.value(b));
    ty.wrap(c.wrapping_add((x - y).unsigned_abs() as u64))
}

/// `div`, truncating. Division by zero is unspecified in PTX (§9.7.1.8); an H200 returns all ones. The most
/// negative number divided by -1 wraps.
#[inline(always)]
pub fn div(ty: IntTy, a: u64, b: u64) -> u64 {
    if ty.wrap(b) == 0 {
        return ty.mask();
    }
    if ty.signed {
        ty.wrap(ty.signed_value(a).wrapping_div(ty.signed_value(b)) as u64)
    } else {
        ty.wrap(a) / ty.wrap(b)
    }
}

/// `rem`. A remainder by zero is all ones on an H200.
#[inline(always)]
pub fn rem(ty: IntTy, a: u64, b: u64) -> u64 {
    if ty.wrap(b) == 0 {
        return ty.mask();
    }
    if ty.signed {
        ty.wrap(ty.signed_value(a).wrapping_rem(ty.signed_value(b)) as u64)
    } else {
        ty.wrap(a) % ty.wrap(b)
    }
}

/// `abs` of a signed type; the most negative number is unchanged.
#[inline(always)]
pub fn abs(ty: IntTy, a: u64) -> u64 {
    ty.wrap(ty.signed_value(a).wrapping_abs() as u64)
}

#[inline(always)]
pub fn neg(ty: IntTy, a: u64) -> u64 {
    ty.wrap(a.wrapping_neg())
}

/// `min{.relu}`; `relu` (signed types) clamps a negative result to zero.
#[inline(always)]
pub fn min(ty: IntTy, a: u64, b: u64, relu: bool) -> u64 {
    let m = ty.value(a).min(ty.value(b));
    ty.wrap(if relu { m.max(0) } else { m } as u64)
}

#[inline(always)]
pub fn max(ty: IntTy, a: u64, b: u64, relu: bool) -> u64 {
    let m = ty.value(a).max(ty.value(b));
    ty.wrap(if relu { m.max(0) } else { m } as u64)
}

/// `add{c}{.cc}`: returns the sum and the carry out.
#[inline(always)]
pub fn add_carry(ty: IntTy, a: u64, b: u64, carry: bool) -> (u64, bool) {
    let s = u128::from(ty.wrap(a)) + u128::from(ty.wrap(b)) + u128::from(carry);
    (ty.wrap(s as u64), s >> ty.bits != 0)
}

/// `sub{c}{.cc}`: the condition code contains the borrow, as in PTX §9.7.2.4 (`d = a - (b + CC.CF)`).
#[inline(always)]
pub fn sub_carry(ty: IntTy, a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let x = u128::from(ty.wrap(a));
    let y = u128::from(ty.wrap(b)) + u128::from(borrow);
    (ty.wrap(x.wrapping_sub(y) as u64), x < y)
}

/// `mad{c}.{lo,hi}{.cc}`.
#[inline(always)]
pub fn mad_carry(ty: IntTy, part: MulPart, a: u64, b: u64, c: u64, carry: bool) -> (u64, bool) {
    add_carry(ty, mul(ty, part, a, b), c, carry)
}

/// `dp4a`: adds four byte products to `c`, wrapping.
#[inline(always)]
pub fn dp4a(a_signed: bool, b_signed: bool, a: u32, b: u32, c: u32) -> u32 {
    let byte = |v: u32, i: u32, signed: bool| {
        let x = (v >> (8 * i)) as u8;
        if signed { i32::from(x as i8) } else { i32::from(x) }
    };
    (0..4).fold(c, |acc, i| acc.wrapping_add((byte(a, i, a_signed) * byte(b, i, b_signed)) as u32))
}

/// `dp2a.{lo,hi}`: adds the products of the two halves of `a` and the low or high two bytes of `b` to `c`.
#[inline(always)]
pub fn dp2a(a_signed: bool, b_signed: bool, hi: bool, a: u32, b: u32, c: u32) -> u32 {
    (0..2).fold(c, |acc, i| {
        let h = (a >> (16 * i)) as u16;
        let x = if a_signed { i64::from(h as i16) } else { i64::from(h) };
        let q = (b >> (8 * (i + if hi { 2 } else { 0 }))) as u8;
        let y = if b_signed { i64::from(q as i8) } else { i64::from(q) };
        acc.wrapping_add((x * y) as u32)
    })
}
