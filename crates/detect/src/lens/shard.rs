//! A part of memory, for one of several workers that hear the same events.
//!
//! The state of threads (fences, barriers, locks, clocks) does not depend on the shadow state of memory.
//! So every worker follows all events, but looks up, checks and records only the granules of its own shard:
//! each granule is judged once, by a worker that knows all that a lone worker would.

use super::elements::lanes;
use events::{Access, Space};

/// Bytes of neighbouring memory that are always of one shard: a page of metadata.
const UNIT: u32 = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// All of memory.
    pub const WHOLE: Shard = Shard { index: 0, count: 1 };

    /// The shards of `count` workers, at least one.
    pub fn all(count: usize) -> impl Iterator<Item = Shard> {
        let count = count.clamp(1, u32::MAX as usize) as u32;
        (0..count).map(move |index| Shard { index, count })
    }

    /// No memory: for a worker that follows the order of threads alone.
    pub const NOTHING: Shard = Shard { index: 2, count: 2 };

    /// Divides the shard in parts, at least one.
    pub fn divided(self, parts: usize) -> impl Iterator<Item = Shard> {
        let parts = parts.clamp(1, (u32::MAX / self.count) as usize) as u32;
        (0..parts).map(move |part| Shard { index: self.index * parts + part, count: self.count * parts })
    }

    /// Returns how many shards of this size memory has.
    pub fn count(self) -> u32 {
        self.count
    }

    /// Returns whether the byte belongs to the shard. Of shared memory, blocks take turns.
    pub fn owns(self, space: Space, address: u64) -> bool {
        if self.count == 1 {
            return true;
        }
        let block = match space {
            Space::Global => 0,
            Space::Shared(block) | Space::Tensor(block) => u64::from(block.0) + 1,
        };
        // Fibonacci hashing: neighbouring pages fall to different shards in turn.
        let hash = (address >> UNIT).wrapping_add(block).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        (hash * u64::from(self.count)) >> 32 == u64::from(self.index)
    }

    /// How many granules of `2^shift` bytes the access touches, if none of them is the shard's and
    /// that is quickly found out; a worker spends most of its time on such accesses.
    pub fn foreign(self, access: &Access<'_>, shift: u32) -> Option<u64> {
        let size = u64::from(access.size);
        if self.count == 1 || !size.is_power_of_two() {
            return None;
        }
        let elements = u64::from(access.elements.max(1));
        let granules = u64::from(access.mask.count_ones()) * elements * (size >> shift).max(1);
        // Most often all lanes' elements are in one page.
        let first = access.addresses[access.mask.trailing_zeros() as usize];
        let reach = size * elements - 1;
        let spread = |(apart, odd): (u64, u64), address: u64| {
            (apart | address ^ first | address.wrapping_add(reach) ^ first, odd | address)
        };
        let (apart, odd) = if access.mask == u32::MAX {
            // Without a look at the mask compilers do several lanes at once.
            access.addresses.iter().fold((0, 0), |sum, &address| spread(sum, address))
        } else {
            lanes(access.mask).fold((0, 0), |sum, lane| spread(sum, access.addresses[lane as usize]))
        };
        if odd & (size - 1) != 0 {
            return None;
        }
        if apart >> UNIT == 0 {
            return (!self.owns(access.space, first)).then_some(granules);
        }
        let mut foreign = u64::MAX;
        for lane in lanes(access.mask) {
            let address = access.addresses[lane as usize];
            let last = address.checked_add(reach)?;
            for page in address >> UNIT..=last >> UNIT {
                if page != foreign && self.owns(access.space, page << UNIT) {
                    return None;
                }
                foreign = page;
            }
        }
        Some(granules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::BlockId;

    #[test]
    fn a_divided_shard_is_the_sum_of_its_parts() {
        for whole in Shard::all(3) {
            for page in 0..512u64 {
                let owners = whole.divided(5).filter(|part| part.owns(Space::Global, page << UNIT)).count();
                assert_eq!(owners, usize::from(whole.owns(Space::Global, page << UNIT)));
                assert!(!Shard::NOTHING.owns(Space::Global, page << UNIT));
            }
        }
    }

    #[test]
    fn every_byte_has_one_owner_and_shards_are_even() {
        for count in 1..9 {
            let mut owned = vec![0u32; count];
            for page in 0..4096u64 {
                for space in [Space::Global, Space::Shared(BlockId(page as u32))] {
                    let owners: Vec<usize> = (Shard::all(count).enumerate())
                        .filter(|(_, shard)| shard.owns(space, page << 12))
                        .map(|(i, _)| i)
                        .collect();
                    assert_eq!(owners.len(), 1);
                    owned[owners[0]] += 1;
                }
            }
            let even = 8192 / count as u32;
            assert!(owned.iter().all(|&n| n.abs_diff(even) < even / 5), "{owned:?}");
        }
    }
}
