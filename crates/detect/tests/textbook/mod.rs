//! GWCP as its paper has it, slow and literal: Algorithms 1 and 2 with full vector clocks and the
//! queues of every thread, over operations rather than CUDA's idioms.
//!
//! Names are the paper's: `N` is a thread's time, `P` its clock of what precedes it in every
//! reordering, `C` is `P` with its own time, `H` its happens-before clock.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub(crate) type Thread = usize;
pub(crate) type Lock = usize;
pub(crate) type Location = u64;

/// Where a thread is: barriers are of a block, or of some threads of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) block: usize,
    pub(crate) warp: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Block,
    Device,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Read(Thread, Location),
    Write(Thread, Location),
    Acquire(Thread, Lock, Scope),
    /// With the scope of the section's acquire.
    Release(Thread, Lock),
    /// `__syncthreads()` by all threads of a block.
    Barrier(usize),
    /// `__syncwarp()` by all threads of the one's warp.
    WarpBarrier(Thread),
}

/// One number for each thread.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Clock(Vec<u32>);

impl Clock {
    fn join(&mut self, other: &Clock) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own = (*own).max(*other);
        }
    }

    fn le(&self, other: &Clock) -> bool {
        self.0.iter().zip(&other.0).all(|(own, other)| own <= other)
    }
}

/// The lock identifiers: a pair of lock and scope, and block scope is a block's.
type Scoped = Option<usize>;

/// Do sections overlap in scope? "Either one of them is device-scoped or threads from the same block
/// hold both."
fn overlap(a: Scoped, b: Scoped, blocks: (usize, usize)) -> bool {
    a.is_none() || b.is_none() || blocks.0 == blocks.1
}

struct Section {
    lock: Lock,
    scope: Scoped,
    reads: BTreeSet<Location>,
    writes: BTreeSet<Location>,
}

struct Queued {
    scope: Scoped,
    block: usize,
    /// `Acq`'s element.
    c: Clock,
    /// `Rel`'s.
    h: Option<Clock>,
    by: Thread,
}

struct State {
    n: u32,
    p: Clock,
    h: Clock,
    sections: Vec<Section>,
}

pub(crate) struct Textbook {
    places: Vec<Place>,
    threads: Vec<State>,
    lock_h: BTreeMap<(Lock, Scoped), Clock>,
    lock_p: BTreeMap<(Lock, Scoped), Clock>,
    /// `L^r` and `L^w`: for what sections read and wrote, `H` of their releases.
    reads: BTreeMap<(Lock, Location, Scoped), Clock>,
    writes: BTreeMap<(Lock, Location, Scoped), Clock>,
    /// `Acq_l(t)` and `Rel_l(t)`.
    queues: BTreeMap<(Lock, Thread), VecDeque<Queued>>,
    /// Every access so far: who, when, what, and at which step.
    accesses: BTreeMap<Location, Vec<(Thread, u32, bool, usize)>>,
    /// Pairs of steps that race.
    pub(crate) races: BTreeSet<(usize, usize)>,
}

impl Textbook {
    pub(crate) fn new(places: &[Place]) -> Self {
        let zero = Clock(vec![0; places.len()]);
        let state = || State { n: 1, p: zero.clone(), h: zero.clone(), sections: Vec::new() };
        Textbook {
            places: places.to_vec(),
            threads: places.iter().map(|_| state()).collect(),
            lock_h: BTreeMap::new(),
            lock_p: BTreeMap::new(),
            reads: BTreeMap::new(),
            writes: BTreeMap::new(),
            queues: BTreeMap::new(),
            accesses: BTreeMap::new(),
            races: BTreeSet::new(),
        }
    }

    fn zero(&self) -> Clock {
        Clock(vec![0; self.places.len()])
    }

    fn c(&self, t: Thread) -> Clock {
        let mut c = self.threads[t].p.clone();
        c.0[t] = self.threads[t].n;
        c
    }

    fn h(&self, t: Thread) -> Clock {
        let mut h = self.threads[t].h.clone();
        h.0[t] = self.threads[t].n;
        h
    }

    fn scoped(&self, t: Thread, scope: Scope) -> Scoped {
        match scope {
            Scope::Device => None,
            Scope::Block => Some(self.places[t].block),
        }
    }

