//! Integers of the host code as sums of values that are not known further.
//!
//! A value's sum is *exact* if the host's arithmetic gives it for all values that its atoms can have at the launch: no
//! operation wraps around, no number is cut off, none is read with another sign. That follows from the operation itself
//! (`nsw`) or from the atoms' bounds ([`super::bounds`]). Where it does not, `narrowed` is set, and all that is said of
//! the sum holds only if the host's arithmetic does not overflow. An atom is always exact: it is the value itself.

use super::super::eval::Eval;
use super::super::ir::{Op, bits};
use super::super::linear::Sum;
use super::super::program::{Frame, Written};
use super::super::value::Origin;
use super::atoms::{Cell, Operation};
use super::bounds::{Bounds, of_bits};
use super::cases::Case;
use crate::relation::{Expr, Test};
use std::collections::HashMap;

/// Something that holds of a launch.
pub(super) struct Said {
    pub(super) left: Expr,
    pub(super) test: Test,
    pub(super) right: Expr,
    /// It follows from the host code alone.
    pub(super) exact: bool,
}

pub(super) struct Reader<'e, 'p, 'a> {
    pub(super) eval: &'e Eval<'p, 'a>,
    /// The same without what holds at the launch alone.
    pub(super) plain: &'e Eval<'p, 'a>,
    pub(super) atoms: HashMap<(usize, &'a str), u32>,
    /// Atoms of places of variables in memory behind a write.
    pub(super) cells: HashMap<Cell<'a>, u32>,
    /// Values that are multiples of a value which has no name.
    pub(super) multiples: HashMap<(usize, &'a str), (Sum, bool)>,
    pub(super) count: u32,
    pub(super) side: Vec<Said>,
    deep: u32,
    /// Branches under whose conditions values may still be read, one within another.
    pub(super) scopes: u32,
    /// Ways that are taken for granted.
    pub(super) case: Case<'a>,
    /// The value that is being read takes the host's arithmetic for that of integers without bounds.
    pub(super) narrowed: bool,
    /// Dividends and divisors of quotients that are rounded towards zero, by value, and whether they are exact.
    pub(super) quotients: HashMap<u32, (Sum, i128, bool)>,
    pub(super) bounds: Bounds,
}

/// Definitions that a value is followed through.
const MOST_DEEP: u32 = 24;
/// Values of phis that are read under the conditions of their edges, for one launch.
const MOST_SCOPES: u32 = 200;
/// Larger coefficients are no sizes.
const LARGEST: i128 = 1 << 40;

impl<'e, 'p, 'a> Reader<'e, 'p, 'a> {
    pub(super) fn new(eval: &'e Eval<'p, 'a>, plain: &'e Eval<'p, 'a>, case: Case<'a>) -> Self {
        Reader {
            eval,
            plain,
            atoms: HashMap::new(),
            cells: HashMap::new(),
            multiples: HashMap::new(),
            count: 0,
            side: Vec::new(),
            deep: 0,
            scopes: MOST_SCOPES,
            case,
            narrowed: false,
            quotients: HashMap::new(),
            bounds: Bounds::default(),
        }
    }

    /// The value as an atom, with the bounds of its type.
    pub(super) fn itself(&mut self, depth: usize, name: &'a str) -> Sum {
        if let Some(&a) = self.atoms.get(&(depth, name)) {
            return Sum::atom(a);
        }
        self.count += 1;
        self.atoms.insert((depth, name), self.count);
        self.bounds.within(self.count, of_bits(self.width(depth, name)));
        Sum::atom(self.count)
    }

    /// A value without a name, of so many bits.
    pub(super) fn unnamed(&mut self, bits: u32) -> Sum {
        self.count += 1;
        self.bounds.within(self.count, of_bits(bits));
        Sum::atom(self.count)
    }

    /// Bits of an integer; those of the widest where its type is not known.
    pub(super) fn width(&self, depth: usize, name: &'a str) -> u32 {
        let f = self.eval.program.function(self.eval.chain[depth].at);
        let Some(&(block, inst)) = f.defs.get(name) else { return 64 };
        let inst = &f.blocks[block].insts[inst];
        let found = match &inst.op {
            Op::Binary { bits, .. } | Op::Call { bits, .. } => *bits,
            Op::Cast { to, .. } => *to,
            Op::Compare { .. } => 1,
            Op::Load { ty, .. } => bits(ty),
            Op::Phi { .. } => {
                let ty = inst.text.split_once(" phi ").and_then(|(_, rest)| rest.split(' ').next());
                ty.map_or(0, bits)
            }
            _ => 0,
        };
        if found == 0 { 64 } else { found }
    }

    /// Reads something, and says whether that is exact.
    pub(super) fn read<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> (T, bool) {
        let before = std::mem::replace(&mut self.narrowed, false);
        let found = read(self);
        let exact = !std::mem::replace(&mut self.narrowed, before);
        (found, exact)
    }

    /// Says a relation that holds of a launch; one that is exact bounds its atoms.
    pub(super) fn says(&mut self, left: &Sum, test: Test, right: &Sum, exact: bool) {
        self.side.push(Said { left: left.expr(), test, right: right.expr(), exact });
        if exact {
            self.bounds.learn(left, test, right);
        }
    }

    /// The value of an integer.
    pub(super) fn sum(&mut self, depth: usize, name: &'a str) -> Option<Sum> {
        if let Some(v) = self.eval.value(depth, name) {
            return v.int().map(Sum::of);
        }
        if !name.starts_with('%') {
            return None;
        }
        if let Some((sum, exact)) = self.multiples.get(&(depth, name)) {
            self.narrowed |= !exact;
            return Some(sum.clone());
        }
        if self.atoms.contains_key(&(depth, name)) || self.deep > MOST_DEEP {
            return Some(self.itself(depth, name));
        }
        self.deep += 1;
        let before = self.narrowed;
        let found = self.defined(depth, name);
        self.deep -= 1;
        let found =
            found.filter(|s| s.terms.values().all(|c| c.abs() < LARGEST) && s.constant.abs() < LARGEST);
        // The value itself is what it is, however much was understood of it.
        let is_itself = |s: &Sum| {
            let own = self.atoms.get(&(depth, name));
            own.is_some_and(|&a| *s == Sum::atom(a))
        };
        if found.as_ref().is_none_or(is_itself) {
            self.narrowed = before;
        }
        Some(found.unwrap_or_else(|| self.itself(depth, name)))
    }

    /// Takes a sum for what it is as an integer of so many bits with its sign.
    fn narrow(&mut self, sum: Sum, bits: u32) -> Sum {
        self.narrowed |= !self.bounds.fits(&sum, bits);
        sum
    }

    pub(super) fn is_never_negative(&self, sum: &Sum) -> bool {
        self.bounds.of(sum).is_some_and(|(least, _)| least >= 0)
    }

    fn defined(&mut self, depth: usize, name: &'a str) -> Option<Sum> {
        let frame = self.eval.chain[depth];
        let program = self.eval.program;
        let f = program.function(frame.at);
        let Some(&(block, inst)) = f.defs.get(name) else {
            let n = f.params.iter().position(|p| *p == name)?;
            let above = depth.checked_sub(1)?;
            let frame = self.eval.chain[above];
            let call = &program.function(frame.at).blocks[frame.block].insts[frame.inst].op;
            let Op::Call { arguments, .. } = call else { return None };
            return self.sum(above, arguments.get(n)?.value);
        };
        match &f.blocks[block].insts[inst].op {
            // The lower part with its sign, and as bytes of elements.
            Op::Binary { op: "ashr", bits, a, b, .. } if self.lower_part(depth, *bits, a, b).is_some() => {
                let (of, left, factor) = self.lower_part(depth, *bits, a, b)?;
                Some(self.low(depth, of, left)?.times(factor))
            }
            Op::Binary { op: "lshr" | "ashr", bits: 64, a, b, .. } if self.of_halves(depth, b) => {
                self.shifted(depth, name, a, b)
            }
            Op::Binary { op, signed, a, b, bits, .. } => {
                let ((x, y), exact) = self.read(|r| (r.sum(depth, a), r.sum(depth, b)));
                let (x, y) = (x?, y?);
                self.narrowed |= !exact;
                let plain = |r: &mut Self, sum: Sum| if *signed { sum } else { r.narrow(sum, *bits) };
                match (*op, x.constant(), y.constant()) {
                    ("add", ..) => Some(plain(self, x.plus(&y, 1))),
                    ("sub", ..) => Some(plain(self, x.plus(&y, -1))),
                    ("or", ..) if *signed => Some(x.plus(&y, 1)),
                    ("mul", _, Some(c)) => Some(plain(self, x.times(c))),
                    ("mul", Some(c), _) => Some(plain(self, y.times(c))),
                    ("shl", _, Some(c)) if (0..32).contains(&c) => Some(plain(self, x.times(1 << c))),
                    ("and", _, Some(c)) if c == (1 << 32) - 1 && *bits == 64 => {
                        let low = self.low(depth, a, 32)?;
                        self.narrowed |= !self.is_never_negative(&low);
                        Some(low)
                    }
                    _ => {
                        let operation = Operation { op, bits: *bits, signed: *signed, exact };
                        self.operation(depth, name, &operation, &x, &y)
                    }
                }
            }
            Op::Cast { op: "sext", of, from, .. } if *from > 1 => self.sum(depth, of),
            Op::Cast { op: "trunc", of, from, to } if *from > 1 => self.low(depth, of, *to),
            Op::Cast { op: "zext", of, from, .. } if *from > 1 => {
                let sum = self.sum(depth, of)?;
                self.narrowed |= !self.is_never_negative(&sum);
                Some(sum)
            }
            Op::Cast { op: "zext", from: 1, .. } => {
                let bit = self.itself(depth, name);
                self.says(&Sum::of(0), Test::Le, &bit, true);
                self.says(&bit, Test::Le, &Sum::of(1), true);
                Some(bit)
            }
            Op::Same(of) => self.sum(depth, of),
            Op::Call { callee: Some(callee), arguments, bits, .. } => {
                self.called(depth, name, callee, arguments, *bits)
            }
            Op::Load { from, ty } => {
                let pitch = self.pitch(depth, (block, inst), from);
                pitch.or_else(|| self.cell(depth, (block, inst), ty, from))
            }
            Op::Select { condition, a, b } => match self.case.selects.get(&(depth, *condition)) {
                Some(is) => self.sum(depth, if *is { a } else { b }),
                None => self.selected(depth, name, condition, [a, b]),
            },
            Op::Phi { incoming } => match self.case.edges.get(&(depth, block)) {
                Some(from) => self.sum(depth, incoming.iter().find(|(_, b)| b == from)?.0),
                None => self.joined(depth, name, block, incoming),
            },
            _ => None,
        }
    }

    /// The least or the greatest of two numbers.
    fn called(
        &mut self,
        depth: usize,
        name: &'a str,
        callee: &'a str,
        arguments: &[super::super::ir::Operand<'a>],
        bits: u32,
    ) -> Option<Sum> {
        let of = |op: &str| callee.strip_prefix("llvm.").is_some_and(|c| c.starts_with(op));
        if of("ctpop.") || of("ctlz.") || of("cttz.") {
            let count = self.itself(depth, name);
            self.says(&Sum::of(0), Test::Le, &count, true);
            self.says(&count, Test::Le, &Sum::of(i128::from(bits)), true);
            return Some(count);
        }
        // `RAND_MAX` is 2^31 - 1, and the other two are below 2^31 by POSIX.
        let is_own = || self.eval.program.all().any(|at| self.eval.program.function(at).name == callee);
        if matches!(callee, "rand" | "random" | "lrand48") && !is_own() {
            let drawn = self.itself(depth, name);
            self.says(&Sum::of(0), Test::Le, &drawn, true);
            self.says(&drawn, Test::Le, &Sum::of((1 << 31) - 1), true);
            return Some(drawn);
        }
        let least = match () {
            () if of("smin.") || of("umin.") => true,
            () if of("smax.") || of("umax.") => false,
            () => return None,
        };
        let one = self.itself(depth, name);
        let mut ranges = Vec::new();
        let mut all_exact = true;
        for a in arguments.iter().take(2) {
            let (sum, mut exact) = self.read(|r| r.sum(depth, a.value));
            let sum = sum?;
            exact &= of("s") || self.is_never_negative(&sum);
            ranges.push(self.bounds.of(&sum));
            all_exact &= exact;
            self.says(&one, if least { Test::Le } else { Test::Ge }, &sum, exact);
        }
        // One of both.
        if let (true, [Some(a), Some(b)]) = (all_exact, &ranges[..]) {
            let range = match least {
                true => (a.0.min(b.0), a.1.min(b.1)),
                false => (a.0.max(b.0), a.1.max(b.1)),
            };
            self.says(&Sum::of(range.0), Test::Le, &one, true);
            self.says(&one, Test::Le, &Sum::of(range.1), true);
        }
        Some(one)
    }

    /// How far the rows of an allocation are apart, if it is that what is read.
    fn pitch(&mut self, depth: usize, (block, inst): (usize, usize), from: &'a str) -> Option<Sum> {
        let (eval, program) = (self.eval, self.eval.program);
        let (Origin::Local(owner, name), Some(0)) = eval.root(depth, from)? else { return None };
        let at = eval.chain[owner].at;
        let name = *program.function(at).defs.get_key_value(name.as_str())?.0;
        let contents = program.contents(Some(at), name);
        let pitches = contents.writers.iter().filter(|w| matches!(w.what, Written::Pitch(_))).count();
        if pitches != 1 || eval.chain.iter().filter(|frame| frame.at == at).count() > 1 {
            return None;
        }
        let reader = match owner == depth {
            true => Frame { at, block, inst },
            false => eval.chain[owner],
        };
        let dead = |w: &Frame| eval.never_comes_to(owner, w.block);
        let Written::Pitch(width) = program.written(&contents, (0, 8), reader, &dead)?.what else {
            return None;
        };
        // The variable's name stands for what it holds: its address is no number.
        let new = !self.atoms.contains_key(&(owner, name));
        let pitch = self.itself(owner, name);
        if new {
            let (width, exact) = self.read(|r| r.sum(owner, width));
            if let Some(width) = width {
                self.says(&width, Test::Le, &pitch, exact);
            }
        }
        Some(pitch)
    }
}
