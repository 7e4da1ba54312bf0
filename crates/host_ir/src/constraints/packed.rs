//! Numbers that are parts of a 64-bit number: structures of two numbers, as functions get them and as extents
//! are passed.
//!
//! A truncated number is assumed to fit, unless the code also uses its upper part: then it consists of
//! several numbers. If its bounds do not show that it fits, the relations are marked as inexact.

use super::super::ir::Op;
use super::super::linear::Sum;
use super::reader::Reader;

impl<'a> Reader<'_, '_, 'a> {
    /// Returns the lower and the upper 32 bits of a 64-bit number.
    pub(super) fn halves(&mut self, depth: usize, name: &'a str) -> [Option<Sum>; 2] {
        if let Some(c) = self.eval.int(depth, name) {
            return [Some(Sum::of(c & 0xffff_ffff)), Some(Sum::of(c >> 32 & 0xffff_ffff))];
        }
        if let Some((above, passed)) = self.passed(depth, name) {
            return self.halves(above, passed);
        }
        let f = self.eval.program.function(self.eval.chain[depth].at);
        match f.definition(name) {
            Some(Op::Same(of)) => self.halves(depth, of),
            Some(Op::Cast { op: "zext", from: 32, of, .. }) => [self.sum(depth, of), Some(Sum::of(0))],
            Some(Op::Binary { op: "and", a, b: "4294967295", .. }) => {
                let [low, _] = self.halves(depth, a);
                [low.or_else(|| self.sum(depth, name)), Some(Sum::of(0))]
            }
            Some(Op::Binary { op: "shl", a, b: "32", .. }) => {
                let [low, _] = self.halves(depth, a);
                [Some(Sum::of(0)), low.or_else(|| self.low(depth, a, 32))]
            }
            Some(Op::Binary { op: "or", exact: true, a, b, .. }) => {
                let (x, y) = (self.halves(depth, a), self.halves(depth, b));
                let zero = |s: &Option<Sum>| s.as_ref().and_then(Sum::constant) == Some(0);
                let one = |a: &Option<Sum>, b: &Option<Sum>| match (zero(a), zero(b)) {
                    (true, _) => b.clone(),
                    (_, true) => a.clone(),
                    _ => None,
                };
                [one(&x[0], &y[0]), one(&x[1], &y[1])]
            }
            _ => self.alone(depth, name),
        }
    }

    /// Returns the halves of a number that has no upper bits.
    fn alone(&mut self, depth: usize, name: &'a str) -> [Option<Sum>; 2] {
        let (sum, exact) = self.read(|r| r.sum(depth, name));
        let fits =
            |r: &Self, sum: &Sum| r.bounds.of(sum).is_some_and(|(least, most)| least >= 0 && most < 1 << 31);
        match sum.filter(|sum| exact && fits(self, sum)) {
            Some(sum) => [Some(sum), Some(Sum::of(0))],
            None => [None, None],
        }
    }

    /// Returns the caller's argument for a parameter.
    pub(super) fn passed(&self, depth: usize, name: &'a str) -> Option<(usize, &'a str)> {
        let program = self.eval.program;
        let n = program.function(self.eval.chain[depth].at).params.iter().position(|p| *p == name)?;
        let above = depth.checked_sub(1)?;
        let frame = self.eval.chain[above];
        match &program.function(frame.at).blocks[frame.block].insts[frame.inst].op {
            Op::Call { arguments, .. } => Some((above, arguments.get(n)?.value)),
            _ => None,
        }
    }

    /// Returns whether a shift is large enough to separate halves of 64 bits.
    pub(super) fn of_halves(&self, depth: usize, by: &'a str) -> bool {
        self.eval.int(depth, by).is_some_and(|c| c >= 32)
    }

    /// For a right shift of a number that was shifted left by at least as much, returns the original number,
    /// its remaining number of bits, and the power of two that it is multiplied by.
    pub(super) fn lower_part(
        &self,
        depth: usize,
        bits: u32,
        of: &'a str,
        by: &'a str,
    ) -> Option<(&'a str, u32, i128)> {
        let by = self.eval.int(depth, by).filter(|&c| c > 0)?;
        match self.eval.program.function(self.eval.chain[depth].at).definition(of) {
            Some(Op::Binary { op: "shl", a, b, .. }) => {
                let left = self.eval.int(depth, b).filter(|&c| by <= c && c < i128::from(bits))?;
                Some((a, bits - left as u32, 1 << (left - by)))
            }
            _ => None,
        }
    }

