//! The history of a page's words that threads touch one by one.
//!
//! A warp that reads or writes at thirty-two unrelated addresses would leave thirty-two [stamps](crate::ptx::history::line), each
//! in another line. A [`Words`] keeps such accesses in arrays with a place for each four bytes of its page: the last
//! write, and two reads since then, each packed into eight bytes ([`Packing`]). Accesses of eight and sixteen bytes
//! are kept in each of their words.
//!
//! * A write that is ordered with all that was there stands for it.
//! * Where only whole barriers order threads, two reads of two blocks, or else of two threads since the block's last
//!   barrier, stand for all others: whoever races with any of them races with one of the two.
//! * In small launches, where each instruction is told of, they stand for those by the same instruction.
//! * Elsewhere a read stands for those that are ordered before it. A third one that is ordered behind neither goes to the word's
//!   [access set](sets) in large launches, and does not fit in small ones, where each instruction is reported.
//!
//! Where nothing orders threads but whole barriers, relaxed operations on single words are kept, too:
//!
//! * Of a chain of read-modify-writes that all return what they found, the newest. It has observed all others, so
//!   whoever is behind it is behind all (§8.9.5), and who is not races with it, unless they know of a strong read of what
//!   it wrote. Of such reads two are kept; a third one that is not ordered behind them does not fit.
//! * The weak write before them. If the first of them is its own thread's, it has observed that, too; others that are not ordered
//!   behind the write race with it, however strong they are.
//! * Strong reads take the places of reads, but not beside weak ones, which race with more.
//!
//! In large launches where more than barriers orders threads, `red` operations on single words are kept, the newest in the place
//! of the newest atomic and the others in the word's access set, as long as none of them ends a release pattern.
//!
//! What is not surely ordered, does not fit or is smaller than a word splits the line into exact
//! [cells](crate::ptx::history::cell), for good.

pub(in crate::ptx) mod alike;
mod contents;
pub(in crate::ptx) mod lines;
mod observers;
pub(in crate::ptx) mod packing;
pub(in crate::ptx) mod rows;
mod sets;
pub(in crate::ptx) mod summary;
pub(in crate::ptx) mod witnesses;

use crate::ptx::access::entry::is_merged;
use crate::ptx::access::touches::lanes;
use crate::ptx::history::stamp::Stamp;
use crate::ptx::history::stamps::Stamps;
use crate::ptx::history::words::packing::{Accessor, Kind, Kinds, Packed, Packing, Stand, strong};
use crate::ptx::history::words::witnesses::two_that_stand;
use crate::ptx::order::knowledge::WarpState;
use crate::shadow::{LEN as WORDS, Room};
use events::is_one_lane;
use smallvec::SmallVec;
use std::sync::Arc;

pub(crate) type Array = Option<Room>;
/// Words of a line.
pub(crate) const LINE: usize = 32;
/// Bytes of one array.
pub(crate) const ROOM: usize = WORDS * size_of::<Packed>();

/// Accesses of a page's words.
#[derive(Debug)]
pub(crate) struct Words {
    pub(crate) packing: Arc<Packing>,
    pub(crate) writes: Array,
    pub(crate) reads: Array,
    /// The second reads, if there are two.
    pub(crate) others: Array,
    /// The newest atomics, behind the writes.
    pub(crate) atomics: Array,
    /// The first strong reads of what those wrote, and the second ones, where [that is said](observers) of them.
    pub(crate) seen: Array,
    pub(crate) second: Array,
    /// Reads beyond two. The second read of their word is marked.
    more_reads: sets::Sets,
    /// `red` operations beyond the newest.
    more_reds: sets::Sets,
    /// The lines that may have something, a bit each.
    pub(crate) lines: u32,
}

/// The accesses in a word's slots; 0 stands for none.
#[derive(Clone, Copy)]
struct Slots {
    write: Packed,
    read: Packed,
    other: Packed,
    atomic: Packed,
}

pub(crate) fn at(array: &Array, word: usize) -> Packed {
    array.as_ref().map_or(0, |a| a[word % WORDS])
}

#[inline(always)]
fn put(array: &mut Array, word: usize, packed: Packed, (packing, grown): (&Packing, &mut usize)) {
    match array {
        Some(array) => array[word % WORDS] = packed,
        None => first(array, packing, grown)[word % WORDS] = packed,
    }
}

#[cold]
pub(crate) fn first<'a>(array: &'a mut Array, packing: &Packing, grown: &mut usize) -> &'a mut Room {
    *grown += ROOM;
    array.insert(packing.room())
}

#[inline(always)]
fn clear(array: &mut Array, word: usize) {
    if let Some(array) = array {
        array[word % WORDS] = 0;
    }
}

impl Words {
    /// Returns words that keep no line yet.
    pub(crate) fn new(packing: Arc<Packing>) -> Self {
        let [writes, reads, others, atomics, seen, second] = [const { None }; 6];
        let [more_reads, more_reds] = [const { None }; 2];
        Words { packing, writes, reads, others, atomics, seen, second, more_reads, more_reds, lines: 0 }
    }

