//! Added loops have a bound by their form.
//!
//! The loop of a backward branch is the text from its target to the branch. One of these forms must hold:
//!
//! * **counter**: each turn adds a positive constant to a register, and leaves the loop by an unsigned `ge` or `eq`
//!   of that register and a limit that no instruction of the loop changes;
//! * **countdown**: each turn subtracts `min(d, r)` from a register `r`, and the loop ends when `r` is 0. That `d`
//!   is positive follows from its interval ([`crate::unit`]);
//! * **retry**: a turn ends with a compare-and-swap, and the next one begins only if that has failed.

use crate::Reason;
use crate::place::{At, at, target};
use flowgraph::{Dominators, Graph, natural_loops};
use ptx::flat::{Arg, Flat, FlatInstruction, RegId};
use ptx::op::{BoolOp, Cmp, Op, Rmw};
use std::ops::Range;

/// Checks the loops of added code.
pub(crate) fn bounded(flat: &Flat<'_>, range: Range<usize>) -> Result<(), At> {
    for turn in turns(flat, range)? {
        if !turn.counts() && !turn.counts_down() && !turn.retries() {
            return Err(at(&flat.instructions[turn.end], Reason::Loop));
        }
    }
    Ok(())
}

/// Returns, for each countdown, its branch back and the definition of the amount by which it proceeds.
pub(crate) fn amounts(flat: &Flat<'_>, range: Range<usize>) -> Result<Vec<(usize, usize)>, At> {
    let turns = turns(flat, range)?.into_iter();
    let others = turns.filter(|turn| !turn.counts() && !turn.retries());
    Ok(others.filter_map(|turn| Some((turn.end, turn.countdown()?))).collect())
}

/// Returns the loops of a range. Each has one branch back, and lies between its first instruction and that branch.
fn turns<'a, 'f>(flat: &'a Flat<'f>, range: Range<usize>) -> Result<Vec<Turn<'a, 'f>>, At> {
    let back = |i: usize| target(flat, &flat.instructions[i]).is_some_and(|to| to <= i);
    let Some(first) = range.clone().find(|i| back(*i)) else { return Ok(Vec::new()) };
    let end = range.len();
    let successors = range.clone().map(|i| {
        let inst = &flat.instructions[i];
        let to = target(flat, inst);
        let stops = to.is_some() || matches!(inst.op, Ok(Op::Ret | Op::Trap));
        let next = (!stops || inst.guard.is_some()).then_some(i + 1);
        next.into_iter().chain(to).map(|to| to.saturating_sub(range.start).min(end)).collect()
    });
    let graph = Graph::new(successors.chain([Vec::new()]).collect());
    let dominators = Dominators::new(&graph, 0);
    let circle = |i: usize| at(&flat.instructions[range.start + i], Reason::Loop);
    for (place, &node) in dominators.order().iter().enumerate() {
        let retreats = |to: &&usize| dominators.position(**to).is_some_and(|to| to <= place);
        let mut retreating = graph.successors(node).iter().filter(retreats);
        if retreating.any(|to| !dominators.dominates(*to, node)) {
            return Err(circle(node));
        }
    }
    let mut turns = Vec::new();
    for found in natural_loops(&graph, &dominators) {
        let [latch] = found.latches[..] else { return Err(circle(found.header)) };
        if found.nodes().any(|node| node < found.header || node > latch) {
            return Err(at(&flat.instructions[first], Reason::Loop));
        }
        turns.push(Turn { flat, begin: range.start + found.header, end: range.start + latch });
    }
    Ok(turns)
}

/// One turn of a loop: its first instruction, and the branch back.
struct Turn<'a, 'f> {
    flat: &'a Flat<'f>,
    begin: usize,
    end: usize,
}

impl Turn<'_, '_> {
    fn all(&self) -> impl DoubleEndedIterator<Item = (usize, &FlatInstruction<'_>)> {
        (self.begin..=self.end).map(|i| (i, &self.flat.instructions[i]))
    }

    fn writes(&self, register: RegId) -> impl Iterator<Item = usize> {
        self.all().filter(move |(_, inst)| defines(inst, register)).map(|(i, _)| i)
    }

    fn is_constant(&self, arg: &Arg<'_>) -> bool {
        match arg {
            Arg::Int(_) => true,
            Arg::Reg(register) => self.writes(*register).next().is_none(),
            _ => false,
        }
    }

    /// Returns whether every path from the beginning to the branch back passes the instruction.
    fn always(&self, through: usize) -> bool {
        let (mut seen, mut rest) = (vec![false; self.end + 1 - self.begin], vec![self.begin]);
        while let Some(i) = rest.pop() {
            if i == through || !(self.begin..=self.end).contains(&i) {
                continue;
            }
            if i == self.end {
                return false;
            }
            if std::mem::replace(&mut seen[i - self.begin], true) {
                continue;
            }
            let inst = &self.flat.instructions[i];
            let to = target(self.flat, inst);
            rest.extend(to);
            let ends = to.is_some() || matches!(inst.op, Ok(Op::Ret));
            if !ends || inst.guard.is_some() {
                rest.push(i + 1);
            }
        }
        true
    }

