//! The facts about every launch: extents, and the user's assumptions.

use super::{ElementFact, Exec, NotUnderstood};
use crate::facts::Assumption;
use crate::facts::assume::{Expr, Meaningless, Name, Relation, Test};
use crate::kernel::instructions;
use crate::solver::cond::Cond;
use crate::solver::poly::{Poly, Range, Sym};
use crate::solver::symbols::{Attr, Axis, Kind, Level};
use ptx::flat::Arg;
use ptx::sreg::SpecialReg;

/// How often bounds are derived from bounds.
const BOUND_ROUNDS: u32 = 3;

impl Exec<'_> {
    /// Returns the value of a parameter's bytes.
    pub(crate) fn param(&mut self, index: u32, offset: u32, bytes: u32) -> Poly {
        let facts = self.facts;
        if let Some(v) = facts.scalars.get(&(index, offset)) {
            return Poly::constant(*v);
        }
        if let Some(p) = self.observed_param(index, offset, bytes) {
            return p;
        }
        if let (Some((of, at)), 0, 8) = (facts.aliases.get(&index), offset, bytes) {
            let base = self.param(*of, 0, 8);
            return match at {
                Some(at) => base.plus_constant(*at),
                None => base.plus(&self.offset(index)),
            };
        }
        let range = match bytes {
            8 => Range::of(-(1 << 63), (1 << 63) - 1),
            4 => Range::of(-(1 << 31), (1 << 31) - 1),
            2 => Range::of(-(1 << 15), (1 << 15) - 1),
            _ => Range::of(-128, 127),
        };
        let (s, _) = self.syms.intern(Kind::Param { index, offset, bytes }, Attr::GRID, range);
        self.extent(s)
    }

    /// Returns the bytes from the pointer whose array a parameter shares to this parameter's pointer.
    fn offset(&mut self, index: u32) -> Poly {
        // Numbers of the host code's values are smaller.
        let range = Range::of(-(1 << 48), 1 << 48);
        Poly::sym(self.syms.intern(Kind::Host(u32::MAX - index), Attr::GRID, range).0)
    }

    /// Creates the symbols of coordinates and extents, with their bounds.
    pub(super) fn coordinates(&mut self, kernel: &kernels::Kernel) {
        let reads = |r: SpecialReg| self.flat.instructions.iter().any(|i| i.args.contains(&Arg::Special(r)));
        let tid = [SpecialReg::TidX, SpecialReg::TidY, SpecialReg::TidZ].map(reads);
        let ctaid = [SpecialReg::CtaidX, SpecialReg::CtaidY, SpecialReg::CtaidZ].map(reads);
        let lanes = reads(SpecialReg::Laneid);
        let nothing = !tid.iter().chain(&ctaid).any(|&r| r) && !lanes;
        let talks = instructions::talks_to_other_blocks(self.flat);
        for axis in Axis::ALL {
            let i = axis as usize;
            let most_threads = i128::from(kernel.max_threads.min([1024, 1024, 64][i]));
            let required = kernel.required_threads.map(|d| [d.x, d.y, d.z][i]);
            let block = self.facts.block.map(|b| b[i]).or(required);
            let block = match block {
                Some(n) => Range::exactly(i128::from(n)),
                None if self.is_told(&Name::Block(axis), 1) => Range::exactly(1),
                None if tid[i] || nothing && i == 0 || lanes && i == 0 || self.facts.strict => {
                    Range::of(1, most_threads)
                }
                None => {
                    self.assumed.insert(Assumption::FlatBlocks(axis));
                    Range::exactly(1)
                }
            };
            let most_blocks = [(1i128 << 31) - 1, 65535, 65535][i];
            let several = self.facts.spread.grid[i].as_ref();
            let several = several.map(|s| Range::of(i128::from(*s.start()), i128::from(*s.end())));
            let grid = match self.facts.grid.map(|g| g[i]) {
                Some(n) if several.is_some() => several.unwrap_or(Range::exactly(i128::from(n))),
                Some(n) => Range::exactly(i128::from(n)),
                None if self.is_told(&Name::Grid(axis), 1) => Range::exactly(1),
                None if ctaid[i] || self.facts.strict => Range::of(1, most_blocks),
                // A kernel that synchronises with other blocks has other blocks.
                None if (nothing || talks) && i == 0 || self.clusters.several(axis) => {
                    Range::of(1, most_blocks)
                }
                None => {
                    self.assumed.insert(Assumption::FlatGrids(axis));
                    Range::exactly(1)
                }
            };
            self.coordinate(Kind::Ntid(axis), Kind::Tid(axis), Level::Thread, block);
            self.coordinate(Kind::Nctaid(axis), Kind::Ctaid(axis), Level::Block, grid);
        }
        self.syms.thread_number = self.linear();
    }

    /// Returns whether a relation says that this name equals this number.
    fn is_told(&self, name: &Name, number: i128) -> bool {
        self.facts.relations.iter().any(|r| {
            r.test == Test::Eq
                && r.left == Expr::Name(name.clone())
                && r.right.evaluate(&|_| None) == Some(number)
        })
    }

    fn coordinate(&mut self, extent: Kind, index: Kind, level: Level, range: Range) {
        let (n, _) = self.syms.intern(extent, Attr::GRID, range);
        let below = Range { lo: Some(0), hi: range.hi.map(|h| h - 1) };
        let (i, _) = self.syms.intern(index, Attr { level, loops: 0 }, below);
        self.syms.get_mut(i).facts = vec![Cond::lt(&Poly::sym(i), &self.extent(n))];
    }

    /// Returns a symbol, or its value if its range has only one.
    pub(crate) fn extent(&self, s: Sym) -> Poly {
        match self.syms.get(s).range {
            Range { lo: Some(a), hi: Some(b) } if a == b => Poly::constant(a),
            _ => Poly::sym(s),
        }
    }

    /// Returns the number of threads in a block, if it is constant.
    pub(super) fn threads(&mut self) -> Option<u32> {
        let extents = Axis::ALL.map(|axis| self.known(Kind::Ntid(axis)).as_constant());
        extents.iter().try_fold(1u32, |all, n| all.checked_mul(u32::try_from((*n)?).ok()?))
    }

    pub(crate) fn known(&mut self, kind: Kind) -> Poly {
        let (s, _) = self.syms.intern(kind, Attr::GRID, Range::default());
        self.extent(s)
    }

    /// Applies `--assume`.
    pub(super) fn relations(&mut self) -> Result<(), NotUnderstood> {
        for relation in &self.facts.relations {
            if let Some(name) = relation.elements() {
                let fact = self.element_fact(relation, name)?;
                self.element_facts.push(fact);
                continue;
            }
            let given = {
                let mut remainders: Vec<(Poly, Poly)> = Vec::new();
                let this = std::cell::RefCell::new(&mut *self);
                let condition = crate::facts::assume::condition(
                    relation,
                    &mut |name| this.borrow_mut().named(name),
                    &mut |a, b| {
                        remainders.push((a.clone(), b.clone()));
                        this.borrow_mut().syms.divide(a, b).1
                    },
                );
                if remainders.iter().any(|(_, b)| b.as_constant().is_none_or(|c| c <= 0)) {
                    let why = format!("`{}`: the right side of `%` must be a positive number", relation.text);
                    return Err(NotUnderstood(why));
                }
                condition
            };
            self.given.push(given?);
        }
        self.bounds_that_follow();
        Ok(())
    }

    /// Returns what a relation says of the elements of the array that a parameter points to.
    fn element_fact(&mut self, relation: &Relation, name: &str) -> Result<ElementFact, NotUnderstood> {
        let index = super::param_index(self.flat, name);
        let parameter = index.ok_or_else(|| Meaningless::NoParameter(name.to_owned()))? as u32;
        let test = relation.test;
        if let Test::ElementsAtLeast | Test::ElementsAtMost = test {
            let this = std::cell::RefCell::new(self);
            let bound = crate::facts::assume::polynomial(
                &relation.right,
                &mut |name| this.borrow_mut().named(name),
                &mut |a, b| this.borrow_mut().syms.divide(a, b).1,
            )?;
            return Ok(ElementFact { parameter, test, bytes: Some(4), bound: Some(bound) });
        }
        let bytes = relation.right.evaluate(&|_| None).and_then(|n| u32::try_from(n).ok());
        Ok(ElementFact { parameter, test, bytes: bytes.filter(|n| *n > 0), bound: None })
    }

    /// Returns the value of a name in a relation.
    fn named(&mut self, name: &Name) -> Result<Poly, Meaningless> {
        match name {
            Name::Block(axis) => Ok(self.known(Kind::Ntid(*axis))),
            Name::Grid(axis) => Ok(self.known(Kind::Nctaid(*axis))),
            Name::Host(n) => {
                let range = Range::of(-(1 << 63), (1 << 63) - 1);
                let (s, _) = self.syms.intern(Kind::Host(*n), Attr::GRID, range);
                Ok(self.extent(s))
            }
            Name::Part(part) => Ok(self.param(part.index, part.offset, part.bytes)),
            Name::Offset(index) => Ok(self.offset(*index)),
            Name::Param(name) => {
                let flat = self.flat;
                let index =
                    super::param_index(flat, name).ok_or_else(|| Meaningless::NoParameter(name.clone()))?;
                let bytes = flat.function.params[index].size().unwrap_or(0) as u32;
                Ok(self.param(index as u32, 0, bytes))
            }
        }
    }

    /// Derives bounds of symbols from one of the given conditions and the bounds of its other symbols.
    fn bounds_that_follow(&mut self) {
        let given = self.given.clone();
        for _ in 0..BOUND_ROUNDS {
            for c in &given {
                match c {
                    Cond::Ge(p) => self.bounds_of(p),
                    Cond::Eq(p) => {
                        self.bounds_of(p);
                        self.bounds_of(&p.negated());
                    }
                    _ => {}
                }
            }
        }
        // Indices are smaller than their extents.
        for axis in Axis::ALL {
            for (extent, index) in
                [(Kind::Ntid(axis), Kind::Tid(axis)), (Kind::Nctaid(axis), Kind::Ctaid(axis))]
            {
                let hi = self.known(extent);
                let hi = self.syms.range(&hi).hi;
                let (i, _) = self.syms.intern(index, Attr::GRID, Range::default());
                let range = &mut self.syms.get_mut(i).range;
                if let Some(hi) = hi {
                    range.hi = Some(range.hi.map_or(hi - 1, |old| old.min(hi - 1)));
                }
            }
        }
    }

    /// Derives bounds of single symbols from a sum that is not negative.
    fn bounds_of(&mut self, p: &Poly) {
        for (m, k) in p.terms() {
            let [s] = m[..] else { continue };
            let Some(own) = Poly::sym(s).scaled(-k) else { continue };
            let rest = p.plus(&own);
            if rest.syms().any(|other| other == s) {
                continue;
            }
            // k s >= -rest, and -rest is at least -hi.
            let Some(hi) = self.syms.range(&rest).hi else { continue };
            let range = &mut self.syms.get_mut(s).range;
            match *k > 0 {
                true => {
                    let least = -hi.div_euclid(*k);
                    range.lo = Some(range.lo.map_or(least, |lo| lo.max(least)));
                }
                false => {
                    let most = hi.div_euclid(-k);
                    range.hi = Some(range.hi.map_or(most, |hi| hi.min(most)));
                }
            }
        }
    }
}
