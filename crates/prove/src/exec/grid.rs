//! Barriers of a cooperative grid: the PTX form of `grid.sync()`.
//!
//! Between two barriers of its block, the first thread adds to a word in the memory that a cooperative launch
//! has for this (`%envreg1` and `%envreg2` hold its address) and waits until the word's highest bit changes.
//! The first block adds 2³¹ - (n - 1), where *n* is the number of blocks, and the others add 1 each: the bits
//! below the highest one are zero again when all blocks have added, and only then has the highest bit
//! changed. No block adds a second time before it has seen the change, so the same holds for the next
//! barrier. A thread that continues is ordered after everything that all blocks did before: each addition is
//! a release, all of them belong to one release pattern, and the wait acquires (PTX §8.8, §8.9).
//!
//! The block's barrier after the wait stands for the grid's barrier.

use super::Exec;
use crate::facts::Assumption;
use crate::kernel::access::{Access, AccessKind};
use crate::solver::cond::Cond;
use crate::solver::instance::Instance;
use crate::solver::poly::Poly;
use crate::solver::symbols::{Axis, Kind, Level};
use crate::sync::barriers::of_grids;
use kernels::effects;
use kernels::effects::Control;
use ptx::cfg::BlockId;
use ptx::flat::{Arg, RegId};
use ptx::op::{Cmp, Op, Scope, Sem};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The environment register with the lower half of the address of a cooperative launch's memory; the previous
/// register has the upper half.
pub(super) const WORKSPACE: u32 = 2;

/// The instructions between an instruction and the block's next barrier.
#[derive(Debug, Default)]
struct Behind {
    instructions: FxHashSet<usize>,
    /// These next barriers.
    next: BTreeSet<usize>,
    /// Whether threads end there.
    ends: bool,
}

