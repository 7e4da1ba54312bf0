//! The footprint of a task in a page: its accesses, as runs of bytes.

use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::Entry;
use crate::ptx::access::entry::witness;
use crate::ptx::access::partial::by_class;
use crate::ptx::history::page::Page;
use crate::ptx::history::stamp::Stamp;
use crate::ptx::history::words::summary::{Each, Met, Row, Stretch};
use clocks::{Clock, Tick};
use events::access::AccessKind;
use events::{SiteId, Strength};
use std::sync::Arc;
use touches::{LAYER, ONE, THREAD, Touch};

mod coverage;
mod first_bytes;
mod touches;

pub(crate) use coverage::Coverage;
pub(crate) use touches::Touches;

const NO_SITE: u32 = u32::MAX;
/// Runs of a page beyond which not every instruction is told of.
const CROWDED: usize = 64;
/// Pieces of a page beyond which that is not even tried.
const FEW: usize = 4 * CROWDED;

/// Bytes of a page that one instruction (or host call) touched, neighbours put together. Strong accesses are
/// put together only with those of the same size, side by side, since their extent matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) from: u16,
    /// Exclusive; at most 4096.
    pub(crate) to: u16,
    pub(crate) class: AccessClass,
    /// Bytes of the first of its accesses, and of each if they are strong.
    pub(crate) size: u16,
    /// Released before the launch let the next kernel begin, see [`crate::ptx::tasks::early`].
    pub(crate) released: bool,
    /// [`NO_SITE`], too, if weak accesses are of several.
    site: u32,
    /// The threads that touched its bytes: so many of its page's [`Touches`], from this one on; or of each word
    /// its so-manieth access.
    first: u32,
    touches: u16,
}

/// The accesses of a task to a page, and their threads.
#[derive(Debug)]
pub(crate) struct Runs {
    pub(crate) runs: Vec<Run>,
    pub(crate) by: By,
}

/// The threads of the accesses of a page's runs.
#[derive(Clone, Debug)]
pub(crate) enum By {
    /// A copy or the host: the whole range, of which this page may have a part only.
    Range {
        address: u64,
        bytes: u64,
    },
    Threads(Touches),
}

impl By {
    /// Which instructions touched bytes `from..to` of a run: calls `part` with each stretch.
    pub(crate) fn parts(&self, run: &Run, (from, to): (u16, u16), mut part: impl FnMut(u16, u16)) {
        let By::Threads(touches) = self else { return part(from, to) };
        let (mut start, mut at, mut last) = (from, from, None);
        for (site, end) in touches.from(run, from) {
            if at >= to {
                break;
            }
            if last.is_some_and(|last| last != site) {
                part(start, at);
                start = at;
            }
            (last, at) = (Some(site), end.min(to));
        }
        part(start, to);
    }
}

impl Runs {
    /// A part of `address..address + bytes` that a copy or the host accessed.
    pub(crate) fn range(run: Run, address: u64, bytes: u64) -> Self {
        Runs { runs: vec![run], by: By::Range { address, bytes } }
    }
}

impl Run {
    pub(crate) fn range(from: u16, to: u16, site: Option<SiteId>, write: bool) -> Run {
        let kind = if write { AccessKind::Write } else { AccessKind::Read };
        let class = AccessClass::with(kind, Strength::Weak);
        let site = site.map_or(NO_SITE, |s| s.0);
        Run { from, to, class, size: to - from, released: false, site, first: 0, touches: 0 }
    }

    pub(crate) fn site(&self) -> Option<SiteId> {
        (self.site != NO_SITE).then_some(SiteId(self.site))
    }

    /// Bytes that are kept beside it to name the thread.
    pub(crate) fn bytes_of_touches(&self) -> usize {
        usize::from(self.touches) * size_of::<Touch>()
    }

    /// Returns whether they conflict, strength aside.
    pub(crate) fn meets(&self, other: &Run) -> bool {
        self.from < other.to && other.from < self.to && (self.class.writes() || other.class.writes())
    }

