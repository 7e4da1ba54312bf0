//! The history of 128 bytes of a block's shared memory since its last barrier.
//!
//! Where only whole barriers order the threads of a block, and no other block reaches its shared memory, an
//! access can race only with those of its own barrier interval: all earlier ones are ordered before it. A
//! [`Word`] keeps the last write of that interval and at most three reads, by which each later
//! access that races with any of them races with one of the kept:
//!
//! * A write that is ordered with all that was there stands for it.
//! * Of reads, two of different warps are kept if there are any: whoever writes is of another warp than one
//!   of the two. If all are of one warp, two of different lanes.
//!
//! Reads by other instructions that are not kept are listed beside the words, so that in small cases each
//! instruction is told of. An access that is not ordered splits the line into exact
//! [cells](crate::ptx::history::cell), for good; so does what is no weak access.

mod word;

use crate::ptx::access::entry::Entry;
use crate::ptx::access::touches::span;
use crate::ptx::history::stamp::Stamp;
use clocks::Tick;
use events::{LaneMask, SiteId};
use smallvec::SmallVec;
use std::ops::Range;
use word::{NOBODY, Slot, Word};

/// Reads by other instructions than those of a word's three that a line keeps.
const DISPLACED: usize = 8;
/// Warps that have a place in [`Slot::who`]; one more than a block can have is left for [`NOBODY`].
const WARPS: u16 = 63;

/// The first two lanes, or the only one twice.
pub(crate) fn two_of(lanes: LaneMask) -> (u16, u16) {
    let rest = lanes & lanes.wrapping_sub(1);
    let second = if rest == 0 { lanes } else { rest };
    (lanes.trailing_zeros() as u16 & 31, second.trailing_zeros() as u16 & 31)
}

#[derive(Debug)]
pub(crate) struct Interval {
    /// The tick of all its accesses.
    tick: Tick,
    block: u32,
    /// Logarithm of a word's bytes.
    shift: u8,
    words: Vec<Word>,
    /// The words that are of this interval, a bit each; others are as if they were new.
    live: u128,
    displaced: Vec<(u8, Slot)>,
    /// The words that have been written, and those that are [full](Word::is_full) of reads, a bit each.
    written: u128,
    full: u128,
    /// Reads of full words that nothing comes of any more, the last few: see [`telling`].
    told: [u64; TOLD],
    next: u8,
}

/// Reads that are remembered in [`Interval::told`].
const TOLD: usize = 4;

/// Site and words of a read, never 0.
fn telling(site: SiteId, from: u8, to: u8) -> u64 {
    u64::from(site.0) << 32 | u64::from(from) << 16 | u64::from(to) << 8 | 1
}

/// A bit for each of `from..=to`, by halves: shifts of both together take several times as long.
#[inline(always)]
fn bits(from: u8, to: u8) -> u128 {
    below(to + 1) & !below(from)
}

/// A bit for each number below `end`, of which there are 128 at most.
#[inline(always)]
fn below(end: u8) -> u128 {
    let low = if end < 64 { (1 << end) - 1 } else { u64::MAX };
    let high = if end <= 64 { 0 } else { u64::MAX >> (128 - end.min(128)) };
    u128::from(high) << 64 | u128::from(low)
}

/// The bit of a number, likewise.
#[inline(always)]
fn one(index: u8) -> u128 {
    let half = 1u64 << (index & 63);
    if index < 64 { half.into() } else { u128::from(half) << 64 }
}

/// Returns whether a bit is set. As `bits >> index & 1`, which takes several times as long.
#[inline(always)]
fn bit(bits: u128, index: u8) -> bool {
    let half = if index < 64 { bits as u64 } else { (bits >> 64) as u64 };
    half >> (index & 63) & 1 != 0
}

impl Interval {
    /// For the interval in which `first` is made. `None` if its warp is none that a GPU can have.
    pub(crate) fn new(first: &Stamp) -> Option<Interval> {
        let mut new = Interval {
            tick: 0,
            block: first.block,
            shift: 0,
            words: Vec::new(),
            live: 0,
            displaced: Vec::new(),
            written: 0,
            full: 0,
            told: [0; TOLD],
            next: 0,
        };
        (first.warp < WARPS).then(|| {
            new.begin(first.tick, first.granule());
            new
        })
    }

