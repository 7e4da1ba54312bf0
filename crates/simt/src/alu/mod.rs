//! Arithmetic on whole rows (a row is one register of all 32 lanes).
//!
//! Each function writes the lanes of a mask. It may also compute inactive lanes (of a chunk with an active
//! lane, or all), so every function is total. Lanes are read and written in whole chunks regardless of the
//! mask, because a processor forwards a store to a later load only if the load is no wider than the store.
//! Every function exists in two versions, for the baseline and for AVX2 with FMA; lowering chooses one when a
//! program is loaded.
//!
//! **Size:** two thirds are one table with a line for each operation; the macros that expand it come before
//! it.

use crate::num::fp::{Mode, Round};
use crate::num::single::MinMax;
use crate::num::{approx, double, single};
use events::LaneMask;

pub(crate) const FULL: LaneMask = u32::MAX;

/// The type of a row function `f(d, a, b, c, x, lanes)`.
///
/// # Safety
/// Each pointer that the function uses is valid for the 32 lanes that it reads or writes. `d` equals an
/// operand or does not overlap it.
pub(crate) type AluFn = unsafe fn(*mut u8, *const u8, *const u8, *const u8, u32, LaneMask);

/// The number of lanes handled as one array, which LLVM vectorises.
pub(crate) const CHUNK: usize = 8;

/// Calls `f` for each chunk with an active lane, and writes the active lanes of the results.
///
/// # Safety
/// `d` is valid for 32 elements.
#[inline(always)]
unsafe fn chunks<R: Copy>(d: *mut u8, lanes: LaneMask, f: impl Fn(usize) -> [R; CHUNK]) {
    let d = d.cast::<[R; CHUNK]>();
    if lanes == FULL {
        for k in 0..32 / CHUNK {
            // SAFETY: by contract.
            unsafe { d.add(k).write(f(k)) };
        }
        return;
    }
    for k in 0..32 / CHUNK {
        let here = lanes >> (k * CHUNK) & 0xff;
        if here != 0 {
            let r = f(k);
            // SAFETY: by contract.
            unsafe {
                let d = d.add(k);
                d.write(choose(here, r, d.read()));
            }
        }
    }
}

/// Returns `new` for the lanes of the mask, and `old` for the others.
#[inline(always)]
fn choose<R: Copy>(lanes: u32, mut new: [R; CHUNK], old: [R; CHUNK]) -> [R; CHUNK] {
    for i in 0..CHUNK {
        new[i] = if lanes >> i & 1 != 0 { new[i] } else { old[i] };
    }
    new
}

#[inline(always)]
unsafe fn map1<A: Copy, R: Copy + Default>(d: *mut u8, lanes: LaneMask, a: *const u8, f: impl Fn(A) -> R) {
    let chunk = |k| {
        // SAFETY: by the contract of `AluFn`; rows hold 32 elements.
        let a = unsafe { a.cast::<[A; CHUNK]>().add(k).read() };
        let mut r = [R::default(); CHUNK];
        for i in 0..CHUNK {
            r[i] = f(a[i]);
        }
        r
    };
    // SAFETY: by the contract of `AluFn`.
    unsafe { chunks(d, lanes, chunk) }
}

#[inline(always)]
unsafe fn map2<A: Copy, B: Copy, R: Copy + Default>(
    d: *mut u8,
    lanes: LaneMask,
    a: *const u8,
    b: *const u8,
    f: impl Fn(A, B) -> R,
) {
    let chunk = |k| {
        // SAFETY: as in `map1`.
        let (a, b) = unsafe { (a.cast::<[A; CHUNK]>().add(k).read(), b.cast::<[B; CHUNK]>().add(k).read()) };
        let mut r = [R::default(); CHUNK];
        for i in 0..CHUNK {
            r[i] = f(a[i], b[i]);
        }
        r
    };
    // SAFETY: as in `map1`.
    unsafe { chunks(d, lanes, chunk) }
}

#[inline(always)]
unsafe fn map3<A: Copy, B: Copy, C: Copy, R: Copy + Default>(
    d: *mut u8,
    lanes: LaneMask,
    a: *const u8,
    b: *const u8,
    c: *const u8,
    f: impl Fn(A, B, C) -> R,
) {
    let chunk = |k| {
        // SAFETY: as in `map1`.
        let (a, b, c) = unsafe {
            (
                a.cast::<[A; CHUNK]>().add(k).read(),
                b.cast::<[B; CHUNK]>().add(k).read(),
                c.cast::<[C; CHUNK]>().add(k).read(),
            )
        };
        let mut r = [R::default(); CHUNK];
        for i in 0..CHUNK {
            r[i] = f(a[i], b[i], c[i]);
        }
        r
    };
    // SAFETY: as in `map1`.
    unsafe { chunks(d, lanes, chunk) }
}

