//! The correspondence between unbounded integers and the machine's integers.

use super::{Exec, State, Val};
use crate::facts::{Assumption, show};
use crate::solver::cond::Cond;
use crate::solver::instance::Instance;
use crate::solver::poly::{Poly, Range};
use crate::solver::symbols::{Attr, Kind};
use ptx::ast::ScalarType;
use ptx::flat::{Arg, Flat};

/// Upper bound on coefficients of index arithmetic; larger ones belong to hashes, which overflow on purpose.
const LARGEST_STRIDE: i128 = 1 << 24;

/// Sums of more terms are not compared with the limits of machine integers.
const MOST_TERMS: usize = 8;

impl Exec<'_> {
    pub(crate) fn value(&mut self, state: &State, arg: &Arg<'_>) -> Val {
        match arg {
            Arg::Reg(r) => state.regs.get(r).cloned().unwrap_or(Val::Any(Attr::THREAD)),
            Arg::NotReg(_) => Val::Pred(self.pred(state, arg)),
            Arg::Int(i) => Val::Int(Poly::constant(*i)),
            Arg::F32(_) | Arg::F64(_) => Val::Any(Attr::GRID),
            Arg::Special(s) => self.special(*s),
            Arg::Variable(..) | Arg::Symbol(..) => self.variable_address(arg),
            _ => Val::Any(Attr::THREAD),
        }
    }

    /// Returns an integer operand of this many bits.
    pub(crate) fn int(&mut self, state: &State, arg: &Arg<'_>, bits: u32) -> Poly {
        match self.value(state, arg) {
            Val::Int(p) => match p.as_constant() {
                // Literals may be written with or without a sign.
                Some(c) if bits < 128 && c >= 1 << (bits - 1) => Poly::constant(c - (1 << bits)),
                _ => p,
            },
            Val::Any(attr) => self.unknown(attr, bits),
            Val::Pred(c) => {
                let attr = self.syms.cond_attr(&c);
                self.unknown(attr, bits)
            }
        }
    }

    pub(crate) fn pred(&mut self, state: &State, arg: &Arg<'_>) -> Cond {
        if let Arg::NotReg(r) = arg {
            return self.pred(state, &Arg::Reg(*r)).not();
        }
        match self.value(state, arg) {
            Val::Pred(c) => c,
            Val::Int(p) if p.as_constant().is_some() => {
                if p.is_zero() {
                    Cond::False
                } else {
                    Cond::True
                }
            }
            other => {
                let attr = self.attr(&other);
                self.unknown_pred(attr)
            }
        }
    }

    /// Returns an unknown value of this many bits.
    pub(crate) fn unknown(&mut self, attr: Attr, bits: u32) -> Poly {
        let bits = bits.clamp(1, 64);
        let range = Range::of(-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
        self.unknown_in(attr, range)
    }

    pub(crate) fn unknown_in(&mut self, attr: Attr, range: Range) -> Poly {
        let nth = self.syms.len() as u32;
        let attr = Attr { loops: attr.loops | self.loops_here(), ..attr };
        Poly::sym(self.syms.fresh(Kind::Other { inst: self.inst as u32, nth }, attr, range))
    }

    pub(crate) fn unknown_pred(&mut self, attr: Attr) -> Cond {
        Cond::Ge(self.unknown_in(attr, Range::of(0, 1)).plus_constant(-1))
    }

    /// Returns the value that an instruction of this type sees.
    pub(crate) fn seen_as(&mut self, p: &Poly, ty: ScalarType) -> Poly {
        self.seen(p, ty.is_signed(), ty.bits())
    }

    /// Returns `a ^ b`; if one of them is a bit, the other one with its lowest bit inverted or not.
    pub(super) fn bit_turned(&mut self, a: &Poly, b: &Poly, bits: u32) -> Val {
        let is_bit = |e: &Self, p: &Poly| e.syms.range(p).within(0, 1);
        let (value, bit) = match (is_bit(self, a), is_bit(self, b)) {
            (_, true) => (a, b),
            (true, false) => (b, a),
            _ => return Val::Int(self.merged(a, b, bits)),
        };
        let turned = match is_bit(self, value) {
            true => value.negated().plus_constant(1),
            false => {
                let (_, rest) = self.syms.divide(value, &Poly::constant(2));
                value.plus_constant(1).minus(&rest).minus(&rest)
            }
        };
        self.choice(Cond::Eq(bit.clone()), Val::Int(value.clone()), Val::Int(turned))
    }

    /// Executes `bfi`, which replaces some bits of one value by bits of another.
    pub(super) fn inserted(&mut self, state: &State, args: &[Arg<'_>], bits: u32) -> Option<Poly> {
        let (put, into) = (self.int(state, &args[1], bits), self.int(state, &args[2], bits));
        let at = self.int(state, &args[3], 32).as_constant()?;
        let n = self.int(state, &args[4], 32).as_constant()?;
        if at < 0 || n <= 0 || at >= i128::from(bits) || n > i128::from(bits) {
            return None;
        }
        let (_, below) = self.syms.divide(&into, &Poly::constant(1 << at));
        if at + n >= i128::from(bits) {
            Some(below.plus(&put.scaled(1 << at)?))
        } else {
            let (_, put) = self.syms.divide(&put, &Poly::constant(1 << n));
            // The bits above are preserved.
            let (_, above) = self.syms.divide(&into, &Poly::constant(1 << (at + n)));
            Some(into.minus(&above).plus(&below).plus(&put.scaled(1 << at)?))
        }
    }

    /// Returns the machine's value of `bits` bits, read with or without a sign.
    pub(crate) fn seen(&mut self, p: &Poly, signed: bool, bits: u32) -> Poly {
        if bits == 0 || bits > 64 {
            return p.clone();
        }
        let whole = 1i128 << bits;
        let (lo, hi) = if signed { (-whole / 2, whole / 2 - 1) } else { (0, whole - 1) };
        let range = self.syms.range(p);
        if range.within(lo, hi) {
            return p.clone();
        }
        if let Some(c) = p.as_constant() {
            let c = c.rem_euclid(whole);
            return Poly::constant(if c > hi { c - whole } else { c });
        }
        if self.is_fraction_within(p, lo, hi) {
            return p.clone();
        }
        if self.facts.exact && bits >= 32 && self.stays_within(p, lo, hi) {
            return p.clone();
        }
        if self.assume_fits(p, signed, bits, range) {
            return p.clone();
        }
        let shift = if signed { whole / 2 } else { 0 };
        let (_, rest) = self.syms.divide(&p.plus_constant(shift), &Poly::constant(whole));
        rest.plus_constant(-shift)
    }

    /// Assumes that coordinates, extents, parameters and their sums fit into 24 bits where only these are
    /// used.
    pub(super) fn assume_narrow(&mut self, p: &Poly) -> bool {
        let index = |s| match &self.syms.get(s).kind {
            Kind::Tid(_) | Kind::Ctaid(_) | Kind::Ntid(_) | Kind::Nctaid(_) | Kind::Param { .. } => true,
            Kind::Alias(of) => of.terms().iter().all(|(_, c)| *c == 1),
            _ => false,
        };
        let range = self.syms.range(p);
        if range.within(0, (1 << 24) - 1) {
            return true;
        }
        let plain = p.terms().iter().all(|(m, c)| *c == 1 || m.is_empty()) && p.syms().all(index);
        let plain = plain && !self.facts.exact;
        if plain {
            let text = show(&self.syms, &|i, o| param_name(&self.names, i, o), p);
            self.assumed.insert(Assumption::Given(format!("`{text}` has at most 24 bits (__mul24)")));
        }
        plain
    }

    /// Returns whether the path condition implies that `p` is not negative: `if (i >= 16) … a[i - 16]`.
    pub(super) fn is_never_negative(&self, p: &Poly) -> bool {
        let mut question = Instance::new(&self.syms);
        question.assume_all(&self.known, &self.given);
        question.assume(&Cond::Ge(p.clone()).not());
        question.refuted()
    }

    /// Returns whether the path condition implies that index arithmetic stays within limits: `i + stride` where `i < n`.
    fn stays_within(&self, p: &Poly, lo: i128, hi: i128) -> bool {
        let small = p.terms().iter().all(|(_, c)| c.abs() <= LARGEST_STRIDE);
        if !small || p.terms().len() > MOST_TERMS {
            return false;
        }
        let below = Cond::Ge(p.plus_constant(-lo));
        let above = Cond::Ge(p.negated().plus_constant(hi));
        [below, above].into_iter().all(|limit| {
            let mut question = Instance::new(&self.syms);
            question.assume_all(&self.known, &self.given);
            question.assume(&limit.not());
            question.refuted()
        })
    }

    /// Assumes that index arithmetic does not overflow, and that parameters that are read as unsigned have no
    /// sign.
    fn assume_fits(&mut self, p: &Poly, signed: bool, bits: u32, range: Range) -> bool {
        let small = p.terms().iter().all(|(_, c)| c.abs() <= LARGEST_STRIDE);
        let plain = |e: &Self, s| match &e.syms.get(s).kind {
            Kind::Tid(_) | Kind::Ctaid(_) | Kind::Ntid(_) | Kind::Nctaid(_) | Kind::Turn { .. } => true,
            Kind::Param { .. } | Kind::Host(_) | Kind::Head { .. } => true,
            Kind::Spread(_) => e.syms.get(s).range.within(-(1 << 32), 1 << 32),
            Kind::ClusterRank | Kind::ClusterSize => true,
            // The value was multiplied by a large number, so it is no index.
            Kind::Quotient { of, .. } | Kind::Remainder { of, .. }
                if of.syms().any(|s| matches!(e.syms.get(s).kind, Kind::Seen { .. })) =>
            {
                false
            }
            Kind::Quotient { .. } | Kind::Remainder { .. } | Kind::Alias(_) | Kind::Chosen(_) => true,
            Kind::Shared(_)
            | Kind::Far(_)
            | Kind::Global(_)
            | Kind::Tensor(_)
            | Kind::Local
            | Kind::Env(_) => bits == 64,
            // An element of an array that the user's assumption names is an index.
            Kind::Loaded { .. } => {
                (bits == 64 || e.elements.iter().any(|x| x.value == s)) && p.terms().len() > 1
            }
            Kind::Row { .. } | Kind::Seen { .. } | Kind::Other { .. } => false,
        };
        // A 64-bit index never overflows in practice.
        if bits < 32 || self.facts.exact && bits < 64 || !small || !p.syms().all(|s| plain(self, s)) {
            return false;
        }
        // A single value that is not derived from indices is taken as it is.
        if let Some(s) = p.as_sym()
            && matches!(self.syms.get(s).kind, Kind::Chosen(_) | Kind::Head { .. } | Kind::Remainder { .. })
            && range.lo.is_none_or(|lo| lo < 0)
        {
            return false;
        }
        if !signed && range.lo.is_none_or(|lo| lo < 0) {
            let mut params = Vec::new();
            let positive = p.range(&|s| {
                let info = self.syms.get(s);
                match info.kind {
                    Kind::Param { .. } => Range { lo: Some(0), ..info.range },
                    _ => info.range,
                }
            });
            if positive.lo.is_none_or(|lo| lo < 0) {
                let fits = !self.facts.exact && self.is_never_negative(p);
                if fits {
                    let text = self.show(p);
                    self.assumed.insert(Assumption::Fits(text));
                }
                return fits;
            }
            if self.facts.exact {
                return false;
            }
            params.extend(p.syms().filter(|&s| {
                let info = self.syms.get(s);
                matches!(info.kind, Kind::Param { .. }) && info.range.lo.is_none_or(|lo| lo < 0)
            }));
            for s in params {
                self.syms.get_mut(s).range.lo = Some(0);
                let name = self.show(&Poly::sym(s));
                self.assumed.insert(Assumption::NotNegative(name));
            }
            if self.syms.range(p).within(0, (1i128 << bits) - 1) {
                return true;
            }
        }
        if bits == 64 {
            // No index becomes that large in practice.
            return true;
        }
        let text = self.show(p);
        self.assumed.insert(Assumption::Fits(text));
        true
    }

    pub(crate) fn show(&self, p: &Poly) -> String {
        show(&self.syms, &|i, o| param_name(&self.names, i, o), p)
    }

    /// Returns `floor(a / b)` and the remainder, for a `b` that is positive or assumed to be.
    pub(crate) fn quotient(&mut self, a: &Poly, b: &Poly) -> Option<(Poly, Poly)> {
        if self.syms.range(b).lo.is_none_or(|lo| lo <= 0) {
            let s = b.as_sym().filter(|_| !self.facts.exact);
            let s = s.filter(|&s| matches!(self.syms.get(s).kind, Kind::Param { .. }))?;
            let range = &mut self.syms.get_mut(s).range;
            range.lo = Some(range.lo.map_or(1, |lo| lo.max(1)));
            let name = self.show(b);
            self.assumed.insert(Assumption::Positive(name));
        }
        let of = if a.as_constant().is_some() || b.as_constant().is_some() {
            a.clone()
        } else {
            self.syms.alias(a)
        };
        let by = if b.as_constant().is_some() { b.clone() } else { self.syms.alias(b) };
        Some(self.syms.divide(&of, &by))
    }
}

pub(crate) fn param_name(names: &[String], index: u32, offset: u32) -> String {
    let name = names.get(index as usize).cloned().unwrap_or_else(|| format!("arg{index}"));
    if offset == 0 { name } else { format!("{name}+{offset}") }
}

/// Returns the index of a parameter named `argN`, or by its name in PTX.
pub(crate) fn param_index(flat: &Flat<'_>, name: &str) -> Option<usize> {
    let params = &flat.function.params;
    let numbered =
        name.strip_prefix("arg").and_then(|n| n.parse().ok()).filter(|&n: &usize| n < params.len());
    numbered.or_else(|| params.iter().position(|p| p.name.text == name))
}
