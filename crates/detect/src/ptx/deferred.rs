//! Accesses of a block's shared memory that are not judged yet.
//!
//! Where no other block reaches a block's shared memory, and no other proxy, an access races with
//! nothing but accesses of its own barrier interval. Reads race with writes only, and in most intervals there are none, or of other
//! lines: a tile is filled, and behind a barrier it is read, and another one is filled. Relaxed operations of one size, `volatile` or
//! atomic, are morally strong to each other,
//! and race with nothing but weak ones of the same bytes; and what they hand on from thread to thread, all threads of the block know
//! behind the barrier anyway. So both are only noted. Weak writes are judged as they come, and so are reads of what they have written.
//! The first access of the interval that may race with something noted, or is of another kind, has all that was noted judged
//! before itself, in its order, and those behind it are judged as they come; so has whatever makes threads know more of each other
//! than their warp tells them. The next barrier of the whole block orders
//! what was noted before all that follows, and it is forgotten.

mod lines;

use super::class::AccessClass;
use clocks::Tick;
use events::access::Warp;
use events::{Access, AccessKind, AtomicOp, LaneMask, Proxy, Sem, SiteId, Space, Strength};
use lines::{LINES, Lines, narrow, of_lanes, of_row};

/// Accesses that are noted at most; from then on they are judged as they come. A tile of 32 by 32 is read by fewer.
const MOST: usize = 1 << 11;

/// Intervals in which accesses were noted in vain, one after the other, after which nothing is noted for a while: a block whose threads
/// read and write between two barriers mostly does so between the next ones.
const VAIN: u8 = 4;
const WHILE: u8 = 32;

/// Which lines the interval's accesses are at.
#[derive(Debug, Default)]
struct Marks {
    /// What relaxed operations wrote that were noted, or weak ones that were judged.
    written: Lines,
    /// What weak accesses read: the first so many of those that were noted, with those addresses.
    read: Lines,
    looked: (usize, usize),
}

/// When an access is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// It is put off.
    Later,
    /// Now; what was put off stays so.
    Now,
    /// Now, but behind what was put off.
    Behind,
}

/// What is noted of one block.
#[derive(Debug, Default)]
pub(crate) struct Deferred {
    noted: Vec<Noted>,
    /// Of those that have no stride.
    addresses: Vec<[u32; 32]>,
    /// Bytes of each relaxed operation, if there is one. Then there are no weak writes.
    size: Option<u32>,
    /// If something was written. Kept for their memory.
    marks: Option<Box<Marks>>,
    marked: bool,
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
    /// As [`of_row`] or [`of_lanes`]; `narrow` if it has no stride.
    #[inline]
    fn lines(&self, narrow: Option<&[u32; 32]>, is: impl FnMut(usize, u64) -> bool) -> bool {
        let each = u64::from(self.size) * u64::from(self.elements.max(1));
        match narrow {
            Some(narrow) => of_lanes(narrow, each, is),
            None => of_row((self.mask, each), (self.address, self.stride.unwrap_or(0)), is),
        }
    }
}

impl Deferred {
    /// Notes a weak read by the generic proxy, if it can.
    #[inline]
    pub(crate) fn note(&mut self, access: &Access<'_>, ticks: Ticks) -> When {
        debug_assert!(matches!(access.kind, AccessKind::Read));
        if !self.add(access, true, ticks) {
            return When::Behind;
        }
        if self.marked { self.reads_apart() } else { When::Later }
    }

    /// Notes a relaxed operation by the generic proxy that takes no lock, if it can.
    pub(crate) fn note_strong(&mut self, access: &Access<'_>, class: AccessClass, ticks: Ticks) -> When {
        let takes = match access.kind {
            AccessKind::Read | AccessKind::Write => true,
            AccessKind::Atomic { op, .. } => !matches!(op, AtomicOp::Cas | AtomicOp::Exch),
            _ => false,
        };
        let small = access.elements <= 1 && access.size.is_power_of_two() && access.size <= 16;
        let relaxed = class.strong() && class.sem() == Sem::Relaxed && !class.other_proxy();
        if !(takes && small && relaxed) || self.at_once {
            return When::Behind;
        }
        // All of them are low and aligned if what any of them has is.
        let all = any(access.addresses, access.mask);
        if all & u64::from(access.size - 1) != 0
            || all / 128 >= LINES as u64
            || self.size.is_none() && self.marked
            || *self.size.get_or_insert(access.size) != access.size
            || !self.add(access, false, ticks)
        {
            return When::Behind;
        }
        if class.writes() && !self.writes_apart() { self.take_back() } else { When::Later }
    }