    /// Adds one lane's access to `words` words from `word` on. False if it is not surely ordered, or does not fit; then
    /// nothing has happened.
    #[inline]
    pub(crate) fn one(
        &mut self,
        (word, words): (usize, usize),
        new: Packed,
        by: &Accessor<'_>,
        grown: &mut usize,
    ) -> bool {
        if words == 1 {
            return self.single(word, new, by, grown);
        }
        let range = word..word + words;
        if !range.clone().all(|word| self.takes(word, self.slots(word), new, by)) {
            return false;
        }
        for word in range {
            self.add(word, self.slots(word), new, by, grown);
        }
        true
    }

    /// As [`Words::one`], of one word.
    #[inline(always)]
    fn single(&mut self, word: usize, new: Packed, by: &Accessor<'_>, grown: &mut usize) -> bool {
        let slots = self.slots(word);
        let takes = self.takes(word, slots, new, by);
        if takes {
            self.add(word, slots, new, by, grown);
        }
        takes
    }

    /// As [`Words::one`] for neighbouring lanes, `new` for the first of them. Returns how many could be added.
    pub(crate) fn row(
        &mut self,
        (word, words): (usize, usize),
        new: Packed,
        by: &Accessor<'_>,
        grown: &mut usize,
    ) -> usize {
        if self.whole((word, words), new, by, grown) {
            return words;
        }
        let each = (word..word + words).zip(new..);
        each.take_while(|&(word, new)| self.single(word, new, by, grown)).count()
    }

    #[inline(always)]
    fn slots(&self, word: usize) -> Slots {
        let read = at(&self.reads, word);
        let other = if read == 0 { 0 } else { at(&self.others, word) };
        Slots { write: at(&self.writes, word), read, other, atomic: at(&self.atomics, word) }
    }

    /// Returns whether `new` is ordered behind what the word keeps, or need not be, and there is room for it.
    #[inline(always)]
    fn takes(&self, word: usize, slots: Slots, new: Packed, by: &Accessor<'_>) -> bool {
        let Slots { write, read, other, atomic } = slots;
        if !by.after_write(write, new) || atomic != 0 && !self.observed(word, atomic, new, by) {
            return false;
        }
        let behind_reads =
            || read == 0 || by.after(read, new) && self.are_others_before(word, other, new, by);
        match (by.strong, by.writes) {
            (true, true) => (strong(read) || behind_reads()) && by.behind_own(write, atomic, new).is_some(),
            (false, true) => behind_reads(),
            (_, false) => {
                let room = || by.each && other != 0 || two_that_stand(read, other, new, by).is_some();
                read == 0 || by.strong == strong(read) && (read == new || room())
            }
        }
    }

    /// Returns whether `new` is behind all atomics, or need not be and there is room to record what it observes.
    fn observed(&self, word: usize, atomic: Packed, new: Packed, by: &Accessor<'_>) -> bool {
        if by.strong && by.writes {
            return true;
        }
        if !self.are_reds_before(word, new, by) {
            return false;
        }
        if by.after_write(atomic, new) {
            return true;
        }
        !by.fetches && self.learns(word, atomic, new, by) || by.strong && self.may_observe(word, atomic)
    }

    /// Records an access that [the word takes](Words::takes): it replaces those for which it stands.
    #[inline(always)]
    fn add(&mut self, word: usize, slots: Slots, new: Packed, by: &Accessor<'_>, grown: &mut usize) {
        let Slots { read, other, atomic, .. } = slots;
        match (by.strong, by.writes) {
            (true, true) if by.each => self.add_red(word, new, by, grown),
            (true, true) => self.read_modify_write(word, slots, new, by, grown),
            (false, true) => {
                put(&mut self.writes, word, new, (&self.packing, grown));
                if read != 0 {
                    self.forget_reads(word, other);
                }
                if atomic != 0 {
                    self.forget_atomics(word);
                }
            }
            (_, false) => {
                if by.strong && atomic != 0 && !by.after(atomic, new) && !self.learns(word, atomic, new, by) {
                    self.observe(word, new, grown);
                }
                self.read(word, slots, new, by, grown);
            }
        }
    }

    #[inline(always)]
    fn read_modify_write(
        &mut self,
        word: usize,
        slots: Slots,
        new: Packed,
        by: &Accessor<'_>,
        grown: &mut usize,
    ) {
        let begun = by.behind_own(slots.write, slots.atomic, new);
        if let Some(begun) = begun.filter(|&begun| begun != slots.write) {
            put(&mut self.writes, word, begun, (&self.packing, grown));
        }
        put(&mut self.atomics, word, new, (&self.packing, grown));
    }

    #[inline(always)]
    fn read(&mut self, word: usize, slots: Slots, new: Packed, by: &Accessor<'_>, grown: &mut usize) {
        let Slots { read, other, .. } = slots;
        if read == 0 {
            put(&mut self.reads, word, new, (&self.packing, grown));
        } else if read != new && by.each && other != 0 {
            self.another_of_each(word, read, other, new, by, grown);
        } else if read != new
            && let Some((one, two)) = two_that_stand(read, other, new, by)
        {
            if one != read {
                put(&mut self.reads, word, one, (&self.packing, grown));
            }
            if two != other {
                put(&mut self.others, word, two, (&self.packing, grown));
            }
        }
    }

