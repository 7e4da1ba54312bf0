//! The lines of a page that its words have.

use crate::ptx::history::words::{LINE, Words};
use crate::shadow::Places;

impl Words {
    /// Adds a line without history.
    pub(crate) fn keep(&mut self, line: usize) {
        self.lines |= 1 << line;
    }

    /// Returns whether a line may have accesses.
    pub(crate) fn keeps(&self, line: usize) -> bool {
        self.lines >> line & 1 != 0
    }

    /// Returns the places of the arrays of `lines`, for as long as the words are not changed.
    pub(crate) fn places(&mut self, lines: u32) -> Places {
        let Words { writes, reads, others, atomics, seen, .. } = self;
        // SAFETY: the rooms are the words', which are the page's, and only a worker that holds the whole page drops
        // them.
        unsafe { Places::new(lines, [writes, reads, others, atomics, seen]) }
    }

    #[cfg(test)]
    pub(crate) fn of_a_page(packing: &std::sync::Arc<crate::ptx::history::words::packing::Packing>) -> Self {
        let mut words = Words::new(std::sync::Arc::clone(packing));
        (0..32).for_each(|line| words.keep(line));
        words
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        let lines = self.lines;
        let used = || (0..32).filter(move |line| lines >> line & 1 != 0);
        let Words { writes, reads, others, atomics, seen, second, .. } = self;
        for room in [writes, reads, others, atomics, seen, second].into_iter().filter_map(Option::take) {
            room.give_back(used().map(|line| line * LINE..(line + 1) * LINE));
        }
    }
}
