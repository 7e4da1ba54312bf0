//! Copies between memory and rows, for contiguous lanes and for a value broadcast to all lanes.

use crate::alu::FULL;
use events::LaneMask;

/// Copies 32 elements of 4 bytes.
///
/// # Safety
/// Both pointers are valid for 128 bytes, which do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_row32(dst: *mut u8, src: *const u8) {
    // SAFETY: by contract. Arrays of bytes need no alignment.
    unsafe { dst.cast::<[u8; 128]>().write(src.cast::<[u8; 128]>().read()) }
}

/// Copies 32 elements of 8 bytes.
///
/// # Safety
/// Both pointers are valid for 256 bytes, which do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_row64(dst: *mut u8, src: *const u8) {
    // SAFETY: by contract.
    unsafe {
        copy_row32(dst, src);
        copy_row32(dst.add(128), src.add(128));
    }
}

/// Sets the lanes of a mask in a row of 32-bit elements to one value.
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

/// Sets the lanes of a mask in a row of 64-bit elements to one value.
///
/// # Safety
/// The contract of [`splat32`].
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

/// Loads the lanes of a mask, 32 bits each, from contiguous memory; `origin` is the address of lane 0. The
/// memory of other lanes is not accessed.
///
/// # Safety
/// `dst` points to 32 elements; the memory of the mask's lanes is valid.
#[inline(always)]
pub(super) unsafe fn load_lanes32(dst: *mut u8, origin: *const u8, mask: LaneMask) {
    // SAFETY: by contract; the AVX2 version is called only if the processor supports it.
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

/// Stores the lanes of a mask, 32 bits each, to contiguous memory; `origin` is the address of lane 0.
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

macro_rules! scattered {
    ($gather:ident, $scatter:ident, $int:ty) => {
        /// Loads the lanes of a mask from the address `from` plus `offset` plus the lane's element of `row`,
        /// which has 64 bits if `wide`.
        ///
        /// # Safety
        /// Both rows have 32 elements; the memory of the mask's lanes is valid. Without `wide`, the sum of
        /// offset and element is less than 2^31.
        #[inline(always)]
        pub(super) unsafe fn $gather(
            dst: *mut u8,
            from: *const u8,
            row: *const u8,
            wide: bool,
            offset: u64,
            mask: LaneMask,
        ) {
            // SAFETY: by contract; the AVX2 version is called only if the processor supports it.
            unsafe {
                #[cfg(target_arch = "x86_64")]
                if crate::num::has_avx2() {
                    return masked::$gather(dst, from, row, wide, offset, mask);
                }
                for lane in crate::alu::row::Lanes(mask) {
                    let at = index(row, wide, offset, lane);
                    dst.cast::<$int>().add(lane).write(from.wrapping_add(at).cast::<$int>().read_unaligned());
                }
            }
        }

        /// Stores the lanes of a mask to the address `to` plus `offset` plus the lane's element of `row`, in
        /// ascending order of lanes.
        ///
        /// # Safety
        /// The contract of the load.
        #[inline(never)]
        pub(super) unsafe fn $scatter(
            to: *mut u8,
            src: *const u8,
            row: *const u8,
            wide: bool,
            offset: u64,
            mask: LaneMask,
        ) {
            let src = src.cast::<$int>();
            // SAFETY: by contract.
            unsafe {
                if wide && mask == FULL {
                    let (to, row) = (to.wrapping_add(offset as usize), row.cast::<u64>());
                    for lane in 0..32 {
                        let at = to.wrapping_add(row.add(lane).read() as usize);
                        at.cast::<$int>().write_unaligned(src.add(lane).read());
                    }
                    return;
                }
                for lane in crate::alu::row::Lanes(mask) {
                    let at = to.wrapping_add(index(row, wide, offset, lane));
                    at.cast::<$int>().write_unaligned(src.add(lane).read());
                }
            }
        }
    };
}

scattered!(gather32, scatter32, u32);
scattered!(gather64, scatter64, u64);

/// Returns the sum of a lane's element of `row` and the offset.
///
/// # Safety
/// The row has 32 elements.
#[inline(always)]
unsafe fn index(row: *const u8, wide: bool, offset: u64, lane: usize) -> usize {
    // SAFETY: by contract.
    unsafe {
        match wide {
            true => row.cast::<u64>().add(lane).read().wrapping_add(offset) as usize,
            false => row.cast::<u32>().add(lane).read().wrapping_add(offset as u32) as usize,
        }
    }
}

/// Masked loads and stores of vectors, which do not access the memory of inactive elements.
#[cfg(target_arch = "x86_64")]
mod masked {
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_add_epi32, _mm_and_si128, _mm_cmpeq_epi32, _mm_loadu_si128, _mm_set1_epi32,
        _mm_setr_epi32, _mm_storeu_si128, _mm256_add_epi32, _mm256_and_si256, _mm256_blendv_epi8,
        _mm256_cmpeq_epi32, _mm256_cvtepi32_epi64, _mm256_loadu_si256, _mm256_mask_i32gather_epi32,
        _mm256_mask_i64gather_epi32, _mm256_mask_i64gather_epi64, _mm256_maskload_epi32,
        _mm256_maskstore_epi32, _mm256_set1_epi32, _mm256_setr_epi32, _mm256_storeu_si256,
    };

    /// Returns a vector with all ones in the elements of a mask.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn vector4(mask: u32) -> __m128i {
        let bits = _mm_setr_epi32(1, 2, 4, 8);
        _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32(mask as i32), bits), bits)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn gather32(
        dst: *mut u8,
        from: *const u8,
        row: *const u8,
        wide: bool,
        offset: u64,
        mask: u32,
    ) {
        // SAFETY: only memory of the mask's lanes is read, and the rows have 32 elements.
        unsafe {
            if wide {
                let from = from.wrapping_add(offset as usize).cast();
                for k in 0..8 {
                    let on = vector4(mask >> (4 * k));
                    let (at, dst) = (row.add(32 * k).cast(), dst.add(16 * k).cast());
                    let old = _mm_loadu_si128(dst);
                    let new = _mm256_mask_i64gather_epi32::<1>(old, from, _mm256_loadu_si256(at), on);
                    _mm_storeu_si128(dst, new);
                }
                return;
            }
            let offset = _mm256_set1_epi32(offset as i32);
            for k in 0..4 {
                let on = vector(mask >> (8 * k));
                let (at, dst) = (row.add(32 * k).cast(), dst.add(32 * k).cast());
                let at = _mm256_add_epi32(_mm256_loadu_si256(at), offset);
                let old = _mm256_loadu_si256(dst);
                _mm256_storeu_si256(dst, _mm256_mask_i32gather_epi32::<1>(old, from.cast(), at, on));
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn gather64(
        dst: *mut u8,
        from: *const u8,
        row: *const u8,
        wide: bool,
        offset: u64,
        mask: u32,
    ) {
        let from = from.wrapping_add(if wide { offset } else { 0 } as usize);
        for k in 0..8 {
            // SAFETY: as in `gather32`.
            unsafe {
                let on = _mm256_cvtepi32_epi64(vector4(mask >> (4 * k)));
                let dst = dst.add(32 * k).cast::<__m256i>();
                let at = if wide {
                    _mm256_loadu_si256(row.add(32 * k).cast())
                } else {
                    let at = _mm_loadu_si128(row.add(16 * k).cast());
                    _mm256_cvtepi32_epi64(_mm_add_epi32(at, _mm_set1_epi32(offset as i32)))
                };
                let old = _mm256_loadu_si256(dst);
                _mm256_storeu_si256(dst, _mm256_mask_i64gather_epi64::<1>(old, from.cast(), at, on));
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn vector(mask: u32) -> __m256i {
        let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(mask as i32), bits), bits)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn load32(dst: *mut u8, origin: *const u8, mask: u32) {
        for k in 0..4 {
            let here = mask >> (8 * k) & 0xff;
            if here == 0 {
                continue;
            }
            let on = vector(here);
            // SAFETY: only lanes of the mask are read, and the row has 32 elements.
            unsafe {
                let dst = dst.add(32 * k).cast::<__m256i>();
                let new = _mm256_maskload_epi32(origin.wrapping_add(32 * k).cast(), on);
                _mm256_storeu_si256(dst, _mm256_blendv_epi8(_mm256_loadu_si256(dst), new, on));
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn store32(origin: *mut u8, src: *const u8, mask: u32) {
        for k in 0..4 {
            let here = mask >> (8 * k) & 0xff;
            if here == 0 {
                continue;
            }
            // SAFETY: only lanes of the mask are written, and the row has 32 elements.
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
            // SAFETY: all arrays have 32 elements.
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

    #[test]
    fn scattered_words_are_those_of_their_lanes() {
        let words: [u64; 64] = std::array::from_fn(|i| ((i as u64 + 1) << 33) | (i as u64 + 1));
        let place = |lane: usize| (lane * 7 + 3) % 64 * 8;
        let narrow: [u32; 32] = std::array::from_fn(|lane| (place(lane) as u32).wrapping_sub(8));
        // A large distance, like that between device and host addresses.
        let wide: [u64; 32] = std::array::from_fn(|lane| place(lane) as u64 + (1 << 45) - 8);
        for mask in [1, 1 << 31, 0x00ff_0000, 0x8000_0001, 0x1234_5678, FULL] {
            for (is_wide, row) in [(false, narrow.as_ptr().cast()), (true, wide.as_ptr().cast::<u8>())] {
                let base = if is_wide { 1usize << 45 } else { 0 };
                let (mut a, mut b) = ([1u32; 32], [1u64; 32]);
                let (mut c, mut d) = ([0u64; 64], [0u64; 64]);
                // SAFETY: rows have 32 elements, and all addresses lie inside the 64 words.
                unsafe {
                    let from = words.as_ptr().cast::<u8>().wrapping_sub(base);
                    gather32(a.as_mut_ptr().cast(), from, row, is_wide, 8, mask);
                    gather64(b.as_mut_ptr().cast(), from, row, is_wide, 8, mask);
                    let (to, src) = (|p: *mut u64| p.cast::<u8>().wrapping_sub(base), b.as_ptr().cast());
                    scatter32(to(c.as_mut_ptr()), a.as_ptr().cast(), row, is_wide, 8, mask);
                    scatter64(to(d.as_mut_ptr()), src, row, is_wide, 8, mask);
                }
                for lane in 0..32 {
                    let (on, word) = (mask >> lane & 1 != 0, words[place(lane) / 8]);
                    assert_eq!((a[lane], b[lane]), if on { (word as u32, word) } else { (1, 1) });
                    let stored = (c[place(lane) / 8], d[place(lane) / 8]);
                    assert_eq!(stored, if on { (word & 0xffff_ffff, word) } else { (0, 0) });
                }
            }
        }
    }
}
