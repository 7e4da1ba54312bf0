//! Locks: two critical sections of one lock are ordered.
//!
//! Two kinds are supported, by how a thread knows that it holds the lock:
//!
//! * it has read zero with an atomic that writes another value: no other thread takes the lock until its
//!   holder has stored zero. The lock's value before the launch does not matter: if it is not zero, no thread
//!   gets it;
//! * it has read the number of its own ticket, which no other thread has drawn: only the holder increments
//!   the counter, and each does so once. The values of both counters before the launch do not matter: a
//!   thread whose ticket is never called waits forever.
//!
//! A critical section belongs to the thread that holds the lock, or to its whole block, between a barrier
//! after the acquisition and one before the release. Holders between two others pass on their knowledge,
//! since each acquires before it releases.

use super::observed_reads::{Knowledge, ObservedRead};
use super::tickets::Draw;
use super::{BESIDE_SECOND, FIRST, Order, SECOND};
use crate::facts::{Assumed, Assumption};
use crate::kernel::access::{Access, AccessKind, Stored};
use crate::pairs::pair::{Relation, meet};
use crate::solver::cond::Cond;
use crate::solver::poly::{Poly, Sym};
use crate::solver::symbols::{Attr, Level};

/// All operations on the locks of one array.
struct Lock<'a> {
    take: Vec<Take<'a>>,
    give: Vec<&'a Access>,
}

/// A read that tells its thread whether it holds the lock.
struct Take<'a> {
    access: &'a Access,
    value: Sym,
    /// The drawn ticket with which it is compared; zero if there is none.
    ticket: Option<Draw<'a>>,
}

impl Take<'_> {
    /// Returns a value that is zero for the holder.
    fn distance(&self) -> Poly {
        let value = Poly::sym(self.value);
        self.ticket.as_ref().map_or(value.clone(), |t| value.minus(&Poly::sym(t.value)))
    }
}

impl<'a> Order<'a> {
    /// Returns the assumptions under which both accesses are made by holders of one lock.
    pub(super) fn locked(&self, a: &Access, b: &Access) -> Option<Assumed> {
        for lock in self.locks() {
            let of_a = self.sections(a, &lock);
            if of_a.is_empty() {
                continue;
            }
            let of_b = self.sections(b, &lock);
            let one = of_a.iter().find(|x| of_b.iter().any(|y| self.is_one(a, b, x.access, y.access)));
            let Some(take) = one else { continue };
            let Some(mut assumed) = self.alone(take.access) else { continue };
            if let Some(ticket) = &take.ticket {
                let Some(mut of_ticket) = self.alone(ticket.access) else { continue };
                assumed.append(&mut of_ticket);
                let name = ticket.access.base.and_then(|base| self.name(base)).unwrap_or_default();
                assumed.insert(Assumption::Fits(format!("what {name} counts")));
            }
            return Some(assumed);
        }
        None
    }

