//! Accesses of a block's shared memory that are not judged yet.
//!
//! Where no other block reaches a block's shared memory, and no other proxy, an access races with
//! nothing but accesses of its own barrier interval. Reads race with writes only, and in most intervals there are none, or of other
//! lines: a tile is filled, and behind a barrier it is read, and another one is filled. Relaxed operations of one size, `volatile` or
//! atomic, are morally strong to each other,
//! and race with nothing but weak ones of the same bytes; and what they hand on from thread to thread, all threads of the block know
//! behind the barrier anyway. So both are only noted, and so are weak writes: of lines without other accesses, or else of words, or
//! bytes, that no other thread has accessed.
//! The first access of the interval that may race with something noted, or is of another kind, has all that was noted judged
//! before itself, in its order, and those behind it are judged as they come; so has whatever makes threads know more of each other
//! than their warp tells them. The next barrier of the whole block orders
//! what was noted before all that follows, and it is forgotten.

mod lines;
mod owners;
mod pending_clues;
#[cfg(test)]
mod tests;

pub(crate) use owners::{Owners, Spare};

use crate::ptx::access::class::AccessClass;
use crate::ptx::clues::Clues;
use clocks::Tick;
use clocks::compressed::WarpIndex;
use events::access::Warp;
use events::{Access, AccessKind, AtomicOp, LaneMask, Proxy, Sem, SiteId, Space, Strength, is_one_lane};
use lines::{LINES, Lines, narrow, of_lanes, of_row};
use owners::Piece;
use pending_clues::Unheard;

/// Accesses that are noted at most; from then on they are judged as they come. A tile of 32 by 32 is read by fewer.
const MOST: usize = 1 << 11;

/// Intervals in which accesses were noted in vain, one after the other, after which nothing is noted for a while: a block whose threads
/// read and write between two barriers mostly does so between the next ones.
const VAIN: u8 = 4;
const WHILE: u8 = 32;

/// Intervals of which all words are asked for, where the first one's lines did not tell enough.
const CROWDED: u8 = 8;

/// Which lines the interval's accesses are at: of those that were noted the first so many, with those addresses.
#[derive(Debug, Default)]
struct Marks {
    written: Lines,
    /// Lines that weak accesses have touched.
    read: Lines,
    looked: (usize, usize),
}

/// The deferred accesses of one block.
#[derive(Debug, Default)]
pub(crate) struct Deferred {
    noted: Vec<Noted>,
    /// The addresses of accesses without a stride.
    addresses: Vec<[u32; 32]>,
    /// Bytes of each relaxed operation, if there is one. Then there are no weak writes.
    size: Option<u32>,
    /// Whether there are weak reads, and weak writes.
    plain: bool,
    wrote: bool,
    /// Owners of words, once accesses of several threads met in a line. Kept for their memory.
    marks: Option<Box<Marks>>,
    marked: bool,
    /// Which threads were at which words, if lines did not tell enough; and for so many more intervals with writes they are
    /// not asked.
    owners: Option<Box<Owners>>,
    owned: bool,
    crowded: u8,
    unheard: Unheard,
    /// Until the next barrier all are judged as they come.
    at_once: bool,
    /// The number of the last intervals in which deferred accesses had to be judged, and in how many of the next
    /// ones nothing is noted.
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
    /// The address of the first lane, if there is a stride.
    address: u64,
    ticks: Ticks,
    /// The time by which clues are told of it, if they are not yet: see [`Clues::keep_time`].
    when: Option<u64>,
}

/// Its warp's tick when it was made, and up to which one its lanes knew each other.
pub(crate) type Ticks = (Tick, Tick);

impl Noted {
    /// Bytes of each lane.
    fn each(&self) -> u64 {
        u64::from(self.size) * u64::from(self.elements.max(1))
    }

    /// As [`of_row`] or [`of_lanes`]; `narrow` if it has no stride.
    #[inline]
    fn lines(&self, narrow: Option<&[u32; 32]>, is: impl FnMut(usize, u64) -> bool) -> bool {
        match narrow {
            Some(narrow) => of_lanes(narrow, self.each(), is),
            None => of_row(self.mask, self.each(), self.address, self.stride.unwrap_or(0), is),
        }
    }

    /// Returns whether its lanes are at less than a word each.
    fn is_part(&self) -> bool {
        self.each() < 4
    }

    /// Returns whether no other thread has been there, if one of the two writes.
    #[inline]
    fn is_alone(&self, narrow: Option<&[u32; 32]>, owners: &mut Owners) -> bool {
        let each = self.each();
        let by = (self.warp.warp.0, self.mask, self.kind.writes());
        let (first, stride) = (self.mask.trailing_zeros(), self.stride.unwrap_or(0));
        match narrow {
            Some(narrow) => owners.add(by, each, |lane| narrow[lane as usize & 31].into()),
            None => owners.add(by, each, |lane| {
                self.address.wrapping_add(u64::from(lane - first).wrapping_mul(stride))
            }),
        }
    }
}