/// Writes `a` to the lanes whose predicate `c` holds, and `b` to the others.
#[inline(always)]
unsafe fn select_rows<R: Copy>(d: *mut u8, lanes: LaneMask, a: *const u8, b: *const u8, c: *const u8) {
    // SAFETY: as in `map1`; `c` is a predicate.
    unsafe {
        let holds = c.cast::<u32>().read();
        chunks(d, lanes, |k| {
            let (a, b) = (a.cast::<[R; CHUNK]>().add(k).read(), b.cast::<[R; CHUNK]>().add(k).read());
            choose(holds >> (k * CHUNK) & 0xff, a, b)
        });
    }
}

/// Applies a function of whole chunks of lanes; otherwise like [`map1`].
#[inline(always)]
unsafe fn chunks1(d: *mut u8, lanes: LaneMask, a: *const u8, f: impl Fn(&[u32; CHUNK]) -> [u32; CHUNK]) {
    // SAFETY: as in `map1`.
    unsafe { chunks(d, lanes, |k| f(&a.cast::<[u32; CHUNK]>().add(k).read())) }
}

/// Applies a function of two chunks; otherwise like [`chunks1`].
#[inline(always)]
unsafe fn chunks2(
    d: *mut u8,
    lanes: LaneMask,
    a: *const u8,
    b: *const u8,
    f: impl Fn(&[u32; CHUNK], &[u32; CHUNK]) -> [u32; CHUNK],
) {
    let read = |row: *const u8, k| {
        // SAFETY: as in `map1`.
        unsafe { row.cast::<[u32; CHUNK]>().add(k).read() }
    };
    // SAFETY: as in `map1`.
    unsafe { chunks(d, lanes, |k| f(&read(a, k), &read(b, k))) }
}

/// Applies a function of whole rows; otherwise like [`map1`]. The compiler unrolls loops over eight lanes
/// before vectorisation, which then often fails for long loop bodies; loops over all 32 lanes vectorise.
#[inline(always)]
unsafe fn rows1<A: Copy, R: Copy>(
    d: *mut u8,
    lanes: LaneMask,
    a: *const u8,
    f: impl Fn(&[A; 32]) -> [R; 32],
) {
    // SAFETY: as in `map1`.
    unsafe {
        let a = a.cast::<[A; 32]>().read();
        put(d, lanes, f(&a));
    }
}

/// Applies a function of two rows; otherwise like [`rows1`].
#[inline(always)]
unsafe fn rows2<A: Copy, B: Copy, R: Copy>(
    d: *mut u8,
    lanes: LaneMask,
    a: *const u8,
    b: *const u8,
    f: impl Fn(&[A; 32], &[B; 32]) -> [R; 32],
) {
    // SAFETY: as in `map1`.
    unsafe {
        let a = a.cast::<[A; 32]>().read();
        let b = b.cast::<[B; 32]>().read();
        put(d, lanes, f(&a, &b));
    }
}

/// Writes the active lanes of a row.
///
/// # Safety
/// `d` is valid for 32 elements.
#[inline(always)]
unsafe fn put<R: Copy>(d: *mut u8, lanes: LaneMask, r: [R; 32]) {
    // SAFETY: by contract.
    unsafe {
        if lanes == FULL {
            d.cast::<[R; 32]>().write(r);
        } else {
            chunks(d, lanes, |k| std::array::from_fn(|i| r[k * CHUNK + i]));
        }
    }
}

/// Writes the active lanes of a predicate.
///
/// # Safety
/// `d` is a predicate.
#[inline(always)]
unsafe fn put_mask(d: *mut u8, lanes: LaneMask, mask: u32) {
    let d = d.cast::<u32>();
    // SAFETY: by contract.
    unsafe { d.write(d.read() & !lanes | mask & lanes) }
}

/// Applies `f` to every lane.
#[inline(always)]
fn each<A: Copy, R: Copy + Default>(a: &[A; 32], f: impl Fn(A) -> R) -> [R; 32] {
    let mut r = [R::default(); 32];
    for i in 0..32 {
        r[i] = f(a[i]);
    }
    r
}

/// Applies `f` to every pair of lanes.
#[inline(always)]
fn each2<A: Copy, B: Copy, R: Copy + Default>(a: &[A; 32], b: &[B; 32], f: impl Fn(A, B) -> R) -> [R; 32] {
    let mut r = [R::default(); 32];
    for i in 0..32 {
        r[i] = f(a[i], b[i]);
    }
    r
}

/// Writes the lanes for which `f` holds as a mask; computes whole rows, for the reason given at [`rows1`].
#[inline(always)]
unsafe fn test_rows<A: Copy>(
    d: *mut u8,
    lanes: LaneMask,
    a: *const u8,
    b: *const u8,
    f: impl Fn(A, A) -> bool,
) {
    // SAFETY: as in `map1`; `d` is a predicate.
    unsafe {
        let a = a.cast::<[A; 32]>().read();
        let b = b.cast::<[A; 32]>().read();
        let holds = each2(&a, &b, |a, b| if f(a, b) { u32::MAX } else { 0 });
        let mut mask = 0;
        for k in 0..32 / CHUNK {
            let mut r = [0; CHUNK];
            r.copy_from_slice(&holds[k * CHUNK..][..CHUNK]);
            mask |= sign_bits(r) << (k * CHUNK);
        }
        put_mask(d, lanes, mask);
    }
}

