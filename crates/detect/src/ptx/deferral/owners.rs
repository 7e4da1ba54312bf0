//! Which threads of a block have been at which words of its shared memory since its last barrier: an exact answer to whether any of
//! their weak accesses race, as long as none do.

use events::LaneMask;

/// A word, if its turn is the table's.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    turn: u32,
    /// Threads by their number in the block, from 1 on; 0 for none.
    writer: u16,
    /// Or [`MANY`].
    reader: u16,
}

/// More than one thread.
const MANY: u16 = u16::MAX;

/// Words that are told apart: 256 KiB.
const WORDS: usize = 1 << 16;

/// The threads that have accessed each word. Beginning anew takes no time.
#[derive(Debug, Default)]
pub(crate) struct Owners {
    words: Vec<Word>,
    turn: u32,
}

/// Tables that no block needs.
pub(crate) type Spare = Vec<Box<Owners>>;

impl Owners {
    /// Forgets all accesses.
    pub(super) fn begin(&mut self) {
        self.turn = self.turn.wrapping_add(1);
        if self.turn == 0 {
            self.words.clear();
            self.turn = 1;
        }
    }

    /// Adds lanes of a warp that read or write `each` bytes where `place` says. False if another thread has been there and one of the
    /// two has written, or there is no room for it: then the table is of no use until it begins anew.
    #[inline]
    pub(super) fn add(
        &mut self,
        (warp, mask, writes): (u16, LaneMask, bool),
        each: u64,
        place: impl Fn(u32) -> u64,
    ) -> bool {
        if warp >= (MANY - 32) / 32 {
            return false;
        }
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let (first, thread) = (place(lane), warp * 32 + lane as u16 + 1);
            // As a rule it is one word, and one that is known.
            if first % 4 + each <= 4
                && let Some(word) = self.words.get_mut((first >> 2) as usize)
            {
                if word.add(self.turn, thread, writes) {
                    continue;
                }
                return false;
            }
            let (word, last) = ((first >> 2) as usize, (first.saturating_add(each - 1) >> 2) as usize);
            if last >= self.words.len() && !self.grow(last) {
                return false;
            }
            if !self.words[word..=last].iter_mut().all(|word| word.add(self.turn, thread, writes)) {
                return false;
            }
        }
        true
    }

    #[cold]
    fn grow(&mut self, last: usize) -> bool {
        if last < WORDS {
            self.words.resize((last + 1).next_multiple_of(1 << 10), Word::default());
        }
        last < WORDS
    }
}

impl Word {
    #[inline(always)]
    fn add(&mut self, turn: u32, thread: u16, writes: bool) -> bool {
        if self.turn != turn {
            let (writer, reader) = if writes { (thread, 0) } else { (0, thread) };
            *self = Word { turn, writer, reader };
            return true;
        }
        let other = |one: u16| one != 0 && one != thread;
        if other(self.writer) || writes && other(self.reader) {
            return false;
        }
        if writes {
            self.writer = thread;
        } else {
            self.reader = if self.reader == 0 || self.reader == thread { thread } else { MANY };
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Accesses at random, of several sizes: they fit as long as no two threads are at a word of which one has written.
    #[test]
    fn what_fits_does_not_race() {
        let mut random = crate::random::below(5);
        let (mut owners, mut fitted, mut met) = (Owners::default(), 0, 0);
        for round in 0..3000 {
            owners.begin();
            let mut before: Vec<(u16, std::ops::RangeInclusive<u64>, bool)> = Vec::new();
            for _ in 0..12 {
                let (warp, writes) = (random(3) as u16, random(2) == 0);
                let (each, mask) = (1 << random(5), (1u32 << random(4)) | 1 << random(32));
                let (base, stride) = (random(1 << (3 + round % 8)) * each, random(20) * each);
                let place = |lane: u32| base + u64::from(lane) * stride;
                let mut now = Vec::new();
                for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
                    let words = place(lane) / 4..=(place(lane) + each - 1) / 4;
                    now.push((warp * 32 + lane as u16, words, writes));
                }
                let races = now.iter().enumerate().any(|(i, (thread, words, _))| {
                    before.iter().chain(&now[..i]).any(|(other, theirs, wrote)| {
                        let meet = words.start() <= theirs.end() && theirs.start() <= words.end();
                        meet && other != thread && (*wrote || writes)
                    })
                });
                assert_eq!(owners.add((warp, mask, writes), each, place), !races, "{round}");
                met += usize::from(races);
                if races {
                    break;
                }
                fitted += 1;
                before.extend(now);
            }
        }
        assert!(fitted > 5000 && met > 1000, "{fitted} {met}");
    }

    #[test]
    fn beyond_what_a_block_can_have_nothing_fits() {
        let mut owners = Owners::default();
        owners.begin();
        assert!(owners.add((0, 1, true), 4, |_| (1 << 18) - 4));
        assert!(!owners.add((0, 1, true), 8, |_| (1 << 18) - 4));
        assert!(!owners.add((0, 1, true), 4, |_| u64::MAX - 3));
        assert!(!owners.add((u16::MAX, 1, true), 4, |_| 0));
    }

    /// When all numbers have been used, what was there by an old one is not taken for new.
    #[test]
    fn an_old_turn_does_not_come_back() {
        let mut owners = Owners::default();
        owners.begin();
        assert!(owners.add((0, 1, true), 4, |_| 0));
        owners.turn = u32::MAX;
        owners.begin();
        assert!(owners.add((1, 1, true), 4, |_| 0));
        assert!(!owners.add((0, 1, true), 4, |_| 0));
    }
}
