//! The contents of words as entries of cells.

use super::sets::{self, Sets};
use super::{Array, LINE, Words};
use crate::ptx::access::entry::{Entry, merged};
use crate::ptx::access::touches::span;
use crate::ptx::history::words::packing::{Kind, Packed, kind_number};
use crate::shadow::LEN as WORDS;

impl Words {
    /// Accesses of lines as entries of cells of sixteen bytes, with the cell's index in the page: writes, the atomics
    /// behind them, and reads.
    pub(crate) fn entries(&self, lines: std::ops::Range<usize>, mut entry: impl FnMut(usize, Entry)) {
        for array in [&self.writes, &self.atomics, &self.reads, &self.others] {
            self.entries_of(array, &lines, |_| true, &mut entry);
        }
        self.entries_of_sets(&self.more_reads, &lines, &mut entry);
    }

    /// Calls `entry` with the `red` operations beyond the newest of each word.
    pub(crate) fn more_reds(&self, lines: std::ops::Range<usize>, mut entry: impl FnMut(usize, Entry)) {
        self.entries_of_sets(&self.more_reds, &lines, &mut entry);
    }

    fn entries_of_sets(
        &self,
        sets: &Sets,
        lines: &std::ops::Range<usize>,
        entry: &mut impl FnMut(usize, Entry),
    ) {
        sets::each(sets, &(lines.start * LINE..lines.end * LINE), |word, packed, is_merged| {
            let low = (word % 4 * 4) as u32;
            let found = self.packing.entry(packed, self.packing.kind(packed), span(low, low + 4));
            let warp = if is_merged { merged(found.warp) } else { found.warp };
            entry(word / 4, Entry { warp, ..found });
        });
    }

    /// As above, of the strong reads that observed the atomics.
    pub(crate) fn observers(&self, lines: std::ops::Range<usize>, mut entry: impl FnMut(usize, Entry)) {
        self.entries_of(&self.seen, &lines, |word| self.are_seen(word)[0], &mut entry);
        self.entries_of(&self.second, &lines, |word| self.are_seen(word)[1], &mut entry);
    }

    fn entries_of(
        &self,
        array: &Array,
        lines: &std::ops::Range<usize>,
        counts: impl Fn(usize) -> bool,
        entry: &mut impl FnMut(usize, Entry),
    ) {
        if let Some(array) = array {
            let mut last: Option<(Packed, Kind)> = None;
            let mut word = lines.start * LINE;
            while word < lines.end * LINE {
                let packed = array[word % WORDS];
                if packed == 0 || !counts(word) {
                    word += 1;
                    continue;
                }
                let known =
                    last.filter(|(p, _)| kind_number(*p) == kind_number(packed)).map(|(_, kind)| kind);
                let of = known.unwrap_or_else(|| self.packing.kind(packed));
                last = Some((packed, of));
                // Words of one access are told as one, as far as they are still there.
                let whole = 1usize << of.shift.saturating_sub(2).min(2);
                let end = (word / whole + 1) * whole;
                let mut stop = word + 1;
                while stop < end && array[stop % WORDS] == packed {
                    stop += 1;
                }
                let low = (word % 4 * 4) as u32;
                let bytes = span(low, low + (stop - word) as u32 * 4);
                entry(word / 4, self.packing.entry(packed, of, bytes));
                word = stop;
            }
        }
    }
}
