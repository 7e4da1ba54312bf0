//! A warp's access taken apart into its scalar accesses.

use events::{Access, LaneMask, Strength, ThreadId};

/// Lanes of a mask, lowest first.
pub fn lanes(mask: LaneMask) -> impl Iterator<Item = u32> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            lane
        })
    })
}

/// One lane's one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    pub lane: u32,
    pub thread: ThreadId,
    pub address: u64,
    pub bytes: u32,
}

impl Element {
    /// Indices of the `2^shift`-byte granules this element touches.
    pub fn granules(&self, shift: u32) -> std::ops::RangeInclusive<u64> {
        let last = self.address.saturating_add(u64::from(self.bytes.max(1)) - 1);
        self.address >> shift..=last >> shift
    }
}

/// Every scalar access of a warp instruction, lane by lane.
pub fn elements<'a>(access: &'a Access<'a>) -> impl Iterator<Item = Element> + 'a {
    lanes(access.mask).flat_map(move |lane| {
        (0..u64::from(access.elements.max(1))).map(move |element| Element {
            lane,
            thread: ThreadId::of(access.warp.warp, lane),
            address: access.addresses[lane as usize].wrapping_add(element * u64::from(access.size)),
            bytes: access.size,
        })
    })
}

/// The address by which a lane's strong access is matched with those that it synchronises with. libcu++ makes atomics of one
/// and two bytes of the aligned word around them, and loads the part alone (assumption 6a): all of a word is one location then.
pub fn location(access: &Access<'_>, lane: u32) -> u64 {
    let address = access.addresses[lane as usize];
    let part = access.size < 4 && access.elements <= 1 && matches!(access.strength, Strength::Strong { .. });
    if part { address & !3 } else { address }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_the_set_bits() {
        assert_eq!(lanes(0x8000_0005).collect::<Vec<_>>(), [0, 2, 31]);
        assert_eq!(lanes(0).count(), 0);
    }

    #[test]
    fn an_element_covers_every_granule_it_overlaps() {
        let element = Element { lane: 0, thread: ThreadId(0), address: 6, bytes: 8 };
        assert_eq!(element.granules(2), 1..=3);
        assert_eq!(element.granules(4), 0..=0);
    }
}
