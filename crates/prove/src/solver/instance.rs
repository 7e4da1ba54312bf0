//! Questions to the solver about one thread or several threads.

use crate::solver::cond::Cond;
use crate::solver::poly::{Poly, Range, Sym};
use crate::solver::refute::Problem;
use crate::solver::symbols::{Info, Syms};
use rustc_hash::FxHashMap;

/// The largest number of threads in a question.
pub const MOST_THREADS: u8 = 5;

/// Conditions on some threads, as a question to the solver.
#[derive(Clone)]
pub struct Instance<'a> {
    syms: &'a Syms,
    problem: Problem,
    known: FxHashMap<(Sym, u8), Sym>,
    home: &'a dyn Fn(&Info, u8) -> u8,
    /// If set, a symbol with several possible values has one of them, and the conditions that select the
    /// value are ignored.
    pub bare: bool,
}

/// Returns the part of a condition that constrains a symbol.
fn about(c: &Cond, s: Sym) -> Cond {
    match c {
        Cond::And(all) => all.iter().map(|c| about(c, s)).fold(Cond::True, Cond::and),
        c if c.syms().contains(&s) => c.clone(),
        _ => Cond::True,
    }
}

fn alone(_: &Info, _: u8) -> u8 {
    0
}

impl<'a> Instance<'a> {
    /// Creates a question about one thread.
    pub fn new(syms: &'a Syms) -> Self {
        Instance::of_many(syms, &alone)
    }

    /// Creates a question about several threads, numbered from 1. `home` returns the thread whose value of a
    /// symbol a thread sees; 0 stands for a value that all threads share.
    pub fn of_many(syms: &'a Syms, home: &'a dyn Fn(&Info, u8) -> u8) -> Self {
        Instance { syms, problem: Problem::default(), known: FxHashMap::default(), home, bare: false }
    }

    /// Returns the problem's variable for a thread's symbol.
    pub fn variable(&mut self, s: Sym, side: u8) -> Sym {
        let info = self.syms.get(s);
        let side = (self.home)(info, side);
        if let Some(&v) = self.known.get(&(s, side)) {
            return v;
        }
        let v = self.problem.variable_of(info.range, side);
        self.known.insert((s, side), v);
        for other in (1..=MOST_THREADS).filter(|&o| side != 0 && o != side) {
            if let Some(&other) = self.known.get(&(s, other)) {
                self.problem.twins.push((v, other));
            }
        }
        for fact in &info.facts {
            self.assume_of(fact, side.max(1));
        }
        if !info.cases.is_empty() {
            let cases = match self.bare {
                true => info.cases.iter().map(|c| about(c, s)).collect(),
                false => info.cases.clone(),
            };
            self.assume_of(&Cond::Or(cases), side.max(1));
        }
        v
    }

    pub fn lowered(&mut self, p: &Poly, side: u8) -> Option<Poly> {
        p.map(|s| Poly::sym(self.variable(s, side)))
    }

    /// Assumes a condition on one thread. Parts that get too large are left out.
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

    /// Assumes a condition on the problem's own variables.
    pub fn assert(&mut self, c: &Cond) {
        self.problem.assert(c);
    }

    /// Returns whether the question has a variable for a thread's symbol.
    pub fn mentions(&self, s: Sym, side: u8) -> bool {
        self.known.contains_key(&(s, (self.home)(self.syms.get(s), side)))
    }

    /// Returns the bounds of the problem's variables.
    pub fn bounds(&self) -> &[Range] {
        &self.problem.bounds
    }

    /// Returns the question as SMT-LIB 2.
    pub fn smt(&self) -> String {
        self.problem.smt()
    }

    pub fn refuted(&self) -> bool {
        self.problem.refuted()
    }
}
