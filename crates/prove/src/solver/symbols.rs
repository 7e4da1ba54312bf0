//! The symbols of one kernel and the facts about each.

use crate::solver::cond::Cond;
use crate::solver::poly::{Poly, Range, Sym};
pub use host_ir::relation::Axis;
use host_ir::relation::Part;
use ptx::cfg::BlockId;
use rustc_hash::{FxHashMap, FxHashSet};

/// The set of threads that see the same value, and the loops in which the value changes between iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attr {
    pub level: Level,
    /// Bit `i` stands for the `i`-th loop.
    pub loops: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// All threads of the grid see the same value.
    #[default]
    Grid,
    Block,
    Warp,
    Thread,
}

impl Attr {
    pub const GRID: Attr = Attr { level: Level::Grid, loops: 0 };
    pub const THREAD: Attr = Attr { level: Level::Thread, loops: 0 };

    pub fn join(self, other: Attr) -> Attr {
        Attr { level: self.level.max(other.level), loops: self.loops | other.loops }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Tid(Axis),
    Ctaid(Axis),
    Ntid(Axis),
    Nctaid(Axis),
    /// Bytes of the `index`-th parameter, at `offset`.
    Param {
        index: u32,
        offset: u32,
        bytes: u32,
    },
    /// An integer in a parameter that differs between the launches of a question.
    Spread(Part),
    /// A value of the host code.
    Host(u32),
    /// The address of a variable in shared memory, of a loaded module's global variable, or of local memory.
    Shared(String),
    Global(String),
    /// The memory of the tensor of this map.
    Tensor(String),
    Local,
    /// An environment register (`%envreg`): part of the address of a cooperative launch's workspace.
    Env(u32),
    /// A block's rank in its cluster, and the number of blocks of a cluster with unknown extents.
    ClusterRank,
    ClusterSize,
    /// The distance from an address in the own block's memory to the same one in the block with this rank.
    Far(Poly),
    /// The number of earlier iterations of a loop.
    Turn {
        header: BlockId,
    },
    /// The value of a register at the head of a loop.
    Head {
        header: BlockId,
        register: u32,
    },
    /// `floor(of / by)` and the remainder.
    Quotient {
        of: Poly,
        by: Poly,
    },
    Remainder {
        of: Poly,
        by: Poly,
    },
    /// Another name of a polynomial, which limits degrees.
    Alias(Poly),
    /// The value that an instruction sees of an integer that fits into so many bits, at the place where it is
    /// executed.
    Seen {
        of: Poly,
        signed: bool,
        bits: u32,
    },
    /// One of several values, selected by the conditions of its cases.
    Chosen(u32),
    /// A value that the instruction reads from memory.
    Loaded {
        inst: u32,
        nth: u32,
    },
    /// Any row of a matrix that an instruction accesses.
    Row {
        inst: u32,
        nth: u32,
    },
    /// An unknown value.
    Other {
        inst: u32,
        nth: u32,
    },
}

#[derive(Clone, Debug)]
pub struct Info {
    pub kind: Kind,
    pub attr: Attr,
    pub range: Range,
    /// Conditions that always hold.
    pub facts: Vec<Cond>,
    /// Alternatives, one of which holds; empty if there are none.
    pub cases: Vec<Cond>,
}

#[derive(Debug, Default)]
pub struct Syms {
    infos: Vec<Info>,
    known: FxHashMap<Kind, Sym>,
    /// The linear number of a thread in its block.
    pub thread_number: Option<Poly>,
}

impl Syms {
    pub fn get(&self, s: Sym) -> &Info {
        &self.infos[s.0 as usize]
    }

    pub fn get_mut(&mut self, s: Sym) -> &mut Info {
        &mut self.infos[s.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.infos.len()
    }

    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    pub fn all(&self) -> impl Iterator<Item = (Sym, &Info)> {
        self.infos.iter().enumerate().map(|(i, info)| (Sym(i as u32), info))
    }

    /// Returns the symbol of a kind, and whether it is new; a new one gets `attr` and `range`.
    pub fn intern(&mut self, kind: Kind, attr: Attr, range: Range) -> (Sym, bool) {
        if let Some(&s) = self.known.get(&kind) {
            return (s, false);
        }
        let s = self.fresh(kind.clone(), attr, range);
        self.known.insert(kind, s);
        (s, true)
    }

    /// Returns the symbol of a kind, if it exists.
    pub fn find(&self, kind: &Kind) -> Option<Sym> {
        self.known.get(kind).copied()
    }

    /// Returns the symbols of conditions, and those in the facts about them.
    pub fn mentioned_by<'c>(&self, conds: impl IntoIterator<Item = &'c Cond>) -> FxHashSet<Sym> {
        let mut found = FxHashSet::default();
        let mut work: Vec<Sym> = conds.into_iter().flat_map(Cond::syms).collect();
        while let Some(s) = work.pop() {
            if found.insert(s) {
                let info = self.get(s);
                work.extend(info.facts.iter().chain(&info.cases).flat_map(Cond::syms));
            }
        }
        found
    }

