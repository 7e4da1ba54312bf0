//! What the lane before has printed: of the arguments of a warp's threads most are the same for all.

use super::text::Text;

/// A lane's text, piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Before {
    /// Of each piece of the format: its argument, and where its text ends.
    pieces: Vec<(u64, usize)>,
    /// Where the lane's text begins.
    start: usize,
}

impl Before {
    /// Nothing was printed there with this format.
    pub(crate) fn clear(&mut self) {
        self.pieces.clear();
    }

    /// The next lane, whose text is of so many pieces and will be behind what `out` has.
    #[inline]
    pub(super) fn lane(&mut self, pieces: usize, out: &Text) -> Lane<'_> {
        let known = self.pieces.len() == pieces;
        if !known {
            self.pieces.clear();
            self.pieces.resize(pieces, (0, 0));
        }
        let old = std::mem::replace(&mut self.start, out.end());
        Lane { pieces: &mut self.pieces, known, old, from: 0, same: 0, end: out.end() }
    }
}

/// A lane that prints one piece after the other.
pub(super) struct Lane<'a> {
    pieces: &'a mut [(u64, usize)],
    known: bool,
    /// Where the text of the piece at hand begins in the lane before.
    old: usize,
    /// What is the same there, but has not been put: so many bytes from here on.
    from: usize,
    same: usize,
    /// Where what has been put ends.
    end: usize,
}

impl Lane<'_> {
    /// Is the piece's text that of the lane before? Then it need not be made.
    #[inline(always)]
    pub(super) fn repeats(&mut self, piece: usize, argument: u64) -> bool {
        let Some(before) = self.pieces.get_mut(piece).filter(|before| self.known && before.0 == argument)
        else {
            return false;
        };
        if self.same == 0 {
            self.from = self.old;
        }
        self.same += before.1 - self.old;
        self.old = before.1;
        before.1 = self.end + self.same;
        true
    }

    /// Puts what is the same.
    #[inline(always)]
    pub(super) fn catch_up(&mut self, out: &mut Text) {
        if self.same != 0 {
            out.again(self.from, self.same);
            self.same = 0;
        }
    }

    /// The piece's text has been made and put, behind what was the same.
    #[inline(always)]
    pub(super) fn printed(&mut self, piece: usize, argument: u64, out: &Text) {
        self.end = out.end();
        if let Some(before) = self.pieces.get_mut(piece) {
            self.old = before.1;
            *before = (argument, self.end);
        }
    }
}
