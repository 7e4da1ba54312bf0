//! Rows of words whose histories are alike, judged together.
//!
//! Neighbouring lanes that access neighbouring words mostly find what other warps have left there in the same way. What
//! [`Words::single`](crate::ptx::history::words) does then is the same for all words, so it is found out for the first one.

use crate::ptx::history::words::packing::{Accessor, Behind, Packed, Packing, has_threads, strong};
use crate::ptx::history::words::witnesses::two_of;
use crate::ptx::history::words::{Array, Words, at, first};
use crate::shadow::LEN as WORDS;
use std::ops::Range;

/// Words of a row that is worth a look.
const LEAST: usize = 8;

/// The accesses of one kind that a row's words have.
#[derive(Clone, Copy)]
struct Survey {
    /// How many have nothing, what is ordered before the new access, and the very access.
    none: u64,
    after: u64,
    equal: u64,
    /// Bits in which any differs from the first one.
    apart: Packed,
    words: u64,
}

impl Survey {
    #[inline]
    fn of(array: &Array, range: &Range<usize>, new: Packed, by: &Accessor<'_>) -> Survey {
        let words = range.len() as u64;
        let Some(row) = array.as_ref().and_then(|array| array.get(range.clone())) else {
            return Survey { none: words, after: words, equal: 0, apart: 0, words };
        };
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has what the function is compiled for.
            return unsafe { with_avx2(row, new, by.behind()) };
        }
        survey(row, new, by.behind())
    }

    /// Returns whether the new access is behind all of them.
    fn is_after(&self) -> bool {
        self.after == self.words
    }

    /// Returns whether the words differ in nothing but the threads of their accesses.
    fn is_even(&self, by: &Accessor<'_>) -> bool {
        let even = |count: u64| count == 0 || count == self.words;
        let alike = by.block_of(self.apart) == 0 && !strong(self.apart);
        alike && [self.none, self.after, self.equal].into_iter().all(even)
    }
}

/// As [`survey`], in vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(row: &[Packed], new: Packed, behind: Behind) -> Survey {
    survey(row, new, behind)
}

/// Without branches, so that it is done for several words at a time.
#[inline(always)]
fn survey(row: &[Packed], new: Packed, behind: Behind) -> Survey {
    let mut sum = Survey { none: 0, after: 0, equal: 0, apart: 0, words: row.len() as u64 };
    let head = row.first().copied().unwrap_or_default();
    for (&old, new) in row.iter().zip(new..) {
        sum.none += u64::from(old == 0);
        sum.after += u64::from((old == 0) | behind.covers(old, new));
        sum.equal += u64::from(old == new);
        sum.apart |= old ^ head;
    }
    sum
}

impl Words {
    /// Adds the accesses of `words` neighbouring lanes, `new` of the first one, to a word each. False if each has to be judged
    /// by itself; then nothing has happened.
    #[inline]
    pub(crate) fn whole(
        &mut self,
        (word, words): (usize, usize),
        new: Packed,
        by: &Accessor<'_>,
        grown: &mut usize,
    ) -> bool {
        let range = word..word + words;
        if words < LEAST || range.end > WORDS || self.atomics.is_some() || !by.simple {
            return false;
        }
        if let Some(done) = self.image(&range, new, by, grown) {
            return done;
        }
        let survey = |array: &Array| Survey::of(array, &range, new, by);
        let writes = survey(&self.writes);
        if !writes.is_after() || by.fetches && writes.none < words as u64 {
            return false;
        }
        let (reads, all) = (survey(&self.reads), words as u64);
        if by.writes {
            if by.strong || !reads.is_after() || reads.none < all && !survey(&self.others).is_after() {
                return false;
            }
            fill(&mut self.writes, &range, new, (&self.packing, grown));
            if reads.none < all {
                wipe(&mut self.reads, &range);
                wipe(&mut self.others, &range);
            }
            return true;
        }
        if reads.none == all {
            fill(&mut self.reads, &range, new, (&self.packing, grown));
            return true;
        }
        let (read, other) = (at(&self.reads, word), at(&self.others, word));
        if strong(read) != by.strong || !reads.is_even(by) || reads.equal == all {
            return strong(read) == by.strong && reads.is_even(by);
        }
        if read == other || !survey(&self.others).is_even(by) {
            return false;
        }
        let (one, two) = two_of(read, other, new, by.behind());
        if two == new || two == read {
            fill(&mut self.others, &range, new, (&self.packing, grown));
            if two == read
                && let (Some(reads), Some(others)) = (&self.reads, &mut self.others)
            {
                others[range.clone()].copy_from_slice(&reads[range.clone()]);
            }
        } else if two != other {
            wipe(&mut self.others, &range);
        }
        if one == new {
            fill(&mut self.reads, &range, new, (&self.packing, grown));
        }
        true
    }
}

