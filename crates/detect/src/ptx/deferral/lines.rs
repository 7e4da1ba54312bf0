//! The lines of a block's shared memory that accesses touch.

use events::LaneMask;

/// A bit for each line of 128 bytes of what a block can have.
#[derive(Debug, Default)]
pub(super) struct Lines([u64; LINES / 64]);

/// Lines that are told apart: 256 KiB.
pub(super) const LINES: usize = 1 << 11;

impl Lines {
    /// Adds lines of the `word`-th 64. False if there are no bits for them.
    pub(super) fn add(&mut self, word: usize, bits: u64) -> bool {
        self.0.get_mut(word).map(|kept| *kept |= bits).is_some()
    }

    /// Returns whether none of them is there.
    pub(super) fn lack(&self, word: usize, bits: u64) -> bool {
        self.0.get(word).is_some_and(|kept| kept & bits == 0)
    }
}

/// Returns whether `is` holds for all lines of lanes, the first of which accesses `each` bytes at an address,
/// and each next one, active or not, `stride` behind. Asked of each line once or oftener, and perhaps of
/// others between them, by the number of 64 of them and a bit for each.
#[inline]
pub(super) fn of_row(
    mask: LaneMask,
    each: u64,
    address: u64,
    stride: u64,
    is: impl FnMut(usize, u64) -> bool,
) -> bool {
    let (first, last) = (mask.trailing_zeros(), 31u32.saturating_sub(mask.leading_zeros()));
    let place =
        |lane: u32| address.wrapping_add(u64::from(lane).wrapping_sub(first.into()).wrapping_mul(stride));
    if stride <= 128 {
        return mask == 0 || between(address, place(last).saturating_add(each - 1), is);
    }
    one_by_one((0..32).filter(|lane| mask >> lane & 1 != 0).map(place), each, is)
}

/// The same of lanes with these addresses.
#[inline]
pub(super) fn of_lanes(addresses: &[u32; 32], each: u64, mut is: impl FnMut(usize, u64) -> bool) -> bool {
    match together(addresses, each) {
        Some(bits) => is((addresses[0] >> 13) as usize, bits),
        None => one_by_one(addresses.iter().map(|&address| address.into()), each, is),
    }
}

fn one_by_one(
    mut addresses: impl Iterator<Item = u64>,
    each: u64,
    mut is: impl FnMut(usize, u64) -> bool,
) -> bool {
    addresses.all(|address| between(address, address.saturating_add(each - 1), &mut is))
}

fn between(from: u64, to: u64, mut is: impl FnMut(usize, u64) -> bool) -> bool {
    let (from, to) = (from / 128, to / 128);
    (from / 64..=to / 64).all(|word| {
        let low = if word == from / 64 { from % 64 } else { 0 };
        let high = if word == to / 64 { to % 64 } else { 63 };
        is(word as usize, u64::MAX << low & u64::MAX >> (63 - high))
    })
}

/// A bit for each line, if all are among the same 64, and no lane is in two.
#[inline]
fn together(addresses: &[u32; 32], each: u64) -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { together_with_avx2(addresses, each) };
    }
    together_in_any(addresses, each)
}

/// As [`together_in_any`], in vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn together_with_avx2(addresses: &[u32; 32], each: u64) -> Option<u64> {
    together_in_any(addresses, each)
}

/// Without branches, so that it is done for several lanes at a time.
#[inline(always)]
fn together_in_any(addresses: &[u32; 32], each: u64) -> Option<u64> {
    let (first, odd) = (addresses[0], each as u32 - 1);
    let (mut apart, mut low, mut high) = (0, 0u32, 0u32);
    for &address in addresses {
        apart |= (address ^ first) >> 13 | address & odd;
        let line = address / 128 % 64;
        let bit = 1 << (line % 32);
        low |= if line < 32 { bit } else { 0 };
        high |= if line < 32 { 0 } else { bit };
    }
    (apart == 0 && each.is_power_of_two()).then_some(u64::from(high) << 32 | u64::from(low))
}

/// Addresses of shared memory in half the room, for lanes that are not active the first one's; `None` if one is beyond what any GPU has.
#[inline]
pub(super) fn narrow(addresses: &[u64; 32], mask: LaneMask) -> Option<[u32; 32]> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { narrow_with_avx2(addresses, mask) };
    }
    narrow_in_any(addresses, mask)
}

/// As [`narrow_in_any`], in vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn narrow_with_avx2(addresses: &[u64; 32], mask: LaneMask) -> Option<[u32; 32]> {
    narrow_in_any(addresses, mask)
}

#[inline(always)]
fn narrow_in_any(addresses: &[u64; 32], mask: LaneMask) -> Option<[u32; 32]> {
    let first = addresses[mask.trailing_zeros() as usize & 31];
    let (mut narrow, mut all) = ([0; 32], 0);
    for (lane, &address) in addresses.iter().enumerate() {
        let address = if mask >> lane & 1 != 0 { address } else { first };
        all |= address;
        narrow[lane] = address as u32;
    }
    (all >> 32 == 0).then_some(narrow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn tell(told: &mut BTreeSet<u64>, word: usize, bits: u64) -> bool {
        told.extend((0..64).filter(|bit| bits >> bit & 1 != 0).map(|bit| word as u64 * 64 + bit));
        true
    }

    /// Whichever way they are found, the lines are those of the lanes' bytes.
    #[test]
    fn lines_are_those_of_the_lanes() {
        let mut random = crate::random::below(1);
        for _ in 0..20_000 {
            let each = [1, 2, 3, 4, 8, 12, 16][random(7) as usize];
            let mask = [u32::MAX, 0xff00, 0x5a5a, 1 << 9, random(1 << 32) as u32 | 1][random(5) as usize];
            let (base, stride) = (random(1 << 16) * [1, each][random(2) as usize], random(200) * each);
            let wide = 1 << (7 + random(8));
            let row: [u64; 32] = std::array::from_fn(|lane| base + lane as u64 * stride);
            let spread: [u64; 32] = std::array::from_fn(|_| base + random(wide) / each * each);
            let active = |addresses: &[u64; 32]| -> BTreeSet<u64> {
                let lanes = (0..32).filter(|lane| mask >> lane & 1 != 0);
                lanes.flat_map(|lane| addresses[lane] / 128..=(addresses[lane] + each - 1) / 128).collect()
            };
            let first = row[mask.trailing_zeros() as usize];
            let (row, mut told) = (active(&row), BTreeSet::new());
            assert!(of_row(mask, each, first, stride, |word, bits| tell(&mut told, word, bits)));
            // Those between them may be told, too.
            let ends = |lines: &BTreeSet<u64>| (lines.first().copied(), lines.last().copied());
            assert!(row.is_subset(&told) && ends(&row) == ends(&told), "{mask:x} {each} {base} {stride}");
            assert!(told == row || stride <= 128, "{mask:x} {each} {base} {stride}");
            told.clear();
            let narrow = narrow(&spread, mask).unwrap();
            assert!(of_lanes(&narrow, each, |word, bits| tell(&mut told, word, bits)));
            assert_eq!(told, active(&spread), "{mask:x} {each} {spread:?}");
        }
    }
}