    /// Returns whether whatever races with `old` races with this, if both are of one stream.
    pub(crate) fn covers(&self, old: &Run) -> bool {
        let alike = old.class.rank() == self.class.rank() && self.in_step(old);
        let within = self.from <= old.from && old.to <= self.to;
        (alike || !self.class.strong()) && within && (self.class.writes() || !old.class.writes())
    }

    /// Returns whether this may be an access of a word: of 1, 2, 4 or 8 bytes, of which a part may be forgotten.
    pub(crate) fn may_be_word(&self) -> bool {
        matches!(self.size, 1 | 2 | 4 | 8)
    }

    /// Returns whether the accesses of both are of one size, so that two of them overlap in all or in nothing.
    pub(crate) fn in_step(&self, other: &Run) -> bool {
        self.size == other.size && self.from.abs_diff(other.from).is_multiple_of(self.size.max(1))
    }

    /// Returns whether one is of bytes or halves, and the other [of the words around
    /// them](crate::ptx::access::partial::of_one_word).
    pub(crate) fn is_of_one_word(&self, other: &Run) -> bool {
        let (part, word) = if self.size < other.size { (self, other) } else { (other, self) };
        let aligned = |run: &Run| run.from.is_multiple_of(run.size.max(1));
        word.size == 4 && part.size < 3 && aligned(part) && aligned(word) && by_class(part.class, word.class)
    }

    /// Returns the parts outside `from..to`.
    pub(crate) fn without(self, from: u16, to: u16) -> impl Iterator<Item = Run> {
        let before = Run { to: self.to.min(from.max(self.from)), ..self };
        let after = Run { from: self.from.max(to.min(self.to)), ..self };
        let untouched = to <= self.from || self.to <= from;
        let both = if untouched { [Some(self), None] } else { [Some(before), Some(after)] };
        both.into_iter().flatten().filter(|run| run.from < run.to)
    }
}

/// Bytes that one thread (or neighbouring ones) touched, before they are put together.
#[derive(Clone, Copy, Debug)]
struct Piece {
    run: Run,
    touch: Touch,
}

impl Piece {
    /// Returns the parts outside `from..to`.
    fn without(&self, from: u16, to: u16) -> impl Iterator<Item = Piece> {
        let touch = self.touch;
        self.run.without(from, to).map(move |run| Piece { run, touch: touch.since(run.from) })
    }

    /// Lets it stand for `next`, too, if that is the same behind it: by the same thread, or by the next ones.
    fn extend(&mut self, next: &Piece) -> bool {
        let (a, b) = (&self.run, &next.run);
        let alike = (a.to, a.size, a.site, a.class, a.released, self.touch.block)
            == (b.from, b.size, b.site, b.class, b.released, next.touch.block);
        if !alike {
            return false;
        }
        let one = |piece: &Piece| piece.run.to - piece.run.from == piece.run.size;
        let single = |piece: &Piece| piece.touch.who >> THREAD == ONE || one(piece);
        let thread = |piece: &Piece| piece.touch.who & ((1 << THREAD) - 1);
        if single(self) && single(next) && thread(self) == thread(next) {
            self.touch.who = ONE << THREAD | thread(self);
        } else if !self.touch.goes_on(&next.touch) {
            return false;
        }
        self.run.to = next.run.to;
        true
    }
}

