//! Lines whose threads come back, in loops, with the same instructions.
//!
//! A cell [remembers](crate::ptx::history::cell::Op) what accesses that happen again do to it. Where a warp races in a whole line in a loop
//! that is asked of eight cells each time. So a line remembers it, too: what all its cells had, and which stamps led from one of these
//! contents to another. While its threads only do what they have done before, nothing but the number of the content changes, and
//! the cells are brought up to date when somebody asks for one.

use super::{Page, Slot};
use crate::ptx::access::entry::Entry;
use crate::ptx::history::stamp::Stamp;
use crate::ptx::report::counts::Counted;
use crate::shadow::lock;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

/// Contents that are remembered, at most, and ways from one to another.
const CONTENTS: usize = 16;
const TURNS: usize = 2 * CONTENTS;
/// Cells of a line.
const CELLS: usize = 8;
/// Bytes of a line from which on an access is one of it, rather than of some of its cells.
const MOST: u8 = 64;

/// What a line's cells had.
type Content = [Vec<Entry>; CELLS];

/// What lines have been like.
#[derive(Debug, Default)]
pub(super) struct Again([Option<Box<Mutex<Line>>>; 32]);

#[derive(Debug, Default)]
struct Line {
    /// See [`Sink::taken`](crate::ptx::report::sink::Sink::taken): where races are counted.
    taken: u32,
    contents: Vec<Content>,
    /// Which of them the line has.
    now: usize,
    turns: Vec<Turn>,
    /// The cells have something else still.
    stale: bool,
    /// An access that is to be remembered is being judged.
    begun: bool,
}

/// From one content to another.
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
    /// A line, if something is remembered of it.
    fn line(&mut self, index: usize) -> Option<&mut Line> {
        let line = self.0[index % 32].as_mut()?;
        Some(line.get_mut().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Line {
    /// Brings the cells up to date.
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

    /// Which content it is.
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

/// What all of a line's cells have; none if some of them keep more than plain accesses.
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
    /// Does an access to a line again that happened there before, and counts its races. False if it has not.
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

    /// An access to a line is about to be judged in its cells. Is it worth to remember what it does? Until [`Page::ends`] cells are
    /// asked for by it only.
    pub(in crate::ptx) fn begins(&mut self, index: usize, stamp: &Stamp, taken: u32) -> bool {
        let index = index % 32;
        let Some(cells) = self.cells.as_deref() else { return false };
        let first = usize::from(stamp.from) / 16;
        if let Some(line) = self.again.as_mut().and_then(|again| again.line(index)) {
            line.settle(cells, index);
        }
        let by = (stamp.block, stamp.warp, stamp.tick);
        let returns = cells[index * CELLS + first].as_ref().is_some_and(|cell| lock(cell).was_visited(by));
        let content = (stamp.to - stamp.from >= MOST && returns).then(|| content(cells, index)).flatten();
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

    /// It was judged, and had these races; none if one of them may be shown. Returns the bytes that remembering took.
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

    /// Something else happens to a line.
    pub(super) fn changes(&mut self, index: usize) {
        let (Some(cells), Some(again)) = (self.cells.as_deref(), &mut self.again) else { return };
        let Some(line) = again.line(index) else { return };
        if !line.begun {
            line.settle(cells, index % 32);
            again.0[index % 32] = None;
        }
    }

    /// Brings all cells up to date.
    pub(super) fn settle(&self) {
        let (Some(cells), Some(again)) = (self.cells.as_deref(), &self.again) else { return };
        for (index, line) in again.0.iter().enumerate() {
            if let Some(line) = line {
                lock(line).settle(cells, index);
            }
        }
    }

    /// Bytes of what is remembered.
    pub(super) fn bytes_again(&self) -> usize {
        let lines = self.again.iter().flat_map(|again| again.0.iter().flatten());
        lines.map(|line| lock(line).bytes()).sum()
    }
}
