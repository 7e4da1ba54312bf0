//! What the 32 addresses of an access have in common, and copies between memory and rows for lanes that lie side by
//! side. Every function exists twice, for the baseline and for AVX2.

#![allow(clippy::needless_range_loop, reason = "loops over lanes read best by lane number")]

use crate::alu::FULL;
use events::LaneMask;
use ptx::op::ShflMode;

/// How addresses lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Every active lane's address is the previous lane's plus the access's size.
    Row,
    /// All active lanes have one address.
    Point,
    Scattered,
}

/// All ones for each lane of a mask.
#[inline(always)]
fn on(mask: LaneMask, lane: usize) -> u64 {
    0u64.wrapping_sub(u64::from(mask >> lane & 1))
}

#[inline(always)]
fn on32(mask: LaneMask, lane: usize) -> u32 {
    0u32.wrapping_sub(mask >> lane & 1)
}

#[inline(always)]
fn told(apart: bool, differ: bool) -> Shape {
    match (apart, differ) {
        (false, _) => Shape::Row,
        (_, false) => Shape::Point,
        _ => Shape::Scattered,
    }
}

/// Defines functions of rows, and for each one of the same name that runs the better version.
macro_rules! twice {
    ($($(#[$doc:meta])* fn $name:ident($($p:ident: $t:ty),*) $(-> $r:ty)? $body:block)*) => {
        mod base {
            use super::*;
            $(#[inline(always)] pub(super) fn $name($($p: $t),*) $(-> $r)? $body)*
        }
        #[cfg(target_arch = "x86_64")]
        mod avx2 {
            use super::*;
            $(
                #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
                pub(super) fn $name($($p: $t),*) $(-> $r)? { super::base::$name($($p),*) }
            )*
        }
        $(
            $(#[$doc])*
            #[inline(always)]
            pub(super) fn $name($($p: $t),*) $(-> $r)? {
                #[cfg(target_arch = "x86_64")]
                if crate::num::has_avx2() {
                    // SAFETY: the processor has what the function uses.
                    return unsafe { avx2::$name($($p),*) };
                }
                base::$name($($p),*)
            }
        )*
    };
}

twice! {
    /// How the active lanes' addresses lie, `1 << shift` bytes each. At least one lane is active.
    fn shape64(row: &[u64; 32], mask: LaneMask, shift: u32) -> Shape {
        let first = mask.trailing_zeros() as usize & 31;
        let a = row[first];
        let origin = a.wrapping_sub((first as u64) << shift);
        let (mut apart, mut differ) = (0, 0);
        if mask == FULL {
            for i in 0..32 {
                apart |= row[i] ^ origin.wrapping_add((i as u64) << shift);
                differ |= row[i] ^ a;
            }
        } else {
            for i in 0..32 {
                apart |= (row[i] ^ origin.wrapping_add((i as u64) << shift)) & on(mask, i);
                differ |= (row[i] ^ a) & on(mask, i);
            }
        }
        told(apart != 0, differ != 0)
    }

    /// The same of addresses of 32 bits.
    fn shape32(row: &[u32; 32], mask: LaneMask, shift: u32) -> Shape {
        let first = mask.trailing_zeros() as usize & 31;
        let a = row[first];
        let origin = a.wrapping_sub((first as u32) << shift);
        let (mut apart, mut differ) = (0, 0);
        if mask == FULL {
            for i in 0..32 {
                apart |= row[i] ^ origin.wrapping_add((i as u32) << shift);
                differ |= row[i] ^ a;
            }
        } else {
            for i in 0..32 {
                apart |= (row[i] ^ origin.wrapping_add((i as u32) << shift)) & on32(mask, i);
                differ |= (row[i] ^ a) & on32(mask, i);
            }
        }
        told(apart != 0, differ != 0)
    }

    /// `row` plus an offset.
    fn offset64(out: &mut [u64; 32], row: &[u64; 32], offset: u64) {
        for i in 0..32 {
            out[i] = row[i].wrapping_add(offset);
        }
    }

    /// The same of addresses of 32 bits.
    fn offset32(out: &mut [u64; 32], row: &[u32; 32], offset: u32) {
        for i in 0..32 {
            out[i] = u64::from(row[i].wrapping_add(offset));
        }
    }

    /// Gives inactive lanes what makes them contiguous with the first active one, `1 << shift` bytes apart.
    fn fill(out: &mut [u64; 32], mask: LaneMask, shift: u32) {
        let first = mask.trailing_zeros() as usize & 31;
        let origin = out[first].wrapping_sub((first as u64) << shift);
        for i in 0..32 {
            out[i] = out[i] & on(mask, i) | origin.wrapping_add((i as u64) << shift) & !on(mask, i);
        }
    }

    /// Bits that are not zero where lanes are not contiguous, and all bits that an address has.
    fn examine(addresses: &[u64; 32], shift: u32) -> (u64, u64) {
        let a = addresses[0];
        let (mut apart, mut any) = (0, 0);
        for i in 0..32 {
            apart |= addresses[i] ^ a.wrapping_add((i as u64) << shift);
            any |= addresses[i];
        }
        (apart, any)
    }

    /// Are all active lanes' words the same?
    fn alike32(row: &[u32; 32], mask: LaneMask) -> bool {
        let a = row[mask.trailing_zeros() as usize & 31];
        let mut differ = 0;
        for i in 0..32 {
            differ |= (row[i] ^ a) & on32(mask, i);
        }
        differ == 0
    }

    /// Of `shfl`, each lane's source by the operands `b` and `c`, and the lanes whose source is inside of their
    /// segment; the source of the others is the lane itself (PTX §9.7.9.6).
    fn sources(mode: ShflMode, b: &[u32; 32], c: &[u32; 32]) -> ([u32; 32], LaneMask) {
        macro_rules! each {
            (|$lane:ident, $b:ident, $seg:ident, $max:ident| $j:expr, $inside:expr) => {{
                let (mut from, mut within) = ([0; 32], [0; 32]);
                for i in 0..32 {
                    let ($lane, $b, $seg) = (i as i32, (b[i] & 31) as i32, (c[i] >> 8 & 31) as i32);
                    let $max = ($lane & $seg) | (c[i] & 31) as i32 & !$seg;
                    let j = $j;
                    let inside = $inside(j);
                    from[i] = if inside { j as u32 & 31 } else { i as u32 };
                    within[i] = u32::from(inside) << i;
                }
                let mut mask = 0;
                for bit in within {
                    mask |= bit;
                }
                (from, mask)
            }};
        }
        match mode {
            ShflMode::Up => each!(|l, b, seg, max| l - b, |j| j >= max),
            ShflMode::Down => each!(|l, b, seg, max| l + b, |j| j <= max),
            ShflMode::Bfly => each!(|l, b, seg, max| l ^ b, |j| j <= max),
            ShflMode::Idx => each!(|l, b, seg, max| (l & seg) | (b & !seg), |j| j <= max),
        }
    }

    /// `row[from[i]]` for each lane.
    fn pick(row: &[u32; 32], from: &[u32; 32]) -> [u32; 32] {
        let mut out = [0; 32];
        for i in 0..32 {
            out[i] = row[from[i] as usize & 31];
        }
        out
    }

    /// The lanes whose addresses are at most `limit`, which is no more than memory has, behind `base`.
    fn within(addresses: &[u64; 32], base: u64, limit: u64) -> LaneMask {
        // Mostly all are: then neither the distance nor what is left of the limit is negative.
        let mut signs = 0;
        for i in 0..32 {
            let distance = addresses[i].wrapping_sub(base);
            signs |= distance | limit.wrapping_sub(distance);
        }
        if signs >> 63 == 0 {
            return FULL;
        }
        let lanes = addresses.iter().enumerate();
        lanes.fold(0, |mask, (lane, a)| mask | u32::from(a.wrapping_sub(base) <= limit) << lane)
    }
}

/// Copies 32 elements of 4 bytes.
///
/// # Safety
/// Both pointers are valid for 128 bytes, and apart.
#[inline(always)]
pub(super) unsafe fn copy_row32(dst: *mut u8, src: *const u8) {
    // SAFETY: by contract. Arrays of bytes need no alignment.
    unsafe { dst.cast::<[u8; 128]>().write(src.cast::<[u8; 128]>().read()) }
}

/// Copies 32 elements of 8 bytes.
///
/// # Safety
/// Both pointers are valid for 256 bytes, and apart.
#[inline(always)]
pub(super) unsafe fn copy_row64(dst: *mut u8, src: *const u8) {
    // SAFETY: by contract.
    unsafe {
        copy_row32(dst, src);
        copy_row32(dst.add(128), src.add(128));
    }
}

/// Sets the lanes of a row of 32 bits each to one value.
///
/// # Safety
/// `dst` points to 32 elements.
#[inline(always)]
pub(super) unsafe fn splat32(dst: *mut u8, value: u32, mask: LaneMask) {
    let row = [value; 32];
    // SAFETY: by contract.
    unsafe {
        if mask == FULL {
            dst.cast::<[u32; 32]>().write(row);
        } else {
            crate::alu::row::blend32(dst, row.as_ptr().cast(), mask);
        }
    }
}

/// As [`splat32`], 64 bits each.
///
/// # Safety
/// As [`splat32`].
#[inline(always)]
pub(super) unsafe fn splat64(dst: *mut u8, value: u64, mask: LaneMask) {
    let row = [value; 32];
    // SAFETY: by contract.
    unsafe {
        if mask == FULL {
            dst.cast::<[u64; 32]>().write(row);
        } else {
            crate::alu::row::blend64(dst, row.as_ptr().cast(), mask);
        }
    }
}

/// Loads the lanes of a mask, 32 bits each, from where lane 0 would be; what lies between is not touched.
///
/// # Safety
/// `dst` points to 32 elements; the memory of the mask's lanes is valid.
#[inline(always)]
pub(super) unsafe fn load_lanes32(dst: *mut u8, origin: *const u8, mask: LaneMask) {
    // SAFETY: by contract; the first version is called where the processor has what it needs.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if crate::num::has_avx2() {
            return masked::load32(dst, origin, mask);
        }
        for lane in crate::alu::row::Lanes(mask) {
            let value = origin.wrapping_add(4 * lane).cast::<u32>().read_unaligned();
            dst.cast::<u32>().add(lane).write(value);
        }
    }
}

/// Stores the lanes of a mask, 32 bits each, to where lane 0 would be.
///
/// # Safety
/// `src` points to 32 elements; the memory of the mask's lanes is valid.
#[inline(always)]
pub(super) unsafe fn store_lanes32(origin: *mut u8, src: *const u8, mask: LaneMask) {
    // SAFETY: as in `load_lanes32`.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if crate::num::has_avx2() {
            return masked::store32(origin, src, mask);
        }
        for lane in crate::alu::row::Lanes(mask) {
            let value = src.cast::<u32>().add(lane).read();
            origin.wrapping_add(4 * lane).cast::<u32>().write_unaligned(value);
        }
    }
}

