//! The reads of which the thread of an access has knowledge.

use super::{BESIDE_SECOND, Order, SECOND};
use crate::kernel::access::{Access, AccessKind, Space, Stored};
use crate::solver::cond::Cond;
use crate::solver::instance::Instance;
use crate::solver::poly::{Poly, Sym};
use crate::solver::symbols::Kind;
use ptx::cfg::BlockId;
use rustc_hash::FxHashSet;

/// A strong read with its thread.
#[derive(Clone, Debug)]
pub(super) struct ObservedRead<'a> {
    pub(super) read: &'a Access,
    pub(super) value: Sym,
    pub(super) knowledge: Knowledge<'a>,
    /// Whether the acquiring fence is a `fence.sc` behind the barrier, which follows fences before the write
    /// and nothing else.
    pub(super) fenced_later: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Knowledge<'a> {
    /// The access's own thread.
    Own,
    /// The block's first thread, which has reached the beginning of a block of code that all threads have
    /// waited for.
    Leader { at: BlockId, barrier: usize },
    /// A thread of the block that has stored a value in shared memory, and the value that was loaded from
    /// there.
    Passed { store: &'a Access, loaded: Sym, barrier: usize },
}

impl ObservedRead<'_> {
    /// Returns the number of the thread in queries.
    pub(super) fn thread(&self) -> u8 {
        match self.knowledge {
            Knowledge::Own => SECOND,
            Knowledge::Leader { .. } | Knowledge::Passed { .. } => BESIDE_SECOND,
        }
    }
}

