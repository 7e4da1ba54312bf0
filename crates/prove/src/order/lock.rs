//! Locks: two sections of one lock are one after the other.
//!
//! A lock is taken by who reads zero with an atomic that leaves something else; nobody else takes it until its holder has
//! stored zero. What a lock holds before the launch does not matter: if it is not zero, nobody gets it.

use super::{FIRST, Order, SECOND};
use crate::access::{Access, AccessKind, Stored};
use crate::cond::Cond;
use crate::facts::Assumed;
use crate::pair::meet;
use crate::poly::{Poly, Sym};

/// All operations on the locks of one array.
struct Lock<'a> {
    take: Vec<(&'a Access, Sym)>,
    give: Vec<&'a Access>,
}

impl<'a> Order<'a> {
    /// Are both made by holders of one lock?
    pub(super) fn locked(&self, a: &Access, b: &Access) -> Option<Assumed> {
        let mut arrays: Vec<Sym> = Vec::new();
        for access in self.summary().accesses.iter().filter(|x| takes(x)) {
            if let Some(base) = access.base.filter(|base| !arrays.contains(base)) {
                arrays.push(base);
                let Some(lock) = self.lock(access) else { continue };
                let (of_a, of_b) = (self.section(a, &lock), self.section(b, &lock));
                let one = of_a.iter().find(|x| of_b.iter().any(|y| self.is_one(a, b, x, y)));
                if let Some(take) = one {
                    return Some(self.alone(take));
                }
            }
        }
        None
    }

    /// The operations on the array of `like`, if they are those of locks.
    fn lock(&self, like: &Access) -> Option<Lock<'a>> {
        let mut lock = Lock { take: Vec::new(), give: Vec::new() };
        for w in self.writes_to(like)? {
            if !self.is_strong(w, like) {
                return None;
            }
            match w.read.filter(|_| takes(w)) {
                Some(value) => lock.take.push((w, value)),
                None if w.stored == Stored::Value(Poly::default()) => lock.give.push(w),
                None if w.stored == Stored::Nothing => {}
                None => return None,
            }
        }
        // Only the holder gives it back, once.
        let right = lock.give.iter().all(|give| {
            lock.take.iter().any(|(take, value)| {
                let scope = self.scope(take);
                let again =
                    |other: &&Access| self.flow.reaches(Some(other.inst), give.inst, &|i| i == take.inst);
                self.flow.dominates(take.inst, give.inst)
                    && take.offset == give.offset
                    && self.summary().syms.attr(&take.offset).loops & !self.flow.loops_of(give.inst) == 0
                    && self.flow.acquires(take, give.inst, scope)
                    && self.flow.releases(take.inst, give, scope)
                    && self.has(give, *value)
                    && !lock.give.iter().any(again)
            })
        });
        right.then_some(lock)
    }

    /// Who makes that access has read zero.
    fn has(&self, x: &Access, value: Sym) -> bool {
        self.refuted(&|question| {
            x.guard.iter().for_each(|c| question.assume_of(c, FIRST));
            question.assume_of(&Cond::Ne(Poly::sym(value)), FIRST);
            Some(())
        })
    }

    /// The operations by which the thread that makes `x` holds a lock.
    fn section(&self, x: &Access, lock: &Lock<'a>) -> Vec<&'a Access> {
        let holds = |(take, value): &&(&'a Access, Sym)| {
            let scope = self.scope(take);
            self.flow.dominates(take.inst, x.inst)
                && self.flow.acquires(take, x.inst, scope)
                && lock.give.iter().all(|give| {
                    self.flow.releases(x.inst, give, scope)
                        && !self.flow.reaches(Some(give.inst), x.inst, &|i| i == take.inst)
                })
                && self.has(x, *value)
        };
        lock.take.iter().filter(holds).map(|(take, _)| *take).collect()
    }

    /// Do both hold the same lock if they meet?
    fn is_one(&self, a: &Access, b: &Access, of_a: &Access, of_b: &Access) -> bool {
        self.refuted(&|question| {
            meet(self.pair, a, b, question)?;
            let (p, q) = (question.lowered(&of_a.offset, FIRST)?, question.lowered(&of_b.offset, SECOND)?);
            question.assert(&Cond::eq(&p, &q).not());
            Some(())
        })
    }
}

/// An atomic that takes a lock if it reads zero.
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