impl Words {
    /// As [`Words::whole`], of words that other warps have left as this one will: one thread after the other, so that the first
    /// tells all. `None` if they are otherwise.
    fn image(
        &mut self,
        range: &Range<usize>,
        new: Packed,
        by: &Accessor<'_>,
        grown: &mut usize,
    ) -> Option<bool> {
        let (write, read) = (image(&self.writes, range)?, image(&self.reads, range)?);
        let other = if read == 0 { 0 } else { image(&self.others, range)? };
        if !by.after_write(write, new) {
            return Some(false);
        }
        let packing = &self.packing;
        if by.writes {
            if by.strong || !by.after(read, new) || !by.after(other, new) {
                return Some(false);
            }
            fill(&mut self.writes, range, new, (packing, grown));
            if read != 0 {
                wipe(&mut self.reads, range);
                wipe(&mut self.others, range);
            }
            return Some(true);
        }
        if read == 0 {
            fill(&mut self.reads, range, new, (packing, grown));
            return Some(true);
        }
        if strong(read) != by.strong {
            return Some(false);
        }
        if read != new {
            let (one, two) = two_of(read, other, new, by.behind());
            if one != read {
                fill(&mut self.reads, range, one, (packing, grown));
            }
            if two == 0 {
                wipe(&mut self.others, range);
            } else if two != other {
                fill(&mut self.others, range, two, (packing, grown));
            }
        }
        Some(true)
    }
}

/// Returns the access of the first word of a row, if each other one has that of the next thread, or none has
/// anything. A row that goes beyond the threads of a block is none.
#[inline]
fn image(array: &Array, range: &Range<usize>) -> Option<Packed> {
    let Some(row) = array.as_ref().and_then(|array| array.get(range.clone())) else { return Some(0) };
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { image_with_avx2(row) };
    }
    image_of(row)
}

/// As [`image_of`], in vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn image_with_avx2(row: &[Packed]) -> Option<Packed> {
    image_of(row)
}

#[inline(always)]
fn image_of(row: &[Packed]) -> Option<Packed> {
    let head = *row.first()?;
    let step = u64::from(head != 0);
    let mut apart = 0;
    for (i, &old) in (0..).zip(row) {
        apart |= old ^ (head + i * step);
    }
    (apart == 0 && has_threads(head, row.len())).then_some(head)
}

/// One array's words are of `new` and the next threads.
fn fill(array: &mut Array, range: &Range<usize>, new: Packed, (packing, grown): (&Packing, &mut usize)) {
    let room = match array {
        Some(room) => room,
        None => first(array, packing, grown),
    };
    room[range.clone()].iter_mut().zip(new..).for_each(|(word, new)| *word = new);
}

fn wipe(array: &mut Array, range: &Range<usize>) {
    if let Some(array) = array {
        array[range.clone()].fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::access::class::AccessClass;
    use crate::ptx::history::words::packing::{Kind, Stand};
    use crate::ptx::order::knowledge::WarpState;
    use clocks::compressed::WarpIndex;
    use events::{AccessKind, SiteId, Strength};
    use std::sync::Arc;

    /// Warps of several blocks that read the same row, in any order, and then write it behind a barrier: all are judged
    /// together, and leave what they leave word by word (`rows` compares the two for random accesses).
    #[test]
    fn rows_that_are_read_alike_are_judged_together() {
        let packing = Arc::new(Packing::new(4, &Arc::default()).unwrap());
        let mut words = Words::of_a_page(&packing);
        let mut access = |block, warp, tick, all, kind| {
            let class = AccessClass::with(kind, Strength::Weak);
            let number = packing.number(Kind::new(SiteId(1), class, 2)).unwrap();
            let mut state = WarpState::new(u32::MAX);
            (state.tick, state.all) = (tick, all);
            let by = Accessor::new(
                &packing,
                (WarpIndex { block, warp }, tick),
                (number, class),
                &state,
                Stand::All,
            )
            .unwrap();
            words.whole((64, 32), by.of_lane(0), &by, &mut 0)
        };
        for (block, warp) in [(1, 0), (1, 1), (1, 2), (3, 0), (2, 5), (0, 1), (0, 1), (3, 3), (0, 2)] {
            assert!(access(block, warp, 1, 0, AccessKind::Read), "{block} {warp}");
        }
        assert!(!access(0, 0, 2, 1, AccessKind::Write), "the other blocks have read it");
        assert!(!access(0, 0, 1, 0, AccessKind::Write));
    }
}
