//! Named barriers of some threads (PTX §9.7.13.1), as barriers with phases.
//!
//! `bar.arrive` is an arrival, and `bar.sync` an arrival and the wait for its own phase. The hardware counts whole warps,
//! those of their threads that have ended, too. So all threads of a warp have to execute them together, and none of them may
//! end before: this is checked when the threads that arrive are known.
//!
//! An instruction may name different barriers in different threads (`bar.sync 1 + group`): it then stands for as many uses.

use super::find::Find;
use super::{Arrival, Class, Form, Line, Pipelines, Wait};
use crate::solver::cond::Cond;
use crate::solver::instance::Instance;
use crate::solver::poly::Poly;
use crate::solver::symbols::{Attr, Info, Kind, Level, Syms};
use crate::sync::named_barriers::{BARRIERS, Meaning};
use ptx::op::{BarKind, Op};

/// Size of a warp.
pub(super) const WARP: i128 = 32;

/// Limits the uses of named barriers.
const MOST_USES: usize = 64;

/// The use of one named barrier by some threads.
struct Named {
    inst: usize,
    id: i128,
    count: i128,
    waits: bool,
    of_loop: Option<usize>,
    path: Vec<Cond>,
    /// The part of the path that says that the instruction names this barrier.
    only: Cond,
}

