//! Lanes at unrelated words, in two goes: first where each lane's word is kept, and then what is there.
//!
//! It takes the easy ones, which are most where threads are scattered; the others go the way of [words](super::words). For
//! those it does not matter that the easy ones were earlier: a weak write is at a word of its own, atomics of one word are all
//! easy or none is, and of two reads of a launch that only barriers order it does not matter which is first.

use super::packing::{Accessor, Behind, Packed, strong};
use super::page::Page;
use super::pairs::two_of;
use crate::shadow::{LEN as WORDS, Own, Places};
use events::LaneMask;

// The arrays of a page, as it tells them.
const WRITES: usize = 0;
const READS: usize = 1;
const OTHERS: usize = 2;
const ATOMICS: usize = 3;
const SEEN: usize = 4;

/// Adds the access of each of `lanes`, where it is easy. Returns the lanes for which it did.
#[inline]
pub(super) fn spread(
    own: &mut Own<Page>,
    addresses: &[u64; 32],
    lanes: LaneMask,
    by: &Accessor<'_>,
) -> LaneMask {
    let (behind, new, all) = (by.behind(), |lane| by.of_lane(lane), (addresses, lanes));
    // Asked once for all lanes.
    match (by.strong, by.writes) {
        (false, true) => {
            let easy = |kept: &mut Places, word, lane| fresh(kept, word, new(lane));
            each(own, all, &[WRITES, READS], easy)
        }
        (false, false) if by.simple => {
            let easy = |kept: &mut Places, word, lane| joins(kept, word, new(lane), (true, behind));
            each(own, all, &[WRITES, READS, OTHERS], easy)
        }
        (false, false) => {
            let easy = |kept: &mut Places, word, lane| joins(kept, word, new(lane), (false, behind));
            each(own, all, &[WRITES, READS], easy)
        }
        (true, true) => {
            let easy = |kept: &mut Places, word, lane| continues(kept, word, new(lane));
            each(own, all, &[WRITES, READS, ATOMICS, SEEN], easy)
        }
        (true, false) if by.simple => {
            let easy = |kept: &mut Places, word, lane| observes(kept, word, new(lane), behind);
            each(own, all, &[WRITES, READS, OTHERS, ATOMICS, SEEN], easy)
        }
        (true, false) => 0,
    }
}

/// Takes back weak writes that [`spread`] has added for `lanes`.
#[cold]
pub(super) fn undo(own: &mut Own<Page>, addresses: &[u64; 32], lanes: LaneMask) {
    each(own, (addresses, lanes), &[], |kept, word, _| {
        kept.set::<WRITES>(word, 0);
        true
    });
}

/// Calls `easy` for each lane, with its page's arrays and its word. Returns the lanes for which that is so.
///
/// Where lanes are in different pages, each is looked at twice, and first has the `arrays` fetched that it will need. Of lanes
/// of one page the processor is at many at a time by itself.
#[inline(always)]
fn each(
    own: &mut Own<Page>,
    (addresses, lanes): (&[u64; 32], LaneMask),
    arrays: &[usize],
    mut easy: impl FnMut(&mut Places, usize, u32) -> bool,
) -> LaneMask {
    let page = |lanes: LaneMask| addresses[lanes.trailing_zeros() as usize % 32] >> 12;
    let (mut rest, mut done) = (lanes, 0);
    if page(rest) == page(rest & rest.wrapping_sub(1)) {
        while rest != 0 {
            let number = page(rest);
            let place = own.place(number).unwrap_or(NOWHERE);
            let mut kept = own.places(place, Page::places);
            while rest != 0 {
                let lane = rest.trailing_zeros();
                let address = addresses[lane as usize % 32];
                if address >> 12 != number {
                    break;
                }
                rest &= rest - 1;
                let word = word_of(address);
                if let Some(kept) = &mut kept
                    && kept.parts >> (word / 32) & 1 != 0
                {
                    done |= u32::from(easy(kept, word, lane)) << lane;
                }
            }
        }
        return done;
    }
    let (mut places, mut found) = ([0; 32], 0);
    while rest != 0 {
        let lane = rest.trailing_zeros();
        rest &= rest - 1;
        let address = addresses[lane as usize % 32];
        let Some(place) = own.place(address >> 12) else { continue };
        let Some(kept) = own.places(place, Page::places) else { continue };
        let word = word_of(address);
        arrays.iter().for_each(|&array| kept.expect(array, word));
        places[lane as usize % 32] = place;
        found |= (kept.parts >> (word / 32) & 1) << lane;
    }
    while found != 0 {
        let lane = found.trailing_zeros();
        found &= found - 1;
        let Some(kept) = own.known(places[lane as usize % 32]) else { continue };
        done |= u32::from(easy(kept, word_of(addresses[lane as usize % 32]), lane)) << lane;
    }
    done
}