/// Returns the runs of a page, which is not needed any more. `released` is what the launch's threads had
/// released when they let the next kernel begin; `pieces`, of the same launch, are kept for their memory.
pub(crate) fn runs_of(page: &mut Page, released: &Clock, pieces: &mut Pieces) -> Runs {
    let each = page.words_mut().filter(|_| released.is_empty());
    let each = each.and_then(|words| words.each(FEW, &mut pieces.met));
    pieces.clear();
    let plain = released.is_empty();
    for (line, stamp) in page.stamps() {
        if !(plain && pieces.goes_on(line, stamp)) {
            pieces.stamp(line, stamp, released);
        }
    }
    for (index, cell) in page.cells() {
        cell.all().for_each(|entry| pieces.entry(index, entry, released));
    }
    if each.is_some() {
        // They are told of already.
    } else if released.is_empty() {
        let mut met = std::mem::take(&mut pieces.met);
        page.rows(&mut met, |row| pieces.row(&row));
        pieces.met = met;
    } else {
        page.words(|cell, entry| pieces.entry(cell, &entry, released));
    }
    page.copies(|cell, entry| pieces.entry(cell, &entry, released));
    for (line, tally) in page.tallies() {
        tally.entries(|cell, entry| pieces.entry(line * 8 + cell, &entry, released));
    }
    let Some((each, stretches)) = each else { return joined(&mut pieces.all) };
    let (mut runs, touches) =
        if pieces.all.is_empty() { Default::default() } else { put_together(&mut pieces.all) };
    runs.extend(runs_of_each(&each, &stretches));
    Runs { runs, by: By::Threads(Touches { some: touches.into(), each: Some(Arc::new(each)) }) }
}

/// Words that were touched by many threads one by one.
fn runs_of_each(each: &Each, stretches: &[Stretch]) -> impl Iterator<Item = Run> {
    let touches = (each.bytes() / size_of::<Touch>() / stretches.len().max(1)) as u16;
    stretches.iter().map(move |stretch| Run {
        from: stretch.words.0 as u16 * 4,
        to: stretch.words.1 as u16 * 4,
        class: stretch.class,
        size: 4,
        released: false,
        site: stretch.site.map_or(NO_SITE, |site| site.0),
        first: LAYER | stretch.layer,
        touches,
    })
}

/// Instructions whose last pieces are at hand.
const SITES: usize = 8;

/// The places of the last pieces of instructions: lines tell of each instruction's accesses in their order,
/// but of several instructions in turn.
#[derive(Debug)]
struct Last {
    sites: [u32; SITES],
    at: [u32; SITES],
    /// So many were new, and the one behind the last that was asked for: mostly they come round and round.
    new: usize,
    next: usize,
}

impl Default for Last {
    fn default() -> Self {
        Last { sites: [NO_SITE; SITES], at: [0; SITES], new: 0, next: 0 }
    }
}

impl Last {
    #[inline]
    fn of(&mut self, site: u32) -> Option<usize> {
        let i = match self.next % SITES {
            next if self.sites[next] == site => next,
            _ => self.sites.iter().position(|&known| known == site)?,
        };
        self.next = i + 1;
        Some(self.at[i] as usize)
    }

    /// The newest piece of `site` is there.
    fn is_at(&mut self, site: u32, at: usize) {
        let i = self.sites.iter().position(|&known| known == site).unwrap_or_else(|| {
            self.new += 1;
            self.new % SITES
        });
        (self.sites[i], self.at[i]) = (site, at as u32);
    }
}

/// The pieces of a page before they are put together.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    all: Vec<Piece>,
    last: Last,
    /// So many are worth putting together.
    crowd: usize,
    met: Met,
}

impl Pieces {
    fn clear(&mut self) {
        self.all.clear();
        self.last = Last::default();
    }

    /// The newest piece of an instruction.
    #[inline]
    fn last_of(&mut self, site: SiteId) -> Option<&mut Piece> {
        self.all.get_mut(self.last.of(site.0)?)
    }

    /// Lets the instruction's last piece stand for a stamp, too, if that is of the next threads, behind it: as [`Pieces::stamp`], which most
    /// of a page need not go through.
    #[inline]
    fn goes_on(&mut self, line: usize, stamp: &Stamp) -> bool {
        let Some((log, thread)) = stamp.neighbours() else { return false };
        let Some(Piece { run, touch }) = self.last_of(stamp.site) else { return false };
        let base = line as u16 * 128;
        let from = base + u16::from(stamp.from);
        let alike = (run.to, run.site, run.class, run.released, touch.block, touch.who >> THREAD)
            == (from, stamp.site.0, stamp.class, false, stamp.block, log.into());
        let goes_on = alike
            && run.size == 1 << log
            && (from - touch.from).is_multiple_of(1 << log)
            && touch.thread(from) == thread;
        if goes_on {
            run.to = base + u16::from(stamp.to);
        }
        goes_on
    }

