//! Lanes at unrelated words, in two goes: first where each lane's word is kept, and then what is there.
//!
//! It takes the easy ones, which are most where threads are scattered; the others go the way of [words](crate::ptx::history::words). For
//! those it does not matter that the easy ones were earlier: a weak write is at a word of its own, atomics of one word are all
//! easy or none is, and of two reads of a launch that only barriers order it does not matter which is first.

mod sorts;

use crate::ptx::history::page::Page;
use crate::ptx::history::words::packing::{Accessor, Behind, Packed};
use crate::shadow::{Held, LEN as WORDS, Later, Own, Places};
use events::LaneMask;
use sorts::{AlikeReads, Atomics, Fetches, FirstReads, LaterWrites, Reads, StrongReads, Writes};

// The arrays of a page, as it tells them.
const WRITES: usize = 0;
const READS: usize = 1;
const OTHERS: usize = 2;
const ATOMICS: usize = 3;
const SEEN: usize = 4;

/// Adds the access of each of `lanes`, where it is easy. Returns the lanes for which it did. `apart` says that each of them is at
/// words of its own: for weak writes that makes more of them easy.
#[inline]
pub(crate) fn spread(
    own: &mut Own<Page>,
    addresses: &[u64; 32],
    lanes: LaneMask,
    apart: bool,
    by: &Accessor<'_>,
) -> LaneMask {
    let (new, behind) = (by.of_lane(0), by.behind());
    // Asked once for all lanes.
    match (by.strong, by.writes) {
        (false, true) if apart => each::<LaterWrites>(own, addresses, lanes, new, behind),
        (false, true) => each::<Writes>(own, addresses, lanes, new, behind),
        (false, false) if by.simple && by.fetches => {
            each::<Fetches<Reads>>(own, addresses, lanes, new, behind)
        }
        (false, false) if by.alike && by.fetches => {
            each::<Fetches<AlikeReads>>(own, addresses, lanes, new, behind)
        }
        (false, false) if by.simple => each::<Reads>(own, addresses, lanes, new, behind),
        (false, false) if by.alike => each::<AlikeReads>(own, addresses, lanes, new, behind),
        (false, false) => each::<FirstReads>(own, addresses, lanes, new, behind),
        (true, true) if !by.each => each::<Atomics>(own, addresses, lanes, new, behind),
        (true, true) => 0,
        (true, false) if by.simple => each::<StrongReads>(own, addresses, lanes, new, behind),
        (true, false) => 0,
    }
}

/// Finds the places of the weak writes of a whole warp, if their pages have nothing else: what is there is
/// fetched meanwhile.
#[inline(always)]
pub(crate) fn later(own: &Own<Page>, addresses: &[u64; 32], later: &mut Later) -> bool {
    own.later(addresses, WRITES, later)
}

/// Adds them, `new` for the first lane, to words without history. Returns the lanes for which that was so.
/// `None` if the pages were changed since; then nothing has happened.
#[inline(always)]
pub(crate) fn now(own: &mut Own<Page>, later: &Later, new: Packed) -> Option<LaneMask> {
    let mut sole = own.now(later)?;
    let mut done = 0;
    for lane in 0..32 {
        done |= LaneMask::from(sole.first(lane, new | u64::from(lane)) == Some(true)) << lane;
    }
    Some(done)
}

/// Takes back weak writes that [`spread`] has added for `lanes`.
#[cold]
pub(crate) fn undo(own: &mut Own<Page>, addresses: &[u64; 32], lanes: LaneMask) {
    let (spots, mut rest) = (own.spots(addresses, &[]), lanes);
    let Some(mut spots) = spots else { return };
    while rest != 0 {
        let (held, word) = spots.at(rest.trailing_zeros());
        rest &= rest - 1;
        // The page may have given up its arrays since.
        if held.places.tells(word) {
            held.places.set::<WRITES>(word, 0);
        }
    }
}

/// How accesses of one sort are added.
trait Sort {
    /// They find more words without history than others, and are to find them quickly.
    const FIRST: bool;

    /// The array that has the first one, and others that are looked at.
    const ARRAYS: &[usize];

    /// Adds one lane's access to a word that may have a history. False if it is not easy; then nothing has
    /// happened.
    fn easy(kept: &mut Places, word: usize, new: Packed, behind: Behind) -> bool;
}

/// Adds each lane's access of a sort, `new` for the first lane. Returns the lanes for which that was easy.
#[inline(always)]
fn each<S: Sort>(
    own: &mut Own<Page>,
    addresses: &[u64; 32],
    lanes: LaneMask,
    new: Packed,
    behind: Behind,
) -> LaneMask {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { each_with_bmi2::<S>(own, addresses, lanes, new, behind) };
    }
    each_of::<S>(own, addresses, lanes, new, behind)
}

/// As [`each_of`], with shorter instructions for bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn each_with_bmi2<S: Sort>(
    own: &mut Own<Page>,
    addresses: &[u64; 32],
    lanes: LaneMask,
    new: Packed,
    behind: Behind,
) -> LaneMask {
    each_of::<S>(own, addresses, lanes, new, behind)
}

