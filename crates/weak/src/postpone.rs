//! Accesses that are performed late: behind later ones of their thread.
//!
//! PTX orders an access before a later one of its thread by causality order only, and §8.10.4 excludes values
//! that depend on themselves. A read may therefore return the value of a write that a later, independent write
//! of its own thread has caused (load buffering). The memory lets a thread pass a read or a read-modify-write:
//! [`Memory::postpone`] gives a [`Ticket`] in place of a value, and [`Memory::read_late`] or
//! [`Memory::update_late`] performs the access by the clocks that its thread had at its place in program
//! order. Whoever runs the thread redeems the ticket before an instruction that uses the value, so that no
//! value depends on itself.
//!
//! An access that would precede a late one in causality order must not notice that it is late.
//! [`Memory::due`] names the late accesses that come first:
//!
//! * an access of the same location that follows the late one in causality order, as all later ones of its own
//!   thread do; a weak read may be later than these, but never returns a write among them;
//! * an acquiring fence, if the late read might acquire what the fence did not;
//! * anything that makes all writes visible, and an access of the same bytes in another size;
//! * an access behind as many later ones of its thread as the window has;
//! * an access of a location whose history is full.
//!
//! A late read that passed an acquiring fence, or acquires itself, returns no write by which the fence, or the
//! read, would have acquired more than it did: causality order never leads back in the order of the run. The fence
//! may acquire in advance what release fences have published, for the write that the late read will observe.

use crate::access::{Update, acquire_received, exchange, read_from, release_heads};
use crate::history::KEPT;
use crate::known::Known;
use crate::late::{Late, Ticket};
use crate::memory::{LOCATIONS, Memory};
use crate::message::{Heads, Message, Reach};
use crate::operation::{Operation, Strong, Updated};
use crate::sync::lanes;
use crate::thread::{Thread, ThreadId};
use events::{Strength, Sync};
use smallvec::SmallVec;

/// The largest number of late accesses of all threads.
const MOST: usize = 64;

/// The kind of an access that may be late. Only the result of an atomic operation that `returns` acquires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Postponed {
    Read,
    Update { returns: bool },
}