impl Exec<'_> {
    /// Returns the block barriers that complete a barrier of the grid.
    pub(super) fn grid_barriers(&mut self, barriers: &[usize]) -> Vec<usize> {
        let at_workspace =
            |a: &&Access| a.base.is_some_and(|s| matches!(self.syms.get(s).kind, Kind::Env(WORKSPACE)));
        let used: Vec<&Access> = self.accesses.iter().filter(at_workspace).collect();
        let adds: Vec<&Access> = used.iter().copied().filter(|a| a.kind == AccessKind::Atomic).collect();
        // Atomics with unknown addresses could be as strong as these.
        let lost = |a: &Access| {
            let kind = a.base.map(|s| &self.syms.get(s).kind);
            let known =
                matches!(kind, Some(Kind::Param { .. } | Kind::Global(_) | Kind::Shared(_) | Kind::Env(_)));
            a.strong.is_some() && a.kind != AccessKind::Read && !known
        };
        if adds.is_empty() || self.accesses.iter().any(lost) {
            return Vec::new();
        }
        let starts = std::iter::once(None).chain(barriers.iter().map(|&b| Some(b)));
        let behind: FxHashMap<Option<usize>, Behind> =
            starts.map(|s| (s, self.behind(s, barriers))).collect();
        let mut found: Vec<usize> = Vec::new();
        let mut begins: Vec<usize> = Vec::new();
        let mut waits: Vec<usize> = Vec::new();
        for add in &adds {
            let Some((begin, wait, end)) = self.one_barrier(add, &behind) else { return Vec::new() };
            found.push(end);
            begins.push(begin);
            waits.push(wait);
        }
        let one_word = |a: &Access| a.offset == adds[0].offset && (a.bytes, a.elements) == (4, 1);
        let alone = |a: &&Access| one_word(a) && (a.kind == AccessKind::Atomic || waits.contains(&a.inst));
        if !used.iter().all(alone) || !self.first_thread_stays(barriers, &begins) {
            return Vec::new();
        }
        found.sort_unstable();
        let accesses = self.accesses.iter().map(|a| a.inst).collect();
        let found = of_grids(found, &self.cfg, &self.shape, &self.branches, &accesses);
        if !found.is_empty() {
            let text = "it is launched as a cooperative grid, whose barrier is as launches leave it";
            self.assumed.insert(Assumption::Given(text.into()));
        }
        found
    }

    fn behind(&self, from: Option<usize>, barriers: &[usize]) -> Behind {
        let mut found = Behind::default();
        if self.cfg.blocks.is_empty() {
            return found;
        }
        let start = from.map_or(BlockId(0), |i| self.cfg.block_of(i as u32));
        let mut work = vec![(start, from.map_or(0, |i| i + 1))];
        let mut seen = FxHashSet::default();
        while let Some((b, at)) = work.pop() {
            let block = self.cfg.block(b);
            let next = (at..block.end as usize).find(|i| barriers.binary_search(i).is_ok());
            found.instructions.extend(at..next.unwrap_or(block.end as usize));
            if let Some(next) = next {
                found.next.insert(next);
                continue;
            }
            found.ends |= block.exits || block.successors.is_empty();
            for &s in block.successors.iter().filter(|s| seen.insert(**s)) {
                work.push((s, self.cfg.block(s).start as usize));
            }
        }
        found
    }

    /// Returns the block barriers before and after an addition, and the wait, if they have the expected form.
    fn one_barrier(
        &self,
        add: &Access,
        behind: &FxHashMap<Option<usize>, Behind>,
    ) -> Option<(usize, usize, usize)> {
        let mut around = behind.iter().filter(|(_, b)| b.instructions.contains(&add.inst));
        let (&Some(begin), part) = around.next().filter(|_| around.next().is_none())? else { return None };
        let end = *part.next.first().filter(|_| part.next.len() == 1 && !part.ends)?;
        // No other path may lead there.
        if behind.iter().any(|(start, b)| *start != Some(begin) && b.next.contains(&end)) {
            return None;
        }
        let releases = matches!(add.sem, Sem::Release | Sem::AcqRel);
        let inst = &self.flat.instructions[add.inst];
        let Some(&Arg::Reg(old)) = inst.args.first() else { return None };
        if !releases || add.strong.is_none_or(|s| s < Scope::Gpu) || inst.guard.is_some() {
            return None;
        }
        let wait = self.waits_for_another(add, old)?;
        // No other access or synchronisation may lie between.
        let quiet = |&i: &usize| {
            let inst = &self.flat.instructions[i];
            let Ok(op) = &inst.op else { return false };
            let effects = effects(op, &inst.args);
            i == add.inst
                || i == wait
                || effects.touches.is_empty()
                    && effects.order.is_none()
                    && matches!(effects.control, Control::Next | Control::Branch)
        };
        let right = part.instructions.iter().all(quiet)
            && self.is_by_the_first(add, begin, part)
            && self.adds_up(add);
        right.then_some((begin, wait, end))
    }

    /// Returns the load of a loop after the addition that waits until the highest bit of the word differs
    /// from that of `old`.
    fn waits_for_another(&self, add: &Access, old: RegId) -> Option<usize> {
        let [turn] = self.cfg.block(add.block).successors[..] else { return None };
        let block = self.cfg.block(turn);
        let code = || (block.start as usize..block.end as usize).map(|i| (i, &self.flat.instructions[i]));
        let load = self.accesses.iter().find(|a| a.block == turn && a.base == add.base)?;
        let acquires = load.sem == Sem::Acquire && load.strong.is_some_and(|s| s >= Scope::Gpu);
        let same = load.kind == AccessKind::Read && load.offset == add.offset && load.bytes == add.bytes;
        if !acquires || !same || code().any(|(i, inst)| inst.guard.is_some() && i + 1 != block.end as usize) {
            return None;
        }
        let Some(&Arg::Reg(new)) = self.flat.instructions[load.inst].args.first() else { return None };
        // The register that holds each of these values, while it is unchanged.
        let (mut differ, mut positive, mut negative) = (None, None, None);
        for (i, inst) in code().filter(|(i, _)| *i > load.inst) {
            let reg = |at: usize| match inst.args.get(at) {
                Some(Arg::Reg(r)) => Some(*r),
                _ => None,
            };
            let constant = match inst.args.get(2) {
                Some(Arg::Int(n)) => Some(*n),
                _ => None,
            };
            match inst.op.as_ref().ok()? {
                Op::Xor { ty } if ty.bits() == 32 => {
                    let both = [(Some(new), Some(old)), (Some(old), Some(new))];
                    differ = reg(0).filter(|_| both.contains(&(reg(1), reg(2))));
                    differ?;
                }
                Op::Setp { cmp, combine: None, ty, .. }
                    if differ.is_some() && reg(1) == differ && ty.is_signed() && ty.bits() == 32 =>
                {
                    match (cmp, constant) {
                        (Cmp::Gt, Some(-1)) | (Cmp::Ge, Some(0)) => positive = reg(0),
                        (Cmp::Lt, Some(0)) | (Cmp::Le, Some(-1)) => negative = reg(0),
                        _ => return None,
                    }
                }
                Op::Bra { .. } if i + 1 == block.end as usize => {
                    let guard = inst.guard?;
                    let target = inst.args.iter().find_map(|a| match a {
                        Arg::Label(l) => Some(self.cfg.block_of(self.flat.labels[l.0 as usize].target)),
                        _ => None,
                    });
                    let again = match guard.negated {
                        false => positive == Some(guard.register),
                        true => negative == Some(guard.register),
                    };
                    let fits = again && target == Some(turn) && block.successors.len() == 2;
                    return (fits && self.keeps(add.block, turn, add.inst, old)).then_some(load.inst);
                }
                _ => return None,
            }
        }
        None
    }

    /// Returns whether the result of the addition stays in its register up to the end of the wait.
    fn keeps(&self, own: BlockId, turn: BlockId, add: usize, old: RegId) -> bool {
        let (own, turn) = (self.cfg.block(own), self.cfg.block(turn));
        let code = (add + 1..own.end as usize).chain(turn.start as usize..turn.end as usize);
        let mut kept = true;
        for i in code {
            kernels::registers::visit(&self.flat.instructions[i], |place, written| {
                kept &= !(written && place == kernels::registers::Place::Whole(old));
            });
        }
        kept
    }

    /// Returns whether exactly the first thread of the block always adds after this barrier.
    fn is_by_the_first(&self, add: &Access, begin: usize, part: &Behind) -> bool {
        let tid = |axis| self.syms.find(&Kind::Tid(axis)).map(Poly::sym);
        let Some(tids) = Axis::ALL.into_iter().map(tid).collect::<Option<Vec<_>>>() else { return false };
        let mut others = Instance::new(&self.syms);
        others.assume_all(&add.guard, &self.given);
        others.assume(&Cond::Or(tids.iter().map(|t| Cond::Ne(t.clone())).collect()));
        if !others.refuted() {
            return false;
        }
        // These edges lead around the addition.
        let here = |b: BlockId| {
            let block = self.cfg.block(b);
            (block.start as usize..block.end as usize).any(|i| part.instructions.contains(&i))
        };
        let mut leads = FxHashSet::default();
        let mut work = vec![add.block];
        let first = self.cfg.block_of(begin as u32);
        while let Some(b) = work.pop() {
            if leads.insert(b) && b != first {
                work.extend(self.cfg.block(b).predecessors.iter().copied().filter(|p| here(*p)));
            }
        }
        leads.contains(&first)
            && leads.iter().filter(|b| **b != add.block).all(|&b| {
                let around = self.cfg.block(b).successors.iter().filter(|s| !leads.contains(s));
                around.into_iter().all(|&s| self.never_by_the_first((b, s)))
            })
    }

    /// Returns whether the first thread of a block never takes an edge.
    fn never_by_the_first(&self, edge: (BlockId, BlockId)) -> bool {
        let Some(path) = self.paths.edges.get(&edge) else { return true };
        let mut question = Instance::new(&self.syms);
        question.assume_all(path, &self.given);
        for axis in Axis::ALL {
            let Some(s) = self.syms.find(&Kind::Tid(axis)) else { return false };
            question.assume(&Cond::Eq(Poly::sym(s)));
        }
        question.refuted()
    }

    /// Returns whether the first block adds 2³¹ - (n - 1), and the others add 1.
    fn adds_up(&self, add: &Access) -> bool {
        let Some(step) = self.added.get(&add.inst) else { return false };
        let extent = |axis| self.syms.find(&Kind::Nctaid(axis)).map(|s| self.extent(s));
        let mut blocks = Poly::constant(1);
        for n in Axis::ALL.map(extent) {
            let Some(product) = n.and_then(|n| blocks.times(&n)) else { return false };
            blocks = product;
        }
        let place = |axis| self.syms.find(&Kind::Ctaid(axis)).map(Poly::sym);
        let Some(places) = Axis::ALL.into_iter().map(place).collect::<Option<Vec<_>>>() else { return false };
        let holds = |place: Cond, sum: &Poly| {
            let mut question = Instance::new(&self.syms);
            question.assume_all(&add.guard, &self.given);
            question.assume(&place);
            question.assume(&Cond::eq(step, sum).not());
            question.refuted()
        };
        let first = places.iter().fold(Cond::True, |all, p| all.and(Cond::Eq(p.clone())));
        let other = Cond::Or(places.iter().map(|p| Cond::Ne(p.clone())).collect());
        // The value is a signed number.
        let of_first = blocks.negated().plus_constant(1 - (1 << 31));
        holds(first, &of_first) && holds(other, &Poly::constant(1))
    }

    /// Returns whether the first thread of a block has not ended when others reach one of these barriers.
    fn first_thread_stays(&self, barriers: &[usize], begins: &[usize]) -> bool {
        let n = self.cfg.blocks.len();
        let mut reaches = vec![false; n];
        let mut work: Vec<BlockId> = begins.iter().map(|&i| self.cfg.block_of(i as u32)).collect();
        while let Some(b) = work.pop() {
            if !std::mem::replace(&mut reaches[b.0 as usize], true) {
                work.extend(&self.cfg.block(b).predecessors);
            }
        }
        // In loops with barriers, all of a block's threads are in the same iteration.
        let met = |l: usize| barriers.iter().any(|&i| self.shape.contains(l, self.cfg.block_of(i as u32)));
        let as_one = |b: usize| {
            self.branches[b].is_none_or(|a| {
                a.level <= Level::Block
                    && (0..self.shape.loops.len()).all(|l| a.loops & 1 << l == 0 || met(l))
            })
        };
        // These threads end at a predicated instruction.
        let inside = self.paths.ends.iter().all(|(b, _)| !reaches[b.0 as usize]);
        inside
            && (0..n).filter(|&b| self.shape.place[b].is_some() && !as_one(b)).all(|b| {
                let ways = &self.cfg.blocks[b].successors;
                // No such edge may lead away from the barriers while another one leads to them.
                let parts = ways.iter().any(|s| reaches[s.0 as usize]);
                let mut away = ways.iter().filter(|s| parts && !reaches[s.0 as usize]);
                away.all(|&s| self.never_by_the_first((BlockId(b as u32), s)))
            })
    }
}
