//! Replay of accesses that a line has judged before.
//!
//! Threads that race in a loop access the same lines by the same instructions, and each access replaces the one
//! before it. The line then has the same contents as in the last turn, and the access makes the same races. A line
//! records the last few contents of its cells, the stamps that led from one to another, and the races of each.
//! A replayed access changes the index of the contents only. The cells are updated before one of them is read.
//!
//! The effect of an access on cells of plain accesses depends on their contents, on the access, and on what
//! its threads know. Where only barriers order threads, the warp's tick determines what they know.

use super::{Page, Slot};
use crate::ptx::access::entry::Entry;
use crate::ptx::history::stamp::Stamp;
use crate::ptx::report::counts::Counted;
use crate::shadow::lock;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

/// The largest numbers of recorded contents, and of accesses from one to another.
const CONTENTS: usize = 16;
const TURNS: usize = 2 * CONTENTS;
/// Cells of a line.
const CELLS: usize = 8;
/// The least bytes of an access that is recorded: what smaller ones do costs little more than to look for it.
const MOST: u8 = 64;

/// The entries of a line's cells.
type Content = [Vec<Entry>; CELLS];

/// The recorded contents of a page's lines.
#[derive(Debug, Default)]
pub(super) struct Again([Option<Box<Mutex<Line>>>; 32]);

#[derive(Debug, Default)]
struct Line {
    /// See [`Sink::taken`](crate::ptx::report::sink::Sink::taken): where races are counted.
    taken: u32,
    contents: Vec<Content>,
    /// The index of the line's present contents.
    now: usize,
    turns: Vec<Turn>,
    /// The cells do not have the present contents yet.
    stale: bool,
    /// An access that will be recorded is being judged.
    begun: bool,
}

/// An access that led from one content to another.
#[derive(Debug)]
struct Turn {
    from: usize,
    /// The access, and whether nothing but whole barriers orders threads.
    stamp: Stamp,
    simple: bool,
    to: usize,
    races: Counted,
}

impl Again {
    /// Returns a line's record, if there is one.
    fn line(&mut self, index: usize) -> Option<&mut Line> {
        let line = self.0[index % 32].as_mut()?;
        Some(line.get_mut().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Line {
    /// Writes the present contents into the cells.
    fn settle(&mut self, cells: &[Slot], line: usize) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        let Some(content) = self.contents.get(self.now) else { return };
        for (cell, entries) in cells[line * CELLS..].iter().zip(content) {
            if let Some(cell) = cell {
                lock(cell).replace(entries);
            }
        }
    }

    /// Returns the index of these contents, and adds them if they are new.
    fn number(&mut self, content: Content) -> usize {
        self.contents.iter().position(|known| *known == content).unwrap_or_else(|| {
            self.contents.push(content);
            self.contents.len() - 1
        })
    }

    fn bytes(&self) -> usize {
        let entries =
            |content: &Content| content.iter().map(Vec::capacity).sum::<usize>() * size_of::<Entry>();
        let contents = self.contents.iter().map(|content| size_of::<Content>() + entries(content));
        size_of::<Self>() + contents.sum::<usize>() + self.turns.capacity() * size_of::<Turn>()
    }
}

/// Returns the entries of a line's cells; `None` if a cell has more than plain accesses.
fn content(cells: &[Slot], line: usize) -> Option<Content> {
    let mut content = Content::default();
    for (cell, content) in cells[line * CELLS..].iter().zip(&mut content) {
        if let Some(cell) = cell {
            let cell = lock(cell);
            if !cell.repeats_itself() {
                return None;
            }
            content.clone_from(&cell.entries);
        }
    }
    Some(content)
}

impl Page {
    /// Replays an access and counts its races. Returns whether it is recorded for the line's contents.
    pub(in crate::ptx) fn does_again(
        &mut self,
        index: usize,
        (stamp, simple): (&Stamp, bool),
        taken: u32,
    ) -> bool {
        let Some(line) = self.again.as_mut().and_then(|again| again.line(index)) else { return false };
        let again = |turn: &&Turn| (turn.from, &turn.stamp, turn.simple) == (line.now, stamp, simple);
        let Some(turn) = line.turns.iter().find(again).filter(|_| line.taken == taken) else { return false };
        for (again, count) in &turn.races {
            again.fetch_add(*count, Ordering::Relaxed);
        }
        line.stale |= turn.to != line.now;
        line.now = turn.to;
        true
    }

    /// Begins to record an access that will be judged in the line's cells. Returns whether it is worth recording.
    /// Until [`Page::ends`] only this access reads the cells.
    pub(in crate::ptx) fn begins(&mut self, index: usize, stamp: &Stamp, taken: u32) -> bool {
        let index = index % 32;
        let Some(cells) = self.cells.as_deref() else { return false };
        let first = usize::from(stamp.from) / 16;
        if let Some(line) = self.again.as_mut().and_then(|again| again.line(index)) {
            line.settle(cells, index);
        }
        let by = (stamp.block, stamp.warp, stamp.tick);
        let returns = || cells[index * CELLS + first].as_ref().is_some_and(|cell| lock(cell).was_visited(by));
        let content = (stamp.to - stamp.from >= MOST && returns()).then(|| content(cells, index)).flatten();
        let Some(content) = content else {
            self.changes(index);
            return false;
        };
        let again = self.again.get_or_insert_default();
        let line = again.0[index].get_or_insert_default();
        let line = line.get_mut().unwrap_or_else(PoisonError::into_inner);
        if line.taken != taken || line.contents.len() >= CONTENTS || line.turns.len() >= TURNS {
            *line = Line { taken, ..Line::default() };
        }
        line.now = line.number(content);
        line.begun = true;
        true
    }

    /// Records the access that [`Page::begins`] began, with its races; `None` if one of them may be reported.
    /// Returns the bytes that the record has grown by.
    pub(in crate::ptx) fn ends(
        &mut self,
        index: usize,
        (stamp, simple): (&Stamp, bool),
        races: Option<Counted>,
    ) -> usize {
        let index = index % 32;
        let (Some(cells), Some(again)) = (self.cells.as_deref(), &mut self.again) else { return 0 };
        let Some(line) = again.line(index) else { return 0 };
        let before = line.bytes();
        let (Some(races), Some(content)) = (races, content(cells, index)) else {
            again.0[index] = None;
            return 0;
        };
        let from = line.now;
        line.now = line.number(content);
        line.turns.push(Turn { from, stamp: *stamp, simple, to: line.now, races });
        line.begun = false;
        line.bytes().saturating_sub(before)
    }

    /// Drops a line's record, because the line changes otherwise.
    pub(super) fn changes(&mut self, index: usize) {
        let (Some(cells), Some(again)) = (self.cells.as_deref(), &mut self.again) else { return };
        let Some(line) = again.line(index) else { return };
        if !line.begun {
            line.settle(cells, index % 32);
            again.0[index % 32] = None;
        }
    }

    /// Writes the present contents of all lines into their cells.
    pub(super) fn settle(&self) {
        let (Some(cells), Some(again)) = (self.cells.as_deref(), &self.again) else { return };
        for (index, line) in again.0.iter().enumerate() {
            if let Some(line) = line {
                lock(line).settle(cells, index);
            }
        }
    }

    /// Returns the bytes of the records.
    pub(super) fn bytes_again(&self) -> usize {
        let lines = self.again.iter().flat_map(|again| again.0.iter().flatten());
        lines.map(|line| lock(line).bytes()).sum()
    }
}