    /// Adds a weak access of neighbouring lanes to line `line`. False as above.
    pub(crate) fn stamp(&mut self, line: usize, stamp: &Stamp, by: &Accessor<'_>, grown: &mut usize) -> bool {
        if stamp.lanes_each(2) == Some(1) && (stamp.from | stamp.to).is_multiple_of(4) {
            let first = stamp.lanes_of(stamp.from, stamp.from + 4).trailing_zeros();
            let row = (line * LINE + usize::from(stamp.from / 4), usize::from((stamp.to - stamp.from) / 4));
            if self.whole(row, by.of_lane(first), by, grown) {
                return true;
            }
        }
        let two = stamp.of_two();
        let stamp = if self.two_stand_for_all(line, stamp, by) { &two } else { stamp };
        // Elsewhere whether there is room for one lane depends on those before it.
        let several = !by.simple && stamp.lanes_of(stamp.from, stamp.from + 1).count_ones() > 1;
        let room = |word| !several || stamp.lanes.count_ones() == 2 && at(&self.reads, word) == 0;
        if stamp.granule() < 2
            || !each(stamp, line, by)
                .all(|(word, new)| self.takes(word, self.slots(word), new, by) && room(word))
        {
            return false;
        }
        for (word, new) in each(stamp, line, by) {
            self.add(word, self.slots(word), new, by, grown);
        }
        true
    }

    /// Takes over a line's stamps, oldest first. False if it cannot; then nothing has happened. `aligned` says that ticks
    /// begin at whole barriers only.
    pub(crate) fn take(
        &mut self,
        line: usize,
        stamps: &Stamps,
        (simple, aligned): (bool, bool),
        kinds: &mut Kinds,
        grown: &mut usize,
    ) -> bool {
        let packing = Arc::clone(&self.packing);
        let apart = |a: &Stamp, b: &Stamp| a.block == b.block && a.tick != b.tick;
        if simple && !aligned && stamps.iter().any(|a| stamps.iter().any(|b| apart(a, b))) {
            return false;
        }
        let mut state = WarpState::new(0);
        let mut numbers = SmallVec::<[u16; 16]>::new();
        for stamp in stamps {
            let shift = stamp.size().trailing_zeros() as u8;
            let one = simple || is_one_lane(stamp.lanes_of(stamp.from, stamp.from + 1));
            if !one || stamp.granule() < 2 || is_merged(stamp.warp) {
                return false;
            }
            let kind = Kind::new(stamp.site, stamp.class, shift);
            let Some(kind) = kinds.number(&packing, kind) else { return false };
            if packing.pack(stamp.at(), stamp.tick, kind).is_none() {
                return false;
            }
            numbers.push(kind);
        }
        // Elsewhere reads whose order is no longer known may be too many.
        if !simple && !stamps.iter().all(|stamp| few_reads(stamps, stamp)) {
            return false;
        }
        for (stamp, &kind) in stamps.iter().zip(&numbers) {
            // An access of an earlier tick of a block is behind a barrier then.
            state.all = if simple { stamp.tick.saturating_sub(1) } else { 0 };
            let by = (stamp.at(), stamp.tick);
            let stand = if simple { Stand::All } else { Stand::Earlier };
            let Some(by) = Accessor::new(&packing, by, (kind, stamp.class), &state, stand) else { continue };
            for (word, new) in each(stamp, line, &by) {
                self.add(word, self.slots(word), new, &by, grown);
            }
        }
        true
    }

    /// Forgets all of a line.
    pub(crate) fn forget(&mut self, line: usize) {
        let Words { writes, reads, others, atomics, seen, second, .. } = self;
        for array in [writes, reads, others, atomics, seen, second].into_iter().flatten() {
            array[line * LINE..(line + 1) * LINE].fill(0);
        }
        let words = line * LINE..(line + 1) * LINE;
        sets::forget_words(&mut self.more_reads, &words);
        sets::forget_words(&mut self.more_reds, &words);
    }
}

/// Returns whether none of a stamp's words has more than two reads.
fn few_reads(stamps: &Stamps, stamp: &Stamp) -> bool {
    let mut reads = [0u8; LINE];
    for other in stamps.iter().filter(|s| !s.class.writes() && s.from < stamp.to && stamp.from < s.to) {
        for word in &mut reads[usize::from(other.from / 4)..usize::from(other.to / 4)] {
            *word += 1;
        }
    }
    reads.iter().all(|&n| n <= 2)
}

/// The words of line `line` that a stamp touches, each with every lane that does.
fn each(stamp: &Stamp, line: usize, by: &Accessor<'_>) -> impl Iterator<Item = (usize, Packed)> {
    let words = stamp.from / 4..stamp.to / 4;
    words.flat_map(move |word| {
        let lanes = lanes(stamp.lanes_of(word * 4, word * 4 + 4));
        lanes.map(move |lane| (line * LINE + usize::from(word), by.of_lane(lane as u32)))
    })
}