    fn begin(&mut self, tick: Tick, shift: u8) {
        (self.tick, self.shift) = (tick, shift);
        self.displaced.clear();
        self.words.resize(128 >> self.shift, Word::NEW);
        (self.live, self.written, self.full, self.told) = (0, 0, 0, [0; TOLD]);
    }

    /// From now on words are of this interval. Barriers are many, and each interval has few of a line's words.
    #[inline(always)]
    fn settle(&mut self, words: u128) {
        let mut new = words & !self.live;
        self.live |= words;
        while new != 0 {
            let index = new.trailing_zeros() as usize;
            let Some(word) = self.words.get_mut(index) else { return };
            *word = Word::NEW;
            new &= new - 1;
        }
    }

    /// Returns whether nothing comes of a read of `from..=to`: its instruction is recorded there, or there are
    /// enough others.
    #[inline]
    fn is_told(&self, site: SiteId, from: u8, to: u8) -> bool {
        self.displaced.len() >= DISPLACED || self.told.contains(&telling(site, from, to))
    }

    fn tell(&mut self, site: SiteId, from: u8, to: u8) {
        self.told[usize::from(self.next) % TOLD] = telling(site, from, to);
        self.next = self.next.wrapping_add(1);
    }

    /// Smaller words: each of the old ones several times.
    fn refine(&mut self, shift: u8) {
        self.settle(bits(0, (self.words.len() - 1) as u8));
        let by = self.shift - shift;
        let times = 1usize << by;
        for word in self.words.iter_mut().filter(|word| word.write.is_some()) {
            word.write.class = word.write.class.wider(by);
        }
        self.words = self.words.iter().flat_map(|word| std::iter::repeat_n(*word, times)).collect();
        for (index, _) in &mut self.displaced {
            // One byte of it is enough to tell of the instruction.
            *index *= times as u8;
        }
        (self.shift, self.live) = (shift, u128::MAX >> (128 - self.words.len()));
        let bits = |of: fn(&Word) -> bool| {
            let words = self.words.iter().enumerate().filter(|(_, word)| of(word));
            words.fold(0, |bits, (i, _)| bits | 1 << i)
        };
        (self.written, self.full) = (bits(|word| word.write.is_some()), bits(Word::is_full));
        self.told = [0; TOLD];
    }

    /// Returns whether all its accesses are at or before tick `all`.
    pub(crate) fn over(&self, all: Tick) -> bool {
        self.tick <= all
    }

    /// Adds a weak access. False if it races; what was added of it then makes no difference to what judges it.
    #[inline]
    pub(crate) fn add(&mut self, new: &Stamp) -> bool {
        if new.block != self.block || new.warp >= WARPS || new.is_strided() {
            return false;
        }
        if new.tick != self.tick {
            self.begin(new.tick, new.granule());
        }
        let granule = new.granule();
        if granule < self.shift {
            self.refine(granule);
        }
        let (writes, shift) = (new.class.writes(), self.shift);
        let (from, to) = (new.from >> shift, (new.to - 1) >> shift);
        let who = |index: u8| {
            let lanes = new.lanes_of(index << shift, (index << shift) + 1);
            let (first, second) = two_of(lanes);
            second << 11 | new.warp << 5 | first
        };
        let words = bits(from, to);
        if !writes && self.full & words == words && self.written & words == 0 {
            if self.is_told(new.site, from, to) {
                return true;
            }
            self.tell(new.site, from, to);
        }
        let class = if writes { new.class.wider(granule - shift) } else { new.class };
        let slot = |who: u16| Slot { site: new.site, class, who };
        // Neighbouring words are of neighbouring lanes, or of the same ones.
        if let Some(step) = new.lanes_each(shift).map(|step| step << 11 | step) {
            let each = slot(who(from));
            if self.live & words == 0 {
                return self.fill((from, to), each, (step, writes));
            }
            self.settle(words);
            return if writes {
                self.write_row(from, to, each, step)
            } else {
                self.read_row(from, to, each, step)
            };
        }
        self.settle(words);
        (from..=to).all(|index| self.word(index, slot(who(index)), writes))
    }

