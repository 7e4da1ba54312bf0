//! Numbers that are parts of one of 64 bits: structures of two numbers, as functions are passed them and extents are written.
//!
//! A number that is truncated is taken to fit, unless something is done with its upper part, too: then it is several
//! numbers. Where its bounds do not show that it fits, what is read is not exact.

use super::super::ir::Op;
use super::super::sums::Sum;
use super::reader::Reader;

impl<'a> Reader<'_, '_, 'a> {
    /// The lower and the upper 32 bits of 64.
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
            _ => [None, None],
        }
    }

    /// What a caller passes for a parameter.
    fn passed(&self, depth: usize, name: &'a str) -> Option<(usize, &'a str)> {
        let program = self.eval.program;
        let n = program.function(self.eval.chain[depth].at).params.iter().position(|p| *p == name)?;
        let above = depth.checked_sub(1)?;
        let frame = self.eval.chain[above];
        match &program.function(frame.at).blocks[frame.block].insts[frame.inst].op {
            Op::Call { arguments, .. } => Some((above, arguments.get(n)?.value)),
            _ => None,
        }
    }

    /// Is it shifted so far that halves of 64 bits are meant?
    pub(super) fn of_halves(&self, depth: usize, by: &'a str) -> bool {
        self.eval.int(depth, by).is_some_and(|c| c >= 32)
    }

    /// Of a shift to the right what was shifted to the left by as much or more before, how many bits are left of it, and the power
    /// of two that it is multiplied by.
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

    /// A number shifted to the right by 32 bits or more.
    pub(super) fn shifted(&mut self, depth: usize, name: &'a str, of: &'a str, by: &'a str) -> Option<Sum> {
        if self.eval.int(depth, by) != Some(32) {
            return None;
        }
        let [_, high] = self.halves(depth, of);
        if let Some(high) = high {
            // Without a sign it is another number if it is negative.
            self.narrowed |= self.bounds.of(&high).is_none_or(|(least, _)| least < 0);
            return Some(high);
        }
        // With a sign or without one: one name.
        let f = self.eval.program.function(self.eval.chain[depth].at);
        let is_it =
            |op: &Op<'a>| matches!(op, Op::Binary { op: "lshr" | "ashr", a, b: "32", .. } if *a == of);
        let uses = f.uses.get(of).into_iter().flatten().map(|&(block, inst)| &f.blocks[block].insts[inst]);
        let first = uses.filter(|i| is_it(&i.op)).find_map(|i| i.result).unwrap_or(name);
        let high = self.itself(depth, first);
        self.narrowed |= first != name;
        Some(high)
    }

    /// The lowest bits of a number, which is assumed to have no others, if it is one.
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

    /// Is something done with the bits above these, so that it is no number that fits?
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
