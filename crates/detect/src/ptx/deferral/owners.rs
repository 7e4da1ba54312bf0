//! Which threads of a block have been at which words, or bytes, of its shared memory since its last barrier: an exact answer to whether any of
//! their weak accesses race, as long as none do.

use events::LaneMask;

/// A word or a byte, if its turn is the table's.
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

/// Words that are told apart, 256 KiB, or bytes.
const WORDS: usize = 1 << 16;

/// The size of what a table tells apart: the logarithm of its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Piece {
    #[default]
    Word = 2,
    Byte = 0,
}

/// The threads that have accessed each word, or each byte. Beginning anew takes no time.
#[derive(Debug, Default)]
pub(crate) struct Owners {
    words: Vec<Word>,
    turn: u32,
    piece: Piece,
}

/// Tables that no block needs.
pub(crate) type Spare = Vec<Box<Owners>>;

impl Owners {
    /// Forgets all accesses, and tells such pieces apart from now on.
    pub(super) fn begin(&mut self, piece: Piece) {
        self.piece = piece;
        self.turn = self.turn.wrapping_add(1);
        if self.turn == 0 {
            self.words.clear();
            self.turn = 1;
        }
    }

    pub(super) fn piece(&self) -> Piece {
        self.piece
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
        let shift = self.piece as u32;
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let (first, thread) = (place(lane), warp * 32 + lane as u16 + 1);
            // As a rule it is one piece, and one that is known.
            if (first & ((1 << shift) - 1)) + each <= 1 << shift
                && let Some(word) = self.words.get_mut((first >> shift) as usize)
            {
                if word.add(self.turn, thread, writes) {
                    continue;
                }
                return false;
            }
            let (word, last) =
                ((first >> shift) as usize, (first.saturating_add(each - 1) >> shift) as usize);
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
mod tests;