    /// Returns a number shifted to the right by 32 bits.
    pub(super) fn shifted(&mut self, depth: usize, name: &'a str, of: &'a str, by: &'a str) -> Option<Sum> {
        if self.eval.int(depth, by) != Some(32) {
            return None;
        }
        let [_, high] = self.halves(depth, of);
        if let Some(high) = high {
            // An unsigned shift of a negative number yields another number.
            self.narrowed |= self.bounds.of(&high).is_none_or(|(least, _)| least < 0);
            return Some(high);
        }
        // Signed and unsigned shifts get the same name.
        let f = self.eval.program.function(self.eval.chain[depth].at);
        let is_it =
            |op: &Op<'a>| matches!(op, Op::Binary { op: "lshr" | "ashr", a, b: "32", .. } if *a == of);
        let uses = f.uses.get(of).into_iter().flatten().map(|&(block, inst)| &f.blocks[block].insts[inst]);
        let first = uses.filter(|i| is_it(&i.op)).find_map(|i| i.result).unwrap_or(name);
        let high = self.itself(depth, first);
        self.narrowed |= first != name;
        Some(high)
    }

    /// Returns the lowest bits of a number, under the assumption that it has no others, unless the code uses
    /// them.
    pub(super) fn low(&mut self, depth: usize, of: &'a str, bits: u32) -> Option<Sum> {
        if bits == 32
            && let [Some(low), _] = self.halves(depth, of)
        {
            return Some(low);
        }
        if !self.has_more(depth, of, bits, 0) {
            let sum = self.sum(depth, of)?;
            self.narrowed |= !self.bounds.fits(&sum, bits);
            return Some(sum);
        }
        let f = self.eval.program.function(self.eval.chain[depth].at);
        let uses = f.uses.get(of).into_iter().flatten().map(|&(block, inst)| &f.blocks[block].insts[inst]);
        let is_it =
            |op: &Op<'a>| matches!(op, Op::Cast { op: "trunc", of: a, to, .. } if *a == of && *to == bits);
        let first = uses.filter(|i| is_it(&i.op)).find_map(|i| i.result)?;
        Some(self.itself(depth, first))
    }

    /// Returns whether the code uses the bits above these, so that the number does not fit.
    fn has_more(&self, depth: usize, name: &'a str, bits: u32, deep: u32) -> bool {
        let least = 1i128 << (bits - 1);
        let f = self.eval.program.function(self.eval.chain[depth].at);
        let constant = |v: &&'a str| self.eval.int(depth, v);
        let mut uses =
            f.uses.get(name).into_iter().flatten().map(|&(block, inst)| &f.blocks[block].insts[inst].op);
        let used = uses.any(|op| match op {
            Op::Binary { op: "lshr" | "ashr" | "shl", a, b, .. } if *a == name => {
                constant(b).is_none_or(|c| c >= i128::from(bits))
            }
            Op::Binary { op: "and" | "or" | "xor", a, b, .. } => {
                [a, b].iter().any(|v| constant(v).is_some_and(|c| c >= 2 * least || c < -least))
            }
            Op::Compare { a, b, test, .. } => {
                let sign = matches!((*test, constant(b)), ("sgt", Some(-1)) | ("slt", Some(0)));
                sign || [a, b].iter().any(|v| constant(v).is_some_and(|c| c >= least || c < -least))
            }
            _ => false,
        });
        let large = |v: &&'a str| constant(v).is_some_and(|c| c >= 2 * least || c < -least);
        let further = |v: &'a str| deep < 8 && self.has_more(depth, v, bits, deep + 1);
        let built = match f.definition(name) {
            Some(Op::Same(of)) => further(of),
            Some(Op::Phi { incoming }) => incoming.iter().any(|(v, _)| large(v) || *v != name && further(v)),
            Some(Op::Select { a, b, .. }) => [a, b].into_iter().any(|v| large(v) || further(v)),
            Some(Op::Binary { op: "or", a, b, .. }) => [a, b].into_iter().any(|v| {
                let shifted = match f.definition(v) {
                    Some(Op::Binary { op: "shl", b, .. }) => constant(b),
                    _ => None,
                };
                large(v) || shifted.is_some_and(|c| c >= i128::from(bits))
            }),
            _ => false,
        };
        let above = self.passed(depth, name);
        used || built || deep < 8 && above.is_some_and(|(d, passed)| self.has_more(d, passed, bits, deep + 1))
    }
}
