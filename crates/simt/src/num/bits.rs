//! Bit manipulation: `bfe`, `bfi`, `bfind`, `fns`, `szext`, `bmsk`, `brev`, shifts,
//! `shf`, `lop3`, `prmt` (PTX §9.7.1, §9.7.8 and §9.7.9).

use super::int::IntTy;
use ptx::op::PrmtMode;

/// Returns the position or length of `bfe` and `bfi`. PTX restricts both to 0 to 255 (§9.7.1.19): 32-bit
/// instructions use the low byte of the operand, 64-bit ones (which are sequences) the whole number.
#[inline(always)]
fn field_operand(ty: IntTy, v: u64) -> u32 {
    if ty.bits == 64 { (v as u32).min(255) } else { (v & 0xff) as u32 }
}

/// `bfe`: extracts bits `pos` to `pos + len - 1` of `a`, extended by zero or by the field's sign bit. For a
/// field beyond the value's top, the sign is the top bit.
#[inline(always)]
pub fn bfe(ty: IntTy, a: u64, pos: u64, len: u64) -> u64 {
    let (pos, len, msb) = (field_operand(ty, pos), field_operand(ty, len), ty.bits - 1);
    let a = ty.wrap(a);
    let bit = |i: u32| a >> i & 1;
    let sign = if !ty.signed || len == 0 { 0 } else { bit((pos + len - 1).min(msb)) };
    let field = a.checked_shr(pos).unwrap_or(0);
    // The field ends with its length or with the value, whichever comes first.
    let have = len.min(ty.bits.saturating_sub(pos));
    let low = if have >= 64 { field } else { field & ((1u64 << have) - 1) };
    let fill = if sign == 1 && have < 64 { u64::MAX << have } else { 0 };
    ty.wrap(low | fill)
}

/// `bfi`: inserts the low `len` bits of `a` into `b` at `pos`.
#[inline(always)]
pub fn bfi(ty: IntTy, a: u64, b: u64, pos: u64, len: u64) -> u64 {
    let (pos, len) = (field_operand(ty, pos), field_operand(ty, len));
    let ones = if len >= 64 { u64::MAX } else { (1u64 << len) - 1 };
    let mask = ones.checked_shl(pos).unwrap_or(0);
    let field = ty.wrap(a).checked_shl(pos).unwrap_or(0);
    ty.wrap((b & !mask) | (field & mask))
}

/// `bfind{.shiftamt}`: finds the most significant bit that differs from the sign; all ones if there is none.
#[inline(always)]
pub fn bfind(ty: IntTy, a: u64, shiftamt: bool) -> u32 {
    let v = if ty.signed && ty.signed_value(a) < 0 { ty.wrap(!a) } else { ty.wrap(a) };
    if v == 0 {
        return u32::MAX;
    }
    let pos = 63 - v.leading_zeros();
    if shiftamt { ty.bits - 1 - pos } else { pos }
}

/// `fns.b32`: finds the position of the `|offset|`-th set bit of `mask`, counting from `base` upwards
/// (positive offset), downwards (negative), or `base` itself (zero); all ones if there is none. PTX
/// §9.7.1.17.
pub fn fns(mask: u32, base: u32, offset: i32) -> u32 {
    if base > 31 {
        return u32::MAX;
    }
    let set = |i: u32| mask >> i & 1 == 1;
    if offset == 0 {
        return if set(base) { base } else { u32::MAX };
    }
    let n = (offset.unsigned_abs() - 1) as usize;
    let found = if offset > 0 {
        (base..32).filter(|&i| set(i)).nth(n)
    } else {
        (0..=base).rev().filter(|&i| set(i)).nth(n)
    };
    found.unwrap_or(u32::MAX)
}

/// `szext.{clamp,wrap}`: extends `a` from its low `n` bits.
#[inline(always)]
pub fn szext(signed: bool, clamp: bool, a: u32, n: u32) -> u32 {
    let n = if clamp { n.min(32) } else { n & 31 };
    match n {
        0 => 0,
        32 => a,
        _ if signed => (((a << (32 - n)) as i32) >> (32 - n)) as u32,
        _ => a & ((1 << n) - 1),
    }
}

