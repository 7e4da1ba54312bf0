//! Accesses of a block's shared memory that are not judged yet.
//!
//! Where no other block reaches a block's shared memory, and no other proxy, an access races with
//! nothing but accesses of its own barrier interval. Reads race with writes only, and in most intervals there are none: a tile is
//! filled, and behind a barrier it is read. Relaxed operations of one size, `volatile` or atomic, are morally strong to each other,
//! and race with nothing but weak ones of the same bytes; and what they hand on from thread to thread, all threads of the block know
//! behind the barrier anyway. So both are only noted.
//! The first access of the interval that may race with something noted, or is of another kind, has all that was noted judged
//! before itself, in its order, and those behind it are judged as they come; so has whatever makes threads know more of each other
//! than their warp tells them. The next barrier of the whole block orders
//! what was noted before all that follows, and it is forgotten.

use super::class::AccessClass;
use clocks::Tick;
use events::access::Warp;
use events::{Access, AccessKind, AtomicOp, LaneMask, Proxy, Sem, SiteId, Space, Strength};

/// Accesses that are noted at most; from then on they are judged as they come. A tile of 32 by 32 is read by fewer.
const MOST: usize = 1 << 11;

/// Intervals in which accesses were noted in vain, one after the other, after which nothing is noted for a while: a block whose threads
/// read and write between two barriers mostly does so between the next ones.
const VAIN: u8 = 4;
const WHILE: u8 = 32;

/// A bit for each line of 128 bytes of what a block can have.
#[derive(Debug, Default)]
struct Lines([u64; LINES / 64]);

/// Lines that are told apart: 256 KiB.
const LINES: usize = 1 << 11;

impl Lines {
    /// False if there is no bit for it.
    fn add(&mut self, line: u64) -> bool {
        let bits = self.0.get_mut((line / 64) as usize);
        bits.map(|bits| *bits |= 1 << (line % 64)).is_some()
    }

    fn has(&self, line: u64) -> bool {
        self.0.get((line / 64) as usize).is_none_or(|bits| bits >> (line % 64) & 1 != 0)
    }
}

/// Relaxed operations that were noted.
#[derive(Debug, Default)]
struct Strong {
    /// Bytes of each.
    size: u32,
    /// What they wrote, and what weak accesses read: the first so many of those that were noted, with those addresses.
    written: Lines,
    read: Lines,
    looked: (usize, usize),
}

/// What is noted of one block.
#[derive(Debug, Default)]
pub(crate) struct Deferred {
    noted: Vec<Noted>,
    /// Of those that have no stride.
    addresses: Vec<[u32; 32]>,
    /// If there is a relaxed operation.
    strong: Option<Box<Strong>>,
    /// Until the next barrier all are judged as they come.
    at_once: bool,
    /// Of the last intervals, in how many what was noted had to be judged, and in how many of the next ones nothing is noted.
    vain: u8,
    rest: u8,
}

/// An access by the generic proxy.
#[derive(Clone, Copy, Debug)]
struct Noted {
    warp: Warp,
    site: SiteId,
    kind: AccessKind,
    strength: Strength,
    plain: bool,
    size: u32,
    elements: u8,
    mask: LaneMask,
    stored: LaneMask,
    stride: Option<u64>,
    /// Of the first lane, if there is a stride.
    address: u64,
    ticks: Ticks,
}

/// Its warp's tick when it was made, and up to which one its lanes knew each other.
pub(crate) type Ticks = (Tick, Tick);

impl Noted {
    /// Are all lines of its lanes such? Asked of each once or oftener; `narrow` if it has no stride.
    #[inline]
    fn lines(&self, narrow: Option<&[u32; 32]>, mut is: impl FnMut(u64) -> bool) -> bool {
        let each = u64::from(self.size) * u64::from(self.elements.max(1));
        let (mut rest, first, stride) = (self.mask, self.mask.trailing_zeros(), self.stride.unwrap_or(0));
        let mut all = |at: u64, to: u64| (at / 128..=to / 128).all(&mut is);
        let lanes = rest.count_ones();
        if narrow.is_none() && stride <= 128 && (rest >> (first & 31)).trailing_ones() == lanes {
            // No lane and no line is left out between the first and the last.
            let last = self.address.saturating_add(u64::from(lanes.saturating_sub(1)) * stride);
            return all(self.address, last.saturating_add(each - 1));
        }
        let mut last = None;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let strided = || self.address.wrapping_add(u64::from(lane - first).wrapping_mul(stride));
            let at = narrow.map_or_else(strided, |narrow| narrow[lane as usize % 32].into());
            let to = at.saturating_add(each - 1);
            // Neighbours are mostly of the same line.
            if last.replace(to / 128) == Some(at / 128) && at / 128 == to / 128 {
                continue;
            }
            if !all(at, to) {
                return false;
            }
        }
        true
    }
}