impl Deferred {
    /// Notes a weak read by the generic proxy, if it can.
    #[inline]
    pub(crate) fn note(&mut self, access: &Access<'_>, ticks: Ticks, spare: &mut Spare) -> bool {
        debug_assert!(matches!(access.kind, AccessKind::Read));
        if !self.add(access, true, ticks) {
            return false;
        }
        self.plain = true;
        let fits = match (self.owned, self.wrote || self.size.is_some()) {
            (true, _) => self.owns_last(),
            (false, false) => true,
            (false, true) => self.apart(true, false) || self.owns_all(spare),
        };
        fits || self.take_back()
    }

    /// Notes a relaxed operation by the generic proxy that takes no lock, if it can.
    pub(crate) fn note_strong(&mut self, access: &Access<'_>, class: AccessClass, ticks: Ticks) -> bool {
        let takes = match access.kind {
            AccessKind::Read | AccessKind::Write => true,
            AccessKind::Atomic { op, .. } => !matches!(op, AtomicOp::Cas | AtomicOp::Exch),
            _ => false,
        };
        let small = access.elements <= 1 && access.size.is_power_of_two() && access.size <= 16;
        let relaxed = class.strong() && class.sem() == Sem::Relaxed && !class.other_proxy();
        if !(takes && small && relaxed) || self.at_once || self.wrote {
            return false;
        }
        // All of them are low and aligned if what any of them has is.
        let all = any(access);
        if all & u64::from(access.size - 1) != 0
            || all / 128 >= LINES as u64
            || *self.size.get_or_insert(access.size) != access.size
            || !self.add(access, false, ticks)
        {
            return false;
        }
        // Before there are weak reads it is enough to know what was written when there is one.
        !self.plain || !class.writes() || self.apart(false, true) || self.take_back()
    }

