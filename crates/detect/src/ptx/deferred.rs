//! Reads of a block's shared memory that are not judged yet.
//!
//! Where only whole barriers order the threads of a block, and no other block reaches its shared memory, a read races with
//! nothing but a write of its own barrier interval. In most intervals there is none: a tile is filled, and behind a barrier it
//! is read. So reads are only noted. The first access of the interval that is anything else has them judged before itself, in
//! their order, and those behind it are judged as they come; the next barrier of the whole block orders what was noted
//! before all that follows, and it is forgotten.

use events::access::Warp;
use events::{Access, AccessKind, LaneMask, Proxy, SiteId, Space, Strength};

/// Reads that are noted at most; from then on they are judged as they come. A tile of 32 by 32 is read by fewer.
const MOST: usize = 1 << 11;

/// What is noted of one block.
#[derive(Debug, Default)]
pub(crate) struct Deferred {
    reads: Vec<Read>,
    /// Of those reads that have no stride.
    addresses: Vec<[u32; 32]>,
    /// Until the next barrier reads are judged as they come.
    at_once: bool,
}

/// A weak read by the generic proxy.
#[derive(Clone, Copy, Debug)]
struct Read {
    warp: Warp,
    site: SiteId,
    strength: Strength,
    size: u32,
    elements: u8,
    mask: LaneMask,
    stride: Option<u64>,
    /// Of the first lane, if there is a stride.
    address: u64,
}

impl Deferred {
    /// Notes a weak read by the generic proxy. False if it has to be judged now.
    #[inline]
    pub(crate) fn note(&mut self, access: &Access<'_>) -> bool {
        debug_assert!(matches!(access.kind, AccessKind::Read));
        if self.at_once || self.reads.len() >= MOST {
            return false;
        }
        let &Access { warp, site, strength, size, elements, mask, stride, .. } = access;
        if stride.is_none() {
            let Some(narrow) = narrow(access.addresses, mask) else { return false };
            self.addresses.push(narrow);
        }
        let address = access.addresses[mask.trailing_zeros() as usize & 31];
        self.reads.push(Read { warp, site, strength, size, elements, mask, stride, address });
        true
    }

    /// From now on reads are judged as they come; those that were noted, if there are any, are to be judged now.
    #[inline]
    pub(crate) fn stop(&mut self) -> Option<Deferred> {
        if std::mem::replace(&mut self.at_once, true) || self.reads.is_empty() {
            return None;
        }
        let (reads, addresses) = (std::mem::take(&mut self.reads), std::mem::take(&mut self.addresses));
        Some(Deferred { reads, addresses, at_once: true })
    }

    /// The room of reads that have been judged.
    pub(crate) fn reuse(&mut self, judged: Deferred) {
        (self.reads, self.addresses) = (judged.reads, judged.addresses);
        self.clear();
    }

    /// All threads of the block are behind a barrier.
    #[inline]
    pub(crate) fn forget(&mut self) {
        self.clear();
        self.at_once = false;
    }

    fn clear(&mut self) {
        self.reads.clear();
        self.addresses.clear();
    }