impl Deferred {
    /// Notes a weak read by the generic proxy. False if it has to be judged now.
    #[inline]
    pub(crate) fn note(&mut self, access: &Access<'_>, ticks: Ticks) -> bool {
        debug_assert!(matches!(access.kind, AccessKind::Read));
        self.add(access, true, ticks) && (self.strong.is_none() || self.reads_apart() || self.take_back())
    }

    /// Notes a relaxed operation by the generic proxy that takes no lock. False as above.
    pub(crate) fn note_strong(&mut self, access: &Access<'_>, class: AccessClass, ticks: Ticks) -> bool {
        let takes = match access.kind {
            AccessKind::Read | AccessKind::Write => true,
            AccessKind::Atomic { op, .. } => !matches!(op, AtomicOp::Cas | AtomicOp::Exch),
            _ => false,
        };
        let small = access.elements <= 1 && access.size.is_power_of_two() && access.size <= 16;
        let relaxed = class.strong() && class.sem() == Sem::Relaxed && !class.other_proxy();
        if !(takes && small && relaxed) || self.at_once {
            return false;
        }
        // All of them are low and aligned if what any of them has is.
        let all = any(access.addresses, access.mask);
        if all & u64::from(access.size - 1) != 0
            || all / 128 >= LINES as u64
            || !self.add(access, false, ticks)
        {
            return false;
        }
        let size = access.size;
        let strong = self.strong.get_or_insert_with(|| Box::new(Strong { size, ..Strong::default() }));
        let alike = strong.size == size;
        alike && (!class.writes() || self.writes_apart()) || self.take_back()
    }

    #[inline]
    fn add(&mut self, access: &Access<'_>, plain: bool, ticks: Ticks) -> bool {
        if self.at_once || self.noted.len() >= MOST {
            return false;
        }
        let &Access { warp, site, kind, strength, size, elements, mask, stored, stride, .. } = access;
        if stride.is_none() {
            let Some(narrow) = narrow(access.addresses, mask) else { return false };
            self.addresses.push(narrow);
        }
        let address = access.addresses[mask.trailing_zeros() as usize & 31];
        self.noted.push(Noted {
            warp,
            site,
            kind,
            strength,
            plain,
            size,
            elements,
            mask,
            stored,
            stride,
            address,
            ticks,
        });
        true
    }

    /// The last one is not noted after all.
    #[cold]
    fn take_back(&mut self) -> bool {
        if self.noted.pop().is_some_and(|last| last.stride.is_none()) {
            self.addresses.pop();
        }
        false
    }

    /// Does the last one, a weak read, read nothing that relaxed operations have written?
    fn reads_apart(&self) -> bool {
        let (Some(strong), Some(last)) = (&self.strong, self.noted.last()) else { return true };
        let narrow = self.addresses.last().filter(|_| last.stride.is_none());
        last.lines(narrow, |line| !strong.written.has(line))
    }

    /// Does the last one, a relaxed operation that writes, write nothing that weak accesses have read?
    fn writes_apart(&mut self) -> bool {
        let (Some(strong), Some((last, before))) = (&mut self.strong, self.noted.split_last()) else {
            return true;
        };
        let Strong { written, read, looked: (noted, addresses), .. } = &mut **strong;
        for one in &before[*noted..] {
            let narrow = one.stride.is_none().then(|| &self.addresses[*addresses]);
            *addresses += usize::from(one.stride.is_none());
            if one.plain && !one.lines(narrow, |line| read.add(line)) {
                return false;
            }
        }
        *noted = before.len();
        let narrow = self.addresses.last().filter(|_| last.stride.is_none());
        last.lines(narrow, |line| written.add(line) && !read.has(line))
    }