/// Words with a history are looked at twice, behind the others. Little is done in each go, so that what it
/// needs is in registers: stores wait for those before them, which are to memory far away.
#[inline(always)]
fn each_of<S: Sort>(
    own: &mut Own<Page>,
    addresses: &[u64; 32],
    lanes: LaneMask,
    new: Packed,
    behind: Behind,
) -> LaneMask {
    let last = addresses[lanes.checked_ilog2().unwrap_or(0) as usize % 32];
    // The history is in the cache then: such as where a word is read and then changed.
    let again = own.looks_again((addresses[lanes.trailing_zeros() as usize % 32], last));
    let page = |lanes: LaneMask| addresses[lanes.trailing_zeros() as usize % 32] >> 12;
    if page(lanes) == page(lanes & lanes.wrapping_sub(1)) {
        return page_by_page::<S>(own, addresses, lanes, new, behind);
    }
    let spots = if again { own.spots(addresses, &[]) } else { own.spots(addresses, S::ARRAYS) };
    let Some(mut spots) = spots else { return 0 };
    let (mut rest, mut done, mut found): (_, LaneMask, LaneMask) = (lanes, 0, 0);
    while again && rest != 0 {
        let lane = rest.trailing_zeros();
        rest &= rest - 1;
        let (held, word) = spots.at(lane);
        done |= u32::from(one::<S>(held, word, new | u64::from(lane), behind)) << lane;
    }
    while rest != 0 {
        let lane = rest.trailing_zeros();
        rest &= rest - 1;
        let (held, word) = spots.at(lane);
        let new = new | u64::from(lane);
        if held.places.first(S::ARRAYS[0], word, new) {
            done |= 1 << lane;
        } else if held.places.tells(word) {
            found |= 1 << lane;
        } else {
            done |= u32::from(begins::<S>(held, word, new, behind)) << lane;
        }
    }
    while found != 0 {
        let lane = found.trailing_zeros();
        found &= found - 1;
        let (held, word) = spots.at(lane);
        done |= u32::from(S::easy(&mut held.places, word, new | u64::from(lane), behind)) << lane;
    }
    if S::FIRST {
        own.settle(page(lanes));
    }
    done
}

/// Adds the accesses of lanes in a row. If they are in the same page, the processor is at many at a time by
/// itself.
#[inline(always)]
fn page_by_page<S: Sort>(
    own: &mut Own<Page>,
    addresses: &[u64; 32],
    lanes: LaneMask,
    new: Packed,
    behind: Behind,
) -> LaneMask {
    let (mut rest, mut done) = (lanes, 0);
    while rest != 0 {
        let number = addresses[rest.trailing_zeros() as usize % 32] >> 12;
        let Some(held) = own.held(number) else {
            // Lanes of one page are left out here.
            rest &= rest - 1;
            continue;
        };
        let mut found: LaneMask = 0;
        let mut firsts = held.places.firsts(S::ARRAYS[0]);
        while rest != 0 {
            let lane = rest.trailing_zeros();
            let address = addresses[lane as usize % 32];
            if address >> 12 != number {
                break;
            }
            rest &= rest - 1;
            let (word, new) = (word_of(address), new | u64::from(lane));
            if firsts.set(word, new) {
                done |= 1 << lane;
            } else if held.places.tells(word) {
                found |= 1 << lane;
            } else {
                done |= u32::from(begins::<S>(held, word, new, behind)) << lane;
                firsts = held.places.firsts(S::ARRAYS[0]);
            }
        }
        while found != 0 {
            let lane = found.trailing_zeros();
            found &= found - 1;
            let word = word_of(addresses[lane as usize % 32]);
            done |= u32::from(S::easy(&mut held.places, word, new | u64::from(lane), behind)) << lane;
        }
    }
    done
}

#[inline(always)]
fn word_of(address: u64) -> usize {
    (address >> 2) as usize % WORDS
}

/// Adds one lane's access. False as for [`Sort::easy`].
#[inline(always)]
fn one<S: Sort>(held: &mut Held<Page>, word: usize, new: Packed, behind: Behind) -> bool {
    held.places.first(S::ARRAYS[0], word, new)
        || if held.places.tells(word) {
            S::easy(&mut held.places, word, new, behind)
        } else {
            begins::<S>(held, word, new, behind)
        }
}

/// Adds one lane's access to a line of which it was not known that the arrays tell of it: if they could, they do from now on.
/// False as for [`Sort::easy`].
#[cold]
fn begins<S: Sort>(held: &mut Held<Page>, word: usize, new: Packed, behind: Behind) -> bool {
    held.learn(|page| page.places(word));
    let kept = &mut held.places;
    kept.first(S::ARRAYS[0], word, new) || kept.tells(word) && S::easy(kept, word, new, behind)
}

/// As [`spread`], of one lane.
#[cfg(test)]
pub(crate) fn easily(kept: &mut Places, word: usize, new: Packed, by: &Accessor<'_>) -> bool {
    fn one<S: Sort>(kept: &mut Places, word: usize, new: Packed, behind: Behind) -> bool {
        kept.first(S::ARRAYS[0], word, new) || S::easy(kept, word, new, behind)
    }
    match (by.strong, by.writes) {
        (false, true) => one::<LaterWrites>(kept, word, new, by.behind()),
        (false, false) if by.alike && by.fetches => one::<Fetches<AlikeReads>>(kept, word, new, by.behind()),
        (false, false) if by.simple && by.fetches => one::<Fetches<Reads>>(kept, word, new, by.behind()),
        (false, false) if by.alike => one::<AlikeReads>(kept, word, new, by.behind()),
        (false, false) if by.simple => one::<Reads>(kept, word, new, by.behind()),
        (false, false) => one::<FirstReads>(kept, word, new, by.behind()),
        (true, true) => one::<Atomics>(kept, word, new, by.behind()),
        (true, false) => by.simple && one::<StrongReads>(kept, word, new, by.behind()),
    }
}
