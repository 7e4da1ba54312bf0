//! Access sets: the accesses of a word for which its slots have no room.
//!
//! This is FastTrack's adaptive read set. Where threads learn of each other by more than barriers, no two reads stand for a third one
//! that is not ordered behind either of them. A word keeps two reads inline and the others here. The same holds for `red`
//! operations, which do not observe what they add to: the newest is inline, the others are here.
//!
//! A set keeps each thread's last access. Beyond [`CROWDED`] of them it keeps, for each block, the newest accesses of two warps
//! exactly and one that is [merged](crate::ptx::access::entry::merged) and stands for the rest, as [`Crowd`](crate::ptx::history::cell::merging::Crowd) does.

use super::{Words, at, clear, put};
use crate::ptx::history::words::packing::{Accessor, Packed, Packing, is_observed, kind_number, observed};
use crate::ptx::history::words::witnesses::newest_of;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Accesses of a set beyond which those of each block are merged.
const CROWDED: usize = 24;

/// The accesses of one block, once they are merged; 0 for none.
#[derive(Clone, Copy, Debug, Default)]
struct OfBlock {
    newest: Packed,
    other: Packed,
    /// Stands for all others, with the highest of their ticks.
    rest: Packed,
}

/// Accesses of one word that conflict with none of each other.
#[derive(Debug, Default)]
pub(crate) struct AccessSet {
    few: SmallVec<[Packed; 4]>,
    /// Sorted by block: blocks run in order as a rule, and new ones come last.
    blocks: Vec<(u32, OfBlock)>,
}

/// The sets of a page, by word.
pub(crate) type Sets = Option<Box<FxHashMap<u16, AccessSet>>>;

impl OfBlock {
    fn add(&mut self, new: Packed, packing: &Packing) {
        let (warp, thread) = (|p| packing.thread(p).1 / 32, |p| packing.thread(p).1);
        let dropped = if self.newest == 0 || thread(self.newest) == thread(new) {
            self.newest = new;
            0
        } else if self.other == 0 && warp(new) != warp(self.newest)
            || self.other != 0 && thread(self.other) == thread(new)
        {
            self.other = new;
            0
        } else if warp(new) == warp(self.newest) {
            std::mem::replace(&mut self.newest, new)
        } else {
            std::mem::replace(&mut self.other, new)
        };
        if self.other != 0 && packing.tick(self.other) > packing.tick(self.newest) {
            std::mem::swap(&mut self.newest, &mut self.other);
        }
        if dropped != 0 {
            self.rest = packing.later_of(dropped, self.rest);
        }
    }
}

impl AccessSet {
    /// The accesses of a block.
    fn block(&mut self, block: u32) -> &mut OfBlock {
        let last = self.blocks.last().map(|last| last.0);
        let at = match last {
            Some(last) if last == block => self.blocks.len() - 1,
            Some(last) if last > block => self.blocks.partition_point(|of| of.0 < block),
            _ => self.blocks.len(),
        };
        if self.blocks.get(at).is_none_or(|of| of.0 != block) {
            self.blocks.insert(at, (block, OfBlock::default()));
        }
        &mut self.blocks[at].1
    }

    fn add(&mut self, new: Packed, by: &Accessor<'_>) {
        let packing = by.packing();
        if !self.blocks.is_empty() {
            self.block(packing.thread(new).0).add(new, packing);
            return;
        }
        if let Some(own) = self.few.iter_mut().find(|old| by.same_thread(**old, new)) {
            *own = new;
            return;
        }
        self.few.push(new);
        if self.few.len() > CROWDED {
            for old in std::mem::take(&mut self.few) {
                self.block(packing.thread(old).0).add(old, packing);
            }
        }
    }

    /// Returns whether all of them are ordered before `new`.
    fn is_before(&self, new: Packed, by: &Accessor<'_>) -> bool {
        let block = |(_, b): &(u32, OfBlock)| {
            by.after(b.newest, new) && by.after(b.other, new) && by.after_all(b.rest, new)
        };
        self.few.iter().all(|&old| by.after(old, new)) && self.blocks.iter().all(block)
    }

    /// Calls `access` with each access, and whether it is merged.
    fn each(&self, mut access: impl FnMut(Packed, bool)) {
        self.few.iter().for_each(|&packed| access(packed, false));
        for (_, of) in &self.blocks {
            for (packed, merged) in [(of.newest, false), (of.other, false), (of.rest, true)] {
                if packed != 0 {
                    access(packed, merged);
                }
            }
        }
    }

    fn bytes(&self) -> usize {
        let few = if self.few.spilled() { self.few.capacity() * size_of::<Packed>() } else { 0 };
        size_of::<AccessSet>() + few + self.blocks.capacity() * size_of::<(u32, OfBlock)>()
    }
}

/// Adds an access to the set of a word, which begins with it if there is none.
pub(super) fn add(sets: &mut Sets, word: usize, new: Packed, by: &Accessor<'_>, grown: &mut usize) {
    let set = sets.get_or_insert_default().entry(word as u16).or_insert_with(|| {
        *grown += size_of::<AccessSet>() + 4;
        AccessSet::default()
    });
    let before = set.bytes();
    set.add(new, by);
    *grown += set.bytes().saturating_sub(before);
}

/// Returns whether all that a word's set keeps is ordered before `new`.
pub(super) fn is_before(sets: &Sets, word: usize, new: Packed, by: &Accessor<'_>) -> bool {
    let set = sets.as_ref().and_then(|sets| sets.get(&(word as u16)));
    set.is_none_or(|set| set.is_before(new, by))
}

