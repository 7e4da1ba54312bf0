//! Shadow of 4 KiB of memory, and how it is reached.

mod contents;
mod replay;

use crate::ptx::access::entry::{Bytes, Entry};
use crate::ptx::access::touches::span;
use crate::ptx::history::cell::Cell;
use crate::ptx::history::line::Line;
use crate::ptx::history::stamp::Stamp;
use crate::ptx::history::stamps::room;
use crate::ptx::history::words::Words;
use crate::ptx::history::words::packing::{Accessor, Kind, Kinds, Packing, Stand};
use crate::ptx::order::knowledge::WarpState;
use crate::shadow::{Pages, Places, expect, lock};
use clocks::compressed::Seen;
use events::is_one_lane;
use events::observer::Footprint;
use std::sync::{Arc, Mutex};

/// Shadow of 4 KiB: lines of 128 bytes, words for lines that are touched here and there, and cells of sixteen bytes for
/// lines that were split.
///
/// What every access looks at lies together.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Page {
    /// The history of lines that are [`Line::Words`], and which lines those are.
    words: Option<Words>,
    worded: u32,
    /// Only what strong operations need is kept here any more: there was no memory for the rest.
    pub(crate) given_up: bool,
    pub(crate) cells: Option<Box<[Slot; 256]>>,
    /// Made when a warp comes back to a line of cells.
    again: Option<Box<replay::Again>>,
    /// Made when one of them is more than words: where threads are scattered, pages are many, and are to lie close together.
    lines: Option<Box<[Line; 32]>>,
}

/// The lines of a page, those of `worded` in its words.
#[inline(always)]
fn made(lines: &mut Option<Box<[Line; 32]>>, worded: u32) -> &mut [Line; 32] {
    match lines {
        Some(lines) => lines,
        None => make(lines, worded),
    }
}

#[cold]
fn make(lines: &mut Option<Box<[Line; 32]>>, worded: u32) -> &mut [Line; 32] {
    let line = |i| if worded >> i & 1 != 0 { Line::Words } else { Line::Empty };
    lines.insert(Box::new(std::array::from_fn(line)))
}

/// The cells of a page, which are made if there are none.
fn made_cells<'a>(cells: &'a mut Option<Box<[Slot; 256]>>, grown: &mut usize) -> &'a mut [Slot; 256] {
    cells.get_or_insert_with(|| {
        *grown += 256 * 8;
        Box::new([const { None }; 256])
    })
}

fn made_cell<'a>(cells: &'a mut [Slot; 256], index: usize, grown: &mut usize) -> &'a Arc<Mutex<Cell>> {
    cells[index & 255].get_or_insert_with(|| {
        *grown += CELL;
        Arc::default()
    })
}

/// Stamps of single threads from which on another one makes a line one of words. Stencils leave fewer at its ends.
const NARROW: usize = 8;

/// So many lines of words make a page one of words, if it has nothing else: where threads are scattered they come to all of it.
const FULL: u32 = 8;

/// How accesses are packed, and the numbers of kinds that the observer knows.
pub(crate) type Numbering<'a> = (&'a Arc<Packing>, &'a mut Kinds);

/// A cell, if there is one.
type Slot = Option<Arc<Mutex<Cell>>>;

/// Cells of a page, or some of them.
pub(crate) type Cells = Vec<Slot>;

/// Bytes that a cell takes where it lies, with its lock, its count of references and the allocator's part.
const CELL: usize = size_of::<Mutex<Cell>>() + 32;

/// Bytes of a page's lines.
const LINES: u64 = size_of::<[Line; 32]>() as u64;

/// Bytes of a page, with its lines, which most have, its place and the allocator's part.
pub(crate) const PAGE: u64 = size_of::<Page>() as u64 + LINES + 64;

impl Page {
    /// One whose accesses are not remembered.
    pub(crate) fn given_up() -> Self {
        Page { given_up: true, ..Page::default() }
    }

    pub(crate) fn line(&mut self, index: usize) -> &mut Line {
        &mut self.all_lines()[index & 31]
    }

    /// Returns all lines.
    #[inline(always)]
    pub(crate) fn all_lines(&mut self) -> &mut [Line; 32] {
        made(&mut self.lines, self.worded)
    }

    /// As [`Page::weak`], for a line without history, to which most accesses of many kernels go. False if it has
    /// one.
    #[inline(always)]
    pub(crate) fn first(&mut self, index: usize, stamp: &Stamp) -> bool {
        let Some(lines) = &mut self.lines else { return false };
        lines[index & 31].first(stamp)
    }

