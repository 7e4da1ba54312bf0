//! Parameters of a launch that a run has recorded.

use super::Exec;
use crate::facts::assume::Part;
use crate::facts::observed::{name, number};
use crate::solver::poly::{Poly, Range};
use crate::solver::symbols::{Attr, Kind};

impl Exec<'_> {
    /// Returns a parameter's value in the launch: a number, an address in an array, or a symbol for a number that
    /// differs between the launches of the question.
    pub(super) fn observed_param(&mut self, index: u32, offset: u32, bytes: u32) -> Option<Poly> {
        let launch = self.facts.observed.clone().filter(|_| !self.facts.unknown.contains(&index))?;
        let part = Part { index, offset, bytes };
        let value = number(&launch.facts, part)?;
        self.read.insert(part);
        if bytes == 8
            && let Some(array) = launch.holder(value as u64)
        {
            let base = launch.memory[array].base;
            let kind = Kind::Global(name(&launch, array));
            let (s, _) = self.syms.intern(kind, Attr::GRID, Range::of(0, 1 << 56));
            return Some(Poly::sym(s).plus_constant(i128::from(value as u64 - base)));
        }
        if let Some(several) = self.facts.spread.numbers.get(&part) {
            let range = Range::of(i128::from(*several.start()), i128::from(*several.end()));
            let (s, _) = self.syms.intern(Kind::Spread(part), Attr::GRID, range);
            return Some(self.extent(s));
        }
        Some(Poly::constant(i128::from(value)))
    }
}