/// Forgets the set of a word.
#[inline(always)]
pub(super) fn forget(sets: &mut Sets, word: usize) {
    if let Some(sets) = sets {
        sets.remove(&(word as u16));
    }
}

/// Forgets the sets of some words.
pub(super) fn forget_words(sets: &mut Sets, words: &std::ops::Range<usize>) {
    if let Some(sets) = sets {
        sets.retain(|&word, _| !words.contains(&usize::from(word)));
    }
}

/// Bytes of a page's sets.
pub(super) fn bytes(sets: &Sets) -> usize {
    sets.iter().flat_map(|sets| sets.values()).map(|set| set.bytes() + 4).sum()
}

/// Calls `access` with each access of the sets of some words, in the order of the words.
pub(super) fn each(sets: &Sets, words: &std::ops::Range<usize>, mut access: impl FnMut(usize, Packed, bool)) {
    let Some(sets) = sets else { return };
    let mut within: Vec<_> = sets.iter().filter(|(word, _)| words.contains(&usize::from(**word))).collect();
    within.sort_unstable_by_key(|(word, _)| **word);
    for (word, set) in within {
        let mut all = SmallVec::<[(Packed, bool); 8]>::new();
        set.each(|packed, merged| all.push((packed, merged)));
        all.sort_unstable();
        all.into_iter().for_each(|(packed, merged)| access(usize::from(*word), packed, merged));
    }
}

impl Words {
    /// Returns whether the second read of a word, and those of its access set, are ordered before `new`.
    #[inline(always)]
    pub(super) fn are_others_before(
        &self,
        word: usize,
        other: Packed,
        new: Packed,
        by: &Accessor<'_>,
    ) -> bool {
        by.after(other, new)
            && (other == 0 || !is_observed(other) || is_before(&self.more_reads, word, new, by))
    }

    /// Forgets the reads of a word, the second of which is `other`.
    #[inline(always)]
    pub(super) fn forget_reads(&mut self, word: usize, other: Packed) {
        clear(&mut self.reads, word);
        clear(&mut self.others, word);
        if is_observed(other) {
            forget(&mut self.more_reads, word);
        }
    }

    /// Forgets the atomics of a word.
    #[inline(always)]
    pub(super) fn forget_atomics(&mut self, word: usize) {
        clear(&mut self.atomics, word);
        forget(&mut self.more_reds, word);
    }

    /// Adds a read to a word that has two, where each read that no other one is ordered behind is kept.
    pub(super) fn another_of_each(
        &mut self,
        word: usize,
        read: Packed,
        other: Packed,
        new: Packed,
        by: &Accessor<'_>,
        grown: &mut usize,
    ) {
        if is_observed(other) {
            if by.same_thread(read, new) {
                put(&mut self.reads, word, new, (&self.packing, grown));
            } else if by.same_thread(other, new) {
                put(&mut self.others, word, observed(new), (&self.packing, grown));
            } else {
                add(&mut self.more_reads, word, new, by, grown);
            }
        } else if by.after(read, new) || by.after(other, new) {
            let (one, two) = newest_of(read, other, new, by);
            put(&mut self.reads, word, one, (&self.packing, grown));
            put(&mut self.others, word, two, (&self.packing, grown));
        } else {
            put(&mut self.others, word, observed(other), (&self.packing, grown));
            add(&mut self.more_reads, word, new, by, grown);
        }
    }

    /// Returns whether the `red` operations beyond the newest are ordered before `new`.
    #[inline]
    pub(super) fn are_reds_before(&self, word: usize, new: Packed, by: &Accessor<'_>) -> bool {
        !by.each || is_before(&self.more_reds, word, new, by)
    }

    /// Adds a `red`, where no other atomics are kept.
    pub(super) fn add_red(&mut self, word: usize, new: Packed, by: &Accessor<'_>, grown: &mut usize) {
        let newest = at(&self.atomics, word);
        if newest != 0 && !by.same_thread(newest, new) {
            add(&mut self.more_reds, word, newest, by, grown);
        }
        self.read_modify_write(word, self.slots(word), new, by, grown);
    }

    /// Returns whether a word keeps more accesses than its slots hold.
    pub(in crate::ptx) fn has_sets(&self) -> bool {
        self.more_reads.is_some() || self.more_reds.is_some()
    }

    /// Bytes of the access sets.
    pub(in crate::ptx) fn bytes_of_sets(&self) -> usize {
        bytes(&self.more_reads) + bytes(&self.more_reds)
    }

    /// Calls `access` with one access of each word and kind of the sets: that of the first thread.
    pub(in crate::ptx) fn set_witnesses(&self, mut access: impl FnMut(usize, Packed)) {
        let all = 0..crate::shadow::LEN;
        for sets in [&self.more_reads, &self.more_reds] {
            let mut last: (usize, SmallVec<[Packed; 4]>) = (usize::MAX, SmallVec::new());
            let mut end = |(word, firsts): &(usize, SmallVec<[Packed; 4]>)| {
                firsts.iter().for_each(|&packed| access(*word, packed));
            };
            each(sets, &all, |word, packed, _| {
                if last.0 != word {
                    end(&last);
                    last = (word, SmallVec::new());
                }
                let (kind, thread) = (kind_number(packed), |p| self.packing.thread(p));
                match last.1.iter_mut().find(|first| kind_number(**first) == kind) {
                    Some(first) if thread(*first) <= thread(packed) => {}
                    Some(first) => *first = packed,
                    None => last.1.push(packed),
                }
            });
            end(&last);
        }
    }
}
