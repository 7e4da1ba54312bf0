//! Questions about one or two threads, put to the solver.

use crate::cond::Cond;
use crate::poly::{Poly, Range, Sym};
use crate::solve::Problem;
use crate::syms::{Info, Syms};
use rustc_hash::FxHashMap;

/// Conditions of one or two threads, as a question to the solver.
pub struct Instance<'a> {
    syms: &'a Syms,
    problem: Problem,
    known: FxHashMap<(Sym, u8), Sym>,
    shares: &'a dyn Fn(&Info) -> bool,
}

fn alone(_: &Info) -> bool {
    true
}

impl<'a> Instance<'a> {
    /// One thread.
    pub fn new(syms: &'a Syms) -> Self {
        Instance::of_two(syms, &alone)
    }

    /// Two; `shares` says which symbols have the same value for both.
    pub fn of_two(syms: &'a Syms, shares: &'a dyn Fn(&Info) -> bool) -> Self {
        Instance { syms, problem: Problem::default(), known: FxHashMap::default(), shares }
    }

    /// What stands for a symbol of thread 1 or 2.
    pub fn variable(&mut self, s: Sym, side: u8) -> Sym {
        let info = self.syms.get(s);
        let side = if (self.shares)(info) { 0 } else { side };
        if let Some(&v) = self.known.get(&(s, side)) {
            return v;
        }
        let v = self.problem.variable(info.range);
        self.known.insert((s, side), v);
        if side != 0
            && let Some(&other) = self.known.get(&(s, 3 - side))
        {
            self.problem.twins.push((v, other));
        }
        for fact in &info.facts {
            self.assume_of(fact, side.max(1));
        }
        if !info.cases.is_empty() {
            self.assume_of(&Cond::Or(info.cases.clone()), side.max(1));
        }
        v
    }

    pub fn lowered(&mut self, p: &Poly, side: u8) -> Option<Poly> {
        p.map(|s| Poly::sym(self.variable(s, side)))
    }

    /// Of thread 1 or 2. What gets too large is left out.
    pub fn assume_of(&mut self, c: &Cond, side: u8) {
        if let Some(c) = c.map(&mut |p| self.lowered(p, side)) {
            self.problem.assert(&c);
        }
    }

    pub fn assume(&mut self, c: &Cond) {
        self.assume_of(c, 1);
    }

    pub fn assume_all(&mut self, path: &[Cond], given: &[Cond]) {
        path.iter().chain(given).for_each(|c| self.assume(c));
    }

    /// Already in terms of the problem's variables.
    pub fn assert(&mut self, c: &Cond) {
        self.problem.assert(c);
    }

    /// Is something known of the symbol of thread 1 or 2?
    pub fn mentions(&self, s: Sym, side: u8) -> bool {
        self.known.contains_key(&(s, side)) || self.known.contains_key(&(s, 0))
    }

    /// Of the problem's variables.
    pub fn bounds(&self) -> &[Range] {
        &self.problem.bounds
    }

    pub fn refuted(&self) -> bool {
        self.problem.refuted()
    }
}