/// The operation that is about to be performed.
#[derive(Clone, Copy, Debug)]
pub enum Next<'a> {
    Read(&'a Operation),
    Write(&'a Operation),
    /// A read-modify-write.
    Update(&'a Operation),
    /// A late access.
    Late(Ticket),
    Sync(&'a Sync<'a>),
    /// Anything that the memory does not model.
    Other,
}

impl Memory {
    /// Sets the number of later accesses of its thread before which an access may be performed late.
    pub fn set_window(&mut self, window: u32) {
        self.window = window;
    }

    /// Lets a thread pass an access, if it may and the choice is so. Memory holds `there`.
    pub fn postpone(&mut self, operation: &Operation, there: u64, how: Postponed) -> Option<Ticket> {
        if self.settled || self.window == 0 || self.late.len() == MOST {
            return None;
        }
        if self.pieces(&operation.place).len() > 1 || self.choose(2) == 0 {
            return None;
        }
        let strong = self.strong(operation.strength);
        let read = strong.filter(|_| how != Postponed::Update { returns: false });
        let mut history = self.take(&operation.place, there);
        let thread = self.threads.get(operation.thread);
        acquire_received(&mut history, thread, read);
        thread.step();
        let mut late = Late {
            ticket: Ticket(self.passed),
            operation: *operation,
            strong,
            updates: how != Postponed::Read,
            read,
            view: thread.clone(),
            heads: Heads::default(),
            passed: SmallVec::new(),
            after: SmallVec::new(),
        };
        if let Some(Strong { sem, reach }) = read
            && sem.acquires()
        {
            late.pass(thread.id, reach, &thread.whole());
        }
        let possible = late.stays_possible(&history);
        if possible && late.updates {
            thread.step();
            late.heads = release_heads(&mut history, thread, strong);
        }
        self.put(&operation.place, history);
        if !possible {
            return None;
        }
        self.passed += 1;
        let ticket = late.ticket;
        self.late.push(late);
        Some(ticket)
    }

    /// Returns a late access that must be performed before the operation.
    pub fn due(&mut self, next: Next<'_>) -> Option<Ticket> {
        if self.late.is_empty() {
            return None;
        }
        match next {
            _ if self.chunks.len() > LOCATIONS => self.late.first().map(|late| late.ticket),
            Next::Read(operation) => self.due_before(operation, operation.strength != Strength::Weak),
            Next::Write(operation) => self.due_before(operation, false),
            Next::Update(operation) => {
                let heads = self.heads(operation);
                let other = |memory: &Memory| memory.due_update(operation, &heads, None);
                self.due_before(operation, true).or_else(|| other(self))
            }
            Next::Late(ticket) => {
                let late = self.late.iter().find(|late| late.ticket == ticket && late.updates)?;
                self.due_update(&late.operation, &late.heads, Some(ticket))
            }
            Next::Sync(Sync::Fence { warp, lanes: mask, sem, scope, .. }) if sem.acquires() => {
                let reach = self.reach(*scope);
                lanes(*warp, *mask).find_map(|thread| self.due_at_fence(thread, reach))
            }
            Next::Sync(sync) if self.stronger_of(sync).is_none() => None,
            Next::Sync(_) | Next::Other => self.late.first().map(|late| late.ticket),
        }
    }

    /// Returns a late access that comes before an access; `observes` tells whether that is a strong read.
    fn due_before(&mut self, operation: &Operation, observes: bool) -> Option<Ticket> {
        let thread = self.threads.get(operation.thread);
        let (id, steps, place) = (thread.id, u64::from(thread.steps), operation.place);
        let known = thread.known.clone();
        let old = |late: &&Late| {
            let since = steps.saturating_sub(u64::from(late.view.steps));
            late.view.id == id && since >= u64::from(self.window)
        };
        let chunk = self.chunks.get(&place.chunk()).map_or(&[][..], |chunk| chunk);
        let full = chunk.iter().any(|h| h.is_at(&place) && h.writes.len() + 1 >= KEPT);
        let follows = |late: &Late| {
            let binds = late.updates || late.read.is_some() || observes && late.view.id == id;
            binds && late.is_known(id, &known, operation.path)
        };
        let first = |late: &&Late| {
            let same = late.operation.place == place;
            late.operation.place.overlaps(&place) && (!same || full || follows(late))
        };
        self.late.iter().find(|late| old(late) || first(late)).map(|late| late.ticket)
    }

    /// Returns the heads of the release patterns that a read-modify-write would end.
    fn heads(&mut self, operation: &Operation) -> Heads {
        let strong = self.strong(operation.strength);
        let place = &operation.place;
        let chunk = self.chunks.get_mut(&place.chunk()).map_or(&mut [][..], |chunk| chunk);
        let history = chunk.iter_mut().find(|h| h.is_at(place));
        let patterns = history.and_then(|history| history.patterns(operation.thread));
        let thread = self.threads.get(operation.thread);
        let mut heads = thread.released.clone();
        if let Some(patterns) = patterns {
            heads.join(&patterns.released);
        }
        if let Some(Strong { reach, .. }) = strong.filter(|s| s.sem.releases()) {
            heads.release(&thread.whole(), reach);
        }
        heads
    }

    /// Returns a late read-modify-write that another one, with these heads, would keep from reading any write:
    /// no two read the same write (§8.10.3).
    fn due_update(&self, other: &Operation, heads: &Heads, but: Option<Ticket>) -> Option<Ticket> {
        let mut message = Message::default();
        message.add(other.thread.block, heads);
        let same = |late: &&Late| late.updates && late.operation.place == other.place;
        let stuck = |late: &&Late| !late.may_receive(&message) && Some(late.ticket) != but;
        self.late.iter().filter(same).find(stuck).map(|late| late.ticket)
    }

    /// Returns a late access that cannot be performed behind an acquiring fence of the thread.
    fn due_at_fence(&mut self, id: ThreadId, reach: Reach) -> Option<Ticket> {
        let whole = self.threads.get(id).whole();
        for late in self.late.iter().filter(|late| late.view.id == id && late.read.is_some()) {
            let mut behind = late.clone();
            behind.pass(id, reach, &whole);
            let place = &late.operation.place;
            let history = self.chunks.get(&place.chunk()).and_then(|c| c.iter().find(|h| h.is_at(place)));
            let rival = |other: &Late| other.ticket != late.ticket && other.operation.place == *place;
            let shared =
                late.updates && self.late.iter().any(|l| rival(l) && l.updates && !l.passed.is_empty());
            if shared || !history.is_some_and(|history| behind.stays_possible(history)) {
                return Some(late.ticket);
            }
        }
        None
    }

    /// Performs a late read where memory holds `there`; returns its value.
    pub fn read_late(&mut self, ticket: Ticket, there: u64) -> Option<u64> {
        let mut late = self.take_late(ticket)?;
        let (operation, strong) = (late.operation, late.strong);
        let mut history = self.take(&operation.place, there);
        let bound = history.bound(&late.view, operation.path);
        let mut readable = history.readable(&late.view, operation.path, bound, strong.is_none());
        readable.retain(|at| late.may_observe(&history.writes[*at]));
        let at = match readable.len() {
            0 => bound,
            n => readable[self.choose(n)],
        };
        let value =
            read_from(&mut history, &mut late.view, &operation, strong, (at, bound), &mut self.outcomes);
        self.put(&operation.place, history);
        self.rejoin(&late.view);
        Some(value)
    }

    /// Performs a late read-modify-write, as [`Memory::update`] does.
    pub fn update_late(
        &mut self,
        ticket: Ticket,
        there: u64,
        change: impl FnOnce(u64) -> Option<u64>,
    ) -> Option<Updated> {
        let mut late = self.take_late(ticket)?;
        let (operation, strong, read) = (late.operation, late.strong, late.read);
        let mut history = self.take(&operation.place, there);
        let mut options = late.exchanges(&history);
        if options.is_empty() {
            options = history.exchanges(&operation.party(strong), &late.view);
        }
        let chosen = options[self.choose(options.len())];
        let done = change(history.writes[chosen.source].value).map(|new| {
            let how = Update { read, strong, chosen, new, heads: Some(std::mem::take(&mut late.heads)) };
            exchange(&mut history, &mut late.view, &operation, how, &mut self.outcomes)
        });
        self.follow(&operation, history.last_id(), &late.view.known);
        self.put(&operation.place, history);
        self.rejoin(&late.view);
        done
    }

    /// Lets a thread acquire, if the choice is so, what all release fences so far published: a late read may
    /// observe one of their release patterns, whose write has not run yet. To acquire more is never forbidden.
    pub(crate) fn foresee(&mut self, thread: ThreadId, reach: Reach) {
        if self.choose(2) == 1 {
            let received = self.meetings.released.received(thread.block);
            received.acquire(reach, &mut self.threads.get(thread).known);
        }
    }

    /// Records that a thread has inserted a write to a location, which follows the late reads that it knows.
    pub(crate) fn follow(&mut self, operation: &Operation, id: u64, known: &Known) {
        let Operation { place, thread, path, .. } = *operation;
        let before = |late: &&mut Late| late.operation.place == place && late.is_known(thread, known, path);
        self.late.iter_mut().filter(before).for_each(|late| late.after.push(id));
    }

    fn take_late(&mut self, ticket: Ticket) -> Option<Late> {
        let at = self.late.iter().position(|late| late.ticket == ticket)?;
        Some(self.late.remove(at))
    }

    /// Lets the later operations of the thread follow what a late access observed.
    fn rejoin(&mut self, view: &Thread) {
        let thread = self.threads.get(view.id);
        thread.received.join(&view.received);
        thread.past.join(&view.past);
    }
}
