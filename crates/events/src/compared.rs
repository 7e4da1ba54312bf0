//! Lanes of one write that overlap: what each of them stored, compared.

use crate::access::Access;
use crate::ids::LaneMask;
use crate::written::{MOST_WRITTEN, Written, WrittenBytes};

impl Access<'_> {
    /// Returns the lanes that stored to some byte another value than the lowest lane that stored to that byte. All lanes, if
    /// that is not known.
    pub fn differing(&self) -> LaneMask {
        match self.written {
            Written::Unknown => LaneMask::MAX,
            Written::Differing(lanes) => lanes,
            Written::Bytes(_) => self.compared().unwrap_or(0),
        }
    }

    /// As [`Access::differing`], of a write whose lanes overlap; `None` if no two of its lanes overlap, or nothing is known of
    /// what they stored.
    pub fn compared(&self) -> Option<LaneMask> {
        match self.written {
            Written::Unknown => None,
            Written::Differing(lanes) => Some(lanes),
            Written::Bytes(bytes) => {
                let each = self.size as usize * usize::from(self.elements.max(1));
                if each > MOST_WRITTEN {
                    return self.overlaps().then_some(LaneMask::MAX);
                }
                match self.stride {
                    Some(stride) if stride >= each as u64 => None,
                    Some(0) => (self.mask.count_ones() > 1).then(|| self.at_one_address(bytes, each)),
                    _ if each.is_power_of_two() && self.is_aligned(each) => self.by_address(bytes, each),
                    _ => self.overlaps().then(|| self.by_byte(bytes, each)),
                }
            }
        }
    }

    /// Returns whether two lanes touch a common byte.
    pub fn overlaps(&self) -> bool {
        let each = u64::from(self.size) * u64::from(self.elements.max(1));
        let mut first: Vec<u64> = lanes(self.mask).map(|lane| self.addresses[lane]).collect();
        first.sort_unstable();
        first.windows(2).any(|pair| pair[1] - pair[0] < each)
    }

    fn is_aligned(&self, each: usize) -> bool {
        lanes(self.mask).fold(0, |all, lane| all | self.addresses[lane]) & (each as u64 - 1) == 0
    }

    fn at_one_address(&self, bytes: &dyn WrittenBytes, each: usize) -> LaneMask {
        let first = self.mask.trailing_zeros() as usize & 31;
        if each == 4
            && let Some(words) = bytes.words()
        {
            let differ = |lane: usize| u32::from(words[lane] != words[first]) << lane;
            return self.mask & (0..32).fold(0, |all, lane| all | differ(lane));
        }
        let others = lanes(self.mask & (self.mask - 1));
        let mut compare = Compare::new(bytes, each);
        others.filter(|&lane| compare.differ(first, lane)).fold(0, |differing, lane| differing | 1 << lane)
    }

    /// Lanes whose bytes are the same or disjoint, by a hash of the address.
    fn by_address(&self, bytes: &dyn WrittenBytes, each: usize) -> Option<LaneMask> {
        const FREE: u8 = u8::MAX;
        let mut heads = [FREE; 64];
        let (mut overlap, mut differing) = (false, 0);
        let mut compare = Compare::new(bytes, each);
        for lane in lanes(self.mask) {
            let address = self.addresses[lane];
            let mut slot = ((address / each as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize;
            loop {
                let head = heads[slot];
                if head == FREE {
                    heads[slot] = lane as u8;
                    break;
                }
                if self.addresses[usize::from(head)] == address {
                    overlap = true;
                    differing |= u32::from(compare.differ(head.into(), lane)) << lane;
                    break;
                }
                slot = (slot + 1) % heads.len();
            }
        }
        overlap.then_some(differing)
    }

    fn by_byte(&self, bytes: &dyn WrittenBytes, each: usize) -> LaneMask {
        let mut lowest: Vec<(u64, u8)> = Vec::new();
        let (mut differing, mut own) = (0, [0; MOST_WRITTEN]);
        for lane in lanes(self.mask) {
            bytes.copy(lane, &mut own[..each]);
            for (at, &byte) in own[..each].iter().enumerate() {
                let address = self.addresses[lane].wrapping_add(at as u64);
                match lowest.iter().find(|(other, _)| *other == address) {
                    Some((_, stored)) => differing |= u32::from(*stored != byte) << lane,
                    None => lowest.push((address, byte)),
                }
            }
        }
        differing
    }
}

struct Compare<'a> {
    bytes: &'a dyn WrittenBytes,
    each: usize,
    /// The lane whose bytes are in `head`.
    of: usize,
    head: [u8; MOST_WRITTEN],
    other: [u8; MOST_WRITTEN],
}