impl<'a> Order<'a> {
    /// Returns all knowledge that the second thread may have when it makes `b`.
    pub(super) fn reads_known_to(&self, b: &Access) -> Vec<ObservedRead<'a>> {
        let summary = self.summary();
        let mentioned = summary.syms.mentioned_by(&b.guard);
        let mut found = Vec::new();
        for read in &summary.accesses {
            let Some(value) = read.read else { continue };
            let scope = self.scope(read);
            if read.strong.is_none_or(|s| s < scope) {
                continue;
            }
            // A path condition on a value implies that the value was read on that path.
            let passed = b.guard.iter().any(|c| !matches!(c, Cond::Or(_)) && c.syms().contains(&value));
            if (passed || mentioned.contains(&value) && self.flow.dominates(read.inst, b.inst))
                && self.flow.acquires(read, b.inst, scope)
            {
                found.push(ObservedRead { read, value, knowledge: Knowledge::Own, fenced_later: false });
            }
            for barrier in self.flow.barriers() {
                let fenced_later = !self.flow.acquires(read, barrier, scope);
                let fenced = || self.flow.has_only_sc() && self.flow.fenced(barrier, b.inst, scope);
                if !self.flow.dominates(barrier, b.inst) || fenced_later && !fenced() {
                    continue;
                }
                let seen = |knowledge| ObservedRead { read, value, knowledge, fenced_later };
                found.extend(self.leader(b, read, value, barrier).map(seen));
                let passed = self.passed_on(&mentioned, read, value, barrier);
                found.extend(passed.into_iter().map(seen));
            }
        }
        found
    }

    /// Asserts what holds for the threads given this knowledge, in addition to the guard of `b`.
    pub(super) fn knows(&self, question: &mut Instance<'_>, seen: &ObservedRead<'_>) -> Option<()> {
        match &seen.knowledge {
            Knowledge::Own => {}
            Knowledge::Leader { at, .. } => {
                self.is_first(question);
                let path = &self.summary().paths.blocks[at];
                path.iter().for_each(|c| question.assume_of(c, BESIDE_SECOND));
            }
            Knowledge::Passed { store, loaded, .. } => {
                store.guard.iter().for_each(|c| question.assume_of(c, BESIDE_SECOND));
                let Stored::Value(stored) = &store.stored else { return None };
                let passed = question.lowered(stored, BESIDE_SECOND)?;
                let loaded = Poly::sym(question.variable(*loaded, SECOND));
                question.assert(&Cond::eq(&passed, &loaded));
            }
        }
        Some(())
    }

    fn is_first(&self, question: &mut Instance<'_>) {
        for (s, info) in self.summary().syms.all() {
            if matches!(info.kind, Kind::Tid(_)) {
                question.assume_of(&Cond::Eq(Poly::sym(s)), BESIDE_SECOND);
            }
        }
    }

    /// Returns a block of code after the read that the first thread of each block passes before the barrier.
    fn leader(&self, b: &Access, read: &Access, value: Sym, barrier: usize) -> Option<Knowledge<'a>> {
        let summary = self.summary();
        let at = summary.shape.order.iter().copied().find(|&at| {
            let start = summary.cfg.block(at).start as usize;
            let tells = summary.paths.blocks.get(&at);
            tells.is_some_and(|path| summary.syms.mentioned_by(path).contains(&value))
                && !self.flow.in_loop(start)
                && self.flow.is_before(start, barrier)
                && self.flow.always_comes_to(read.inst, barrier)
                && self.flow.dominates(read.inst, start)
        })?;
        let cannot_avoid = self.ways_around(at).all(|path| {
            self.refuted(&|question| {
                b.guard.iter().for_each(|c| question.assume_of(c, SECOND));
                self.is_first(question);
                path?.iter().for_each(|c| question.assume_of(c, BESIDE_SECOND));
                Some(())
            })
        });
        cannot_avoid.then_some(Knowledge::Leader { at, barrier })
    }

    /// Returns the conditions of the paths that no longer lead to `at`; `None` for unknown ones.
    pub(super) fn ways_around(&self, at: BlockId) -> impl Iterator<Item = Option<&'a Vec<Cond>>> {
        let summary = self.summary();
        let cfg = &summary.cfg;
        let mut leads = vec![false; cfg.blocks.len()];
        let mut work = vec![at];
        while let Some(b) = work.pop() {
            if !std::mem::replace(&mut leads[b.0 as usize], true) {
                work.extend(&cfg.block(b).predecessors);
            }
        }
        let before = leads.clone();
        let edges =
            (0..cfg.blocks.len()).filter(move |&u| before[u] && u != at.0 as usize).flat_map(move |u| {
                let from = BlockId(u as u32);
                let leads = leads.clone();
                cfg.blocks[u]
                    .successors
                    .iter()
                    .filter(move |to| !leads[to.0 as usize])
                    .map(move |to| (from, *to))
            });
        let reached = |b: &BlockId| summary.shape.place[b.0 as usize].is_some();
        let paths = edges.filter(move |(from, _)| reached(from)).filter_map(move |edge| {
            // An edge that is never taken has no path.
            summary.paths.edges.get(&edge).map(Some)
        });
        // A thread that ends inside a block does not get there.
        paths.chain(summary.paths.ends.iter().map(|(_, path)| Some(path)))
    }

    /// Returns the knowledge through a store to shared memory that is the only one to its variable, and that
    /// a thread which has read makes before the barrier.
    fn passed_on(
        &self,
        mentioned: &FxHashSet<Sym>,
        read: &Access,
        value: Sym,
        barrier: usize,
    ) -> Vec<Knowledge<'a>> {
        let summary = self.summary();
        let mut found = Vec::new();
        for load in &summary.accesses {
            let Some(loaded) = load.read.filter(|s| mentioned.contains(s)) else { continue };
            if load.space != Space::Shared || !self.flow.dominates(barrier, load.inst) {
                continue;
            }
            let Some(writes) = self.writes_to(load) else { continue };
            let [store] = writes[..] else { continue };
            let Stored::Value(stored) = &store.stored else { continue };
            let held = summary.syms.get(loaded).range;
            let fits = match (summary.syms.range(stored).lo, summary.syms.range(stored).hi, held.lo, held.hi)
            {
                (Some(lo), Some(hi), Some(least), Some(most)) => least <= lo && hi <= most,
                _ => false,
            };
            let one_place = store.offset == load.offset
                && store.offset.as_constant().is_some()
                && (store.bytes, store.elements) == (load.bytes, load.elements);
            let mut speaks = summary.syms.mentioned_by(&store.guard);
            speaks.extend(summary.syms.mentioned_by(&[Cond::Eq(stored.clone())]));
            if store.kind == AccessKind::Write
                && fits
                && one_place
                && speaks.contains(&value)
                && self.flow.dominates(read.inst, store.inst)
                && self.flow.is_before(store.inst, barrier)
                && self.flow.always_comes_to(read.inst, barrier)
            {
                found.push(Knowledge::Passed { store, loaded, barrier });
            }
        }
        found
    }
}
