//! Relations among the 32 addresses of an access, and other computations over all lanes at once. Every
//! function exists in two versions, for the baseline and for AVX2.

#![allow(clippy::needless_range_loop, reason = "loops over lanes read best by lane number")]

use crate::alu::FULL;
use events::LaneMask;
use ptx::op::ShflMode;

/// The pattern of the active lanes' addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Every active lane's address is the previous lane's plus the access's size.
    Row,
    /// All active lanes have one address.
    Point,
    Scattered,
}

/// Returns all ones if the lane is in the mask, and zero otherwise.
#[inline(always)]
fn on(mask: LaneMask, lane: usize) -> u64 {
    0u64.wrapping_sub(u64::from(mask >> lane & 1))
}

#[inline(always)]
fn on32(mask: LaneMask, lane: usize) -> u32 {
    0u32.wrapping_sub(mask >> lane & 1)
}

/// Returns the two lowest lanes of a mask with at least two.
#[inline(always)]
fn two(mask: LaneMask) -> (usize, usize) {
    let first = mask.trailing_zeros() as usize & 31;
    (first, (mask & mask.wrapping_sub(1)).trailing_zeros() as usize & 31)
}

/// Defines functions of rows, and for each one of the same name that runs the version for this machine.
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
                #[inline]
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
                    // SAFETY: the processor supports the function's target features.
                    return unsafe { avx2::$name($($p),*) };
                }
                base::$name($($p),*)
            }
        )*
    };
}