    /// Adds the first accesses of words side by side, as below. There is nothing to be compared with.
    fn fill(&mut self, (from, to): (u8, u8), first: Slot, (step, writes): (u16, bool)) -> bool {
        let Some(row) = self.words.get_mut(usize::from(from)..=usize::from(to)) else { return false };
        let mut slot = first;
        for word in row {
            *word = Word::of(slot, writes);
            slot.who = slot.who.wrapping_add(step);
        }
        let words = bits(from, to);
        self.live |= words;
        self.written |= if writes { words } else { 0 };
        true
    }

    /// Adds writes to words side by side, `first` to the first one, and by `step` another thread to each next one.
    fn write_row(&mut self, from: u8, to: u8, first: Slot, step: u16) -> bool {
        if !self.displaced.is_empty() {
            let slot = |i: u16| Slot { who: first.who.wrapping_add(i.wrapping_mul(step)), ..first };
            return (from..=to).zip(0..).all(|(index, i)| self.word(index, slot(i), true));
        }
        let Some(row) = self.words.get_mut(usize::from(from)..=usize::from(to)) else { return false };
        let (mut slot, mut done) = (first, 0);
        for word in row {
            if !word.takes(&slot, true) {
                break;
            }
            *word = Word { write: slot, ..Word::NEW };
            slot.who = slot.who.wrapping_add(step);
            done += 1;
        }
        if done > 0 {
            self.wrote(bits(from, from + (done - 1)));
        }
        done > to - from
    }

    /// As above, reads.
    fn read_row(&mut self, from: u8, to: u8, first: Slot, step: u16) -> bool {
        let Some(row) = self.words.get_mut(usize::from(from)..=usize::from(to)) else { return false };
        let (mut slot, mut full) = (first, 0);
        let mut dropped = SmallVec::<[(u8, Slot); 8]>::new();
        let done = row.iter_mut().zip(from..).all(|(word, index)| {
            if !word.write.ordered(&slot) {
                return false;
            }
            if word.reads[0].who == NOBODY {
                word.reads[0] = slot;
            } else {
                if let Some(old) = word.read(&slot) {
                    dropped.push((index, old));
                }
                if word.is_full() {
                    full |= one(index);
                }
            }
            slot.who = slot.who.wrapping_add(step);
            true
        });
        self.full |= full;
        for (index, old) in dropped {
            if self.displaced.len() >= DISPLACED {
                break;
            }
            self.displace(index, old);
        }
        done
    }

    /// Words have been written; nothing else is left of them.
    #[inline]
    fn wrote(&mut self, words: u128) {
        self.written |= words;
        if self.full & words != 0 {
            // Reads are told of where all words are full.
            self.full &= !words;
            self.told = [0; TOLD];
        }
    }

    /// Adds one lane's weak access to `1 << shift` bytes from `at`, which is aligned to them. False if it has to be added
    /// as a stamp. `tells` says that it would be one otherwise, by which reads of full words are told.
    #[inline(always)]
    pub(crate) fn add_one(&mut self, (at, shift): (u8, u8), new: &Stamp, lane: u32, tells: bool) -> bool {
        let (warp, lane) = (new.warp, lane as u16 & 31);
        let known = (self.block, self.tick, self.shift) == (new.block, new.tick, shift) && warp < WARPS;
        if !known && !self.begins(new, shift) {
            return false;
        }
        let slot = Slot { site: new.site, class: new.class, who: lane << 11 | warp << 5 | lane };
        let (index, writes) = (at >> shift, new.class.writes());
        let Some(kept) = self.words.get_mut(usize::from(index)) else { return false };
        if !bit(self.live, index) {
            let word = one(index);
            *kept = Word::of(slot, writes);
            self.live |= word;
            self.written |= if writes { word } else { 0 };
            return true;
        }
        let [first, second, last] = &mut kept.reads;
        // A thread that comes back to what is its own. The second read is none before the last one is.
        let own = |old: &Slot| old.who == slot.who || old.who == NOBODY;
        if own(&kept.write) && own(first) && second.who == NOBODY {
            if !writes {
                *first = slot;
                return true;
            }
            if kept.write.who == slot.who && self.displaced.is_empty() {
                (kept.write, *first) = (slot, Slot::NONE);
                return true;
            }
        }
        if !writes && last.who != NOBODY && bit(self.full, index) && !bit(self.written, index) {
            if self.is_told(new.site, index, index) {
                return true;
            }
            if tells {
                self.tell(new.site, index, index);
            }
        }
        self.word(index, slot, writes)
    }