    /// Returns whether a branch or return by this predicate, if it holds, leaves the loop in each turn.
    fn leaves(&self, predicate: RegId, behind: usize) -> bool {
        self.all().any(|(i, inst)| {
            let out = match inst.op {
                Ok(Op::Ret) => true,
                _ => target(self.flat, inst).is_some_and(|to| !(self.begin..=self.end).contains(&to)),
            };
            let by = inst.guard.is_some_and(|guard| guard.register == predicate && !guard.negated);
            let kept = self.all().all(|(at, other)| at <= behind || at >= i || !redefines(other, predicate));
            i > behind && out && by && kept && self.always(i)
        })
    }

    fn counts(&self) -> bool {
        self.all().any(|(i, inst)| {
            let (Ok(Op::Add { .. }), [Arg::Reg(counter), Arg::Reg(from), Arg::Int(step)]) =
                (&inst.op, &inst.args[..])
            else {
                return false;
            };
            let steady = counter == from && *step > 0 && inst.guard.is_none() && self.always(i);
            steady && self.writes(*counter).count() == 1 && self.is_compared(*counter, *step == 1)
        })
    }

    /// Returns whether the loop ends when a counter reaches a limit.
    fn is_compared(&self, counter: RegId, by_one: bool) -> bool {
        self.all().any(|(i, inst)| {
            let (Ok(Op::Setp { cmp, ty, combine: None, .. }), [Arg::Reg(predicate), Arg::Reg(a), limit]) =
                (&inst.op, &inst.args[..])
            else {
                return false;
            };
            let ends = match cmp {
                _ if ty.is_float() => false,
                Cmp::Ge | Cmp::Hs => !ty.is_signed(),
                Cmp::Eq => by_one,
                _ => false,
            };
            ends && *a == counter && self.is_constant(limit) && self.leaves(*predicate, i)
        })
    }

    fn counts_down(&self) -> bool {
        self.countdown().is_some()
    }

    /// Returns the definition of `d` of a countdown.
    fn countdown(&self) -> Option<usize> {
        let back = &self.flat.instructions[self.end];
        let guard = back.guard.filter(|guard| !guard.negated)?;
        let (_, compare) = self.all().rev().find(|(_, inst)| defines(inst, guard.register))?;
        let rest = match (&compare.op, &compare.args[..]) {
            (Ok(Op::Setp { cmp: Cmp::Ne, combine: None, .. }), [_, Arg::Reg(rest), Arg::Int(0)]) => *rest,
            _ => return None,
        };
        let mut writes = self.writes(rest);
        let (less, None) = (writes.next()?, writes.next()) else { return None };
        let subtract = &self.flat.instructions[less];
        let (Ok(Op::Sub { .. }), [_, Arg::Reg(from), Arg::Reg(by)]) = (&subtract.op, &subtract.args[..])
        else {
            return None;
        };
        let min = self.writes(*by).filter(|i| *i < less).last()?;
        let smaller = &self.flat.instructions[min];
        let (Ok(Op::Min { .. }), [_, Arg::Reg(d), Arg::Reg(bound)]) = (&smaller.op, &smaller.args[..]) else {
            return None;
        };
        let steady = *from == rest && *bound == rest && subtract.guard.is_none() && smaller.guard.is_none();
        let defined = self.writes(*d).filter(|i| *i < min).last()?;
        (steady && self.always(less) && self.always(min) && self.always(defined)).then_some(defined)
    }

    fn retries(&self) -> bool {
        let back = &self.flat.instructions[self.end];
        let Some(guard) = back.guard.filter(|guard| guard.negated) else { return false };
        let Some((at, compare)) = self.all().rev().find(|(_, inst)| defines(inst, guard.register)) else {
            return false;
        };
        let (Ok(Op::Setp { cmp: Cmp::Eq, combine: None, .. }), [_, Arg::Reg(found), Arg::Reg(expected)]) =
            (&compare.op, &compare.args[..])
        else {
            return false;
        };
        let swapped = self.writes(*found).filter(|i| *i < at).last();
        swapped.is_some_and(|i| {
            let inst = &self.flat.instructions[i];
            let swap = matches!(&inst.op, Ok(Op::Atom(atom)) if atom.op == Rmw::Cas) && inst.guard.is_none();
            let kept = !self.writes(*expected).any(|write| (i..at).contains(&write));
            swap && kept && inst.args.get(2) == Some(&Arg::Reg(*expected)) && self.always(i)
        })
    }
}

/// Returns whether an instruction writes a register.
pub(crate) fn defines(inst: &FlatInstruction<'_>, register: RegId) -> bool {
    let stores =
        matches!(inst.op, Ok(Op::St(_) | Op::Red(_) | Op::Bra { .. } | Op::Call | Op::Ret | Op::BarWarpSync));
    !stores && inst.args.first().is_some_and(|arg| contains(arg, register))
}

fn contains(arg: &Arg<'_>, register: RegId) -> bool {
    match arg {
        Arg::Reg(id) => *id == register,
        Arg::Vector(items) => items.iter().any(|item| contains(item, register)),
        Arg::Pair(a, b) => contains(a, register) || contains(b, register),
        _ => false,
    }
}

/// Returns whether an instruction may change a predicate from true to false.
fn redefines(inst: &FlatInstruction<'_>, predicate: RegId) -> bool {
    let also = matches!(&inst.op, Ok(Op::Setp { combine: Some(BoolOp::Or), .. }))
        && inst.args.get(3) == Some(&Arg::Reg(predicate));
    defines(inst, predicate) && !also
}