    /// From now on all are judged as they come; what was noted, if there is any, is to be judged now.
    #[inline]
    pub(crate) fn stop(&mut self) -> Option<Deferred> {
        self.strong = None;
        if std::mem::replace(&mut self.at_once, true) || self.noted.is_empty() {
            return None;
        }
        self.vain += 1;
        if self.vain >= VAIN {
            (self.vain, self.rest) = (VAIN - 1, WHILE);
        }
        let (noted, addresses) = (std::mem::take(&mut self.noted), std::mem::take(&mut self.addresses));
        Some(Deferred { noted, addresses, at_once: true, ..Deferred::default() })
    }

    /// The room of what has been judged.
    pub(crate) fn reuse(&mut self, judged: Deferred) {
        (self.noted, self.addresses) = (judged.noted, judged.addresses);
        self.clear();
    }

    /// All threads of the block are behind a barrier.
    #[inline]
    pub(crate) fn forget(&mut self) {
        if !self.noted.is_empty() {
            self.vain = 0;
        }
        self.clear();
        self.at_once = self.rest > 0;
        self.rest = self.rest.saturating_sub(1);
    }

    fn clear(&mut self) {
        self.noted.clear();
        self.addresses.clear();
        self.strong = None;
    }

    /// What was noted, the oldest first.
    pub(crate) fn each(&self, mut judge: impl FnMut(&Access<'_>, Ticks)) {
        let mut narrow = self.addresses.iter();
        for noted in &self.noted {
            let &Noted { warp, site, kind, strength, size, elements, mask, stored, stride, address, .. } =
                noted;
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
            let access = Access {
                warp,
                site,
                space: Space::Shared(warp.block),
                kind,
                strength,
                proxy: Proxy::Generic,
                size,
                elements,
                mask,
                addresses: &addresses,
                stride,
                stored,
                values: None,
            };
            judge(&access, noted.ticks);
        }
    }
}

/// What any active lane's address has.
#[inline]
fn any(addresses: &[u64; 32], mask: LaneMask) -> u64 {
    match mask {
        LaneMask::MAX => addresses.iter().fold(0, |all, address| all | address),
        _ => (0..32).fold(0, |all, lane| if mask >> lane & 1 != 0 { all | addresses[lane] } else { all }),
    }
}

/// Addresses of shared memory in half the room; `None` if a lane's is beyond what any GPU has.
#[inline]
fn narrow(addresses: &[u64; 32], mask: LaneMask) -> Option<[u32; 32]> {
    (any(addresses, mask) >> 32 == 0).then(|| addresses.map(|address| address as u32))
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
            assert!(deferred.note(&read(addresses, *mask, *stride), (3, 2)));
        }
        let noted = deferred.stop().unwrap();
        let mut told = 0;
        noted.each(|access, ticks| {
            assert_eq!(ticks, (3, 2));
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
        assert!(
            !deferred.note(&read(&rows, u32::MAX, None), (3, 2)),
            "until a barrier reads are judged at once"
        );
        assert!(deferred.stop().is_none());
        deferred.forget();
        assert!(deferred.note(&read(&rows, u32::MAX, None), (3, 2)));
        deferred.forget();
        assert!(deferred.stop().is_none(), "a barrier orders them before all that follows");
    }

    /// A read that cannot be noted, or one too many, is judged.
    #[test]
    fn no_read_is_lost() {
        let far: [u64; 32] = std::array::from_fn(|lane| (lane as u64) << 32);
        let mut deferred = Deferred::default();
        assert!(!deferred.note(&read(&far, u32::MAX, None), (3, 2)));
        // Of lanes that are not active an address means nothing.
        assert!(deferred.note(&read(&far, 1, None), (3, 2)));
        let rows: [u64; 32] = std::array::from_fn(|lane| 4 * lane as u64);
        let noted = (0..2 * MOST).filter(|_| deferred.note(&read(&rows, u32::MAX, None), (3, 2))).count();
        assert_eq!(noted, MOST - 1);
    }
}