    fn locks(&self) -> Vec<Lock<'a>> {
        let mut found = Vec::new();
        let mut arrays: Vec<Sym> = Vec::new();
        for access in self.summary().accesses.iter().filter(|x| takes(x)) {
            if let Some(base) = access.base.filter(|base| !arrays.contains(base)) {
                arrays.push(base);
                found.extend(self.of_zero(access));
            }
        }
        let tickets: Vec<Draw<'a>> = self.tickets();
        let mut places: Vec<(Option<Sym>, &Poly)> = Vec::new();
        for read in self.summary().accesses.iter().filter(|x| !tickets.is_empty() && polls(x)) {
            if !places.contains(&(read.base, &read.offset)) {
                places.push((read.base, &read.offset));
                found.extend(self.of_tickets(read, &tickets));
            }
        }
        found.retain(|lock| self.is_given_by_holders(lock));
        found
    }

    /// Returns the operations on the array of `like`, if they are those of a lock that is zero when free.
    fn of_zero(&self, like: &Access) -> Option<Lock<'a>> {
        let mut lock = Lock { take: Vec::new(), give: Vec::new() };
        for w in self.writes_to(like)? {
            if !self.is_strong(w, like) {
                return None;
            }
            match w.read.filter(|_| takes(w)) {
                Some(value) => lock.take.push(Take { access: w, value, ticket: None }),
                None if w.stored == Stored::Value(Poly::default()) => lock.give.push(w),
                None if w.stored == Stored::Nothing => {}
                None => return None,
            }
        }
        Some(lock)
    }

    /// Returns the draws of tickets: numbers that are drawn one by one, each by one thread.
    fn tickets(&self) -> Vec<Draw<'a>> {
        let mut draws = self.draws();
        draws.retain(|d| !d.wraps && d.step == Poly::constant(1));
        draws
    }

    /// Returns the operations on the counter that `like` reads, if it is incremented by one: the number that
    /// is called.
    fn of_tickets(&self, like: &'a Access, tickets: &[Draw<'a>]) -> Option<Lock<'a>> {
        let mut lock = Lock { take: Vec::new(), give: Vec::new() };
        for w in self.writes_to(like)? {
            match &w.stored {
                _ if !self.is_strong(w, like) => return None,
                Stored::Nothing => {}
                Stored::Added(step) if *step == Poly::constant(1) => lock.give.push(w),
                _ => return None,
            }
        }
        let here = |x: &&Access| polls(x) && (x.base, &x.offset) == (like.base, &like.offset);
        for access in self.summary().accesses.iter().filter(here) {
            let Some(value) = access.read.filter(|_| self.is_strong(access, like)) else { continue };
            for ticket in tickets {
                // Each called counter has its own counter of tickets.
                let at = &ticket.access.offset;
                let own = self.summary().syms.attr(at) == Attr::GRID
                    || at.minus(&like.offset).as_constant().is_some();
                if own && self.flow.dominates(ticket.access.inst, access.inst) {
                    lock.take.push(Take { access, value, ticket: Some(ticket.clone()) });
                }
            }
        }
        (!lock.take.is_empty()).then_some(lock)
    }

    /// Returns whether only the lock's holder releases it, and only once.
    fn is_given_by_holders(&self, lock: &Lock<'a>) -> bool {
        lock.give.iter().all(|give| {
            lock.take.iter().any(|take| {
                let by = take.access;
                let scope = self.scope(by);
                let again = |other: &&Access| self.flow.reaches(other.inst, give.inst, &|i| i == by.inst);
                (self.flow.dominates(by.inst, give.inst) || self.comes_by(by, give))
                    && by.offset == give.offset
                    && self.summary().syms.attr(&by.offset).loops & !self.flow.loops_of(give.inst) == 0
                    && self.flow.acquires(by, give.inst, scope)
                    && self.flow.releases(by.inst, give, scope)
                    && self.has(give, take)
                    && !lock.give.iter().any(again)
            })
        })
    }

    /// Returns whether the thread that makes `x` has made `by`, since its conditions exclude all other paths.
    fn comes_by(&self, by: &Access, x: &Access) -> bool {
        !self.flow.reaches(x.inst, by.inst, &|_| false)
            && self.ways_around(by.block).all(|path| {
                self.refuted(&|question| {
                    x.guard.iter().for_each(|c| question.assume_of(c, FIRST));
                    path?.iter().for_each(|c| question.assume_of(c, FIRST));
                    Some(())
                })
            })
    }

    /// Returns whether the thread that makes an access holds the lock.
    fn has(&self, x: &Access, take: &Take<'a>) -> bool {
        self.refuted(&|question| {
            x.guard.iter().for_each(|c| question.assume_of(c, FIRST));
            question.assume_of(&Cond::Ne(take.distance()), FIRST);
            Some(())
        })
    }

    /// Returns the acquisitions by which the thread that makes `x`, or the first one of its block, holds a
    /// lock.
    fn sections<'l>(&self, x: &Access, lock: &'l Lock<'a>) -> Vec<&'l Take<'a>> {
        let mut found: Vec<&Take<'a>> = lock.take.iter().filter(|take| self.is_in(x, take, lock)).collect();
        if found.is_empty() && *self.pair.relation == Relation::Grid && self.flow.barriers().next().is_some()
        {
            let seen = self.reads_known_to(x);
            found.extend(lock.take.iter().filter(|take| self.is_in_of_block(x, take, lock, &seen)));
        }
        found
    }

    fn is_in(&self, x: &Access, take: &Take<'a>, lock: &Lock<'a>) -> bool {
        let by = take.access;
        let scope = self.scope(by);
        self.flow.dominates(by.inst, x.inst)
            && self.flow.acquires(by, x.inst, scope)
            && lock.give.iter().all(|give| {
                self.flow.releases(x.inst, give, scope)
                    && !self.flow.reaches(give.inst, x.inst, &|i| i == by.inst)
            })
            && self.has(x, take)
    }

    /// Returns whether the block's first thread has taken the lock before a barrier in front of `x`, and the
    /// lock is released only after another barrier.
    fn is_in_of_block(
        &self,
        x: &Access,
        take: &Take<'a>,
        lock: &Lock<'a>,
        seen: &[ObservedRead<'_>],
    ) -> bool {
        let by = take.access;
        let scope = self.scope(by);
        let attr = self.summary().syms.attr(&by.offset);
        let holds = |seen: &ObservedRead<'_>| {
            matches!(seen.knowledge, Knowledge::Leader { .. })
                && seen.read.inst == by.inst
                && self.refuted(&|question| {
                    x.guard.iter().for_each(|c| question.assume_of(c, SECOND));
                    self.knows(question, seen)?;
                    question.assume_of(&Cond::Ne(take.distance()), BESIDE_SECOND);
                    Some(())
                })
        };
        let kept = |give: &&Access| {
            self.flow.barriers().any(|barrier| {
                self.flow.is_before(x.inst, barrier)
                    && self.flow.always_comes_to(x.inst, barrier)
                    && self.flow.dominates(barrier, give.inst)
                    && self.flow.releases(barrier, give, scope)
            })
        };
        attr.level <= Level::Block && attr.loops == 0 && lock.give.iter().all(kept) && seen.iter().any(holds)
    }

    /// Returns whether both hold the same lock if their accesses overlap.
    fn is_one(&self, a: &Access, b: &Access, of_a: &Access, of_b: &Access) -> bool {
        self.refuted(&|question| {
            meet(self.pair, a, b, question)?;
            let (p, q) = (question.lowered(&of_a.offset, FIRST)?, question.lowered(&of_b.offset, SECOND)?);
            question.assert(&Cond::eq(&p, &q).not());
            Some(())
        })
    }
}

/// Returns whether an atomic takes a lock if it reads zero.
fn takes(x: &Access) -> bool {
    let not_zero = |p: &Poly| p.as_constant().is_some_and(|c| c != 0);
    x.kind == AccessKind::Atomic
        && x.read.is_some()
        && match &x.stored {
            Stored::Value(v) => not_zero(v),
            Stored::Swapped(expected, new) => expected.is_zero() && not_zero(new),
            _ => false,
        }
}

/// Returns whether an access is a strong operation that only reads.
fn polls(x: &Access) -> bool {
    x.strong.is_some() && x.read.is_some() && x.stored == Stored::Nothing
}
