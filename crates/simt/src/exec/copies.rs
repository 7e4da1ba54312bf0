//! Copies between memory and rows, for lanes that lie side by side or are all given one value.

use crate::alu::FULL;
use events::LaneMask;

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