    /// What was noted, the oldest first.
    pub(crate) fn each(&self, mut judge: impl FnMut(&Access<'_>)) {
        let mut narrow = self.addresses.iter();
        for &Read { warp, site, strength, size, elements, mask, stride, address } in &self.reads {
            let first = u64::from(mask.trailing_zeros());
            let addresses: [u64; 32] = match stride {
                Some(stride) => std::array::from_fn(|lane| {
                    address.wrapping_add((lane as u64).wrapping_sub(first).wrapping_mul(stride))
                }),
                None => match narrow.next() {
                    Some(narrow) => narrow.map(u64::from),
                    None => return,
                },
            };
            judge(&Access {
                warp,
                site,
                space: Space::Shared(warp.block),
                kind: AccessKind::Read,
                strength,
                proxy: Proxy::Generic,
                size,
                elements,
                mask,
                addresses: &addresses,
                stride,
                stored: 0,
                values: None,
            });
        }
    }
}

/// Addresses of shared memory in half the room; `None` if a lane's is beyond what any GPU has.
#[inline]
fn narrow(addresses: &[u64; 32], mask: LaneMask) -> Option<[u32; 32]> {
    let all = match mask {
        LaneMask::MAX => addresses.iter().fold(0, |all, address| all | address),
        _ => (0..32).fold(0, |all, lane| if mask >> lane & 1 != 0 { all | addresses[lane] } else { all }),
    };
    (all >> 32 == 0).then(|| addresses.map(|address| address as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::{BlockId, TaskId, WarpId};

    fn read(addresses: &[u64; 32], mask: LaneMask, stride: Option<u64>) -> Access<'_> {
        let warp = Warp { task: TaskId(1), block: BlockId(7), warp: WarpId(3) };
        Access {
            warp,
            site: SiteId(5),
            space: Space::Shared(BlockId(7)),
            kind: AccessKind::Read,
            strength: Strength::Weak,
            proxy: Proxy::Generic,
            size: 4,
            elements: 2,
            mask,
            addresses,
            stride,
            stored: 0,
            values: None,
        }
    }

    /// What was noted comes out as it was, as far as it means something, and is gone then.
    #[test]
    fn reads_are_judged_as_they_were_made() {
        let rows: [u64; 32] = std::array::from_fn(|lane| 256 + 8 * lane as u64);
        let odd: [u64; 32] = std::array::from_fn(|lane| (lane as u64 * 97) % 1000 * 8);
        let falling: [u64; 32] = std::array::from_fn(|lane| 4096u64.wrapping_sub(16 * lane as u64));
        let made = [
            (rows, u32::MAX, Some(8)),
            (odd, u32::MAX, None),
            (odd, 0x00f0_1000, None),
            (falling, 0xffff_ff00, Some(16u64.wrapping_neg())),
        ];
        let mut deferred = Deferred::default();
        for (addresses, mask, stride) in &made {
            assert!(deferred.note(&read(addresses, *mask, *stride)));
        }
        let noted = deferred.stop().unwrap();
        let mut told = 0;
        noted.each(|access| {
            let (addresses, mask, stride) = &made[told];
            let lanes = || (0..32).filter(|lane| mask >> lane & 1 != 0);
            assert!(lanes().all(|lane| access.addresses[lane] == addresses[lane]), "{told}");
            assert_eq!((access.mask, access.stride, access.size, access.elements), (*mask, *stride, 4, 2));
            assert_eq!(
                (access.site, access.warp.warp, access.space),
                (SiteId(5), WarpId(3), Space::Shared(BlockId(7)))
            );
            told += 1;
        });
        assert_eq!(told, made.len());
        deferred.reuse(noted);
        assert!(!deferred.note(&read(&rows, u32::MAX, None)), "until a barrier reads are judged at once");
        assert!(deferred.stop().is_none());
        deferred.forget();
        assert!(deferred.note(&read(&rows, u32::MAX, None)));
        deferred.forget();
        assert!(deferred.stop().is_none(), "a barrier orders them before all that follows");
    }

    /// A read that cannot be noted, or one too many, is judged.
    #[test]
    fn no_read_is_lost() {
        let far: [u64; 32] = std::array::from_fn(|lane| (lane as u64) << 32);
        let mut deferred = Deferred::default();
        assert!(!deferred.note(&read(&far, u32::MAX, None)));
        // Of lanes that are not active an address means nothing.
        assert!(deferred.note(&read(&far, 1, None)));
        let rows: [u64; 32] = std::array::from_fn(|lane| 4 * lane as u64);
        let noted = (0..2 * MOST).filter(|_| deferred.note(&read(&rows, u32::MAX, None))).count();
        assert_eq!(noted, MOST - 1);
    }
}
