//! Critical sections and what they order: Algorithms 1 and 2.

use crate::hb::idioms::{Acquire, Release, Take, Variable};
use crate::hb::rules::{Place, Rules};
use crate::hb::shadow::GRANULE;
use crate::hb::threads::{State, Threads, Who};
use crate::hb::variables::Scoped;
use crate::lens::elements::lanes;
use clocks::compressed::{Seen, Shape, VectorClock, WarpIndex};
use events::LaneMask;
use rustc_hash::{FxHashMap, FxHashSet};

/// A critical section in a lock's log: an element of the queues Acq and Rel.
struct Logged<C> {
    who: Who,
    /// The thread's time when it acquired, which stands for the whole clock: another thread
    /// that knows it knows all before it.
    acquired: u32,
    block_scope: bool,
    /// H at the release, if that has come.
    released: Option<C>,
    /// The last section before this one that is another thread's.
    others: Option<usize>,
}

/// A lock, or another variable that releases and acquires go through.
struct Lock<C> {
    /// H and P of the last releases, by scope.
    h: Scoped<C>,
    p: Scoped<C>,
    /// C of releases that were messages.
    messages: Scoped<C>,
    /// For what sections read and wrote: H of their releases.
    reads: FxHashMap<Place, Scoped<C>>,
    writes: FxHashMap<Place, Scoped<C>>,
    log: Vec<Logged<C>>,
    /// All sections had device scope: they follow each other in happens-before.
    device_only: bool,
    /// A thread took it as a lock.
    taken: bool,
}

impl<C: VectorClock> Default for Lock<C> {
    fn default() -> Self {
        Lock {
            h: Scoped::default(),
            p: Scoped::default(),
            messages: Scoped::default(),
            reads: FxHashMap::default(),
            writes: FxHashMap::default(),
            log: Vec::new(),
            device_only: true,
            taken: false,
        }
    }
}

/// A lock that a thread holds.
struct Section {
    variable: Variable,
    take: Take,
    /// Acquired, not only taken: where it is in the lock's log, and its scope.
    acquired: Option<(usize, bool)>,
    reads: FxHashSet<Place>,
    writes: FxHashSet<Place>,
}

/// The order.
pub struct Gwcp<C> {
    locks: FxHashMap<Variable, Lock<C>>,
    held: FxHashMap<Who, Vec<Section>>,
}

impl<C> Default for Gwcp<C> {
    fn default() -> Self {
        Gwcp { locks: FxHashMap::default(), held: FxHashMap::default() }
    }
}

impl<C: VectorClock> Lock<C> {
    /// Rule (ii), the loop in Algorithm 1's release: while the section at the front of the thread's
    /// queue has an acquire that P knows, P learns its release, and it leaves the queue.
    ///
    /// The log is the queue of all threads: a thread looks past its own sections, and past those that do
    /// not overlap in scope. What a thread knows need not be a prefix of the log, since a barrier tells of
    /// a section without what came before it by happens-before only; the front then hides the rest.
    fn apply_log(&self, shape: &Shape, who: Who, block_scope: bool, state: &mut State<C>) {
        let known =
            |state: &State<C>, entry: &Logged<C>| state.p.get(entry.who.at, entry.who.lane) >= entry.acquired;
        let mut at = 0;
        while at < self.log.len() {
            let learnt = self.learnt(shape, who, state);
            if learnt > at {
                // The thread's own past, which the releases publish, is not in P, and others learn it from there; the
                // last of them says all.
                if let Some(released) = self.before(learnt, who).and_then(|at| self.log[at].released.as_ref())
                {
                    state.p.join(shape, released);
                }
                at = learnt;
            }
            let Some(entry) = self.log.get(at) else { return };
            let overlaps = !entry.block_scope || !block_scope || entry.who.at.block == who.at.block;
            if entry.who != who && overlaps {
                if !known(state, entry) {
                    return;
                }
                if let Some(released) = &entry.released {
                    state.p.join(shape, released);
                }
            }
            at += 1;
        }
    }

    /// The last section that is not the thread's own, of the first `end` ones.
    fn before(&self, end: usize, who: Who) -> Option<usize> {
        let last = end.checked_sub(1)?;
        if self.log[last].who == who { self.log[last].others } else { Some(last) }
    }

    /// How many sections at the front C knows with their releases, as far as that is quickly found:
    /// the releases of sections that follow each other in happens-before know of each other.
    fn learnt(&self, shape: &Shape, who: Who, state: &State<C>) -> usize {
        if !self.device_only {
            return 0;
        }
        let c = state.full_p(shape, who);
        self.log.partition_point(|entry| entry.released.as_ref().is_some_and(|h| h.le(&c)))
    }
}

impl<C: VectorClock> Gwcp<C> {
    fn section(&mut self, who: Who, variable: Variable) -> Option<&mut Section> {
        self.held.get_mut(&who)?.iter_mut().find(|s| s.variable == variable)
    }

    /// Ends the thread's section of the lock that the release frees, if it is one.
    fn end(&mut self, who: Who, release: &Release) -> Option<Section> {
        let held = self.held.get_mut(&who)?;
        let at = held.iter().position(|s| s.variable == release.variable)?;
        let section = held.swap_remove(at);
        if held.is_empty() {
            self.held.remove(&who);
        }
        let free = match section.take {
            Take::Ticket => true,
            Take::From(free) => release.value.is_none_or(|value| value == free),
        };
        free.then_some(section)
    }
}