    /// Adds a weak access of neighbouring lanes to a line. `simple` says that the warp has acquired nothing but by barriers,
    /// `stand` for which reads two stand. False if it has to be judged in cells; then
    /// nothing has happened.
    pub(crate) fn weak(
        &mut self,
        index: usize,
        stamp: &Stamp,
        (state, simple, stand): (&WarpState, bool, Stand),
        (packing, kinds): (Option<&Arc<Packing>>, &mut Kinds),
        grown: &mut usize,
    ) -> bool {
        if is_one_lane(stamp.lanes)
            && let Line::Stamps(stamps) = self.line(index)
            && stamps.len() >= NARROW
            && stamps.iter().filter(|s| is_one_lane(s.lanes)).count() >= NARROW
            && let Some(packing) = packing
        {
            // Many accesses of single threads: in words they take less room, and each finds its own.
            self.make_words(index & 31, stand == Stand::All, simple, (packing, &mut *kinds), grown);
        }
        match &mut made(&mut self.lines, self.worded)[index & 31] {
            Line::Words => {
                let (Some(words), Some(packing)) = (&mut self.words, packing) else { return false };
                let shift = stamp.size().trailing_zeros() as u8;
                let kind = Kind::new(stamp.site, stamp.class, shift);
                let Some(kind) = kinds.number(packing, kind) else { return false };
                let by = (stamp.at(), stamp.tick);
                Accessor::new(packing, by, (kind, stamp.class), state, stand)
                    .is_some_and(|by| words.stamp(index & 31, stamp, &by, grown))
            }
            line => line.weak(stamp, state, simple, grown),
        }
    }

    /// [`Page::weak`] will look here soon.
    #[inline(always)]
    pub(crate) fn expect_line(&self, address: u64) {
        if let Some(lines) = &self.lines {
            expect(&raw const lines[(address >> 7) as usize % 32]);
        }
    }

    /// Returns the places of its words' arrays, for [`spread`](crate::ptx::history::spread), if there are any.
    /// From now on they have the line of `word`, too, if that has nothing yet.
    pub(crate) fn places(&mut self, word: usize) -> Option<Places> {
        let words = self.words.as_mut().filter(|_| !self.given_up)?;
        let line = word / 32 % 32;
        if self.worded >> line & 1 == 0 {
            match self.lines.as_mut().map(|lines| &mut lines[line]) {
                None => {}
                Some(kept @ Line::Empty) => *kept = Line::Words,
                Some(_) => return None,
            }
            words.keep(line);
            self.worded |= 1 << line;
            if self.lines.is_none() && self.worded.count_ones() == FULL {
                (0..32).for_each(|line| words.keep(line));
                self.worded = u32::MAX;
            }
        }
        Some(words.places(self.worded))
    }

