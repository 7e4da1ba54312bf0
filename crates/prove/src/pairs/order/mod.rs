//! Order between threads that follows from the values that strong operations have read.
//!
//! A read that observes a write, both strong and within each other's scope, orders what a release has put
//! before the write and what an acquire puts after the read (PTX §8.8, §8.9). The order of threads is unknown
//! here; what is known must hold whenever an access is made: its guard says which values were read, and a
//! value identifies its writers.
//!
//! * [`observed_reads`]: the reads of which the thread of an access has knowledge: its own, those of a thread that its
//!   block has met at a barrier, or those that another thread has passed on through shared memory.
//! * [`flags`]: a value that only some writes leave. For each of them, could its writer be another thread than
//!   that of the first access?
//! * [`counters`]: a counter that has reached the number of all blocks, or of all threads.
//! * [`locks`]: two critical sections of one lock.
//! * [`tickets`]: the numbers that a counter gives out are unique.
//! * [`mbarriers`]: the order that mbarriers establish between threads of a block.
//!
//! Each of them requires that no other write touches the flag, and most that it was zero initially: this is
//! assumed and reported, or confirmed by the launch in question.

mod counters;
mod flags;
mod locks;
mod mbarriers;
mod observed_reads;
mod paths;
mod tickets;

pub(crate) use mbarriers::{handed_back, handed_over};

use crate::exec::Summary;
use crate::facts::{Assumed, Assumption, Facts};
use crate::kernel::access::{Access, AccessKind, Space};
use crate::pairs::pair::{Pair, home};
use crate::solver::cond::Cond;
use crate::solver::instance::Instance;
use crate::solver::poly::Sym;
use crate::solver::symbols::{Axis, Info, Kind};
use observed_reads::ObservedRead;
use paths::Flow;
use ptx::op::{Scope, Sem};

/// Numbers of threads in queries ([`home`]): the first access's, the second's, and an arbitrary one.
const FIRST: u8 = 1;
const SECOND: u8 = 2;
const ANY: u8 = 3;
/// Numbers of an arbitrary thread in the second access's block, and of one in the first's.
const BESIDE_SECOND: u8 = 4;
const BESIDE_FIRST: u8 = 5;

/// Returns the assumptions under which two accesses are ordered whenever both are made and overlap.
pub(crate) fn ordered(
    pair: Pair<'_>,
    (a, b): (&Access, &Access),
    facts: &Facts,
    stop: &dyn Fn() -> bool,
) -> Option<Assumed> {
    // The doers and times of these accesses are not known exactly enough.
    if !pair.summary.is_plain() || pair.summary.cluster.is_some() {
        return None;
    }
    let order = Order { pair, flow: Flow { summary: pair.summary }, facts };
    if let Some(assumed) = order.numbered(a, b).or_else(|| order.locked(a, b)) {
        return Some(assumed);
    }
    let turned = pair.relation.turned();
    let back = Order { pair: Pair { relation: &turned, ..pair }, ..order };
    if let Some(assumed) = order.both_last(a, b, &back) {
        return Some(assumed);
    }
    [(order, a, b), (back, b, a)].into_iter().find_map(|(order, a, b)| {
        let mut assumed = Assumed::new();
        for b in order.ways(b) {
            let known = order
                .reads_known_to(&b)
                .into_iter()
                .filter(|_| !stop())
                .find_map(|seen| order.counted(a, &b, &seen).or_else(|| order.flagged(a, &b, &seen)));
            assumed.append(&mut known?);
        }
        Some(assumed)
    })
}

#[derive(Clone, Copy)]
struct Order<'a> {
    pair: Pair<'a>,
    flow: Flow<'a>,
    facts: &'a Facts,
}

/// The way in which an access precedes a write that releases it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Via {
    /// In the thread that made it.
    Thread,
    /// In any thread of its block.
    Block,
}

