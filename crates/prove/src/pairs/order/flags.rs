//! Flags: a value that was read identifies its writer.

use super::observed_reads::ObservedRead;
use super::{ANY, FIRST, Order, Via};
use crate::facts::Assumed;
use crate::kernel::access::{Access, Space, Stored};
use crate::pairs::pair::meet;
use crate::solver::cond::Cond;
use crate::solver::instance::Instance;
use crate::solver::poly::Poly;
use crate::solver::symbols::Kind;

impl Order<'_> {
    /// Returns the assumptions under which `a` is ordered before `b` because the thread of `b` has seen a
    /// value that implies it.
    pub(super) fn flagged(&self, a: &Access, b: &Access, seen: &ObservedRead<'_>) -> Option<Assumed> {
        let read = seen.read;
        // Without a write, the value was zero.
        let not_the_first = self.refuted(&|question| {
            self.both(question, a, b, seen)?;
            question.assume_of(&Cond::Eq(Poly::sym(seen.value)), seen.thread());
            Some(())
        });
        if !not_the_first {
            return None;
        }
        for w in self.writes_to(read)? {
            let value = match &w.stored {
                // A read-modify-write without change passes the old value on.
                Stored::Nothing if self.is_strong(w, read) => continue,
                Stored::Value(v) | Stored::Swapped(_, v) => Some(v),
                _ => None,
            };
            let via = if self.is_strong(w, read) { self.before(a, w, seen) } else { None };
            let settled = self.refuted(&|question| {
                self.both(question, a, b, seen)?;
                w.guard.iter().for_each(|c| question.assume_of(c, ANY));
                self.same_place(question, w, read, seen.thread())?;
                if let Some(value) = value {
                    let written = question.lowered(value, ANY)?;
                    let seen = Poly::sym(question.variable(seen.value, seen.thread()));
                    question.assert(&Cond::eq(&written, &seen));
                }
                match via {
                    None => {}
                    Some(Via::Thread) => self.differ(question, FIRST, ANY, true),
                    Some(Via::Block) => self.differ(question, FIRST, ANY, false),
                }
                Some(())
            });
            if !settled {
                return None;
            }
        }
        self.zero(read)
    }

    /// Asserts that both accesses are made and overlap, and that the second one's thread has its knowledge.
    fn both(
        &self,
        question: &mut Instance<'_>,
        a: &Access,
        b: &Access,
        seen: &ObservedRead<'_>,
    ) -> Option<()> {
        meet(self.pair, a, b, question)?;
        self.knows(question, seen)
    }

    /// Asserts that the write of thread [`ANY`] overlaps the location that was read.
    fn same_place(&self, question: &mut Instance<'_>, w: &Access, read: &Access, thread: u8) -> Option<()> {
        let (p, q) = (question.lowered(&w.offset, ANY)?, question.lowered(&read.offset, thread)?);
        let distance = p.minus(&q);
        question.assert(&Cond::Ge(distance.plus_constant(i128::from(w.bytes) - 1)));
        question.assert(&Cond::Ge(distance.negated().plus_constant(i128::from(read.bytes) - 1)));
        // Each block has its own shared memory.
        let coordinates = self.summary().syms.all().filter(|(_, info)| matches!(info.kind, Kind::Ctaid(_)));
        for (s, _) in coordinates.filter(|_| w.space == Space::Shared && read.space == Space::Shared) {
            let (p, q) = (question.variable(s, ANY), question.variable(s, thread));
            question.assert(&Cond::eq(&Poly::sym(p), &Poly::sym(q)));
        }
        Some(())
    }

    /// Asserts that they are different threads, or are in different blocks.
    pub(super) fn differ(&self, question: &mut Instance<'_>, one: u8, other: u8, threads: bool) {
        let mut any = Vec::new();
        for (s, info) in self.summary().syms.all() {
            if matches!(info.kind, Kind::Ctaid(_)) || threads && matches!(info.kind, Kind::Tid(_)) {
                let (p, q) = (question.variable(s, one), question.variable(s, other));
                any.push(Cond::Ne(Poly::sym(p).minus(&Poly::sym(q))));
            }
        }
        let bounds = question.bounds().to_vec();
        question.assert(&Cond::Or(any).simplified(&|s| bounds[s.0 as usize]));
    }
}
