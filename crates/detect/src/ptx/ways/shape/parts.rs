//! Accesses of the whole warp in a few parts, each of which is a run.

use super::{FEW, Run};
use events::Access;

/// The two runs of an access of the whole warp whose halves access neighbouring bytes each, or read the same ones each: rows of
/// tiles that are sixteen elements wide.
#[inline]
pub(crate) fn halves(access: &Access<'_>, bytes: u64) -> Option<[Run; 2]> {
    let [low, high] = [access.addresses[0], access.addresses[16]];
    let uniform = access.addresses[15] == low;
    let step = if uniform { 0 } else { bytes };
    let ends = [access.addresses[15].wrapping_sub(low), access.addresses[31].wrapping_sub(high)];
    if access.mask != u32::MAX
        || access.stride.is_some()
        || access.kind.writes() && (uniform || high.abs_diff(low) < 16 * bytes)
        || ends != [15 * step; 2]
        || high == low.wrapping_add(16 * step)
        || !bytes.is_power_of_two()
        || !are_halves(access.addresses, step)
    {
        return None;
    }
    Some([(0, low), (16, high)].map(|(first, address)| Run { first, lanes: 16, address, uniform, gaps: 0 }))
}

/// Runs of an access that are few: rows of a stencil at the edges of its array.
pub(crate) const FEW_RUNS: usize = 3;

/// Returns whether an access is worth to [`split`](super::split), since it may be of few runs.
#[inline]
pub(crate) fn may_be_few(access: &Access<'_>, bytes: u64) -> bool {
    let next = |lane: usize| {
        let step = access.addresses[lane + 1].wrapping_sub(access.addresses[lane]);
        u32::from(step == 0 || step == bytes)
    };
    match access.stride {
        Some(stride) => stride == bytes && access.mask.count_ones() > FEW,
        None => access.mask == u32::MAX && next(3) + next(11) + next(19) + next(27) >= 3,
    }
}

#[inline]
fn are_halves(addresses: &[u64; 32], step: u64) -> bool {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { super::vectors::are_halves(addresses, step) };
    }
    are_two_rows(addresses, step)
}

#[inline(always)]
pub(super) fn are_two_rows(addresses: &[u64; 32], step: u64) -> bool {
    let (halves, mut apart) = (addresses.as_chunks::<16>().0, 0);
    for half in halves {
        let mut expected = half[0];
        for lane in half {
            apart |= lane ^ expected;
            expected = expected.wrapping_add(step);
        }
    }
    apart == 0
}