impl Find<'_> {
    /// Adds the named barriers whose uses are all understood. Returns `None` if there are too many.
    pub(super) fn add_named(&self, syms: &mut Syms, found: &mut Pipelines) -> Option<()> {
        let uses = self.named(syms)?;
        for id in 0..BARRIERS {
            let of: Vec<&Named> = uses.iter().filter(|u| u.id == id).collect();
            let Some(first) = of.first() else { continue };
            let class = found.classes.len();
            let count = Poly::constant(first.count);
            found.classes.push(Class { count, named: true, who: None });
            for u in &of {
                self.number(syms, u, &of, (class, found))?;
            }
        }
        Some(())
    }

    /// Returns the uses of the barriers that are not used otherwise.
    fn named(&self, syms: &Syms) -> Option<Vec<Named>> {
        let cfg = self.ways.cfg;
        let trying: Vec<bool> =
            (0..cfg.blocks.len()).map(|b| self.waited.iter().any(|w| w.region[b])).collect();
        let mut spoiled = [false; BARRIERS as usize];
        let mut found: Vec<Named> = Vec::new();
        for (inst, meaning) in self.asked.bars.reachable(cfg, self.ways.shape) {
            if self.asked.barriers.contains(&inst) {
                continue;
            }
            let (first, last) = match meaning {
                Meaning::Whole { id, .. } => (id, id),
                Meaning::Some { first, last } => (first, last),
                Meaning::Any => return Some(Vec::new()),
            };
            // One that is not executed has no record.
            let Some(used) = self.asked.bars.used.get(&inst) else { continue };
            let code = &self.asked.flat.instructions[inst];
            let waits = matches!(code.op, Ok(Op::Bar { kind: BarKind::Sync, .. }));
            let arrives = waits || matches!(code.op, Ok(Op::Bar { kind: BarKind::Arrive, .. }));
            let count = used.count.as_ref().and_then(Poly::as_constant);
            let count = count.filter(|n| *n > 0 && n % WARP == 0 && arrives && code.guard.is_none());
            let of_loop = self.ways.outermost(self.ways.block(inst), &trying);
            let is_fixed = syms.attr(&used.id).loops == 0;
            for id in first..=last {
                let only = if first == last { Cond::True } else { Cond::eq(&used.id, &Poly::constant(id)) };
                let mut path = used.path.clone();
                crate::solver::cond::push(&mut path, &only);
                if first != last && self.holds(syms, &Cond::False, &path) {
                    continue;
                }
                match (count, of_loop) {
                    (Some(count), Ok(of_loop)) if is_fixed => {
                        found.push(Named { inst, id, count, waits, of_loop, path, only });
                    }
                    _ => *spoiled.get_mut(usize::try_from(id).ok()?)? = true,
                }
            }
        }
        for i in 0..found.len() {
            let other = found.iter().any(|u| u.id == found[i].id && u.count != found[i].count);
            spoiled[usize::try_from(found[i].id).ok()?] |= other;
        }
        found.retain(|u| !spoiled[u.id as usize]);
        (found.len() <= MOST_USES).then_some(found)
    }

    /// Adds a use: how often its thread has arrived there before, and that the wait is for its own phase.
    fn number(
        &self,
        syms: &mut Syms,
        one: &Named,
        uses: &[&Named],
        (class, found): (usize, &mut Pipelines),
    ) -> Option<()> {
        let block = |u: &Named| self.ways.block(u.inst);
        let with: Vec<&&Named> = uses.iter().filter(|u| self.may_both(syms, &one.path, &u.path)).collect();
        let earlier = |u: &&&&Named| {
            u.of_loop.is_none()
                && u.inst != one.inst
                && self.ways.may_follow(u.inst, one.inst, None)
                && !self.ways.may_follow(one.inst, u.inst, None)
        };
        let mut line = Line::fixed(with.iter().filter(earlier).count() as i128);
        if let Some(l) = one.of_loop {
            let in_turn = |u: &&&&Named| {
                u.of_loop == one.of_loop
                    && self.ways.in_each_turn(block(one), block(u), l)
                    && self.ways.in_each_turn(block(u), block(one), l)
            };
            let all: Vec<&&&Named> = with.iter().filter(in_turn).collect();
            if !all.iter().any(|u| u.inst == one.inst) {
                return None;
            }
            let before = all.iter().filter(|u| self.ways.is_first(u.inst, one.inst)).count();
            line = Line { each: all.len() as i128, first: line.first + before as i128, ..line };
        }
        let turn = self.turn(one.of_loop)?;
        let form = Form::fixed(class, 0);
        let (at, number) = super::numbers::in_turns(syms, &form, &line, &turn)?;
        found.arrivals.push(Arrival {
            inst: one.inst,
            block: block(one),
            of_loop: one.of_loop,
            form,
            line,
            at,
            number,
            path: one.path.clone(),
            only: one.only.clone(),
            of_copies: false,
        });
        if one.waits {
            found.waits.push(Wait {
                block: block(one),
                region: Vec::new(),
                inst: Some(one.inst),
                only: one.only.clone(),
                of_loop: one.of_loop,
                form,
                line: Line { first: line.first + 1, ..line },
                behind: Vec::new(),
                before: Vec::new(),
            });
        }
        Some(())
    }

    /// Returns whether one thread may go on both paths.
    pub(super) fn may_both(&self, syms: &Syms, one: &[Cond], other: &[Cond]) -> bool {
        let mut question = Instance::new(syms);
        question.assume_all(one, self.asked.given);
        other.iter().for_each(|c| question.assume(c));
        !question.refuted()
    }

    /// Returns whether all threads of each warp that arrives at a named barrier do so together, and none of them ends before.
    pub(super) fn arrives_by_warps(&self, syms: &mut Syms, found: &Pipelines, class: usize) -> bool {
        let inside = found.classes[class].who.as_ref().map_or(Cond::True, |who| who.has(&found.thread));
        let (warp, _) = syms.divide(&found.thread, &Poly::constant(WARP));
        let apart = |b: usize, attr: Attr| {
            let decided = &self.asked.decided[b];
            let alike = |c: &Cond| self.is_of_warps(syms, c, (&inside, &warp));
            attr.level >= Level::Thread && (decided.is_empty() || !decided.iter().all(alike))
        };
        let arrivals = found.arrivals.iter().filter(|a| a.form.class == class);
        let mut at: Vec<usize> = arrivals.map(|a| a.inst).collect();
        at.sort_unstable();
        at.dedup();
        let Find { asked, ways, .. } = self;
        crate::sync::barriers::are_of_whole_warps(at, asked.cfg, asked.shape, ways.branches, &apart)
    }

    /// Returns whether a condition is the same for all threads of a warp that are `inside`, in one iteration.
    fn is_of_warps(&self, syms: &Syms, c: &Cond, (inside, warp): (&Cond, &Poly)) -> bool {
        let home = |info: &Info, side: u8| match info.kind {
            // What defines it is known of each thread.
            Kind::Quotient { .. } | Kind::Remainder { .. } | Kind::Alias(_) | Kind::Seen { .. } => side,
            _ if info.attr.level <= Level::Warp => 0,
            _ => side,
        };
        let mut question = Instance::of_many(syms, &home);
        self.asked.given.iter().for_each(|c| question.assume(c));
        for (c, side) in [(c.clone(), 1), (c.not(), 2), (inside.clone(), 1), (inside.clone(), 2)] {
            question.assume_of(&c, side);
        }
        let (Some(p), Some(q)) = (question.lowered(warp, 1), question.lowered(warp, 2)) else { return false };
        question.assert(&Cond::eq(&p, &q));
        question.refuted()
    }
}
