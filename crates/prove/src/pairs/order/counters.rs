//! Counters: a thread that has seen the number of all blocks is ordered after everything that each of them
//! did before it counted.

use super::observed_reads::{Knowledge, ObservedRead};
use super::{BESIDE_FIRST, FIRST, Order, SECOND, Via};
use crate::facts::{Assumed, Assumption};
use crate::kernel::access::{Access, AccessKind, Space, Stored};
use crate::pairs::pair::{Pair, Relation};
use crate::solver::cond::Cond;
use crate::solver::poly::Poly;
use crate::solver::symbols::{Attr, Axis, Kind};

/// How often all threads together count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Often {
    OncePerBlock,
    OncePerThread,
}

impl Order<'_> {
    /// Returns the assumptions under which `a` is ordered before `b` because the thread of `b` knows that all
    /// have counted.
    pub(super) fn counted(&self, a: &Access, b: &Access, seen: &ObservedRead<'_>) -> Option<Assumed> {
        let counting = self.all_counted(b, seen)?;
        counting.iter().find(|(w, often)| match self.before(a, w, seen) {
            None => false,
            // Each thread has counted, or the one that does so for its block.
            Some(Via::Block) => true,
            Some(Via::Thread) => *often == Often::OncePerThread || self.is_the_one(a, w),
        })?;
        self.counts(seen.read)
    }

    /// Returns the assumptions under which both accesses would be made by the last thread that counts, of
    /// which there is only one.
    pub(super) fn both_last(&self, a: &Access, b: &Access, back: &Self) -> Option<Assumed> {
        let last = |order: &Self, x: &Access| -> Vec<(usize, Often)> {
            let seen = order.reads_known_to(x);
            let found = seen.iter().filter_map(|seen| {
                let counting = order.all_counted(x, seen)?;
                // The thread has counted itself, and knows of its own count only.
                let [(w, often)] = &counting[..] else { return None };
                let own = *often == Often::OncePerBlock || matches!(seen.knowledge, Knowledge::Own);
                (w.inst == seen.read.inst && own).then_some((w.inst, *often))
            });
            found.collect()
        };
        let of_b = last(self, b);
        let (inst, _) = of_b.first().copied()?;
        let both = last(back, a).into_iter().find(|x| of_b.contains(x));
        let (_, often) = both?;
        if often == Often::OncePerBlock && *self.pair.relation != Relation::Grid {
            return None;
        }
        let read = self.summary().accesses.iter().find(|x| x.inst == inst)?;
        self.counts(read)
    }

    fn counts(&self, read: &Access) -> Option<Assumed> {
        let mut assumed = self.zero(read)?;
        let name = read.base.and_then(|base| self.name(base)).unwrap_or_default();
        assumed.insert(Assumption::Fits(format!("what {name} counts")));
        Some(assumed)
    }

    /// Returns the counting operations, if the thread of `b` knows that all have counted.
    fn all_counted(&self, b: &Access, seen: &ObservedRead<'_>) -> Option<Vec<(&Access, Often)>> {
        let read = seen.read;
        if self.summary().syms.attr(&read.offset) != Attr::GRID {
            return None;
        }
        let mut counting: Vec<(&Access, Often)> = Vec::new();
        let mut later: Vec<&Access> = Vec::new();
        for w in self.writes_to(read)? {
            let step_is_one = match &w.stored {
                Stored::Nothing if self.is_strong(w, read) => continue,
                Stored::Added(step) => step.as_constant() == Some(1),
                Stored::Wrapped(_) => true,
                _ => false,
            };
            let counts = step_is_one && self.is_strong(w, read) && w.offset == read.offset;
            if self.begins(w, read) {
                continue;
            }
            match self.often(w).filter(|_| counts && !self.follows(w, seen)) {
                Some(often) => counting.push((w, often)),
                None => later.push(w),
            }
        }
        if read.space == Space::Shared && !self.writes_to(read)?.iter().any(|w| self.begins(w, read)) {
            return None;
        }
        let mut all = Poly::default();
        for (_, often) in &counting {
            all = all.plus(&self.number(*often, read.space)?);
        }
        // An atomic that counts reads the value before its own count.
        let own = read.kind == AccessKind::Atomic && read.stored != Stored::Nothing;
        let knows = |b: &Access| {
            self.refuted(&|question| {
                b.guard.iter().for_each(|c| question.assume_of(c, SECOND));
                self.knows(question, seen)?;
                let value = Poly::sym(question.variable(seen.value, seen.thread()));
                let all = question.lowered(&all, SECOND)?;
                let most = all.plus_constant(if own { -2 } else { -1 });
                question.assert(&Cond::Ge(value.clone()));
                question.assert(&Cond::le(&value, &most));
                Some(())
            })
        };
        // Other writes to the counter are made by threads that know that all have counted.
        let knowing = |w: &&Access| {
            self.follows(w, seen)
                || match seen.knowledge {
                    Knowledge::Own => self.flow.dominates(read.inst, w.inst) && knows(w),
                    Knowledge::Passed { barrier, .. } => self.flow.dominates(barrier, w.inst) && knows(w),
                    Knowledge::Leader { .. } => false,
                }
        };
        (!counting.is_empty() && knows(b) && later.iter().all(knowing)).then_some(counting)
    }

    /// Returns whether every execution of `w` follows its block's knowledge.
    fn follows(&self, w: &Access, seen: &ObservedRead<'_>) -> bool {
        match seen.knowledge {
            Knowledge::Leader { barrier, .. } => self.flow.dominates(barrier, w.inst),
            Knowledge::Own | Knowledge::Passed { .. } => false,
        }
    }

    /// Returns whether `w` sets a counter in shared memory to zero before a barrier that precedes all other
    /// uses.
    fn begins(&self, w: &Access, read: &Access) -> bool {
        let Some(others) = self.writes_to(read) else { return false };
        w.space == Space::Shared
            && w.stored == Stored::Value(Poly::default())
            && w.offset == read.offset
            && self.flow.barriers().any(|barrier| {
                self.flow.is_before(w.inst, barrier)
                    && self.flow.always_comes_to(w.inst, barrier)
                    && self.flow.dominates(barrier, read.inst)
                    && others.iter().all(|x| x.inst == w.inst || self.flow.dominates(barrier, x.inst))
            })
    }

    /// Returns whether an access is made at most once by each block or by each thread.
    pub(super) fn often(&self, w: &Access) -> Option<Often> {
        if self.flow.in_loop(w.inst) {
            return None;
        }
        let relation = Relation::any_of_block();
        let order = Order { pair: Pair { relation: &relation, tracked: &[], ..self.pair }, ..*self };
        let once = order.refuted(&|question| {
            for side in [FIRST, SECOND] {
                w.guard.iter().for_each(|c| question.assume_of(c, side));
            }
            order.differ(question, FIRST, SECOND, true);
            Some(())
        });
        Some(if once { Often::OncePerBlock } else { Often::OncePerThread })
    }

    /// Returns the number of counts in the whole grid, or in a block for shared memory.
    pub(super) fn number(&self, often: Often, space: Space) -> Option<Poly> {
        let syms = &self.summary().syms;
        let mut product = Poly::constant(1);
        for axis in Axis::ALL {
            let (blocks, threads) = (space != Space::Shared, often == Often::OncePerThread);
            let extents = [(blocks, Kind::Nctaid(axis)), (threads, Kind::Ntid(axis))];
            for (_, kind) in extents.into_iter().filter(|(counts, _)| *counts) {
                let s = syms.find(&kind)?;
                let range = syms.get(s).range;
                let extent = match (range.lo, range.hi) {
                    (Some(lo), Some(hi)) if lo == hi => Poly::constant(lo),
                    _ => Poly::sym(s),
                };
                product = product.times(&extent)?;
            }
        }
        Some(product)
    }

    /// Returns whether the thread that makes `a` is the one of its block that counts.
    fn is_the_one(&self, a: &Access, w: &Access) -> bool {
        self.refuted(&|question| {
            a.guard.iter().for_each(|c| question.assume_of(c, FIRST));
            w.guard.iter().for_each(|c| question.assume_of(c, BESIDE_FIRST));
            let mut any = Vec::new();
            for (s, info) in self.summary().syms.all() {
                if matches!(info.kind, Kind::Tid(_)) {
                    let (p, q) = (question.variable(s, FIRST), question.variable(s, BESIDE_FIRST));
                    any.push(Cond::Ne(Poly::sym(p).minus(&Poly::sym(q))));
                }
            }
            question.assert(&Cond::Or(any));
            Some(())
        })
    }
}
