//! Reading, writing and blending rows of lanes.

/// Copies the lanes of `mask` from `src` to `dst`, 32 bits each.
///
/// # Safety
/// Both point to 32 elements; they are equal or apart.
#[inline]
pub(crate) unsafe fn blend32(dst: *mut u8, src: *const u8, mask: u32) {
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

/// As [`blend32`], 64 bits each.
///
/// # Safety
/// As [`blend32`].
#[inline]
pub(crate) unsafe fn blend64(dst: *mut u8, src: *const u8, mask: u32) {
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

/// The lanes of a mask, lowest first.
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