impl<C: VectorClock> Rules<C> for Gwcp<C> {
    const NAME: &'static str = "gwcp";

    fn fresh(&self) -> Self {
        Self::default()
    }

    fn take(&mut self, who: Who, variable: Variable, take: Take) {
        self.locks.entry(variable).or_default().taken = true;
        let section = Section {
            variable,
            take,
            acquired: None,
            reads: FxHashSet::default(),
            writes: FxHashSet::default(),
        };
        match self.section(who, variable) {
            Some(own) => *own = section,
            None => self.held.entry(who).or_default().push(section),
        }
    }

    fn acquire(&mut self, threads: &mut Threads<C>, who: Who, acquire: &Acquire) {
        let shape = threads.shape;
        if acquire.take.is_none() && !self.locks.contains_key(&acquire.variable) {
            return;
        }
        let lock = self.locks.entry(acquire.variable).or_default();
        let state = threads.state_mut(who);
        let (block, block_scope) = (who.at.block, acquire.block_scope);
        lock.h.join_into(&shape, block, block_scope, &mut state.h);
        lock.p.join_into(&shape, block, block_scope, &mut state.p);
        lock.messages.join_into(&shape, block, block_scope, &mut state.p);
        if acquire.take.is_none() {
            return;
        }
        let at = lock.log.len();
        let (acquired, others) = (state.time, lock.before(at, who));
        lock.log.push(Logged { who, acquired, block_scope, released: None, others });
        lock.device_only &= !block_scope;
        if let Some(section) = self.section(who, acquire.variable) {
            section.acquired = Some((at, block_scope));
        }
    }

    fn release(&mut self, threads: &mut Threads<C>, who: Who, release: &Release) {
        let shape = threads.shape;
        let block = who.at.block;
        let section = self.end(who, release);
        let lock = self.locks.entry(release.variable).or_default();
        let state = threads.state_mut(who);
        let mut block_scope = release.block_scope;
        if let Some(Section { acquired: Some((_, scope)), .. }) = &section {
            block_scope |= *scope;
            lock.apply_log(&shape, who, block_scope, state);
        }
        let h = state.full_h(&shape, who);
        lock.h.join(&shape, block, block_scope, &h);
        lock.p.join(&shape, block, block_scope, &state.p);
        let Some(section) = section else {
            let c = state.full_p(&shape, who);
            lock.messages.join(&shape, block, block_scope, &c);
            return;
        };
        for (places, clocks) in [(section.reads, &mut lock.reads), (section.writes, &mut lock.writes)] {
            for place in places {
                clocks.entry(place).or_default().join(&shape, block, block_scope, &h);
            }
        }
        if let Some((at, _)) = section.acquired {
            lock.log[at].released = Some(h);
        }
    }

    fn touches(&self, at: WarpIndex, mask: LaneMask) -> bool {
        !self.held.is_empty() && lanes(mask).any(|lane| self.held.contains_key(&Who { at, lane }))
    }

    /// Rule (i).
    fn touch(&mut self, threads: &mut Threads<C>, who: Who, place: Place, write: bool) {
        let Some(held) = self.held.get_mut(&who) else { return };
        let variable = Variable { space: place.space, address: place.granule * GRANULE };
        if self.locks.get(&variable).is_some_and(|lock| lock.taken) {
            return; // A lock's own accesses are no events of a section.
        }
        let shape = threads.shape;
        for section in held {
            let (Some((_, block_scope)), Some(lock)) = (section.acquired, self.locks.get(&section.variable))
            else {
                continue;
            };
            let conflicts = [lock.writes.get(&place), lock.reads.get(&place).filter(|_| write)];
            for clocks in conflicts.into_iter().flatten() {
                clocks.join_into(&shape, who.at.block, block_scope, &mut threads.state_mut(who).p);
            }
            let own = if write { &mut section.writes } else { &mut section.reads };
            own.insert(place);
        }
    }

    fn order<'a>(&self, threads: &'a mut Threads<C>, who: Who) -> &'a C {
        &threads.state(who).p
    }

    fn predicts(&self, threads: &mut Threads<C>, who: Who, earlier: Who, time: u32) -> bool {
        let shape = threads.shape;
        let state = threads.state(who);
        state.h.behind(&shape, earlier.at, 1 << earlier.lane, time) == 0
    }

    fn holds(&self, who: Who) -> bool {
        self.held.get(&who).is_some_and(|held| held.iter().any(|s| s.acquired.is_some()))
    }

    fn exit(&mut self, at: WarpIndex, mask: LaneMask) {
        for lane in lanes(mask) {
            self.held.remove(&Who { at, lane });
        }
    }

    fn bytes(&self, seen: &mut Seen) -> u64 {
        let mut bytes = 0;
        for lock in self.locks.values() {
            bytes += size_of::<Lock<C>>() as u64;
            bytes += lock.h.bytes(seen) + lock.p.bytes(seen) + lock.messages.bytes(seen);
            for clocks in lock.reads.values().chain(lock.writes.values()) {
                bytes += size_of::<Place>() as u64 + clocks.bytes(seen);
            }
            bytes += (lock.log.capacity() * size_of::<Logged<C>>()) as u64;
            bytes += lock.log.iter().filter_map(|e| e.released.as_ref()).map(|c| c.bytes(seen)).sum::<u64>();
        }
        bytes
    }

    fn rule(&self) -> &'static str {
        "not ordered by GWCP"
    }
}
