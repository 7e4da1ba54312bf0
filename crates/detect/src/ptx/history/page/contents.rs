//! The contents of a page, for those that read them.

use super::{CELL, LINES, Page};
use crate::ptx::access::entry::Entry;
use crate::ptx::history::cell::Cell;
use crate::ptx::history::line::Line;
use crate::ptx::history::stamp::Stamp;
use crate::ptx::history::stamps::room;
use crate::ptx::history::tally::Tally;
use crate::ptx::history::words::Words;
use crate::ptx::history::words::summary::{Met, Row};
use crate::shadow::lock;
use events::observer::Footprint;
use std::sync::MutexGuard;

impl Page {
    /// None, if none of them is more than words.
    fn lines(&self) -> &[Line] {
        self.lines.as_deref().map_or(&[], |lines| lines)
    }

    /// Accesses of lines that are kept word by word, as entries of cells.
    pub(crate) fn words(&self, mut entry: impl FnMut(usize, Entry)) {
        if let Some(words) = &self.words {
            words.entries(0..32, &mut entry);
            words.more_reds(0..32, entry);
        }
    }

    /// Returns the word epochs.
    pub(crate) fn words_mut(&mut self) -> Option<&mut Words> {
        self.words.as_mut()
    }

    /// As above, as much at a time as can be told in one.
    pub(crate) fn rows(&self, met: &mut Met, row: impl FnMut(Row)) {
        if let Some(words) = &self.words {
            words.rows(met, row);
        }
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = (usize, MutexGuard<'_, Cell>)> {
        self.settle();
        let cells = self.cells.iter().flat_map(|cells| cells.iter().enumerate());
        cells.filter_map(|(i, cell)| Some((i, lock(cell.as_deref()?))))
    }

    /// The stamps of lines that are not split, with the line's index.
    pub(crate) fn stamps(&self) -> impl Iterator<Item = (usize, &Stamp)> {
        self.lines().iter().enumerate().flat_map(|(i, line)| {
            let stamps = match line {
                Line::Stamps(stamps) => stamps.as_slice(),
                Line::Tally(tally) => tally.stamps().as_slice(),
                Line::Copies(copies) => copies.stamps().as_slice(),
                Line::Empty | Line::Words | Line::Split => &[],
            };
            stamps.iter().map(move |s| (i, s))
        })
    }

    /// Calls `entry` with the copies that no thread has waited for, as entries of cells.
    pub(crate) fn copies(&self, mut entry: impl FnMut(usize, Entry)) {
        for (i, line) in self.lines().iter().enumerate() {
            if let Line::Copies(copies) = line {
                copies.entries(|cell, of| entry(i * 8 + cell, of));
            }
        }
    }

    /// The tallies of its lines, with the line's index.
    pub(crate) fn tallies(&self) -> impl Iterator<Item = (usize, &Tally)> {
        self.lines().iter().enumerate().filter_map(|(i, line)| match line {
            Line::Tally(tally) => Some((i, &**tally)),
            _ => None,
        })
    }

    pub(in crate::ptx) fn footprint(&self) -> Footprint {
        let mut sum = Footprint { shadow_bytes: size_of::<Page>() as u64 + 48, touched_bytes: 0 };
        sum.shadow_bytes += if self.lines.is_some() { LINES } else { 0 };
        for line in self.lines() {
            let (stamps, counters, heap) = match line {
                Line::Stamps(stamps) => (stamps, 0, room(stamps)),
                Line::Tally(tally) => (tally.stamps(), tally.touched(), tally.bytes()),
                Line::Copies(copies) => {
                    sum.shadow_bytes += copies.bytes() as u64;
                    sum.touched_bytes += u64::from(copies.touched().count_ones());
                    continue;
                }
                Line::Empty | Line::Words | Line::Split => continue,
            };
            sum.shadow_bytes += heap as u64;
            // As a rule one of them is of all the line.
            let whole = stamps.iter().any(|s| (s.from, s.to) == (0, 128));
            let touched = || stamps.iter().fold(counters, |b, s| b | s.touched()).count_ones();
            sum.touched_bytes += u64::from(if whole { 128 } else { touched() });
        }
        if let Some((room, touched)) = self.words.as_ref().map(|words| words.bytes()) {
            sum.shadow_bytes += room as u64;
            sum.touched_bytes += touched as u64;
        }
        if self.cells.is_some() {
            sum.shadow_bytes += 256 * 8 + self.bytes_again() as u64;
        }
        for (_, cell) in self.cells() {
            sum.shadow_bytes += (CELL + cell.heap_bytes()) as u64;
            sum.touched_bytes += u64::from(cell.touched().count_ones());
        }
        sum
    }
}