/// No place of a page.
const NOWHERE: u32 = u32::MAX;

#[inline(always)]
fn word_of(address: u64) -> usize {
    (address >> 2) as usize % WORDS
}

/// Adds one lane's weak write to a word where nobody has been. False if it is not easy; then nothing has happened.
#[inline(always)]
fn fresh(kept: &mut Places, word: usize, new: Packed) -> bool {
    let free = kept.get::<WRITES>(word) | kept.get::<READS>(word) == 0;
    let done = free && kept.has::<WRITES>() && !kept.has::<ATOMICS>();
    if done {
        kept.set::<WRITES>(word, new);
    }
    done
}

/// Adds one lane's weak read, as the first one behind the write, or to others that nothing but barriers orders. False as
/// above.
#[inline(always)]
fn joins(kept: &mut Places, word: usize, new: Packed, (simple, behind): (bool, Behind)) -> bool {
    let (write, read) = (kept.get::<WRITES>(word), kept.get::<READS>(word));
    if kept.has::<ATOMICS>() || write != 0 && !(simple && behind.covers(write, new)) {
        return false;
    }
    if read == 0 {
        let room = kept.has::<READS>();
        if room {
            kept.set::<READS>(word, new);
        }
        return room;
    }
    simple && !strong(read) && another(kept, word, (read, new), behind)
}

/// Adds a read to a word that has one. False as above.
#[inline(always)]
fn another(kept: &mut Places, word: usize, (read, new): (Packed, Packed), behind: Behind) -> bool {
    if read == new {
        return true;
    }
    let other = kept.get::<OTHERS>(word);
    let (one, two) = two_of(read, other, new, behind);
    if two != other {
        if !kept.has::<OTHERS>() {
            return false;
        }
        kept.set::<OTHERS>(word, two);
    }
    if one != read {
        kept.set::<READS>(word, one);
    }
    true
}

/// Adds one lane's relaxed read-modify-write to a word that has only such ones and strong reads. False as above.
#[inline(always)]
fn continues(kept: &mut Places, word: usize, new: Packed) -> bool {
    let read = kept.get::<READS>(word);
    if kept.get::<WRITES>(word) != 0 || read != 0 && !strong(read) || !kept.has::<ATOMICS>() {
        return false;
    }
    kept.set::<ATOMICS>(word, new);
    if kept.get::<SEEN>(word) != 0 {
        kept.set::<SEEN>(word, 0);
    }
    true
}

/// Adds one lane's strong read, where nothing but barriers orders. False as above.
#[inline(always)]
fn observes(kept: &mut Places, word: usize, new: Packed, behind: Behind) -> bool {
    let after = |old| old == 0 || behind.covers(old, new);
    let (atomic, seen) = (kept.get::<ATOMICS>(word), kept.get::<SEEN>(word));
    let first = !after(atomic) && seen == 0;
    let known = after(atomic) || if first { kept.has::<SEEN>() } else { after(seen) };
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
    }
    done
}

/// As [`spread`], of one lane.
#[cfg(test)]
pub(super) fn easily(kept: &mut Places, word: usize, new: Packed, by: &Accessor<'_>) -> bool {
    match (by.strong, by.writes) {
        (false, true) => fresh(kept, word, new),
        (false, false) => joins(kept, word, new, (by.simple, by.behind())),
        (true, true) => continues(kept, word, new),
        (true, false) => by.simple && observes(kept, word, new, by.behind()),
    }
}