twice! {
    /// Returns the pattern of the active lanes' addresses, for accesses of `1 << shift` bytes. At least two
    /// lanes are active.
    fn shape64(row: &[u64; 32], mask: LaneMask, shift: u32) -> Shape {
        let (first, second) = two(mask);
        let distance = row[second].wrapping_sub(row[first]);
        let origin = row[first].wrapping_sub((first as u64) << shift);
        let step = ((second.wrapping_sub(first)) as u64) << shift;
        let mut apart = 0;
        // The first two lanes determine the candidate pattern.
        if distance == step {
            if mask == FULL {
                (0..32).for_each(|i| apart |= row[i] ^ origin.wrapping_add((i as u64) << shift));
            } else {
                (0..32).for_each(|i| apart |= (row[i] ^ origin.wrapping_add((i as u64) << shift)) & on(mask, i));
            }
            return if apart == 0 { Shape::Row } else { Shape::Scattered };
        }
        if distance != 0 {
            return Shape::Scattered;
        }
        if mask == FULL {
            (0..32).for_each(|i| apart |= row[i] ^ row[first]);
        } else {
            (0..32).for_each(|i| apart |= (row[i] ^ row[first]) & on(mask, i));
        }
        if apart == 0 { Shape::Point } else { Shape::Scattered }
    }

    /// Returns the pattern of 32-bit addresses.
    fn shape32(row: &[u32; 32], mask: LaneMask, shift: u32) -> Shape {
        let (first, second) = two(mask);
        let distance = row[second].wrapping_sub(row[first]);
        let origin = row[first].wrapping_sub((first as u32) << shift);
        let step = ((second.wrapping_sub(first)) as u32) << shift;
        let mut apart = 0;
        if distance == step {
            if mask == FULL {
                (0..32).for_each(|i| apart |= row[i] ^ origin.wrapping_add((i as u32) << shift));
            } else {
                (0..32).for_each(|i| apart |= (row[i] ^ origin.wrapping_add((i as u32) << shift)) & on32(mask, i));
            }
            return if apart == 0 { Shape::Row } else { Shape::Scattered };
        }
        if distance != 0 {
            return Shape::Scattered;
        }
        if mask == FULL {
            (0..32).for_each(|i| apart |= row[i] ^ row[first]);
        } else {
            (0..32).for_each(|i| apart |= (row[i] ^ row[first]) & on32(mask, i));
        }
        if apart == 0 { Shape::Point } else { Shape::Scattered }
    }

    /// Returns whether, in all active lanes, `row` plus `offset` is a multiple of `low + 1` and at most
    /// `last` beyond `base`.
    fn inside64(row: &[u64; 32], mask: LaneMask, offset: u64, base: u64, last: u64, low: u64) -> bool {
        let (mut any, mut signs) = (0, 0);
        for i in 0..32 {
            let address = row[i].wrapping_add(offset);
            let distance = address.wrapping_sub(base);
            let on = if mask == FULL { u64::MAX } else { on(mask, i) };
            any |= address & on;
            // Neither the distance nor its complement to `last` is negative; `last` is less than 2^63.
            signs |= (distance | last.wrapping_sub(distance)) & on;
        }
        any & low == 0 && signs >> 63 == 0
    }

    /// Checks 32-bit addresses like [`inside64`].
    fn inside32(row: &[u32; 32], mask: LaneMask, offset: u32, base: u32, last: u32, low: u32) -> bool {
        let (mut any, mut outside) = (0, 0);
        for i in 0..32 {
            let address = row[i].wrapping_add(offset);
            let on = if mask == FULL { u32::MAX } else { on32(mask, i) };
            any |= address & on;
            outside |= if address.wrapping_sub(base) > last { on } else { 0 };
        }
        any & low == 0 && outside == 0
    }

    /// Computes `row` plus an offset.
    fn offset64(out: &mut [u64; 32], row: &[u64; 32], offset: u64) {
        for i in 0..32 {
            out[i] = row[i].wrapping_add(offset);
        }
    }

    /// Computes 32-bit addresses plus an offset, extended to 64 bits.
    fn offset32(out: &mut [u64; 32], row: &[u32; 32], offset: u32) {
        for i in 0..32 {
            out[i] = u64::from(row[i].wrapping_add(offset));
        }
    }

    /// Returns addresses from `first` on, `1 << shift` bytes apart.
    fn evenly(first: u64, shift: u32) -> [u64; 32] {
        let mut out = [0; 32];
        for i in 0..32 {
            out[i] = first.wrapping_add((i as u64) << shift);
        }
        out
    }

    /// Sets inactive lanes to addresses contiguous with the first active lane, `1 << shift` bytes apart.
    fn fill(out: &mut [u64; 32], mask: LaneMask, shift: u32) {
        let first = mask.trailing_zeros() as usize & 31;
        let origin = out[first].wrapping_sub((first as u64) << shift);
        for i in 0..32 {
            out[i] = out[i] & on(mask, i) | origin.wrapping_add((i as u64) << shift) & !on(mask, i);
        }
    }

    /// Returns a value that is zero if all lanes are contiguous, and the union of all address bits.
    fn examine(addresses: &[u64; 32], shift: u32) -> (u64, u64) {
        let a = addresses[0];
        let (mut apart, mut any) = (0, 0);
        for i in 0..32 {
            apart |= addresses[i] ^ a.wrapping_add((i as u64) << shift);
            any |= addresses[i];
        }
        (apart, any)
    }

    /// Returns whether the words of all active lanes are equal.
    fn alike32(row: &[u32; 32], mask: LaneMask) -> bool {
        let a = row[mask.trailing_zeros() as usize & 31];
        let mut differ = 0;
        for i in 0..32 {
            differ |= (row[i] ^ a) & on32(mask, i);
        }
        differ == 0
    }

    /// Computes the source lanes of `shfl` from the operands `b` and `c`, and the lanes whose source is
    /// inside their segment; the source of any other lane is the lane itself (PTX §9.7.9.6).
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

    /// Returns `row[from[i]]` for each lane.
    fn pick(row: &[u32; 32], from: &[u32; 32]) -> [u32; 32] {
        let mut out = [0; 32];
        for i in 0..32 {
            out[i] = row[from[i] as usize & 31];
        }
        out
    }

    /// Returns the lanes whose element equals `value`.
    fn equal64(row: &[u64; 32], value: u64) -> LaneMask {
        let mut bits = [0; 32];
        for i in 0..32 {
            bits[i] = u32::from(row[i] == value) << i;
        }
        bits.iter().fold(0, |mask, bit| mask | bit)
    }

    /// Transposes 32 vectors of two elements into two rows.
    fn apart2(src: &[[u32; 2]; 32]) -> [[u32; 32]; 2] {
        let mut rows = [[0; 32]; 2];
        for i in 0..32 {
            (rows[0][i], rows[1][i]) = (src[i][0], src[i][1]);
        }
        rows
    }

    /// Transposes 32 vectors of four elements into four rows.
    fn apart4(src: &[[u32; 4]; 32]) -> [[u32; 32]; 4] {
        let mut rows = [[0; 32]; 4];
        for i in 0..32 {
            for k in 0..4 {
                rows[k][i] = src[i][k];
            }
        }
        rows
    }

    /// Transposes two rows into 32 vectors of two elements.
    fn together2(rows: [&[u32; 32]; 2]) -> [[u32; 2]; 32] {
        let mut out = [[0; 2]; 32];
        for i in 0..32 {
            out[i] = [rows[0][i], rows[1][i]];
        }
        out
    }

    /// Transposes four rows into 32 vectors of four elements.
    fn together4(rows: [&[u32; 32]; 4]) -> [[u32; 4]; 32] {
        let mut out = [[0; 4]; 32];
        for i in 0..32 {
            for k in 0..4 {
                out[i][k] = rows[k][i];
            }
        }
        out
    }

    /// Extends bytes to words.
    fn widen8(src: &[u8; 32]) -> [u32; 32] {
        let mut out = [0; 32];
        for i in 0..32 {
            out[i] = u32::from(src[i]);
        }
        out
    }

    /// Extends half-words to words.
    fn widen16(src: &[u16; 32]) -> [u32; 32] {
        let mut out = [0; 32];
        for i in 0..32 {
            out[i] = u32::from(src[i]);
        }
        out
    }

    /// Returns the lower bytes of words.
    fn narrow8(row: &[u32; 32]) -> [u8; 32] {
        let mut out = [0; 32];
        for i in 0..32 {
            out[i] = row[i] as u8;
        }
        out
    }

    /// Returns the lower halves of words.
    fn narrow16(row: &[u32; 32]) -> [u16; 32] {
        let mut out = [0; 32];
        for i in 0..32 {
            out[i] = row[i] as u16;
        }
        out
    }

    /// Returns the lanes whose addresses are at most `limit` beyond `base`; `limit` is below 2^63.
    fn within(addresses: &[u64; 32], base: u64, limit: u64) -> LaneMask {
        // Fast path for all lanes: then neither a distance nor its complement to the limit is negative.
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
    fn one_active_lane_outside_of_a_region_or_askew_is_seen() {
        let (base, last) = (0x7f00_0000_0000u64, 4096 - 4);
        let row: [u64; 32] = std::array::from_fn(|i| base + (i as u64 * 1000) % 4000 - 16);
        let narrow = row.map(|a| a.wrapping_sub(base) as u32);
        assert!(inside64(&row, FULL, 16, base, last, 3));
        assert!(inside32(&narrow, FULL, 16, 0, last as u32, 3));
        for lane in 0..32 {
            for bad in [4093u64, 4096, 2, u64::MAX - base - 3, 1 << 31, (1 << 32) - 4] {
                let (mut row, mut narrow) = (row, narrow);
                row[lane] = base.wrapping_add(bad).wrapping_sub(16);
                narrow[lane] = (bad as u32).wrapping_sub(16);
                assert!(!inside64(&row, FULL, 16, base, last, 3), "{lane} {bad:x}");
                assert!(inside64(&row, !(1 << lane), 16, base, last, 3), "{lane} {bad:x}");
                if bad >> 32 == 0 {
                    assert!(!inside32(&narrow, FULL, 16, 0, last as u32, 3), "{lane} {bad:x}");
                    assert!(inside32(&narrow, !(1 << lane), 16, 0, last as u32, 3), "{lane} {bad:x}");
                }
            }
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
}