    /// A weak write by the generic proxy, which is judged.
    pub(crate) fn writes(&mut self, access: &Access<'_>) -> When {
        if self.at_once || self.size.is_some() {
            return When::Behind;
        }
        let Some(marks) = self.look() else { return When::Behind };
        let each = u64::from(access.size) * u64::from(access.elements.max(1));
        let apart = |word, bits| marks.read.lack(word, bits) && marks.written.add(word, bits);
        let apart = match access.stride {
            Some(stride) => {
                let address = access.addresses[access.mask.trailing_zeros() as usize & 31];
                of_row((access.mask, each), (address, stride), apart)
            }
            None => {
                narrow(access.addresses, access.mask).is_some_and(|narrow| of_lanes(&narrow, each, apart))
            }
        };
        if apart { When::Now } else { When::Behind }
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
    fn take_back(&mut self) -> When {
        if self.noted.pop().is_some_and(|last| last.stride.is_none()) {
            self.addresses.pop();
        }
        When::Behind
    }

    /// The marks, with all weak reads that were noted. None if some of them have no place there.
    fn look(&mut self) -> Option<&mut Marks> {
        let marks = self.marks.get_or_insert_default();
        self.marked = true;
        let Marks { read, looked: (noted, addresses), .. } = &mut **marks;
        for one in &self.noted[*noted..] {
            let narrow = one.stride.is_none().then(|| &self.addresses[*addresses]);
            if one.plain && !one.lines(narrow, |word, bits| read.add(word, bits)) {
                return None;
            }
            *noted += 1;
            *addresses += usize::from(one.stride.is_none());
        }
        Some(marks)
    }

    /// The last one is a weak read: of nothing that was written?
    fn reads_apart(&mut self) -> When {
        let (Some(marks), Some(last)) = (&self.marks, self.noted.last()) else { return When::Later };
        let narrow = self.addresses.last().filter(|_| last.stride.is_none());
        if last.lines(narrow, |word, bits| marks.written.lack(word, bits)) {
            return When::Later;
        }
        let behind = self.take_back();
        // What weak writes wrote is judged already.
        if self.size.is_none() { When::Now } else { behind }
    }

    /// Does the last one, a relaxed operation that writes, write nothing that weak accesses have read?
    fn writes_apart(&mut self) -> bool {
        if self.look().is_none() {
            return false;
        }
        let (Some(marks), Some(last)) = (&mut self.marks, self.noted.last()) else { return true };
        let narrow = self.addresses.last().filter(|_| last.stride.is_none());
        last.lines(narrow, |word, bits| marks.written.add(word, bits) && marks.read.lack(word, bits))
    }

    /// From now on all are judged as they come; what was noted, if there is any, is to be judged now.
    #[inline]
    pub(crate) fn stop(&mut self) -> Option<Deferred> {
        self.unmark();
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
        self.unmark();
    }

    #[inline]
    fn unmark(&mut self) {
        self.size = None;
        if std::mem::replace(&mut self.marked, false)
            && let Some(marks) = &mut self.marks
        {
            **marks = Marks::default();
        }
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
            assert_eq!(deferred.note(&read(addresses, *mask, *stride), (3, 2)), When::Later);
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
        let again = deferred.note(&read(&rows, u32::MAX, None), (3, 2));
        assert_eq!(again, When::Behind, "until a barrier reads are judged at once");
        assert!(deferred.stop().is_none());
        deferred.forget();
        assert_eq!(deferred.note(&read(&rows, u32::MAX, None), (3, 2)), When::Later);
        deferred.forget();
        assert!(deferred.stop().is_none(), "a barrier orders them before all that follows");
    }

    /// A read that cannot be noted, or one too many, is judged.
    #[test]
    fn no_read_is_lost() {
        let far: [u64; 32] = std::array::from_fn(|lane| (lane as u64) << 32);
        let mut deferred = Deferred::default();
        assert_eq!(deferred.note(&read(&far, u32::MAX, None), (3, 2)), When::Behind);
        // Of lanes that are not active an address means nothing.
        assert_eq!(deferred.note(&read(&far, 1, None), (3, 2)), When::Later);
        let rows: [u64; 32] = std::array::from_fn(|lane| 4 * lane as u64);
        let noted = (0..2 * MOST)
            .filter(|_| deferred.note(&read(&rows, u32::MAX, None), (3, 2)) == When::Later)
            .count();
        assert_eq!(noted, MOST - 1);
    }
}