/// Loads and stores of some elements of a vector, which leave the others' memory alone.
#[cfg(target_arch = "x86_64")]
mod masked {
    use std::arch::x86_64::{
        __m256i, _mm256_and_si256, _mm256_blendv_epi8, _mm256_cmpeq_epi32, _mm256_loadu_si256,
        _mm256_maskload_epi32, _mm256_maskstore_epi32, _mm256_set1_epi32, _mm256_setr_epi32,
        _mm256_storeu_si256,
    };

    #[target_feature(enable = "avx2")]
    fn vector(mask: u32) -> __m256i {
        let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(mask as i32), bits), bits)
    }

    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn load32(dst: *mut u8, origin: *const u8, mask: u32) {
        for k in 0..4 {
            let here = mask >> (8 * k) & 0xff;
            if here == 0 {
                continue;
            }
            let on = vector(here);
            // SAFETY: only lanes of the mask are read, and the row has all.
            unsafe {
                let dst = dst.add(32 * k).cast::<__m256i>();
                let new = _mm256_maskload_epi32(origin.wrapping_add(32 * k).cast(), on);
                _mm256_storeu_si256(dst, _mm256_blendv_epi8(_mm256_loadu_si256(dst), new, on));
            }
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn store32(origin: *mut u8, src: *const u8, mask: u32) {
        for k in 0..4 {
            let here = mask >> (8 * k) & 0xff;
            if here == 0 {
                continue;
            }
            // SAFETY: only lanes of the mask are written, and the row has all.
            unsafe {
                let row = _mm256_loadu_si256(src.add(32 * k).cast());
                _mm256_maskstore_epi32(origin.wrapping_add(32 * k).cast(), vector(here), row);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_within_a_region_are_told_one_by_one() {
        let base = 0x7f00_0000_0000u64;
        let at = |lane: usize, address: u64| {
            let mut addresses: [u64; 32] = std::array::from_fn(|i| base + i as u64 * 100);
            addresses[lane] = address;
            within(&addresses, base, 3100)
        };
        assert_eq!(at(31, base + 3100), FULL);
        for outside in [base + 3101, base - 1, 0, u64::MAX, base + (1 << 63), base.wrapping_sub(1 << 63)] {
            assert_eq!(at(7, outside), FULL & !(1 << 7), "{outside:x}");
        }
    }

    #[test]
    fn only_active_lanes_decide_about_a_shape() {
        let row: [u64; 32] = std::array::from_fn(|i| 1000 + 4 * i as u64);
        let narrow = row.map(|a| a as u32);
        assert_eq!(shape64(&row, FULL, 2), Shape::Row);
        assert_eq!(shape32(&narrow, FULL, 2), Shape::Row);
        assert_eq!(shape64(&row, FULL, 3), Shape::Scattered);
        for lane in 0..32 {
            let (mut other, mut other32) = (row, narrow);
            (other[lane], other32[lane]) = (7, 7);
            assert_eq!(shape64(&other, FULL, 2), Shape::Scattered, "{lane}");
            assert_eq!(shape32(&other32, FULL, 2), Shape::Scattered, "{lane}");
            assert_eq!(shape64(&other, !(1 << lane), 2), Shape::Row, "{lane}");
            assert_eq!(shape32(&other32, !(1 << lane), 2), Shape::Row, "{lane}");
            let mut same = [9u64; 32];
            same[lane] = 8;
            assert_eq!(shape64(&same, !(1 << lane), 2), Shape::Point, "{lane}");
            assert_eq!(shape32(&same.map(|a| a as u32), !(1 << lane), 2), Shape::Point, "{lane}");
            assert_eq!(shape64(&same, FULL, 2), Shape::Scattered, "{lane}");
        }
    }

    #[test]
    fn copies_of_some_lanes_leave_the_others_alone() {
        for mask in [1, 1 << 31, 0x00ff_0000, 0x8000_0001, 0x1234_5678, FULL] {
            let memory: [u32; 32] = std::array::from_fn(|i| i as u32 + 100);
            let (mut row, mut back) = ([1u32; 32], [2u32; 32]);
            // SAFETY: all have 32 elements.
            unsafe {
                load_lanes32(row.as_mut_ptr().cast(), memory.as_ptr().cast(), mask);
                store_lanes32(back.as_mut_ptr().cast(), memory.as_ptr().cast(), mask);
            }
            for lane in 0..32 {
                let on = mask >> lane & 1 != 0;
                assert_eq!(row[lane], if on { memory[lane] } else { 1 });
                assert_eq!(back[lane], if on { memory[lane] } else { 2 });
            }
        }
    }
}
