//! From a warp's access to the bytes each lane touches.

use crate::ptx::access::entry::Bytes;
use events::{Access, LaneMask};
use smallvec::SmallVec;

/// Lanes that touch the same bytes of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    /// Address / 16.
    pub(crate) cell: u64,
    pub(crate) bytes: Bytes,
    pub(crate) lanes: LaneMask,
}

pub(crate) type Touches = SmallVec<[Touch; 32]>;

/// Lanes of a mask, lowest first.
pub(crate) fn lanes(mut mask: LaneMask) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}

/// Those lanes of a mask for which it `is` so.
pub(crate) fn select(mask: LaneMask, mut is: impl FnMut(u32) -> bool) -> LaneMask {
    lanes(mask).filter(|&lane| is(lane as u32)).fold(0, |some, lane| some | 1 << lane)
}

/// Bytes `from..to` of a cell.
pub(crate) fn span(from: u32, to: u32) -> Bytes {
    (((1u32 << to) - 1) & !((1 << from) - 1)) as u16
}

/// Returns the bytes that an access touches, by cell. Elements of one lane in one cell are put together if
/// the access is weak; moral strength is a matter of single elements.
pub(crate) fn touches(access: &Access<'_>, strong: bool) -> Touches {
    let mut out = Touches::new();
    if let Some(base) = common(access) {
        let bytes = if strong { 1 } else { access.elements.max(1) };
        let times = if strong { u64::from(access.elements.max(1)) } else { 1 };
        let bytes = u64::from(access.size) * u64::from(bytes);
        (0..times).for_each(|k| push(&mut out, base.wrapping_add(k * bytes), bytes, access.mask));
        return out;
    }
    let mut rest = access.mask;
    while rest != 0 {
        let lane = rest.trailing_zeros();
        rest &= rest - 1;
        let base = access.addresses[lane as usize];
        if strong {
            for k in 0..u64::from(access.elements.max(1)) {
                push(&mut out, base.wrapping_add(k * u64::from(access.size)), access.size.into(), 1 << lane);
            }
        } else {
            push(&mut out, base, u64::from(access.size) * u64::from(access.elements.max(1)), 1 << lane);
        }
    }
    if !out.is_sorted_by_key(key) {
        out.sort_by_key(key);
    }
    out.dedup_by(|b, a| {
        let same = (a.cell, a.bytes) == (b.cell, b.bytes);
        if same {
            a.lanes |= b.lanes;
        }
        same
    });
    out
}

/// Returns whether lanes of one access, whose touches are given in the order of [`touches`], have bytes in common.
pub(crate) fn overlap(touches: &[Touch]) -> bool {
    let meet = |a: &Touch, b: &Touch| a.cell == b.cell && a.bytes & b.bytes != 0;
    touches.iter().any(|touch| touch.lanes & touch.lanes.wrapping_sub(1) != 0)
        || touches
            .chunk_by(|a, b| a.cell == b.cell)
            .any(|cell| cell.iter().enumerate().any(|(i, a)| cell[i + 1..].iter().any(|b| meet(a, b))))
}

/// The address of all its lanes, if that is one.
#[inline]
fn common(access: &Access<'_>) -> Option<u64> {
    let (mask, addresses) = (access.mask, access.addresses);
    let base = *addresses.get(mask.trailing_zeros() as usize)?;
    let differ = match mask {
        // All lanes in one go.
        LaneMask::MAX => addresses.iter().fold(0, |differ, address| differ | address ^ base),
        _ => lanes(mask & mask.wrapping_sub(1)).fold(0, |differ, lane| differ | addresses[lane] ^ base),
    };
    (differ == 0).then_some(base)
}

fn key(touch: &Touch) -> (u64, Bytes) {
    (touch.cell, touch.bytes)
}

fn push(out: &mut Touches, address: u64, bytes: u64, lanes: LaneMask) {
    let end = address.saturating_add(bytes);
    let mut at = address;
    while at < end {
        let cell = at / 16;
        let stop = end.min((cell + 1) * 16);
        let bytes = span((at % 16) as u32, (stop - cell * 16) as u32);
        out.push(Touch { cell, bytes, lanes });
        at = stop;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        assert_eq!(span(0, 16), u16::MAX);
        assert_eq!(span(4, 8), 0xf0);
        assert_eq!(span(15, 16), 0x8000);
    }

    #[test]
    fn an_access_over_two_cells_is_two_touches() {
        let mut out = Touches::new();
        push(&mut out, 12, 8, 1 << 3);
        let touch = |cell, bytes| Touch { cell, bytes, lanes: 8 };
        assert_eq!(out.as_slice(), [touch(0, 0xf000), touch(1, 0xf)]);
    }
}
