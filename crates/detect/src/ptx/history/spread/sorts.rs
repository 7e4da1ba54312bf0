//! The sorts of accesses that are added many lanes at a time, and what is easy for each.

use super::{ATOMICS, OTHERS, READS, SEEN, Sort, WRITES};
use crate::ptx::history::words::packing::{Behind, Packed, beside, is_observed, observed, strong};
use crate::ptx::history::words::witnesses::two_of;
use crate::shadow::Places;
use std::marker::PhantomData;

/// Weak writes, to words without history.
pub(super) struct Writes;

impl Sort for Writes {
    const FIRST: bool = true;
    const ARRAYS: &[usize] = &[WRITES];

    #[inline(always)]
    fn easy(kept: &mut Places, word: usize, new: Packed, _: Behind) -> bool {
        alone::<WRITES>(kept, word, new)
    }
}

/// Weak writes of lanes that are at words of their own, which stand for all that is ordered before them.
pub(super) struct LaterWrites;

impl Sort for LaterWrites {
    const FIRST: bool = true;
    const ARRAYS: &[usize] = &[WRITES];

    #[inline(always)]
    fn easy(kept: &mut Places, word: usize, new: Packed, behind: Behind) -> bool {
        let after = |old| behind.after(old, new);
        let read = kept.get::<READS>(word);
        if kept.has::<ATOMICS>() || !after(kept.get::<WRITES>(word)) || !after(read) {
            return false;
        }
        if read != 0 {
            let other = kept.get::<OTHERS>(word);
            if !after(other) || is_observed(other) || !kept.has::<WRITES>() {
                return false;
            }
            kept.set::<READS>(word, 0);
            if other != 0 {
                kept.set::<OTHERS>(word, 0);
            }
        }
        put::<WRITES>(kept, word, new)
    }
}

/// Weak reads where nothing but barriers orders threads: the first ones behind a write, or beside others.
pub(super) struct Reads;

impl Sort for Reads {
    const FIRST: bool = true;
    const ARRAYS: &[usize] = &[READS, OTHERS];

    #[inline(always)]
    fn easy(kept: &mut Places, word: usize, new: Packed, behind: Behind) -> bool {
        let (write, read) = (kept.get::<WRITES>(word), kept.get::<READS>(word));
        if kept.has::<ATOMICS>() || write != 0 && !behind.covers(write, new) {
            return false;
        }
        match read {
            0 => put::<READS>(kept, word, new),
            _ => !strong(read) && another(kept, word, (read, new), behind),
        }
    }
}

/// The same in small launches, where two reads stand for those by the same instruction.
pub(super) struct AlikeReads;

impl Sort for AlikeReads {
    const FIRST: bool = true;
    const ARRAYS: &[usize] = &[READS];

    #[inline(always)]
    fn easy(kept: &mut Places, word: usize, new: Packed, behind: Behind) -> bool {
        let after = |old| behind.after(old, new);
        let read = kept.get::<READS>(word);
        if kept.has::<ATOMICS>() || !after(kept.get::<WRITES>(word)) || strong(read) {
            return false;
        }
        if read == new {
            return true;
        }
        if read == 0 {
            return put::<READS>(kept, word, new);
        }
        // It stands for the ones before it. Of others there may be no room for it.
        let other = kept.get::<OTHERS>(word);
        let easy = after(read) && after(other);
        if easy {
            kept.set::<READS>(word, new);
            if other != 0 {
                kept.set::<OTHERS>(word, 0);
            }
        }
        easy
    }
}

/// Reads that no order lets follow a write: see [`AccessClass::fetches`](crate::ptx::access::class::AccessClass::fetches).
pub(super) struct Fetches<S>(PhantomData<S>);

impl<S: Sort> Sort for Fetches<S> {
    const FIRST: bool = S::FIRST;
    const ARRAYS: &[usize] = S::ARRAYS;

    #[inline(always)]
    fn easy(kept: &mut Places, word: usize, new: Packed, behind: Behind) -> bool {
        kept.get::<WRITES>(word) == 0 && S::easy(kept, word, new, behind)
    }
}

/// Weak reads elsewhere, to words without history.
pub(super) struct FirstReads;

impl Sort for FirstReads {
    const FIRST: bool = true;
    const ARRAYS: &[usize] = &[READS];

    #[inline(always)]
    fn easy(kept: &mut Places, word: usize, new: Packed, _: Behind) -> bool {
        alone::<READS>(kept, word, new)
    }
}

/// Relaxed read-modify-writes, of words that have such ones and strong reads, and perhaps a weak write behind a barrier.
pub(super) struct Atomics;

impl Sort for Atomics {
    const FIRST: bool = false;
    const ARRAYS: &[usize] = &[ATOMICS, READS];

    #[inline(always)]
    fn easy(kept: &mut Places, word: usize, new: Packed, behind: Behind) -> bool {
        let (write, read) = (kept.get::<WRITES>(word), kept.get::<READS>(word));
        // The first one behind a weak write may be its own thread's.
        let later = || kept.get::<ATOMICS>(word) != 0 && behind.covers_for_all(write);
        if write != 0 && !later() || read != 0 && !strong(read) || !kept.has::<ATOMICS>() {
            return false;
        }
        kept.set::<ATOMICS>(word, new);
        true
    }
}

/// Strong reads where nothing but barriers orders threads.
pub(super) struct StrongReads;

impl Sort for StrongReads {
    const FIRST: bool = false;
    const ARRAYS: &[usize] = &[READS, OTHERS, ATOMICS];

    #[inline(always)]
    fn easy(kept: &mut Places, word: usize, new: Packed, behind: Behind) -> bool {
        let after = |old| behind.after(old, new);
        let atomic = kept.get::<ATOMICS>(word);
        let first = !after(atomic) && !is_observed(atomic);
        let known = after(atomic) || if first { kept.has::<SEEN>() } else { after(kept.get::<SEEN>(word)) };
        if !known || !after(kept.get::<WRITES>(word)) || !kept.has::<READS>() {
            return false;
        }
        let read = kept.get::<READS>(word);
        let done = read == 0 || strong(read) && another(kept, word, (read, new), behind);
        if done && read == 0 {
            kept.set::<READS>(word, new);
        }
        if done && first {
            kept.set::<SEEN>(word, new);
            kept.set::<ATOMICS>(word, observed(atomic));
        }
        done
    }
}

/// Adds a weak access to a word without history, of a page without atomics. False as above.
#[inline(always)]
fn alone<const ARRAY: usize>(kept: &mut Places, word: usize, new: Packed) -> bool {
    let free = kept.get::<WRITES>(word) | kept.get::<READS>(word) == 0;
    free && !kept.has::<ATOMICS>() && put::<ARRAY>(kept, word, new)
}

/// False if there is no such array.
#[inline(always)]
fn put<const ARRAY: usize>(kept: &mut Places, word: usize, new: Packed) -> bool {
    let room = kept.has::<ARRAY>();
    if room {
        kept.set::<ARRAY>(word, new);
    }
    room
}

/// Adds a read to a word that has one. False if it is not easy; then nothing has happened.
#[inline(always)]
fn another(kept: &mut Places, word: usize, (read, new): (Packed, Packed), behind: Behind) -> bool {
    if read == new {
        return true;
    }
    let other = kept.get::<OTHERS>(word);
    if beside(read, other, new) {
        // The first two of one block since its last barrier stay.
        return true;
    }
    let (one, two) = two_of(read, other, new, behind);
    if two != other && !put::<OTHERS>(kept, word, two) {
        return false;
    }
    if one != read {
        kept.set::<READS>(word, one);
    }
    true
}
