//! Reading, writing and blending of rows.

/// Copies the lanes of `mask` from `src` to `dst`, 32 bits each.
///
/// # Safety
/// Both point to 32 elements; they are equal or do not overlap.
#[inline]
pub(crate) unsafe fn blend32(dst: *mut u8, src: *const u8, mask: u32) {
    // SAFETY: by contract; the AVX2 version is called only if the processor supports it.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if crate::num::has_avx2() {
            return avx2::blend32(dst, src, mask);
        }
        portable32(dst, src, mask);
    }
}

/// Copies the lanes of `mask` from `src` to `dst`, 64 bits each.
///
/// # Safety
/// The contract of [`blend32`].
#[inline]
pub(crate) unsafe fn blend64(dst: *mut u8, src: *const u8, mask: u32) {
    // SAFETY: as in `blend32`.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if crate::num::has_avx2() {
            return avx2::blend64(dst, src, mask);
        }
        portable64(dst, src, mask);
    }
}

/// Sets one lane of a row of 32-bit elements. The store is as wide as the loads of row functions, because a
/// processor does not forward a narrower store to them.
///
/// # Safety
/// `dst` points to 32 elements, and `lane` is below 32.
#[inline]
pub(crate) unsafe fn set32(dst: *mut u8, lane: usize, value: u32) {
    // SAFETY: as in `blend32`.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if crate::num::has_avx2() {
            return avx2::set32(dst, lane, value);
        }
        dst.cast::<u32>().add(lane).write(value);
    }
}

/// Sets one lane of a row of 64-bit elements.
///
/// # Safety
/// The contract of [`set32`].
#[inline]
pub(crate) unsafe fn set64(dst: *mut u8, lane: usize, value: u64) {
    // SAFETY: as in `blend32`.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if crate::num::has_avx2() {
            return avx2::set64(dst, lane, value);
        }
        dst.cast::<u64>().add(lane).write(value);
    }
}

/// Implements [`blend32`] without vector intrinsics.
///
/// # Safety
/// The contract of [`blend32`].
#[inline(always)]
unsafe fn portable32(dst: *mut u8, src: *const u8, mask: u32) {
    // SAFETY: by contract.
    unsafe {
        let src = src.cast::<[u32; 32]>().read();
        let mut out = dst.cast::<[u32; 32]>().read();
        for i in 0..32 {
            let on = 0u32.wrapping_sub(mask >> i & 1);
            out[i] = src[i] & on | out[i] & !on;
        }
        dst.cast::<[u32; 32]>().write(out);
    }
}

/// Implements [`blend64`] without vector intrinsics.
///
/// # Safety
/// The contract of [`blend32`].
#[inline(always)]
unsafe fn portable64(dst: *mut u8, src: *const u8, mask: u32) {
    // SAFETY: by contract.
    unsafe {
        let src = src.cast::<[u64; 32]>().read();
        let mut out = dst.cast::<[u64; 32]>().read();
        for i in 0..32 {
            let on = 0u64.wrapping_sub(u64::from(mask >> i & 1));
            out[i] = src[i] & on | out[i] & !on;
        }
        dst.cast::<[u64; 32]>().write(out);
    }
}

/// The same code compiled for AVX2, where a shift by lane is one instruction.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn blend32(dst: *mut u8, src: *const u8, mask: u32) {
        // SAFETY: the caller upholds the contract.
        unsafe { super::portable32(dst, src, mask) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn set32(dst: *mut u8, lane: usize, value: u32) {
        // SAFETY: by contract.
        unsafe {
            let chunk = dst.cast::<[u32; 8]>().add(lane / 8);
            let mut out = chunk.read();
            for (i, out) in out.iter_mut().enumerate() {
                *out = if i == lane % 8 { value } else { *out };
            }
            chunk.write(out);
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn set64(dst: *mut u8, lane: usize, value: u64) {
        // SAFETY: by contract.
        unsafe {
            let chunk = dst.cast::<[u64; 4]>().add(lane / 4);
            let mut out = chunk.read();
            for (i, out) in out.iter_mut().enumerate() {
                *out = if i as u64 == lane as u64 % 4 { value } else { *out };
            }
            chunk.write(out);
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn blend64(dst: *mut u8, src: *const u8, mask: u32) {
        // SAFETY: the caller upholds the contract.
        unsafe { super::portable64(dst, src, mask) }
    }
}

/// Iterates over the lanes of a mask, lowest first.
#[derive(Clone, Copy)]
pub(crate) struct Lanes(pub u32);

impl Iterator for Lanes {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(lane as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blends_change_only_the_lanes_of_the_mask() {
        let mut random = 1u32;
        for mask in (0..32).map(|i| 1 << i).chain((0..64).map(|i| match i {
            0 => 0,
            1 => u32::MAX,
            _ => {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                random
            }
        })) {
            let narrow: [u32; 32] = std::array::from_fn(|i| i as u32 + 100);
            let wide: [u64; 32] = std::array::from_fn(|i| (i as u64 + 100) << 33);
            let (mut a, mut b, mut c, mut d) = ([1u32; 32], [1u32; 32], [1u64; 32], [1u64; 32]);
            // SAFETY: all arrays have 32 elements and do not overlap.
            unsafe {
                blend32(a.as_mut_ptr().cast(), narrow.as_ptr().cast(), mask);
                portable32(b.as_mut_ptr().cast(), narrow.as_ptr().cast(), mask);
                blend64(c.as_mut_ptr().cast(), wide.as_ptr().cast(), mask);
                portable64(d.as_mut_ptr().cast(), wide.as_ptr().cast(), mask);
            }
            for lane in 0..32 {
                let on = mask >> lane & 1 != 0;
                assert_eq!((a[lane], b[lane]), if on { (narrow[lane], narrow[lane]) } else { (1, 1) });
                assert_eq!((c[lane], d[lane]), if on { (wide[lane], wide[lane]) } else { (1, 1) });
            }
        }
    }
}