    /// Begins a new interval of such words where the access is the first one of it, and returns whether it did.
    #[cold]
    fn begins(&mut self, new: &Stamp, shift: u8) -> bool {
        let begins = new.block == self.block
            && new.warp < WARPS
            && new.tick != self.tick
            && shift <= 4
            && 128 >> shift <= self.words.capacity();
        if begins {
            self.begin(new.tick, shift);
        }
        begins
    }

    #[inline]
    fn word(&mut self, index: u8, slot: Slot, writes: bool) -> bool {
        let Some(word) = self.words.get_mut(usize::from(index)) else { return false };
        if !word.takes(&slot, writes) {
            return false;
        }
        if writes {
            if !self.displaced.is_empty() {
                if self.displaced.iter().any(|(i, s)| *i == index && !s.ordered(&slot)) {
                    return false;
                }
                self.displaced.retain(|(i, _)| *i != index);
            }
            *word = Word { write: slot, ..Word::NEW };
            self.wrote(one(index));
        } else {
            let dropped = word.read(&slot);
            if word.is_full() {
                self.full |= one(index);
            }
            if let Some(dropped) = dropped
                && self.displaced.len() < DISPLACED
            {
                self.displace(index, dropped);
            }
        }
        true
    }

    #[cold]
    fn displace(&mut self, index: u8, dropped: Slot) {
        let kept = self.words[usize::from(index)].reads.iter().any(|s| s.site == dropped.site);
        if !kept && !self.displaced.iter().any(|(i, s)| *i == index && s.site == dropped.site) {
            self.displaced.push((index, dropped));
        }
    }

    /// As entries of cells of sixteen bytes, with the cell's index in the line.
    pub(crate) fn entries(&self, mut entry: impl FnMut(usize, Entry)) {
        let mut one = |index: usize, slot: &Slot, times: usize| {
            let at = index << self.shift;
            let low = at as u32 % 16;
            entry(
                at / 16,
                Entry {
                    block: self.block,
                    tick: self.tick,
                    lanes: slot.lanes(),
                    site: slot.site,
                    warp: slot.warp(),
                    bytes: span(low, low + ((times as u32) << self.shift)),
                    class: if slot.class.writes() { slot.class.width().1 } else { slot.class },
                    chain: 0,
                    place: 0,
                },
            );
        };
        for (index, slot) in &self.displaced {
            one(usize::from(*index), slot, 1);
        }
        for (index, word) in self.live() {
            if word.write.is_some() {
                match self.words_of_write(index, &word.write) {
                    Some(words) if words.start == index => one(index, &word.write, words.len()),
                    Some(_) => {}
                    None => one(index, &word.write, 1),
                }
            }
            for read in word.reads.iter().filter(|read| read.is_some()) {
                one(index, read, 1);
            }
        }
    }

    /// The words of one write that is wider than those, if all of it is left: an atomic of the same thread and bytes goes on
    /// from it, and from none of its parts.
    fn words_of_write(&self, index: usize, write: &Slot) -> Option<Range<usize>> {
        let times = 1usize << write.class.width().0;
        let first = index & !(times - 1);
        let words = self.words.get(first..first + times)?;
        let all = words.iter().zip(first..).all(|(word, i)| word.write == *write && bit(self.live, i as u8));
        all.then_some(first..first + times)
    }

    /// Its words, with their places.
    fn live(&self) -> impl Iterator<Item = (usize, &Word)> {
        self.words.iter().enumerate().filter(|(i, _)| self.live >> i & 1 != 0)
    }

    /// The bytes of its words, a bit each.
    pub(crate) fn touched(&self) -> u128 {
        let each = (1u128 << (1 << self.shift)) - 1;
        let used = |word: &Word| word.slots().next().is_some();
        let words = self.live().filter(|(_, word)| used(word));
        words.fold(0, |all, (i, _)| all | each << (i << self.shift))
    }

    /// Bytes it takes, about.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Interval>()
            + 16
            + self.words.capacity() * size_of::<Word>()
            + self.displaced.capacity() * size_of::<(u8, Slot)>()
    }
}

#[cfg(test)]
mod tests;