impl<'a> Compare<'a> {
    fn new(bytes: &'a dyn WrittenBytes, each: usize) -> Self {
        Compare { bytes, each, of: usize::MAX, head: [0; MOST_WRITTEN], other: [0; MOST_WRITTEN] }
    }

    fn differ(&mut self, head: usize, lane: usize) -> bool {
        let each = self.each;
        if self.of != head {
            self.bytes.copy(head, &mut self.head[..each]);
            self.of = head;
        }
        self.bytes.copy(lane, &mut self.other[..each]);
        self.head[..each] != self.other[..each]
    }
}

fn lanes(mask: LaneMask) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{AccessKind, Proxy, Space, Strength, Warp};
    use crate::ids::{BlockId, SiteId, TaskId, WarpId};

    struct Each(Vec<Vec<u8>>);

    impl WrittenBytes for Each {
        fn copy(&self, lane: usize, to: &mut [u8]) {
            to.copy_from_slice(&self.0[lane]);
        }
    }

    fn ask(size: u32, elements: u8, stride: Option<u64>, lanes: &[(u64, &[u8])]) -> Option<LaneMask> {
        let mut addresses = [0; 32];
        lanes.iter().zip(&mut addresses).for_each(|((address, _), to)| *to = *address);
        let each = Each(lanes.iter().map(|(_, bytes)| bytes.to_vec()).collect());
        let access = Access {
            warp: Warp { task: TaskId(0), block: BlockId(0), warp: WarpId(0) },
            site: SiteId(0),
            space: Space::Global,
            kind: AccessKind::Write,
            strength: Strength::Weak,
            proxy: Proxy::Generic,
            size,
            elements,
            mask: (1 << lanes.len()) - 1,
            addresses: &addresses,
            stride,
            stored: (1 << lanes.len()) - 1,
            values: None,
            written: Written::Bytes(&each),
        };
        access.compared()
    }

    #[test]
    fn lanes_apart_are_not_compared() {
        assert_eq!(ask(2, 1, Some(2), &[(0, &[1, 2]), (2, &[3, 4])]), None);
        assert_eq!(ask(2, 1, None, &[(8, &[1, 2]), (2, &[3, 4])]), None);
        assert_eq!(ask(2, 1, Some(0), &[(8, &[1, 2])]), None);
    }

    #[test]
    fn each_lane_is_compared_with_the_lowest_one_of_its_bytes() {
        let (a, b): (&[u8], &[u8]) = (&[1, 2], &[1, 3]);
        assert_eq!(ask(2, 1, Some(0), &[(8, a), (8, a), (8, b), (8, a)]), Some(0b100));
        assert_eq!(ask(2, 1, Some(0), &[(8, a), (8, a)]), Some(0));
        assert_eq!(ask(2, 1, None, &[(8, a), (10, b), (8, a), (10, a), (12, b)]), Some(0b1000));
        assert_eq!(ask(1, 2, None, &[(8, a), (10, a), (8, b)]), Some(0b100), "a vector is compared whole");
    }

    #[test]
    fn a_partial_overlap_is_compared_byte_by_byte() {
        let bytes: [&[u8]; 3] = [&[1, 2, 3], &[2, 3, 4], &[9, 4, 5]];
        assert_eq!(ask(3, 1, None, &[(8, bytes[0]), (9, bytes[1])]), Some(0));
        assert_eq!(ask(3, 1, None, &[(8, bytes[0]), (9, bytes[1]), (10, bytes[2])]), Some(0b100));
        assert_eq!(ask(3, 1, Some(1), &[(8, bytes[0]), (9, bytes[1])]), Some(0));
    }
}
