//! Computes which of the program's memory a launch may reach: the allocations to which its arguments and the
//! module's variables point, those to which these point, and so on. Every word that could be an address
//! counts as one.
//!
//! A kernel that computes addresses in another way (from halves, or with tags in their upper bits) finds no
//! memory at a replay. It fails with an illegal address and counts as unchecked.

use super::Live;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// Memory is read in pieces of this size.
const CHUNK: usize = 4 << 20;
const WORD: usize = size_of::<u64>();

pub(super) struct Reach<'a> {
    pub(super) live: &'a Live,
    /// Limits how many bytes may be reached.
    pub(super) most: u64,
}

impl Reach<'_> {
    /// Fails if the allocations to which the arguments point directly are too large. This reads no memory, so
    /// it need not wait for earlier launches.
    pub(super) fn begins(&self, arguments: &[u8]) -> Result<(), String> {
        let words = arguments.windows(WORD).step_by(4).filter_map(|word| word.try_into().ok());
        let held = words.filter_map(|word| self.live.holding(u64::from_le_bytes(word)));
        let found: BTreeMap<u64, u64> = held.map(|a| (a.base, a.bytes)).collect();
        self.judged(found.values().fold(0, |all, bytes| all.saturating_add(*bytes)))
    }

    fn judged(&self, bytes: u64) -> Result<(), String> {
        match bytes <= self.most {
            true => Ok(()),
            false => Err(format!(
                "the program has {} MiB of memory, and it may reach more than {} MiB",
                self.live.bytes() >> 20,
                self.most >> 20
            )),
        }
    }

    /// Returns the bases of the allocations reachable from arguments and variables (base and bytes). The
    /// error is a sentence fragment.
    pub(super) fn reached(
        &self,
        arguments: &[u8],
        variables: Vec<(u64, u64)>,
        read: &dyn Fn(u64, &mut [u8]) -> io::Result<()>,
    ) -> Result<BTreeSet<u64>, String> {
        let (mut found, mut bytes, mut to_read) = (BTreeSet::new(), 0u64, variables);
        let mut address = |word: &[u8], to_read: &mut Vec<(u64, u64)>| {
            let word = word.try_into().map_or(0, u64::from_le_bytes);
            let Some(allocation) = self.live.holding(word) else { return Ok(()) };
            if found.insert(allocation.base) {
                bytes += allocation.bytes;
                to_read.push((allocation.base, allocation.bytes));
            }
            self.judged(bytes)
        };
        // Packed structures align pointers to four bytes only.
        for word in arguments.windows(WORD).step_by(4) {
            address(word, &mut to_read)?;
        }
        let mut buffer = Vec::new();
        while let Some((base, bytes)) = to_read.pop() {
            for offset in (0..bytes).step_by(CHUNK) {
                buffer.resize((bytes - offset).min(CHUNK as u64) as usize, 0);
                read(base + offset, &mut buffer).map_err(|e| e.to_string())?;
                for word in buffer.chunks_exact(WORD) {
                    address(word, &mut to_read)?;
                }
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::task::HostCall;
    use events::{AllocKind, Allocation};

    #[test]
    fn what_leads_to_memory_is_followed() {
        let mut live = Live::default();
        for (base, bytes) in
            [(0x1000, 64), (0x2000, 64), (0x3000, 1 << 20), (0x9_0000_0000, 64), (0xa_0000_0000, 64)]
        {
            let (call, kind) = (HostCall::default(), AllocKind::Device);
            live.add(Allocation { base, bytes, kind, name: None, call, device: 0 });
        }
        // The memory is a list of two elements, the second of which points into the middle of an array, and a
        // variable that points to another array.
        let words = [(0x1008, 0x2000u64), (0x2038, 0x3000 + 4096), (0x500, 0x9_0000_0000)];
        let read = |from: u64, into: &mut [u8]| {
            for (i, byte) in into.iter_mut().enumerate() {
                let at = from + i as u64;
                let word = words.iter().find(|(place, _)| (*place..place + 8).contains(&at));
                *byte = word.map_or(0, |(place, value)| value.to_le_bytes()[(at - place) as usize]);
            }
            Ok(())
        };
        let arguments: Vec<u8> = [7u32, 0x1010, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
        let reach = |most| Reach { live: &live, most };
        let found = reach(2 << 20).reached(&arguments, vec![(0x500, 8)], &read).unwrap();
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [0x1000, 0x2000, 0x3000, 0x9_0000_0000]);
        let found = reach(2 << 20).reached(&[0; 16], vec![], &read).unwrap();
        assert!(found.is_empty());
        // The allocation to which the argument points fits, and those that it leads to do not. If the direct
        // ones are too large already, nothing is read.
        assert_eq!(reach(1 << 20).begins(&arguments), Ok(()));
        assert_eq!(reach(63).begins(&arguments), reach(63).reached(&arguments, vec![], &read).map(|_| ()));
        assert!(reach(63).begins(&arguments).is_err());
        let why = reach(1 << 20).reached(&arguments, vec![], &read).unwrap_err();
        assert_eq!(why, "the program has 1 MiB of memory, and it may reach more than 1 MiB");
    }
}