    fn stamp(&mut self, line: usize, stamp: &Stamp, released: &Clock) {
        let base = line as u16 * 128;
        stamp.threads(|(from, to), thread, log| {
            let (from, to) = (base + u16::from(from), base + u16::from(to));
            let mut add = |from, to, thread| {
                let known = !released.is_empty() && knows(released, stamp.block, thread, stamp.tick);
                let what = (stamp.class, stamp.size(), stamp.site, known);
                self.add((from, to), what, stamp.block, (thread, log.map_or(ONE, u16::from)));
            };
            match log {
                // Some of them may have released theirs.
                Some(log) if !released.is_empty() => {
                    let each = 1 << log;
                    for (thread, at) in (thread..).zip((from..to).step_by(each)) {
                        add(at, to.min(at + each as u16), thread);
                    }
                }
                _ => add(from, to, thread),
            }
        });
    }

    /// Adds an entry of the page's `cell`-th cell.
    pub(crate) fn entry(&mut self, cell: usize, entry: &Entry, released: &Clock) {
        let thread = witness(entry.warp) * 32 + entry.lanes.trailing_zeros() as u16;
        // Ticks of asynchronous operations are their numbers: what let others begin is taken to have waited for them.
        let known = !released.is_empty()
            && (entry.class.asynchronous()
                || (0..32)
                    .filter(|lane| entry.lanes >> lane & 1 != 0)
                    .all(|lane| knows(released, entry.block, witness(entry.warp) * 32 + lane, entry.tick)));
        let mut bytes = entry.bytes;
        while bytes != 0 {
            let from = bytes.trailing_zeros();
            let len = (bytes >> from).trailing_ones();
            bytes &= !(((1u32 << len) - 1) << from) as u16;
            let at = cell as u16 * 16 + from as u16;
            let log = if len.is_power_of_two() { len.trailing_zeros() as u16 } else { ONE };
            let what = (entry.class, len as u16, entry.site, known);
            self.add((at, at + len as u16), what, entry.block, (thread, log));
        }
    }

    /// As [`Pieces::entry`] of each of a row's words, where nothing was released.
    fn row(&mut self, row: &Row) {
        let (from, to) = (row.words.0 as u16 * 4, row.words.1 as u16 * 4);
        let size = if row.kind.shift == 2 { 4 } else { to - from };
        let log = if row.neighbours && size.is_power_of_two() { size.trailing_zeros() as u16 } else { ONE };
        self.add((from, to), (row.kind.class, size, row.kind.site, false), row.block, (row.thread, log));
    }

    fn add(
        &mut self,
        (from, to): (u16, u16),
        (class, size, site, released): (AccessClass, u16, SiteId, bool),
        block: u32,
        (thread, log): (u16, u16),
    ) {
        let next = Piece {
            run: Run { from, to, class, size, released, site: site.0, first: 0, touches: 0 },
            touch: Touch { from, who: log << THREAD | thread, block, site: site.0 },
        };
        if !self.last_of(site).is_some_and(|last| last.extend(&next)) {
            self.last.is_at(site.0, self.all.len());
            self.all.push(next);
        }
    }

    /// Forgets what equal accesses have told already, if it has become much. Tells by how many bytes it grew.
    pub(crate) fn thin(&mut self, before: usize) -> usize {
        if self.all.len() > self.crowd.max(1024) {
            self.all
                .sort_by_key(|Piece { run: r, touch: t }| (r.site, r.class, r.from, r.to, t.block, t.who));
            self.all.dedup_by_key(|Piece { run: r, .. }| (r.site, r.class, r.size, r.from, r.to));
            self.crowd = self.all.len() * 2;
            self.last = Last::default();
        }
        self.bytes().saturating_sub(before)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Piece>()
    }