    pub(crate) fn step(&mut self, step: usize, op: Op) {
        match op {
            Op::Read(t, x) => self.access(step, t, x, false),
            Op::Write(t, x) => self.access(step, t, x, true),
            Op::Acquire(t, l, scope) => self.acquire(t, l, scope),
            Op::Release(t, l) => self.release(t, l),
            Op::Barrier(block) => {
                let all: Vec<Thread> =
                    (0..self.places.len()).filter(|&t| self.places[t].block == block).collect();
                self.sync(&all);
            }
            Op::WarpBarrier(t) => {
                let all: Vec<Thread> =
                    (0..self.places.len()).filter(|&u| self.places[u] == self.places[t]).collect();
                self.sync(&all);
            }
        }
    }

    /// Algorithm 1, procedure sync: "the C clocks need to be joined and not just P's".
    fn sync(&mut self, members: &[Thread]) {
        let (mut c, mut h) = (self.zero(), self.zero());
        for &t in members {
            c.join(&self.c(t));
            h.join(&self.h(t));
        }
        for &t in members {
            let state = &mut self.threads[t];
            (state.p, state.h) = (c.clone(), h.clone());
            state.n += 1;
        }
    }

    fn acquire(&mut self, t: Thread, l: Lock, scope: Scope) {
        let block = self.places[t].block;
        let scope = self.scoped(t, scope);
        let heard = |other: &Scoped| overlap(scope, *other, (block, other.unwrap_or(block)));
        for (clocks, p) in [(&self.lock_h, false), (&self.lock_p, true)] {
            for ((_, _), clock) in clocks.iter().filter(|((lock, other), _)| *lock == l && heard(other)) {
                let state = &mut self.threads[t];
                if p { state.p.join(clock) } else { state.h.join(clock) }
            }
        }
        let c = self.c(t);
        for other in (0..self.places.len()).filter(|&other| other != t) {
            let queued = Queued { scope, block, c: c.clone(), h: None, by: t };
            self.queues.entry((l, other)).or_default().push_back(queued);
        }
        let (reads, writes) = (BTreeSet::new(), BTreeSet::new());
        self.threads[t].sections.push(Section { lock: l, scope, reads, writes });
    }

    fn release(&mut self, t: Thread, l: Lock) {
        let at = self.threads[t].sections.iter().position(|s| s.lock == l).expect("the lock is held");
        let section = self.threads[t].sections.remove(at);
        let block = self.places[t].block;
        let zero = self.zero();
        // While the front is known, dequeue it, and learn its release. What does not overlap in scope
        // is not this release's to dequeue.
        let mut queue = self.queues.remove(&(l, t)).unwrap_or_default();
        let mut kept = VecDeque::new();
        while let Some(front) = queue.pop_front() {
            if !overlap(section.scope, front.scope, (block, front.block)) {
                kept.push_back(front);
                continue;
            }
            if !front.c.le(&self.c(t)) {
                kept.push_back(front);
                break;
            }
            if let Some(h) = &front.h {
                self.threads[t].p.join(h);
            }
        }
        kept.extend(queue);
        self.queues.insert((l, t), kept);
        let h = self.h(t);
        for (places, clocks) in [(&section.reads, &mut self.reads), (&section.writes, &mut self.writes)] {
            for &x in places {
                clocks.entry((l, x, section.scope)).or_insert_with(|| zero.clone()).join(&h);
            }
        }
        self.lock_h.entry((l, section.scope)).or_insert_with(|| zero.clone()).join(&h);
        self.lock_p.entry((l, section.scope)).or_insert_with(|| zero.clone()).join(&self.threads[t].p);
        for ((lock, _), queue) in &mut self.queues {
            if *lock == l
                && let Some(own) = queue.iter_mut().rev().find(|queued| queued.by == t)
            {
                own.h = Some(h.clone());
            }
        }
        self.threads[t].n += 1;
    }

    /// Algorithm 2, procedures read and write.
    fn access(&mut self, step: usize, t: Thread, x: Location, write: bool) {
        let block = self.places[t].block;
        let (reads, writes) = (&self.reads, &self.writes);
        let state = &mut self.threads[t];
        for section in &mut state.sections {
            let tables = [Some(writes), write.then_some(reads)];
            for ((lock, place, scope), clock) in tables.into_iter().flatten().flatten() {
                let heard = overlap(section.scope, *scope, (block, scope.unwrap_or(block)));
                if *lock == section.lock && *place == x && heard {
                    state.p.join(clock);
                }
            }
            if write {
                section.writes.insert(x)
            } else {
                section.reads.insert(x)
            };
        }
        let c = self.c(t);
        let n = self.threads[t].n;
        let accesses = self.accesses.entry(x).or_default();
        for &(other, time, wrote, earlier) in accesses.iter() {
            if other != t && (write || wrote) && c.0[other] < time {
                self.races.insert((earlier, step));
            }
        }
        accesses.push((t, n, write, step));
    }
}
