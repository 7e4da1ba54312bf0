//! A cache of the previous lane's output: most arguments of a warp's threads are equal, so their text can be
//! copied.

use super::text::Text;

/// The pieces of the previous lane's text.
#[derive(Debug, Default)]
pub(crate) struct Before {
    /// For each piece of the format, its argument and the end of its text.
    pieces: Vec<(u64, usize)>,
    /// The start of the lane's text.
    start: usize,
}

impl Before {
    /// Empties the cache, for a new format.
    pub(crate) fn clear(&mut self) {
        self.pieces.clear();
    }

    /// Begins the next lane, whose text has `pieces` pieces and follows the contents of `out`.
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

/// A lane that prints its pieces in order.
pub(super) struct Lane<'a> {
    pieces: &'a mut [(u64, usize)],
    known: bool,
    /// The start of the current piece's text in the previous lane.
    old: usize,
    /// A range of the previous lane's text that repeats in this lane but is not yet copied: start and length.
    from: usize,
    same: usize,
    /// The end of this lane's text so far.
    end: usize,
}

impl Lane<'_> {
    /// Returns whether the piece's text equals that of the previous lane, in which case it need not be
    /// formatted.
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

    /// Copies the repeated text that is still pending.
    #[inline(always)]
    pub(super) fn catch_up(&mut self, out: &mut Text) {
        if self.same != 0 {
            out.again(self.from, self.same);
            self.same = 0;
        }
    }

    /// Records a piece that was formatted and appended.
    #[inline(always)]
    pub(super) fn printed(&mut self, piece: usize, argument: u64, out: &Text) {
        self.end = out.end();
        if let Some(before) = self.pieces.get_mut(piece) {
            self.old = before.1;
            *before = (argument, self.end);
        }
    }
}