/// Writes the lanes for which `f` holds as a mask.
#[inline(always)]
unsafe fn test2<A: Copy>(d: *mut u8, lanes: LaneMask, a: *const u8, b: *const u8, f: impl Fn(A, A) -> bool) {
    let chunk = |k| {
        // SAFETY: as in `map1`.
        let (a, b) = unsafe { (a.cast::<[A; CHUNK]>().add(k).read(), b.cast::<[A; CHUNK]>().add(k).read()) };
        let mut r = [0u32; CHUNK];
        for i in 0..CHUNK {
            r[i] = if f(a[i], b[i]) { u32::MAX } else { 0 };
        }
        sign_bits(r) << (k * CHUNK)
    };
    let mut mask = 0;
    if lanes == FULL {
        for k in 0..32 / CHUNK {
            mask |= chunk(k);
        }
    } else {
        for k in (0..32 / CHUNK).filter(|k| lanes >> (k * CHUNK) & 0xff != 0) {
            mask |= chunk(k);
        }
    }
    // SAFETY: `d` is a predicate.
    unsafe { put_mask(d, lanes, mask) }
}

/// Returns the top bit of each element as a mask.
#[inline(always)]
fn sign_bits(r: [u32; CHUNK]) -> u32 {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx"))]
    {
        // SAFETY: AVX is enabled, and the two types have the same size.
        unsafe {
            let v: std::arch::x86_64::__m256 = std::mem::transmute(r);
            std::arch::x86_64::_mm256_movemask_ps(v) as u32
        }
    }
    #[cfg(all(target_arch = "x86_64", not(target_feature = "avx")))]
    {
        // SAFETY: SSE is part of the x86-64 baseline, and the types have the same size.
        unsafe {
            let v: [std::arch::x86_64::__m128; 2] = std::mem::transmute(r);
            let low = std::arch::x86_64::_mm_movemask_ps(v[0]) as u32;
            low | (std::arch::x86_64::_mm_movemask_ps(v[1]) as u32) << 4
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let mut mask = 0;
        for (i, r) in r.iter().enumerate() {
            mask |= (r >> 31) << i;
        }
        mask
    }
}

macro_rules! body {
    (un $d:ident $a:ident $b:ident $c:ident $x:ident $m:ident [$ta:ty] |$pa:ident| $e:expr) => {
        map1($d, $m, $a, |$pa: $ta| $e)
    };
    (bin $d:ident $a:ident $b:ident $c:ident $x:ident $m:ident [$ta:ty, $tb:ty] |$pa:ident, $pb:ident| $e:expr) => {
        map2($d, $m, $a, $b, |$pa: $ta, $pb: $tb| $e)
    };
    (tri $d:ident $a:ident $b:ident $c:ident $x:ident $m:ident [$ta:ty, $tb:ty, $tc:ty] |$pa:ident, $pb:ident, $pc:ident| $e:expr) => {
        map3($d, $m, $a, $b, $c, |$pa: $ta, $pb: $tb, $pc: $tc| $e)
    };
    (rows $d:ident $a:ident $b:ident $c:ident $x:ident $m:ident [$ta:ty] |$pa:ident| $e:expr) => {
        rows1($d, $m, $a, |$pa: &[$ta; 32]| $e)
    };
    (rows $d:ident $a:ident $b:ident $c:ident $x:ident $m:ident [$ta:ty, $tb:ty] |$pa:ident, $pb:ident| $e:expr) => {
        rows2($d, $m, $a, $b, |$pa: &[$ta; 32], $pb: &[$tb; 32]| $e)
    };
    (test $d:ident $a:ident $b:ident $c:ident $x:ident $m:ident [$ta:ty] |$pa:ident, $pb:ident| $e:expr) => {
        test_rows($d, $m, $a, $b, |$pa: $ta, $pb: $ta| $e)
    };
    (select $d:ident $a:ident $b:ident $c:ident $x:ident $m:ident [$t:ty] |$pa:ident| $e:expr) => {
        select_rows::<$t>($d, $m, $a, $b, $c)
    };
    (chunk $d:ident $a:ident $b:ident $c:ident $x:ident $m:ident [] |$pa:ident| $e:expr) => {
        chunks1($d, $m, $a, |$pa| $e)
    };
    (chunk $d:ident $a:ident $b:ident $c:ident $x:ident $m:ident [] |$pa:ident, $pb:ident| $e:expr) => {
        chunks2($d, $m, $a, $b, |$pa, $pb| $e)
    };
    (cmp $d:ident $a:ident $b:ident $c:ident $x:ident $m:ident [$ta:ty] |$pa:ident, $pb:ident| $e:expr) => {
        test2($d, $m, $a, $b, |$pa: $ta, $pb: $ta| $e)
    };
}

/// Defines functions `name = shape [operand types] |operands| result`, and for each a selector of the same
/// name that returns the version for this machine. In the body, `x` is the instruction's extra immediate;
/// `let name = value,` before the operands is computed once for all lanes.
macro_rules! alu {
    ($x:ident: $($name:ident = $shape:ident $types:tt $(let $q:ident = $v:expr,)? |$($p:ident),*| $e:expr;)*) => {
        mod base {
            use super::*;
            $(
                #[allow(unused_variables, reason = "not every shape uses every operand")]
                pub(super) unsafe fn $name(d: *mut u8, a: *const u8, b: *const u8, c: *const u8, $x: u32, lanes: LaneMask) {
                    $(let $q = $v;)?
                    // SAFETY: the caller upholds the contract of `AluFn`.
                    unsafe { body!($shape d a b c $x lanes $types |$($p),*| $e) }
                }
            )*
        }
        #[cfg(target_arch = "x86_64")]
        mod avx2 {
            use super::*;
            $(
                #[allow(unused_variables, reason = "not every shape uses every operand")]
                #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
                pub(super) unsafe fn $name(d: *mut u8, a: *const u8, b: *const u8, c: *const u8, $x: u32, lanes: LaneMask) {
                    $(let $q = $v;)?
                    // SAFETY: the caller upholds the contract of `AluFn`.
                    unsafe { body!($shape d a b c $x lanes $types |$($p),*| $e) }
                }
            )*
        }
        /// Selectors of the version for this machine.
        pub(crate) mod select {
            use super::AluFn;
            $(
                pub(crate) fn $name() -> AluFn {
                    #[cfg(target_arch = "x86_64")]
                    if crate::num::has_avx2() {
                        return super::avx2::$name;
                    }
                    super::base::$name
                }
            )*
        }
    };
}

pub(crate) mod convert;
pub(crate) mod half;
pub(crate) mod row;

/// Round to nearest for `f32`, without and with flushing of subnormals.
const RN: Mode = Mode::RN;
const RN_FTZ: Mode = Mode { rnd: Round::Nearest, ftz: true, sat: false };
const RN_SAT: Mode = Mode { rnd: Round::Nearest, ftz: false, sat: true };
const PLAIN: MinMax = MinMax { ftz: false, nan: false, xorsign_abs: false };
const PLAIN_FTZ: MinMax = MinMax { ftz: true, nan: false, xorsign_abs: false };
const NEAREST: Round = Round::Nearest;

#[inline(always)]
fn s16(a: u32) -> i32 {
    a as u16 as i16 as i32
}

#[inline(always)]
fn shl32(a: u32, n: u32) -> u32 {
    if n < 32 { a << n } else { 0 }
}

#[inline(always)]
fn shr32(a: u32, n: u32) -> u32 {
    if n < 32 { a >> n } else { 0 }
}

/// Returns `a / b`, or all ones if `b` is zero. Computes in `f64`, which vectorises: the rounded quotient is
/// at most one too large, and all products are exact.
#[inline(always)]
fn quotient(a: u32, b: u32) -> u32 {
    // At this magnitude the lowest bit of a significand has the value one.
    const ONES: f64 = (1u64 << 52) as f64;
    let (x, y) = (f64::from(a), f64::from(b));
    let q = (x / y + ONES) - ONES;
    let q = if q * y > x { q - 1.0 } else { q };
    if b == 0 { u32::MAX } else { (q + ONES).to_bits() as u32 }
}

/// Returns `a % b`, or all ones if `b` is zero.
#[inline(always)]
fn remainder(a: u32, b: u32) -> u32 {
    if b == 0 { u32::MAX } else { a.wrapping_sub(quotient(a, b).wrapping_mul(b)) }
}

/// Encodes a rounding direction and `.ftz` as `x`.
pub(crate) fn direction(rnd: Round, ftz: bool) -> u32 {
    let rnd = match rnd {
        Round::Nearest | Round::NearestAway => 0,
        Round::Zero => 1,
        Round::Down => 2,
        Round::Up => 3,
    };
    rnd | u32::from(ftz) << 3
}

#[inline(always)]
fn directed(x: u32) -> Mode {
    let rnd = match x & 7 {
        0 => Round::Nearest,
        1 => Round::Zero,
        2 => Round::Down,
        _ => Round::Up,
    };
    Mode { rnd, ftz: x >> 3 != 0, sat: false }
}

#[inline(always)]
fn flushed(a: u32) -> f32 {
    f32::from_bits(single::flush(a))
}

alu! { x:
    // Moves between register widths.
    mov32 = un [u32] |a| a;
    mov64 = un [u64] |a| a;
    low32 = un [u64] |a| a as u32;
    zext64 = un [u32] |a| u64::from(a);
    sext64 = un [u32] |a| a as i32 as i64 as u64;
    low_zext64 = un [u64] |a| a & 0xffff_ffff;
    low_sext64 = un [u64] |a| a as i32 as i64 as u64;
    zext8 = un [u32] |a| a & 0xff;
    zext16 = un [u32] |a| a & 0xffff;
    sext8 = un [u32] |a| a as i8 as i32 as u32;
    sext16 = un [u32] |a| s16(a) as u32;
    sext8_16 = un [u32] |a| u32::from(a as i8 as i16 as u16);
    zext16_64 = un [u32] |a| u64::from(a & 0xffff);
    sext16_64 = un [u32] |a| i64::from(s16(a)) as u64;
    zext8_64 = un [u32] |a| u64::from(a & 0xff);
    sext8_64 = un [u32] |a| i64::from(a as i8) as u64;
    low16 = un [u64] |a| a as u32 & 0xffff;
    selp32 = select [u32] |a| a;
    selp64 = select [u64] |a| a;
    pack16 = bin [u32, u32] |a, b| a & 0xffff | b << 16;
    pack32 = bin [u32, u32] |a, b| u64::from(a) | u64::from(b) << 32;

    // Integers.
    add32 = bin [u32, u32] |a, b| a.wrapping_add(b);
    sub32 = bin [u32, u32] |a, b| a.wrapping_sub(b);
    mul32 = bin [u32, u32] |a, b| a.wrapping_mul(b);
    mad32 = tri [u32, u32, u32] |a, b, c| a.wrapping_mul(b).wrapping_add(c);
    mulhi_u32 = bin [u32, u32] |a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32;
    mulhi_s32 = bin [i32, i32] |a, b| ((i64::from(a) * i64::from(b)) >> 32) as u32;
    mulwide_u32 = bin [u32, u32] |a, b| u64::from(a) * u64::from(b);
    mulwide_s32 = bin [i32, i32] |a, b| (i64::from(a) * i64::from(b)) as u64;
    madwide_u32 = tri [u32, u32, u64] |a, b, c| (u64::from(a) * u64::from(b)).wrapping_add(c);
    madwide_s32 = tri [i32, i32, u64] |a, b, c| ((i64::from(a) * i64::from(b)) as u64).wrapping_add(c);
    add64 = bin [u64, u64] |a, b| a.wrapping_add(b);
    sub64 = bin [u64, u64] |a, b| a.wrapping_sub(b);
    mul64 = bin [u64, u64] |a, b| a.wrapping_mul(b);
    mad64 = tri [u64, u64, u64] |a, b, c| a.wrapping_mul(b).wrapping_add(c);
    mulhi_u64 = bin [u64, u64] |a, b| ((u128::from(a) * u128::from(b)) >> 64) as u64;
    mulhi_s64 = bin [i64, i64] |a, b| ((i128::from(a) * i128::from(b)) >> 64) as u64;
    add16 = bin [u32, u32] |a, b| a.wrapping_add(b) & 0xffff;
    sub16 = bin [u32, u32] |a, b| a.wrapping_sub(b) & 0xffff;
    mul16 = bin [u32, u32] |a, b| a.wrapping_mul(b) & 0xffff;
    mad16 = tri [u32, u32, u32] |a, b, c| a.wrapping_mul(b).wrapping_add(c) & 0xffff;
    mulwide_u16 = bin [u32, u32] |a, b| (a & 0xffff).wrapping_mul(b & 0xffff);
    mulwide_s16 = bin [u32, u32] |a, b| s16(a).wrapping_mul(s16(b)) as u32;
    min_u32 = bin [u32, u32] |a, b| a.min(b);
    max_u32 = bin [u32, u32] |a, b| a.max(b);
    min_s32 = bin [i32, i32] |a, b| a.min(b);
    max_s32 = bin [i32, i32] |a, b| a.max(b);
    min_u64 = bin [u64, u64] |a, b| a.min(b);
    max_u64 = bin [u64, u64] |a, b| a.max(b);
    min_s64 = bin [i64, i64] |a, b| a.min(b);
    max_s64 = bin [i64, i64] |a, b| a.max(b);
    abs_s32 = un [i32] |a| a.wrapping_abs();
    neg_s32 = un [i32] |a| a.wrapping_neg();
    abs_s64 = un [i64] |a| a.wrapping_abs();
    neg_s64 = un [i64] |a| a.wrapping_neg();
    // Division by zero gives all ones for quotient and remainder (the hardware's result; PTX leaves it open).
    div_u32 = rows [u32, u32] |a, b| each2(a, b, quotient);
    div_u16 = rows [u32, u32] |a, b| each2(a, b, |a: u32, b: u32| quotient(a & 0xffff, b & 0xffff) & 0xffff);
    div_s32 = bin [i32, i32] |a, b| if b == 0 { -1 } else { a.wrapping_div(b) };
    rem_u32 = rows [u32, u32] |a, b| each2(a, b, remainder);
    rem_u16 = rows [u32, u32] |a, b| each2(a, b, |a: u32, b: u32| remainder(a & 0xffff, b & 0xffff) & 0xffff);
    rem_s32 = bin [i32, i32] |a, b| if b == 0 { -1 } else { a.wrapping_rem(b) };
    div_u64 = bin [u64, u64] |a, b| a.checked_div(b).unwrap_or(u64::MAX);
    div_s64 = bin [i64, i64] |a, b| if b == 0 { -1 } else { a.wrapping_div(b) };
    rem_u64 = bin [u64, u64] |a, b| a.checked_rem(b).unwrap_or(u64::MAX);
    rem_s64 = bin [i64, i64] |a, b| if b == 0 { -1 } else { a.wrapping_rem(b) };

    // Logic and shifts.
    and32 = bin [u32, u32] |a, b| a & b;
    or32 = bin [u32, u32] |a, b| a | b;
    xor32 = bin [u32, u32] |a, b| a ^ b;
    not32 = un [u32] |a| !a;
    not16 = un [u32] |a| !a & 0xffff;
    and64 = bin [u64, u64] |a, b| a & b;
    or64 = bin [u64, u64] |a, b| a | b;
    xor64 = bin [u64, u64] |a, b| a ^ b;
    not64 = un [u64] |a| !a;
    shl_b32 = bin [u32, u32] |a, n| shl32(a, n);
    shr_u32 = bin [u32, u32] |a, n| shr32(a, n);
    shr_s32 = bin [i32, u32] |a, n| a >> n.min(31);
    shl_b64 = bin [u64, u32] |a, n| if n < 64 { a << n } else { 0 };
    shr_u64 = bin [u64, u32] |a, n| if n < 64 { a >> n } else { 0 };
    shr_s64 = bin [i64, u32] |a, n| a >> n.min(63);
    shl_b16 = bin [u32, u32] |a, n| shl32(a, n) & 0xffff;
    shr_u16 = bin [u32, u32] |a, n| shr32(a & 0xffff, n);
    shr_s16 = bin [u32, u32] |a, n| (s16(a) >> n.min(15)) as u32 & 0xffff;
    shf_l_wrap = tri [u32, u32, u32] |a, b, c| ((u64::from(b) << 32 | u64::from(a)) << (c & 31) >> 32) as u32;
    shf_r_wrap = tri [u32, u32, u32] |a, b, c| ((u64::from(b) << 32 | u64::from(a)) >> (c & 31)) as u32;
    shf_l_clamp = tri [u32, u32, u32] |a, b, c| ((u64::from(b) << 32 | u64::from(a)) << c.min(32) >> 32) as u32;
    shf_r_clamp = tri [u32, u32, u32] |a, b, c| ((u64::from(b) << 32 | u64::from(a)) >> c.min(32)) as u32;
    // `x` is the truth table. The result is the sum of its minterms, selected by bit masks.
    lop3 = tri [u32, u32, u32] |a, b, c| {
        let m = |bit: u32| 0u32.wrapping_sub(x >> bit & 1);
        let high = (m(7) & b & c) | (m(6) & b & !c) | (m(5) & !b & c) | (m(4) & !b & !c);
        let low = (m(3) & b & c) | (m(2) & b & !c) | (m(1) & !b & c) | (m(0) & !b & !c);
        (a & high) | (!a & low)
    };
    popc32 = un [u32] |a| a.count_ones();
    clz32 = un [u32] |a| a.leading_zeros();
    // Bit 0 of `x` marks a signed number, bit 1 is `.shiftamt`.
    bfind32 = un [u32] |a| {
        let v = if x & 1 != 0 { a ^ (a as i32 >> 31) as u32 } else { a };
        let zeros = v.leading_zeros();
        if v == 0 { u32::MAX } else if x & 2 != 0 { zeros } else { 31 - zeros }
    };
    popc64 = un [u64] |a| a.count_ones();
    clz64 = un [u64] |a| a.leading_zeros();
    brev32 = un [u32] |a| a.reverse_bits();
    // `x` holds position and length (1 to 31), both constant and inside the word.
    bfe_u32 = un [u32] |a| (a >> (x & 31)) & ((1u32 << (x >> 8)) - 1);
    bfe_s32 = un [i32] |a| (a << (32 - (x >> 8) - (x & 31))) >> (32 - (x >> 8));
    bfi_b32 = bin [u32, u32] |a, b| {
        let mask = ((1u32 << (x >> 8)) - 1) << (x & 31);
        (a << (x & 31)) & mask | b & !mask
    };
    vabsdiff4_add = tri [u32, u32, u32] |a, b, c| {
        let difference = |k: u32| u32::from(((a >> k) as u8).abs_diff((b >> k) as u8));
        c.wrapping_add(difference(0) + difference(8) + difference(16) + difference(24))
    };
    prmt = tri [u32, u32, u32] |a, b, c| crate::num::bits::prmt(ptx::op::PrmtMode::Index, a, b, c);

    // f32.
    add_f32 = bin [u32, u32] |a, b| single::add(a, b, RN);
    sub_f32 = bin [u32, u32] |a, b| single::sub(a, b, RN);
    mul_f32 = bin [u32, u32] |a, b| single::mul(a, b, RN);
    fma_f32 = tri [u32, u32, u32] |a, b, c| single::fma(a, b, c, RN);
    div_f32 = bin [u32, u32] |a, b| single::div(a, b, RN);
    rcp_f32 = un [u32] |a| single::rcp(a, RN);
    sqrt_f32 = un [u32] |a| single::sqrt(a, RN);
    add_ftz_f32 = bin [u32, u32] |a, b| single::add(a, b, RN_FTZ);
    sub_ftz_f32 = bin [u32, u32] |a, b| single::sub(a, b, RN_FTZ);
    mul_ftz_f32 = bin [u32, u32] |a, b| single::mul(a, b, RN_FTZ);
    fma_ftz_f32 = tri [u32, u32, u32] |a, b, c| single::fma(a, b, c, RN_FTZ);
    fma_sat_f32 = tri [u32, u32, u32] |a, b, c| single::fma(a, b, c, RN_SAT);
    add_sat_f32 = bin [u32, u32] |a, b| single::add(a, b, RN_SAT);
    mul_sat_f32 = bin [u32, u32] |a, b| single::mul(a, b, RN_SAT);
    abs_f32 = un [u32] |a| single::abs(a, false);
    neg_f32 = un [u32] |a| single::neg(a, false);
    abs_ftz_f32 = un [u32] |a| single::abs(a, true);
    neg_ftz_f32 = un [u32] |a| single::neg(a, true);
    min_f32 = bin [u32, u32] |a, b| single::min(a, b, PLAIN);
    max_f32 = bin [u32, u32] |a, b| single::max(a, b, PLAIN);
    min_ftz_f32 = bin [u32, u32] |a, b| single::min(a, b, PLAIN_FTZ);
    max_ftz_f32 = bin [u32, u32] |a, b| single::max(a, b, PLAIN_FTZ);

    // Operations rounded in the direction that `x` encodes, and the functions of the multi-function unit; bit
    // 3 of `x` is `.ftz`.
    add_to_f32 = bin [u32, u32] |a, b| single::add(a, b, directed(x));
    sub_to_f32 = bin [u32, u32] |a, b| single::sub(a, b, directed(x));
    mul_to_f32 = bin [u32, u32] |a, b| single::mul(a, b, directed(x));
    fma_to_f32 = tri [u32, u32, u32] |a, b, c| single::fma(a, b, c, directed(x));
    add_to_f64 = bin [u64, u64] |a, b| double::add(a, b, directed(x).rnd);
    sub_to_f64 = bin [u64, u64] |a, b| double::sub(a, b, directed(x).rnd);
    mul_to_f64 = bin [u64, u64] |a, b| double::mul(a, b, directed(x).rnd);
    fma_to_f64 = tri [u64, u64, u64] |a, b, c| double::fma(a, b, c, directed(x).rnd);
    div_to_f64 = bin [u64, u64] |a, b| double::div(a, b, directed(x).rnd);
    rcp_to_f64 = un [u64] |a| double::rcp(a, directed(x).rnd);
    sqrt_to_f64 = un [u64] |a| double::sqrt(a, directed(x).rnd);
    rcp_approx = chunk [] |a| approx::rcp_row(a, x >> 3 != 0);
    div_approx = chunk [] |a, b| approx::div_row(a, b, false, x >> 3 != 0);
    div_full = chunk [] |a, b| approx::div_row(a, b, true, x >> 3 != 0);
    sqrt_approx = un [u32] |a| approx::sqrt(a, x >> 3 != 0);
    rsqrt_approx = un [u32] |a| approx::rsqrt(a, x >> 3 != 0);
    sin_approx = chunk [] |a| approx::sine_row(a, false);
    cos_approx = chunk [] |a| approx::sine_row(a, true);
    lg2_approx = un [u32] |a| approx::lg2(a, x >> 3 != 0);
    ex2_approx = chunk [] |a| approx::ex2_row(a, x >> 3 != 0);

    // f64.
    add_f64 = bin [u64, u64] |a, b| double::add(a, b, NEAREST);
    sub_f64 = bin [u64, u64] |a, b| double::sub(a, b, NEAREST);
    mul_f64 = bin [u64, u64] |a, b| double::mul(a, b, NEAREST);
    fma_f64 = tri [u64, u64, u64] |a, b, c| double::fma(a, b, c, NEAREST);
    div_f64 = bin [u64, u64] |a, b| double::div(a, b, NEAREST);
    rcp_f64 = un [u64] |a| double::rcp(a, NEAREST);
    sqrt_f64 = un [u64] |a| double::sqrt(a, NEAREST);
    abs_f64 = un [u64] |a| double::abs(a);
    neg_f64 = un [u64] |a| double::neg(a);
    min_f64 = bin [u64, u64] |a, b| double::min(a, b);
    max_f64 = bin [u64, u64] |a, b| double::max(a, b);

    // Comparisons.
    eq_32 = cmp [u32] |a, b| a == b;
    ne_32 = cmp [u32] |a, b| a != b;
    lt_u32 = cmp [u32] |a, b| a < b;
    le_u32 = cmp [u32] |a, b| a <= b;
    gt_u32 = cmp [u32] |a, b| a > b;
    ge_u32 = cmp [u32] |a, b| a >= b;
    lt_s32 = cmp [i32] |a, b| a < b;
    le_s32 = cmp [i32] |a, b| a <= b;
    gt_s32 = cmp [i32] |a, b| a > b;
    ge_s32 = cmp [i32] |a, b| a >= b;
    eq_64 = cmp [u64] |a, b| a == b;
    ne_64 = cmp [u64] |a, b| a != b;
    lt_u64 = cmp [u64] |a, b| a < b;
    le_u64 = cmp [u64] |a, b| a <= b;
    gt_u64 = cmp [u64] |a, b| a > b;
    ge_u64 = cmp [u64] |a, b| a >= b;
    lt_s64 = cmp [i64] |a, b| a < b;
    le_s64 = cmp [i64] |a, b| a <= b;
    gt_s64 = cmp [i64] |a, b| a > b;
    ge_s64 = cmp [i64] |a, b| a >= b;
    eq_16 = cmp [u32] |a, b| a as u16 == b as u16;
    ne_16 = cmp [u32] |a, b| a as u16 != b as u16;
    lt_s16 = cmp [u32] |a, b| s16(a) < s16(b);
    le_s16 = cmp [u32] |a, b| s16(a) <= s16(b);
    gt_s16 = cmp [u32] |a, b| s16(a) > s16(b);
    ge_s16 = cmp [u32] |a, b| s16(a) >= s16(b);
    eq_f32 = cmp [f32] |a, b| a == b;
    ne_f32 = cmp [f32] |a, b| a != b && !a.is_nan() && !b.is_nan();
    neu_f32 = cmp [f32] |a, b| a != b;
    lt_f32 = cmp [f32] |a, b| a < b;
    le_f32 = cmp [f32] |a, b| a <= b;
    gt_f32 = cmp [f32] |a, b| a > b;
    ge_f32 = cmp [f32] |a, b| a >= b;
    lt_ftz_f32 = cmp [u32] |a, b| flushed(a) < flushed(b);
    le_ftz_f32 = cmp [u32] |a, b| flushed(a) <= flushed(b);
    gt_ftz_f32 = cmp [u32] |a, b| flushed(a) > flushed(b);
    ge_ftz_f32 = cmp [u32] |a, b| flushed(a) >= flushed(b);
    eq_f64 = cmp [f64] |a, b| a == b;
    ne_f64 = cmp [f64] |a, b| a != b && !a.is_nan() && !b.is_nan();
    neu_f64 = cmp [f64] |a, b| a != b;
    lt_f64 = cmp [f64] |a, b| a < b;
    le_f64 = cmp [f64] |a, b| a <= b;
    gt_f64 = cmp [f64] |a, b| a > b;
    ge_f64 = cmp [f64] |a, b| a >= b;
}

macro_rules! predicates {
    ($($name:ident = |$a:ident, $b:ident, $x:ident| $e:expr;)*) => {$(
        /// Computes a logical operation on predicates, which are lane masks.
        ///
        /// # Safety
        /// The contract of [`AluFn`], where all operands are predicates.
        pub(crate) unsafe fn $name(
            d: *mut u8,
            a: *const u8,
            b: *const u8,
            _: *const u8,
            $x: u32,
            lanes: LaneMask,
        ) {
            // SAFETY: the operands are predicates, valid for 4 bytes.
            unsafe {
                let ($a, $b) = (a.cast::<u32>().read(), b.cast::<u32>().read());
                put_mask(d, lanes, $e);
            }
        }
    )*};
}

// Bit 0 of `x` negates the first operand, bit 1 the second, bit 2 the result.
predicates! {
    and_pred = |a, b, x| flip(flip(a, x) & flip(b, x >> 1), x >> 2);
    or_pred = |a, b, x| flip(flip(a, x) | flip(b, x >> 1), x >> 2);
    xor_pred = |a, b, x| flip(flip(a, x) ^ flip(b, x >> 1), x >> 2);
}

/// Negates a predicate.
///
/// # Safety
/// The contract of [`AluFn`], where both operands are predicates.
pub(crate) unsafe fn not_pred(d: *mut u8, a: *const u8, _: *const u8, _: *const u8, _: u32, lanes: LaneMask) {
    // SAFETY: the operands are predicates, valid for 4 bytes.
    unsafe { put_mask(d, lanes, !a.cast::<u32>().read()) }
}

#[inline(always)]
fn flip(a: u32, negate: u32) -> u32 {
    a ^ 0u32.wrapping_sub(negate & 1)
}