/// `bmsk.{clamp,wrap}`: a mask of `len` ones from bit `pos`.
#[inline(always)]
pub fn bmsk(clamp: bool, pos: u32, len: u32) -> u32 {
    let (pos, len) = if clamp { (pos.min(32), len.min(32)) } else { (pos & 31, len & 31) };
    let ones = ((1u64 << len) - 1) as u32;
    ones.checked_shl(pos).unwrap_or(0)
}

#[inline(always)]
pub fn brev(ty: IntTy, a: u64) -> u64 {
    ty.wrap(a).reverse_bits() >> (64 - ty.bits)
}

#[inline(always)]
pub fn popc(ty: IntTy, a: u64) -> u32 {
    ty.wrap(a).count_ones()
}

#[inline(always)]
pub fn clz(ty: IntTy, a: u64) -> u32 {
    ty.wrap(a).leading_zeros() - (64 - ty.bits)
}

/// `cnot`: 1 if zero.
#[inline(always)]
pub fn cnot(ty: IntTy, a: u64) -> u64 {
    u64::from(ty.wrap(a) == 0)
}

/// `shl`: amounts above the width give zero.
#[inline(always)]
pub fn shl(ty: IntTy, a: u64, n: u32) -> u64 {
    if n >= ty.bits { 0 } else { ty.wrap(a << n) }
}

/// `shr`: amounts above the width give zero or the sign.
#[inline(always)]
pub fn shr(ty: IntTy, a: u64, n: u32) -> u64 {
    if ty.signed {
        ty.wrap((ty.signed_value(a) >> n.min(63)) as u64)
    } else if n >= ty.bits {
        0
    } else {
        ty.wrap(a) >> n
    }
}

/// `shf.{l,r}.{clamp,wrap}.b32`: shifts the pair `b:a` and returns the high word (left) or low word (right).
#[inline(always)]
pub fn shf(left: bool, wrap: bool, a: u32, b: u32, c: u32) -> u32 {
    let n = if wrap { c & 31 } else { c.min(32) };
    let pair = u64::from(b) << 32 | u64::from(a);
    if left { ((pair << n) >> 32) as u32 } else { (pair >> n) as u32 }
}

/// `lop3.b32`: for every bit, looks up bit `4a + 2b + c` of the table.
#[inline(always)]
pub fn lop3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    let mut d = 0;
    for i in 0..8u8 {
        if table >> i & 1 == 1 {
            let x = if i & 4 != 0 { a } else { !a };
            let y = if i & 2 != 0 { b } else { !b };
            let z = if i & 1 != 0 { c } else { !c };
            d |= x & y & z;
        }
    }
    d
}

/// `prmt.b32{.mode}`, PTX §9.7.9.7.
#[inline(always)]
pub fn prmt(mode: PrmtMode, a: u32, b: u32, c: u32) -> u32 {
    let pair = u64::from(b) << 32 | u64::from(a);
    let byte = |sel: u32| {
        let v = (pair >> (8 * (sel & 7))) as u8;
        if sel & 8 != 0 { ((v as i8) >> 7) as u8 } else { v }
    };
    let from = |sel: [u32; 4]| u32::from_le_bytes(sel.map(byte));
    let n = c & 3;
    match mode {
        PrmtMode::Index => from([c & 15, c >> 4 & 15, c >> 8 & 15, c >> 12 & 15]),
        PrmtMode::F4e => from([n, n + 1, n + 2, n + 3]),
        PrmtMode::B4e => from([n, (n + 7) & 7, (n + 6) & 7, (n + 5) & 7]),
        PrmtMode::Rc8 => from([n; 4]),
        PrmtMode::Ecl => from([n, n.max(1), n.max(2), 3]),
        PrmtMode::Ecr => from([0, n.min(1), n.min(2), n]),
        PrmtMode::Rc16 => {
            let base = (n & 1) * 2;
            from([base, base + 1, base, base + 1])
        }
    }
}