    /// Creates a new symbol, even if others of its kind exist.
    pub fn fresh(&mut self, kind: Kind, attr: Attr, range: Range) -> Sym {
        self.infos.push(Info { kind, attr, range, facts: Vec::new(), cases: Vec::new() });
        Sym((self.infos.len() - 1) as u32)
    }

    pub fn range(&self, p: &Poly) -> Range {
        p.range(&|s| self.get(s).range)
    }

    pub fn attr(&self, p: &Poly) -> Attr {
        p.syms().fold(Attr::GRID, |a, s| a.join(self.get(s).attr))
    }

    pub fn cond_attr(&self, c: &Cond) -> Attr {
        let mut attr = Attr::GRID;
        c.each_poly(&mut |p| attr = attr.join(self.attr(p)));
        attr
    }

    pub fn simplified(&self, c: Cond) -> Cond {
        c.simplified(&|s| self.get(s).range)
    }

    /// Returns `floor(of / by)` and the remainder, for a `by` that is always positive.
    pub fn divide(&mut self, of: &Poly, by: &Poly) -> (Poly, Poly) {
        if let (Some(a), Some(b)) = (of.as_constant(), by.as_constant())
            && b > 0
        {
            return (Poly::constant(a.div_euclid(b)), Poly::constant(a.rem_euclid(b)));
        }
        if by.as_constant() == Some(1) {
            return (of.clone(), Poly::default());
        }
        // Multiples of the divisor are separated: (a + b * c) / b = c + a / b.
        if let Some(b) = by.as_constant() {
            let mut multiple = Poly::default();
            let mut rest = Poly::default();
            for (m, c) in of.terms() {
                multiple = multiple.plus(&Poly::mono(m, c.div_euclid(b)));
                rest = rest.plus(&Poly::mono(m, c.rem_euclid(b)));
            }
            if !multiple.is_zero() {
                let (q, r) = self.divide(&rest, by);
                return (q.plus(&multiple), r);
            }
        }
        // A common factor of dividend and divisor is also one of the remainder.
        if let Some(b) = by.as_constant() {
            let common = of.terms().iter().fold(b, |g, (_, c)| crate::solver::poly::gcd(g, *c));
            if common > 1
                && let Some(of) = of.divided(common)
            {
                let (q, r) = self.divide(&of, &Poly::constant(b / common));
                if let Some(r) = r.scaled(common) {
                    return (q, r);
                }
            }
        }
        let (range, most) = (self.range(of), self.range(by).hi);
        let (least_by, positive) = (self.range(by).lo, range.lo.is_some_and(|lo| lo >= 0));
        if positive && range.hi.zip(least_by).is_some_and(|(hi, b)| hi < b) {
            return (Poly::default(), of.clone());
        }
        let mut attr = self.attr(of).join(self.attr(by));
        // Lanes of a warp have adjacent numbers, so a quotient by a multiple of 32 is the same for all of
        // them.
        let whole_warps = by.as_constant().is_some_and(|b| b % 32 == 0);
        if whole_warps && self.thread_number.as_ref() == Some(of) {
            attr.level = Level::Warp;
        }
        let floor = |a: i128| least_by.filter(|&b| b > 0).map(|b| a.div_euclid(b));
        let q_range = match by.as_constant() {
            Some(b) => Range { lo: range.lo.map(|a| a.div_euclid(b)), hi: range.hi.map(|a| a.div_euclid(b)) },
            None if positive => Range { lo: Some(0), hi: range.hi.and_then(floor) },
            None => Range::default(),
        };
        let r_range = Range { lo: Some(0), hi: most.map(|m| m - 1) };
        let (q, new) = self.intern(Kind::Quotient { of: of.clone(), by: by.clone() }, attr, q_range);
        let rest_attr = self.attr(of).join(self.attr(by));
        let (r, _) = self.intern(Kind::Remainder { of: of.clone(), by: by.clone() }, rest_attr, r_range);
        if new {
            let (qp, rp) = (Poly::sym(q), Poly::sym(r));
            let mut facts = vec![Cond::lt(&rp, by)];
            if let Some(product) = by.times(&qp) {
                facts.push(Cond::eq(of, &product.plus(&rp)));
            }
            self.get_mut(q).facts = facts.clone();
            self.get_mut(r).facts = facts;
        }
        (Poly::sym(q), Poly::sym(r))
    }

    /// Returns `p` with a single symbol in place of its nonconstant terms.
    pub fn alias(&mut self, p: &Poly) -> Poly {
        let rest = p.without_constant();
        if rest.terms().len() <= 1 {
            return p.clone();
        }
        let (attr, range) = (self.attr(&rest), self.range(&rest));
        let (s, new) = self.intern(Kind::Alias(rest.clone()), attr, range);
        if new {
            self.get_mut(s).facts = vec![Cond::eq(&Poly::sym(s), &rest)];
        }
        Poly::sym(s).plus_constant(p.constant_term())
    }

    /// Returns a product; a factor of several terms gets a name if the other one is not a constant.
    pub fn product(&mut self, a: &Poly, b: &Poly) -> Option<Poly> {
        if let Some(c) = a.as_constant() {
            return b.scaled(c);
        }
        if let Some(c) = b.as_constant() {
            return a.scaled(c);
        }
        let (a, b) = (self.alias(a), self.alias(b));
        a.times(&b)
    }
}
