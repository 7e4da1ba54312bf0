//! Parameters of a launch that a run has recorded.

use super::Exec;
use crate::solver::poly::{Poly, Range};
use crate::solver::symbols::{Attr, Kind};

impl Exec<'_> {
    /// Returns a parameter's value in the launch: a number, or an address in an array.
    pub(super) fn observed_param(&mut self, index: u32, offset: u32, bytes: u32) -> Option<Poly> {
        let launch = self.facts.observed.clone().filter(|_| !self.facts.unknown.contains(&index))?;
        let parameter = launch.facts.parameter(index as usize)?;
        let at = offset as usize;
        let held = parameter.get(at..at.checked_add(bytes as usize)?)?;
        let mut word = [0; 8];
        word.get_mut(..held.len())?.copy_from_slice(held);
        let value = u64::from_le_bytes(word);
        if bytes == 8
            && let Some(array) = launch.holder(value)
        {
            let base = launch.memory[array].base;
            let kind = Kind::Global(crate::facts::observed::name(&launch, array));
            let (s, _) = self.syms.intern(kind, Attr::GRID, Range::of(0, 1 << 56));
            return Some(Poly::sym(s).plus_constant(i128::from(value - base)));
        }
        let unused = 64 - 8 * bytes.clamp(1, 8);
        Some(Poly::constant(i128::from((value << unused) as i64 >> unused)))
    }
}