    /// Adds one lane's access to `words` words at `address`. False as above. `aligned` as for [`Words::take`].
    #[inline]
    pub(crate) fn word(
        &mut self,
        address: u64,
        words: usize,
        lane: u32,
        by: &Accessor<'_>,
        (packing, aligned): (Numbering<'_>, bool),
        grown: &mut usize,
    ) -> bool {
        let word = (address >> 2) as usize & 1023;
        if self.worded >> (word / 32) & 1 == 0
            && !self.make_words(word / 32, by.simple, aligned, packing, grown)
        {
            return false;
        }
        let kept = self.words.as_mut();
        kept.is_some_and(|kept| kept.one((word, words), by.of_lane(lane), by, grown))
    }

    /// Returns whether the line of `address` keeps word epochs.
    #[inline]
    pub(crate) fn is_worded(&self, address: u64) -> bool {
        self.worded >> (address >> 7 & 31) & 1 != 0
    }

    /// As [`Page::word`], of such a line.
    #[inline]
    pub(crate) fn worded(
        &mut self,
        address: u64,
        words: usize,
        lane: u32,
        by: &Accessor<'_>,
        grown: &mut usize,
    ) -> bool {
        let word = (address >> 2) as usize & 1023;
        self.words.as_mut().is_some_and(|kept| kept.one((word, words), by.of_lane(lane), by, grown))
    }

    /// Adds the accesses of `lanes` neighbouring lanes from `lane` on, one word each. Returns how many could be added.
    #[inline]
    pub(crate) fn row(
        &mut self,
        address: u64,
        (lane, lanes): (u32, usize),
        by: &Accessor<'_>,
        ((packing, kinds), aligned): (Numbering<'_>, bool),
        grown: &mut usize,
    ) -> usize {
        let word = (address >> 2) as usize & 1023;
        for line in [word / 32, (word + lanes - 1) / 32] {
            let packing = (packing, &mut *kinds);
            if self.worded >> line & 1 == 0 && !self.make_words(line, by.simple, aligned, packing, grown) {
                return 0;
            }
        }
        self.words.as_mut().map_or(0, |kept| kept.row((word, lanes), by.of_lane(lane), by, grown))
    }

    /// From now on a line is kept word by word, if its history can be.
    #[cold]
    fn make_words(
        &mut self,
        index: usize,
        simple: bool,
        aligned: bool,
        (packing, kinds): Numbering<'_>,
        grown: &mut usize,
    ) -> bool {
        let words = self.words.get_or_insert_with(|| Words::new(Arc::clone(packing)));
        words.keep(index);
        if let Some(lines) = &mut self.lines {
            let line = &mut lines[index];
            let before = match line {
                Line::Empty => 0,
                Line::Stamps(stamps) if words.take(index, stamps, (simple, aligned), kinds, grown) => {
                    room(stamps)
                }
                _ => return false,
            };
            *grown = grown.saturating_sub(before);
            *line = Line::Words;
        }
        self.worded |= 1 << index;
        true
    }

    /// A cell, whose line is split for it; what that takes is added to `grown`. It has a lock of its own, so that
    /// work on it does not keep others from the page's other cells.
    pub(crate) fn cell(&mut self, index: usize, grown: &mut usize) -> &Arc<Mutex<Cell>> {
        let index = index & 255;
        if self.again.is_some() {
            self.changes(index / 8);
        }
        if !matches!(made(&mut self.lines, self.worded)[index / 8], Line::Split) {
            self.split_line(index / 8, grown);
        }
        made_cell(made_cells(&mut self.cells, grown), index, grown)
    }

    /// From now on the history of a line is in its cells.
    fn split_line(&mut self, line: usize, grown: &mut usize) {
        let cells = made_cells(&mut self.cells, grown);
        let mut add = |i: usize, entry: Entry| {
            let mut cell = lock(made_cell(cells, line * 8 + i, grown));
            let before = cell.room();
            cell.entries.push(entry);
            *grown += cell.room() - before;
            if entry.class.strong() {
                cell.prepare(entry.bytes);
            }
        };
        match std::mem::replace(&mut made(&mut self.lines, self.worded)[line], Line::Split) {
            Line::Stamps(stamps) => stamps.iter().for_each(|stamp| stamp.entries(&mut add)),
            Line::Tally(tally) => {
                tally.stamps().iter().for_each(|stamp| stamp.entries(&mut add));
                tally.entries(add);
            }
            Line::Copies(copies) => {
                copies.stamps().iter().for_each(|stamp| stamp.entries(&mut add));
                copies.entries(add);
            }
            Line::Words => {
                if let Some(words) = &mut self.words {
                    let lines = line..line + 1;
                    words.entries(lines.clone(), |cell, entry| add(cell - line * 8, entry));
                    words.observers(lines.clone(), |cell, entry| {
                        if let Some(cell) = &cells[cell] {
                            lock(cell).seen_by(&entry);
                        }
                    });
                    words.more_reds(lines, |cell, entry| {
                        if let Some(cell) = &cells[cell] {
                            *grown += lock(cell).add_to_chain(entry);
                        }
                    });
                    words.forget(line);
                    self.worded &= !(1 << line);
                }
            }
            Line::Empty | Line::Split => {}
        }
    }

    /// All threads that may come here are behind a barrier, and so are the accesses of lines of stamps and of counters: they begin
    /// anew. So do lines of cells in which no copy is under way; their cells stay where they are, for the next time. `complete` as
    /// for [`Cell::is_over`]. Returns the bytes that come free, about.
    pub(crate) fn passes(&mut self, complete: impl Fn(&Entry) -> bool) -> usize {
        let mut freed = 0;
        for (i, line) in self.lines.iter_mut().flat_map(|lines| lines.iter_mut().enumerate()) {
            match line {
                Line::Stamps(stamps) => {
                    freed += room(stamps);
                    *line = Line::Empty;
                }
                Line::Tally(tally) => {
                    freed += tally.bytes();
                    *line = Line::Empty;
                }
                Line::Copies(copies) => copies.passes(),
                Line::Split => {
                    let cells =
                        || self.cells.iter().flat_map(|cells| cells[i * 8..i * 8 + 8].iter().flatten());
                    if cells().all(|cell| lock(cell).is_over(&complete)) {
                        cells().for_each(|cell| lock(cell).begins_anew());
                        *line = Line::Empty;
                    }
                }
                Line::Empty | Line::Words => {}
            }
        }
        freed
    }

    /// Forgets everything. Its cells are the caller's to give up.
    pub(crate) fn clear(&mut self) -> Option<Cells> {
        self.again = None;
        (self.words, self.worded) = (None, 0);
        self.lines.iter_mut().for_each(|lines| lines.fill_with(Line::default));
        Some(Vec::from(self.cells.take()? as Box<[_]>))
    }

    /// Forgets all accesses, for good; with `heads`, what strong operations need stays. Tells how many bytes came
    /// free, about.
    pub(crate) fn give_up(&mut self, heads: bool) -> u64 {
        let before = self.footprint().shadow_bytes;
        self.given_up = true;
        self.again = None;
        (self.words, self.worded) = (None, 0);
        self.lines.iter_mut().for_each(|lines| lines.fill_with(Line::default));
        if let Some(cells) = &mut self.cells {
            for slot in cells.iter_mut() {
                // A worker that holds a cell may be about to make it one of strong operations.
                let kept = slot.as_ref().is_some_and(|cell| {
                    heads
                        && (Arc::strong_count(cell) > 1 || {
                            let mut cell = lock(cell);
                            cell.give_up();
                            cell.strong()
                        })
                });
                if !kept {
                    *slot = None;
                }
            }
            if cells.iter().all(Option::is_none) {
                self.cells = None;
            }
        }
        before.saturating_sub(self.footprint().shadow_bytes)
    }

    /// Bytes that strong operations' locations need, but for clocks in `seen`.
    pub(crate) fn heads(&self, seen: &mut Seen) -> usize {
        self.cells().map(|(_, cell)| cell.heads_bytes(seen)).sum()
    }

    /// Forgets bytes `from..to`, and nothing else: a line of which they are a part is split, and what that takes added to `grown`.
    pub(crate) fn forget(&mut self, from: u64, to: u64, grown: &mut usize) {
        for line in (from / 128) as usize..to.div_ceil(128) as usize {
            let start = line as u64 * 128;
            let part = (from.max(start) - start, to.min(start + 128) - start);
            if part == (0, 128) {
                self.forget_line(line);
            } else if self.has_history(line) {
                self.forget_part(line, part, grown);
            }
        }
    }

    fn forget_line(&mut self, line: usize) {
        self.changes(line);
        if let Some(cells) = &mut self.cells {
            cells[line * 8..line * 8 + 8].fill_with(|| None);
        }
        if let Some(words) = &mut self.words {
            words.forget(line);
            self.worded &= !(1 << line);
        }
        if let Some(kept) = &mut self.lines {
            kept[line] = Line::Empty;
        }
    }

    /// Returns whether anything may be kept of a line.
    fn has_history(&self, line: usize) -> bool {
        self.worded >> line & 1 != 0 || self.lines.as_ref().is_some_and(|l| !matches!(l[line], Line::Empty))
    }

    /// Forgets bytes `from..to` of one line, cell by cell.
    #[cold]
    fn forget_part(&mut self, line: usize, (from, to): (u64, u64), grown: &mut usize) {
        self.cell(line * 8, grown);
        let Some(cells) = &mut self.cells else { return };
        for cell in from / 16..to.div_ceil(16) {
            let start = cell * 16;
            let bytes = span((from.max(start) - start) as u32, (to.min(start + 16) - start) as u32);
            let slot = &mut cells[line * 8 + cell as usize];
            match slot {
                Some(cell) if bytes != Bytes::MAX => lock(cell).forget(bytes),
                _ => *slot = None,
            }
        }
    }
}

pub(crate) type Shadow = Pages<Page>;

pub(crate) fn footprint_of(shadow: &Shadow) -> Footprint {
    total(shadow.iter().map(|(_, page)| page.footprint()))
}

pub(crate) fn total(footprints: impl Iterator<Item = Footprint>) -> Footprint {
    footprints.fold(Footprint::default(), |sum, one| Footprint {
        shadow_bytes: sum.shadow_bytes + one.shadow_bytes,
        touched_bytes: sum.touched_bytes + one.touched_bytes,
    })
}