    /// Forgets bytes `from..to`. Strong operations of which any byte is among them are forgotten whole.
    pub(crate) fn forget(&mut self, from: u16, to: u16) {
        let whole = |run: &Run| run.class.strong() && run.from < to && from < run.to;
        let left = self.all.iter().filter(|piece| !whole(&piece.run));
        self.all = left.flat_map(|piece| piece.without(from, to)).collect();
        self.last = Last::default();
    }

    pub(crate) fn joined(mut self) -> Runs {
        joined(&mut self.all)
    }
}

fn knows(clock: &Clock, block: u32, thread: u16, tick: Tick) -> bool {
    clock
        .block(block)
        .is_some_and(|b| tick <= b.warp(u32::from(thread / 32)) || tick <= b.thread(thread.into()))
}

fn joined(pieces: &mut [Piece]) -> Runs {
    let (runs, touches) = put_together(pieces);
    Runs { runs, by: By::Threads(Touches { some: touches.into(), each: None }) }
}

fn put_together(pieces: &mut [Piece]) -> (Vec<Run>, Vec<Touch>) {
    let few = pieces.len() <= FEW;
    let joined = if few { Some(join(pieces)) } else { None };
    let joined = joined.filter(|(runs, _)| runs.len() <= CROWDED);
    joined.unwrap_or_else(|| join_sites(pieces))
}

/// Puts neighbouring and equal pieces together.
fn join(pieces: &mut [Piece]) -> (Vec<Run>, Vec<Touch>) {
    pieces.sort_by_key(|Piece { run: r, touch: t }| {
        (r.site, r.class, r.released, r.from, r.to, t.block, t.who)
    });
    together(pieces, |kept, next| {
        (next.site, next.class, next.released) == (kept.site, kept.class, kept.released)
            && (!kept.class.strong() || kept.in_step(next))
    })
}

/// The same, and those of different instructions that are alike otherwise. Weak ones of several instructions have to lie side
/// by side, so that each byte's is told of.
fn join_sites(pieces: &mut [Piece]) -> (Vec<Run>, Vec<Touch>) {
    let in_order =
        |a: &Run, b: &Run| (a.class, a.released, a.size) == (b.class, b.released, b.size) && a.from < b.from;
    // As words are told that one array has.
    if !pieces.is_sorted_by(|a, b| in_order(&a.run, &b.run)) {
        first_bytes::sort(pieces);
        pieces.sort_by_key(|Piece { run: r, touch: t }| {
            (r.class, r.released, r.size, r.from, r.to, r.site, t.block, t.who)
        });
    }
    together(pieces, |kept, next| {
        (next.class, next.released, next.size) == (kept.class, kept.released, kept.size)
            && if kept.class.strong() {
                kept.in_step(next)
            } else {
                kept.to <= next.from || kept.site == next.site
            }
    })
}

/// Runs of neighbours among sorted pieces, if they are `alike`, and of each byte the first that touched it.
fn together(pieces: &[Piece], alike: impl Fn(&Run, &Run) -> bool) -> (Vec<Run>, Vec<Touch>) {
    let room = pieces.len().min(FEW);
    let (mut runs, mut touches) = (Vec::<Run>::with_capacity(room), Vec::<Touch>::with_capacity(room));
    for Piece { run: next, touch } in pieces {
        if let Some(kept) = runs.last_mut().filter(|kept| next.from <= kept.to && alike(kept, next)) {
            if next.to <= kept.to {
                continue;
            }
            let touch = touch.since(kept.to);
            kept.to = next.to;
            if kept.site != next.site && !kept.class.strong() {
                kept.site = NO_SITE;
            }
            if !touches.last().is_some_and(|last| last.goes_on(&touch)) {
                touches.push(touch);
                kept.touches += 1;
            }
        } else {
            runs.push(Run { first: touches.len() as u32, touches: 1, ..*next });
            touches.push(*touch);
        }
    }
    (runs, touches)
}

#[cfg(test)]
mod tests;