    /// Notes a weak write by the generic proxy, if it can.
    pub(crate) fn note_write(&mut self, access: &Access<'_>, ticks: Ticks, spare: &mut Spare) -> bool {
        if self.size.is_some() || !self.add(access, true, ticks) {
            return false;
        }
        self.wrote = true;
        // Lanes may be at one word.
        let each = u64::from(access.size) * u64::from(access.elements.max(1));
        let distinct =
            is_one_lane(access.mask) || access.stride.is_some_and(|stride| (each..=128).contains(&stride));
        let fits = match self.owned {
            true => self.owns_last(),
            false => self.crowded == 0 && distinct && self.apart(true, true) || self.owns_all(spare),
        };
        fits || self.take_back()
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
            when: None,
        });
        true
    }

    /// The last one is not noted after all: false.
    #[cold]
    fn take_back(&mut self) -> bool {
        if self.noted.pop().is_some_and(|last| last.stride.is_none()) {
            self.addresses.pop();
        }
        false
    }

    /// Marks all that were noted but the last one. False if some of them have no place there.
    fn look(&mut self) -> bool {
        self.marked = true;
        let Marks { read, written, looked: (noted, addresses) } = &mut **self.marks.get_or_insert_default();
        let before = self.noted.len().saturating_sub(1);
        for one in &self.noted[(*noted).min(before)..before] {
            let narrow = one.stride.is_none().then(|| &self.addresses[*addresses]);
            let writes = one.kind.writes();
            let lines = if writes { &mut *written } else { &mut *read };
            if (one.plain || writes) && !one.lines(narrow, |word, bits| lines.add(word, bits)) {
                return false;
            }
            *noted += 1;
            *addresses += usize::from(one.stride.is_none());
        }
        true
    }

    /// Returns whether the last access is at no line that was `written` before, nor at one that weak accesses
    /// have `read`, as far as the caller asks.
    fn apart(&mut self, written: bool, read: bool) -> bool {
        if !self.look() {
            return false;
        }
        let (Some(marks), Some(last)) = (&self.marks, self.noted.last()) else { return true };
        let narrow = self.addresses.last().filter(|_| last.stride.is_none());
        last.lines(narrow, |word, bits| {
            (!written || marks.written.lack(word, bits)) && (!read || marks.read.lack(word, bits))
        })
    }

    /// Asks of all weak accesses which threads were at which words. False if some of them may race.
    fn owns_all(&mut self, spare: &mut Spare) -> bool {
        if self.size.is_some() {
            return false;
        }
        self.owned = true;
        if self.crowded == 0 {
            self.crowded = CROWDED;
        }
        self.owners.get_or_insert_with(|| spare.pop().unwrap_or_default());
        self.owns_each(Piece::Word) || self.noted.iter().any(Noted::is_part) && self.owns_each(Piece::Byte)
    }

    /// Asks anew, of pieces of that size.
    fn owns_each(&mut self, piece: Piece) -> bool {
        let Some(owners) = &mut self.owners else { return false };
        owners.begin(piece);
        let mut narrow = self.addresses.iter();
        self.noted
            .iter()
            .all(|one| one.is_alone(if one.stride.is_none() { narrow.next() } else { None }, owners))
    }

    /// The same of the last one, where those before it are known.
    fn owns_last(&mut self) -> bool {
        let (Some(owners), Some(last)) = (&mut self.owners, self.noted.last()) else { return false };
        last.is_alone(self.addresses.last().filter(|_| last.stride.is_none()), owners)
            || last.is_part() && owners.piece() == Piece::Word && self.owns_each(Piece::Byte)
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
        let unheard = std::mem::take(&mut self.unheard);
        Some(Deferred { noted, addresses, unheard, at_once: true, ..Deferred::default() })
    }

    /// Returns whether a flag was set behind a barrier that the clues do not have yet.
    #[inline]
    pub(crate) fn has_setters(&self) -> bool {
        self.unheard.has_setters()
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
        self.crowded -= u8::from(self.owned);
        // There are relaxed operations.
        if self.size.is_some() {
            let unheard = self.noted[self.unheard.done().0..].iter().filter(|noted| noted.when.is_some());
            for one in unheard.filter(|noted| noted.kind.writes()) {
                self.unheard.forgets(one.site, one.warp.warp.0);
            }
        }
        self.clear();
        self.at_once = self.rest > 0;
        self.rest = self.rest.saturating_sub(1);
    }

    fn clear(&mut self) {
        self.noted.clear();
        self.addresses.clear();
        self.unheard.set_done((0, 0));
        self.unmark();
    }

    #[inline]
    fn unmark(&mut self) {
        self.size = None;
        (self.plain, self.wrote, self.owned) = (false, false, false);
        if std::mem::replace(&mut self.marked, false)
            && let Some(marks) = &mut self.marks
        {
            **marks = Marks::default();
        }
    }

    /// Clues may be told later of what was noted last: by that time.
    pub(crate) fn later(&mut self, when: u64) {
        if let Some(last) = self.noted.last_mut() {
            last.when = Some(when);
        }
    }

    /// Tells clues of what they have not heard of yet of that block.
    pub(crate) fn tell(&self, block: u32, clues: &mut Clues) {
        for (site, warps) in self.unheard.take_setters() {
            let warps = (0..32).filter(|warp| warps >> warp & 1 != 0);
            warps.for_each(|warp| clues.has_set(WarpIndex { block, warp }, site));
        }
        let done = self.unheard.done();
        if self.size.is_none() && !self.at_once || done.0 == self.noted.len() {
            return;
        }
        self.unheard.set_done((self.noted.len(), self.addresses.len()));
        self.from(done, |access, (tick, _), when| {
            let Some(when) = when else { return };
            // A `volatile` one is put off if it is strong.
            let class = AccessClass::of(access, true);
            clues.late(when, |clues| {
                clues.before(access, class, tick);
                // It takes no lock, and gives none back.
                clues.after(access, class, tick, |_| {});
            });
        });
    }

    /// Returns the memory that the next block can use.
    pub(crate) fn into_owners(self) -> Option<Box<Owners>> {
        self.owners
    }

    /// Calls `judge` with each deferred access, the oldest first.
    pub(crate) fn each(&self, mut judge: impl FnMut(&Access<'_>, Ticks)) {
        self.from((0, 0), |access, ticks, _| judge(access, ticks));
    }

    fn from(
        &self,
        (first, addresses): (usize, usize),
        mut tell: impl FnMut(&Access<'_>, Ticks, Option<u64>),
    ) {
        let mut narrow = self.addresses[addresses..].iter();
        for noted in &self.noted[first..] {
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
                written: Default::default(),
            };
            tell(&access, noted.ticks, noted.when);
        }
    }
}

/// As large as any active lane's address, and as odd.
#[inline]
fn any(access: &Access<'_>) -> u64 {
    let &Access { addresses, mask, stride, .. } = access;
    let (first, last) = (mask.trailing_zeros() as usize & 31, mask.checked_ilog2().unwrap_or(0) as usize);
    if let Some(stride) = stride {
        return addresses[first] | addresses[last] | stride & 15;
    }
    match mask {
        LaneMask::MAX => addresses.iter().fold(0, |all, address| all | address),
        _ => (0..32).fold(0, |all, lane| if mask >> lane & 1 != 0 { all | addresses[lane] } else { all }),
    }
}
