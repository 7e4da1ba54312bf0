//! Joins the states of several paths.

use super::{Exec, State, Val};
use crate::solver::cond::Cond;
use crate::solver::poly::{Poly, Range, Sym};
use crate::solver::symbols::{Attr, Kind};
use ptx::cfg::BlockId;
use ptx::flat::RegId;
use std::collections::BTreeMap;

/// Limits the paths into a join that are distinguished.
const MOST_WAYS: usize = 4;

impl Exec<'_> {
    /// Returns the joined state; `None` if no path leads here.
    pub(crate) fn join(&mut self, at: BlockId, mut states: Vec<State>) -> Option<State> {
        if states.len() <= 1 {
            return states.pop();
        }
        let path: Vec<Cond> = states[0]
            .path
            .iter()
            .filter(|c| states[1..].iter().all(|s| s.path.contains(c)))
            .cloned()
            .collect();
        let extra: Vec<Cond> = states
            .iter()
            .map(|s| s.path.iter().filter(|c| !path.contains(c)).cloned().fold(Cond::True, Cond::and))
            .collect();
        // The path taken tells which polled value a thread has seen.
        let polled = |c: &Cond| c.syms().iter().any(|s| self.polled.contains(s));
        let mut path = path;
        if extra.len() <= MOST_WAYS && extra.iter().all(|c| *c != Cond::True) && extra.iter().any(polled) {
            path.push(Cond::Or(extra.clone()));
        }
        let control = self.control(at);
        let mut regs = BTreeMap::new();
        let first = &states[0].regs;
        let mut differing: Vec<RegId> = Vec::new();
        for (r, v) in first {
            if states[1..].iter().all(|s| s.regs.get(r) == Some(v)) {
                regs.insert(*r, v.clone());
            } else if states.iter().all(|s| s.regs.contains_key(r)) {
                differing.push(*r);
            }
        }
        for r in differing {
            let values: Vec<Val> = states.iter().filter_map(|s| s.regs.get(&r).cloned()).collect();
            regs.insert(r, self.chosen(&values, &extra, control));
        }
        Some(State { regs, path })
    }

    /// Returns one of several values, each under its condition.
    pub(crate) fn chosen(&mut self, values: &[Val], extra: &[Cond], control: Attr) -> Val {
        let mut attr = control;
        let mut range: Option<Range> = None;
        for v in values {
            attr = attr.join(self.attr(v));
            if let Val::Int(p) = v {
                let r = self.syms.range(p);
                range = Some(range.map_or(r, |old| old.join(r)));
            }
        }
        let few = values.len() <= 6;
        if values.iter().all(|v| matches!(v, Val::Int(_))) {
            let s = self.fresh_chosen(attr, range.unwrap_or_default());
            let case = |(v, c): (&Val, &Cond)| match v {
                Val::Int(p) => c.clone().and(Cond::eq(&Poly::sym(s), p)),
                _ => Cond::True,
            };
            if few {
                self.syms.get_mut(s).cases = values.iter().zip(extra).map(case).collect();
            }
            return Val::Int(Poly::sym(s));
        }
        if values.iter().all(|v| matches!(v, Val::Pred(_))) {
            let s = self.fresh_chosen(attr, Range::of(0, 1));
            let is = Cond::Ge(Poly::sym(s).plus_constant(-1));
            let case = |(v, c): (&Val, &Cond)| match v {
                Val::Pred(p) => {
                    let both = Cond::And(vec![is.clone(), p.clone()]);
                    let neither = Cond::And(vec![is.not(), p.not()]);
                    c.clone().and(Cond::Or(vec![both, neither]))
                }
                _ => Cond::True,
            };
            if few {
                self.syms.get_mut(s).cases = values.iter().zip(extra).map(case).collect();
            }
            return Val::Pred(is);
        }
        Val::Any(attr)
    }

    fn fresh_chosen(&mut self, attr: Attr, range: Range) -> Sym {
        let n = self.syms.len() as u32;
        self.syms.fresh(Kind::Chosen(n), attr, range)
    }

    /// Returns the attribute of the choice between paths into a join: every branch since the paths diverged.
    fn control(&self, at: BlockId) -> Attr {
        let place = |b: BlockId| self.shape.place[b.0 as usize].unwrap_or(0);
        let Some(from) = self.shape.immediate(at) else { return Attr::THREAD };
        let between = &self.shape.order[place(from)..place(at).max(place(from))];
        between.iter().filter_map(|b| self.branches[b.0 as usize]).fold(Attr::GRID, Attr::join)
    }
}