impl<'a> Order<'a> {
    fn summary(&self) -> &'a Summary {
        self.pair.summary
    }

    /// Returns the access once for each path that leads to it, since a path's polled values are known by its
    /// guard only.
    fn ways(&self, b: &Access) -> Vec<Access> {
        let polled = |c: &Cond| c.syms().iter().any(|s| self.summary().polled.contains(s));
        let split = b.guard.iter().position(|c| matches!(c, Cond::Or(any) if any.iter().any(polled)));
        let Some((at, Cond::Or(any))) = split.map(|at| (at, &b.guard[at])) else { return vec![b.clone()] };
        let way = |one: &Cond| {
            let mut way = b.clone();
            way.guard.remove(at);
            crate::solver::cond::push(&mut way.guard, one);
            way
        };
        any.iter().map(way).collect()
    }

    /// Returns whether a query about the threads of a pair and others is refuted. The given facts hold in it.
    fn refuted(&self, ask: &dyn Fn(&mut Instance<'_>) -> Option<()>) -> bool {
        let home = |info: &Info, side: u8| home(info, side, self.pair);
        let mut question = Instance::of_many(&self.summary().syms, &home);
        self.summary().given.iter().for_each(|c| question.assume(c));
        ask(&mut question).is_some() && question.refuted()
    }

    /// Returns the scope that operations on a flag need.
    fn scope(&self, flag: &Access) -> Scope {
        match flag.space {
            Space::Shared => Scope::Cta,
            _ if self.is_one_block() => Scope::Cta,
            _ => Scope::Gpu,
        }
    }

    /// Returns whether the grid consists of one block, whose scope then includes all threads.
    fn is_one_block(&self) -> bool {
        let syms = &self.summary().syms;
        let extent = |axis| syms.find(&Kind::Nctaid(axis)).map(|s| syms.get(s).range);
        Axis::ALL.into_iter().all(|axis| extent(axis).is_some_and(|r| (r.lo, r.hi) == (Some(1), Some(1))))
    }

    /// Returns all writes that may touch the flag; `None` if too little is known of some.
    fn writes_to(&self, flag: &Access) -> Option<Vec<&'a Access>> {
        let base = flag.base?;
        let mut found = Vec::new();
        for w in self.summary().accesses.iter().filter(|w| w.kind != AccessKind::Read) {
            let apart = matches!(
                (w.space, flag.space),
                (Space::Shared, Space::Global) | (Space::Global, Space::Shared)
            );
            if apart {
                continue;
            }
            if w.base == Some(base) {
                if self.may_touch(w, flag) {
                    found.push(w);
                }
                continue;
            }
            let known = |s: Sym| {
                matches!(
                    self.summary().syms.get(s).kind,
                    Kind::Param { .. } | Kind::Shared(_) | Kind::Global(_)
                )
            };
            if !(known(base) && w.base.is_some_and(known)) {
                return None;
            }
        }
        Some(found)
    }

    /// Returns whether two threads may touch one byte by these accesses.
    fn may_touch(&self, w: &Access, flag: &Access) -> bool {
        w.offset == flag.offset
            || !self.refuted(&|question| {
                w.guard.iter().for_each(|c| question.assume_of(c, ANY));
                flag.guard.iter().for_each(|c| question.assume_of(c, SECOND));
                let (p, q) = (question.lowered(&w.offset, ANY)?, question.lowered(&flag.offset, SECOND)?);
                let distance = p.minus(&q);
                question.assert(&Cond::Ge(distance.plus_constant(i128::from(w.bytes) - 1)));
                question.assert(&Cond::Ge(distance.negated().plus_constant(i128::from(flag.bytes) - 1)));
                Some(())
            })
    }

    /// Returns whether other threads may observe the write by a strong read.
    fn is_strong(&self, w: &Access, flag: &Access) -> bool {
        w.strong.is_some_and(|s| s >= self.scope(flag))
            && (w.bytes, w.elements) == (flag.bytes, flag.elements)
    }

    /// Returns how an access precedes a write and the read that has observed it, as `seen` says.
    fn before(&self, a: &Access, w: &Access, seen: &ObservedRead<'_>) -> Option<Via> {
        let scope = self.scope(w);
        // A `fence.sc` of another thread precedes one behind the read only if both ends are fences.
        let by_fences = self.flow.has_only_sc() && !matches!(seen.read.sem, Sem::Acquire | Sem::AcqRel);
        if seen.fenced_later && matches!(w.sem, Sem::Release | Sem::AcqRel) {
            return None;
        }
        let by_barrier = self.flow.barriers().any(|barrier| {
            self.flow.is_before(a.inst, barrier)
                && self.flow.always_comes_to(a.inst, barrier)
                && self.flow.dominates(barrier, w.inst)
                && (self.flow.releases(barrier, w, scope)
                    || by_fences && self.flow.fenced(a.inst, barrier, scope))
        });
        if by_barrier {
            return Some(Via::Block);
        }
        // The write itself precedes everything after the reads that observe it.
        let own = a.inst == w.inst && a.strong.is_some() && !self.flow.in_loop(a.inst);
        let earlier = || {
            self.flow.reaches(a.inst, w.inst, &|_| false)
                && !self.flow.reaches(w.inst, a.inst, &|_| false)
                && self.flow.releases(a.inst, w, scope)
        };
        (own || earlier()).then_some(Via::Thread)
    }

    /// Returns the assumptions about a flag: its array is disjoint from others, and its initial value is
    /// zero. Returns `None` if the launch in question contradicts them.
    fn zero(&self, flag: &Access) -> Option<Assumed> {
        let mut assumed = self.alone(flag)?;
        // Shared memory has no contents before it is written, so the value that was read comes from one of
        // the writes.
        if flag.space == Space::Shared {
            assumed.insert(Assumption::SharedWritten);
            return Some(assumed);
        }
        let base = flag.base?;
        let name = self.name(base)?;
        if let Some(launch) = &self.facts.observed {
            let at = (0..launch.memory.len()).find(|&n| crate::facts::observed::name(launch, n) == name)?;
            let contents = launch.memory[at].contents.as_ref()?;
            let part = match flag.offset.as_constant() {
                Some(offset) => {
                    let offset = usize::try_from(offset).ok()?;
                    contents.0.get(offset..offset.checked_add(flag.bytes as usize)?)?
                }
                None => &contents.0,
            };
            if part.iter().any(|&b| b != 0) {
                return None;
            }
        }
        assumed.insert(Assumption::Zero(name));
        Some(assumed)
    }

    /// Returns whether a pointer with unknown memory may lead to the flag.
    fn may_be_written_elsewhere(&self, flag: &Access) -> bool {
        let summary = self.summary();
        let Some(base) = flag.base else { return false };
        let writes = summary.accesses.iter().filter(|w| w.kind != AccessKind::Read);
        let others: Vec<Sym> = writes.filter_map(|w| w.base.filter(|&o| o != base)).collect();
        !others.is_empty() && (summary.is_loose(base) || others.iter().any(|&o| summary.is_loose(o)))
    }

    /// Returns the assumption that no write through another array touches the flag; `None` if the host code
    /// may pass another pointer into its array.
    fn alone(&self, flag: &Access) -> Option<Assumed> {
        let mut assumed = Assumed::new();
        if flag.space != Space::Shared && self.may_be_written_elsewhere(flag) {
            return None;
        }
        let Some(base) = flag.base else { return Some(assumed) };
        for w in self.summary().accesses.iter().filter(|w| w.kind != AccessKind::Read) {
            if let Some(other) = w.base.filter(|&o| o != base && w.space != Space::Shared)
                && let (Some(p), Some(q)) = (self.name(base), self.name(other))
            {
                let (p, q) = if p < q { (p, q) } else { (q, p) };
                assumed.insert(Assumption::Distinct(p, q));
            }
        }
        Some(assumed)
    }

    fn name(&self, base: Sym) -> Option<String> {
        match &self.summary().syms.get(base).kind {
            Kind::Shared(name) | Kind::Global(name) => Some(name.clone()),
            Kind::Param { index, offset, .. } => {
                Some(crate::exec::param_name(&self.summary().names, *index, *offset))
            }
            _ => None,
        }
    }
}
