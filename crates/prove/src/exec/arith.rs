//! Symbolic execution of one arithmetic instruction.

use super::compare::{either, packed};
use super::{Exec, State, Val};
use crate::solver::cond::Cond;
use crate::solver::poly::{Poly, Range};
use crate::solver::symbols::{Attr, Axis, Kind, Level};
use ptx::ast::ScalarType;
use ptx::flat::Arg;
use ptx::op::{MulPart, Op};
use ptx::sreg::SpecialReg;

impl Exec<'_> {
    pub(super) fn instruction(&mut self, state: &mut State, op: &Op, args: &[Arg<'_>]) {
        if self.memory(state, op, args) {
            return;
        }
        let effects = kernels::effects(op, args);
        if let Some(value) = self.computed(state, op, args) {
            self.define(state, &args[0], value);
            return;
        }
        if let Op::Setp { .. } = op {
            self.comparison(state, op, args);
            return;
        }
        if let Op::Bar { kind, .. } = op {
            self.use_bar(state, *kind, args);
        }
        if self.exchange(state, op, args) {
            return;
        }
        if let Op::BarWarpSync = op {
            self.warp_barrier(state, &args[0]);
        }
        if let Op::Mbarrier { op, .. } = op {
            self.use_mbarrier(state, *op, args);
        }
        if let (Op::CpAsyncMbarrierArrive { .. }, [at, ..]) = (op, args) {
            self.use_object(state, at, None);
        }
        // Only the operands' attributes are known of the result.
        let exchange = effects.order.is_some();
        let mut attr = if exchange { Attr::THREAD } else { Attr::GRID };
        for arg in &args[effects.results.min(args.len())..] {
            attr = attr.join(self.operand_attr(state, arg));
        }
        if matches!(op, Op::Activemask | Op::Mapa { .. } | Op::Isspacep { .. }) || effects.carry.read {
            attr = attr.join(Attr::THREAD);
        }
        // All lanes vote, and all see the same result.
        if matches!(op, Op::Vote { .. }) && args.last().is_some_and(|mask| self.is_whole_warp(state, mask)) {
            attr.level = Level::Warp;
        }
        for arg in &args[..effects.results.min(args.len())] {
            if !matches!(arg, Arg::Address { .. }) {
                self.forget(state, arg, attr);
            }
        }
    }

    fn operand_attr(&mut self, state: &State, arg: &Arg<'_>) -> Attr {
        match arg {
            Arg::Vector(items) | Arg::List(items) => {
                items.iter().fold(Attr::GRID, |a, i| a.join(self.operand_attr(state, i)))
            }
            Arg::Int(_) | Arg::F32(_) | Arg::F64(_) => Attr::GRID,
            Arg::Element(..) => Attr::THREAD,
            arg => {
                let v = self.value(state, arg);
                self.attr(&v)
            }
        }
    }

    /// Sets a result to an unknown value.
    pub(super) fn forget(&mut self, state: &mut State, arg: &Arg<'_>, attr: Attr) {
        match arg {
            Arg::Vector(items) | Arg::List(items) => items.iter().for_each(|i| self.forget(state, i, attr)),
            Arg::Pair(a, b) => {
                self.forget(state, a, attr);
                self.forget(state, b, attr);
            }
            Arg::Reg(r) => {
                let attr = Attr { loops: attr.loops | self.loops_here(), ..attr };
                let v = match self.flat.registers[r.0 as usize].ty {
                    ScalarType::Pred => Val::Pred(self.unknown_pred(attr)),
                    _ => Val::Any(attr),
                };
                self.define(state, arg, v);
            }
            _ => {}
        }
    }

    pub(super) fn define(&mut self, state: &mut State, arg: &Arg<'_>, value: Val) {
        let Arg::Reg(r) = arg else { return };
        let value = match value {
            Val::Int(p) if !p.is_small() => Val::Any(self.syms.attr(&p)),
            Val::Pred(c) => Val::Pred(self.syms.simplified(c)),
            v => v,
        };
        let value = match self.guard.clone() {
            None | Some(Cond::True) => value,
            Some(guard) => {
                let old = state.regs.get(r).cloned();
                match old {
                    None => value,
                    Some(old) if old == value => value,
                    Some(old) => {
                        let attr = self.syms.cond_attr(&guard);
                        self.chosen(&[value, old], &[guard.clone(), guard.not()], attr)
                    }
                }
            }
        };
        state.regs.insert(*r, value);
    }

    /// Computes integer operations that are modelled.
    fn computed(&mut self, state: &State, op: &Op, args: &[Arg<'_>]) -> Option<Val> {
        let whole =
            |ty: ScalarType| !ty.is_float() && ty.bits() <= 64 && ty != ScalarType::Pred && !packed(ty);
        let poly = match op {
            Op::Mov { ty: ScalarType::Pred } => return Some(Val::Pred(self.pred(state, &args[1]))),
            Op::Mov { .. } => {
                return match &args[1] {
                    Arg::Vector(_) | Arg::Element(..) => None,
                    a if matches!(args[0], Arg::Reg(_)) => Some(self.value(state, a)),
                    _ => None,
                };
            }
            Op::And { ty: ScalarType::Pred } => {
                return Some(Val::Pred(self.pred(state, &args[1]).and(self.pred(state, &args[2]))));
            }
            Op::Or { ty: ScalarType::Pred } => {
                return Some(Val::Pred(self.pred(state, &args[1]).or(self.pred(state, &args[2]))));
            }
            Op::Xor { ty: ScalarType::Pred } => {
                let (a, b) = (self.pred(state, &args[1]), self.pred(state, &args[2]));
                return Some(Val::Pred(either(&a, &b)));
            }
            Op::Not { ty: ScalarType::Pred } => return Some(Val::Pred(self.pred(state, &args[1]).not())),
            Op::Add { ty, sat: false, .. } if whole(*ty) => {
                let sum = self.int(state, &args[1], ty.bits()).plus(&self.int(state, &args[2], ty.bits()));
                self.settled(sum)
            }
            Op::Sub { ty, sat: false, .. } if whole(*ty) => {
                let rest = self.int(state, &args[1], ty.bits()).minus(&self.int(state, &args[2], ty.bits()));
                self.settled(rest)
            }
            Op::Mul { ty, part: Some(part), .. } if whole(*ty) => {
                let (a, b) = self.two(state, args, *ty, *part != MulPart::Lo);
                match part {
                    MulPart::Hi => self.high_product(&a, &b, *ty)?,
                    MulPart::Wide => self.wide_product(&a, &b, *ty)?,
                    MulPart::Lo => self.syms.product(&a, &b)?,
                }
            }
            Op::Mad { ty, part: Some(part), sat: false, .. } if whole(*ty) => {
                let wide = *part == MulPart::Wide;
                let (a, b) = self.two(state, args, *ty, *part != MulPart::Lo);
                let c = self.int(state, &args[3], ty.bits() * if wide { 2 } else { 1 });
                let product = match part {
                    MulPart::Hi => self.high_product(&a, &b, *ty)?,
                    MulPart::Wide => self.wide_product(&a, &b, *ty)?,
                    MulPart::Lo => self.syms.product(&a, &b)?,
                };
                self.settled(product.plus(&c))
            }
            Op::Div { ty, precision: None, .. } | Op::Rem { ty } if whole(*ty) => {
                let (a, b) = self.two(state, args, *ty, true);
                let positive = self.syms.range(&a).lo.is_some_and(|lo| lo >= 0);
                let (q, r) = match b.as_constant() {
                    Some(by) if !positive => self.truncated(&a, by)?,
                    _ if positive => self.quotient(&a, &b)?,
                    _ => return None,
                };
                if matches!(op, Op::Rem { .. }) { r } else { q }
            }
            Op::Neg { ty, .. } if whole(*ty) => self.int(state, &args[1], ty.bits()).negated(),
            Op::Not { ty } => self.int(state, &args[1], ty.bits()).negated().plus_constant(-1),
            Op::Min { ty, relu: false, .. } | Op::Max { ty, relu: false, .. }
                if whole(*ty) && args.len() == 3 =>
            {
                let (a, b) = self.two(state, args, *ty, true);
                let least = matches!(op, Op::Min { .. });
                let first = if least { Cond::le(&a, &b) } else { Cond::le(&b, &a) };
                return Some(self.choice(first, Val::Int(a), Val::Int(b)));
            }
            Op::Abs { ty, .. } if whole(*ty) => {
                let a = self.int(state, &args[1], ty.bits());
                let a = self.seen_as(&a, *ty);
                return Some(self.choice(Cond::Ge(a.clone()), Val::Int(a.clone()), Val::Int(a.negated())));
            }
            Op::Selp { ty } if whole(*ty) => {
                let p = self.pred(state, &args[3]);
                let a = Val::Int(self.int(state, &args[1], ty.bits()));
                let b = Val::Int(self.int(state, &args[2], ty.bits()));
                return Some(self.choice(p, a, b));
            }
            Op::Shl { ty } => {
                let a = self.int(state, &args[1], ty.bits());
                let by = self.int(state, &args[2], 32);
                let Some(n) = by.as_constant() else {
                    return self.mask_of_tile(&a, &by).filter(|_| ty.bits() == 32).map(Val::Int);
                };
                match n {
                    n if n < 0 || n >= i128::from(ty.bits()) => Poly::default(),
                    n => a.scaled(1 << n)?,
                }
            }
            Op::Shr { ty } => {
                let a = self.int(state, &args[1], ty.bits());
                let n = self.int(state, &args[2], 32).as_constant()?;
                let n = if n < 0 { return None } else { n.min(i128::from(ty.bits())) };
                self.shifted(&a, n, *ty)
            }
            Op::And { ty } => return self.and(state, args, *ty),
            Op::Or { ty } => return self.or(state, args, *ty),
            Op::Xor { ty } => return self.xor(state, args, *ty),
            Op::Bfe { ty } if !ty.is_signed() => {
                let a = self.int(state, &args[1], ty.bits());
                let at = self.int(state, &args[2], 32).as_constant()?;
                let n = self.int(state, &args[3], 32).as_constant()?;
                if at < 0 || n <= 0 || at + n > i128::from(ty.bits()) {
                    return None;
                }
                let (q, _) = self.syms.divide(&a, &Poly::constant(1 << at));
                self.syms.divide(&q, &Poly::constant(1 << n)).1
            }
            Op::Bfi { ty } => self.inserted(state, args, ty.bits())?,
            Op::Cvt { dst, src, sat: false, .. } if whole(*dst) && whole(*src) => {
                let a = self.int(state, &args[1], src.bits());
                if src.bits() == 32 && self.is_in_shared(&a) {
                    a
                } else if dst.bits() > src.bits() || src.bits() < 32 {
                    self.seen_as(&a, *src)
                } else if dst.bits() < 32 {
                    // The register is wider than the result.
                    self.seen_as(&a, *dst)
                } else {
                    let whole = self.congruent(&a, dst.bits());
                    self.settled(whole)
                }
            }
            Op::Cvta { .. } => return self.cvta(state, op, args),
            Op::Mapa { .. } => return self.mapped(state, args),
            Op::Getctarank { .. } => return self.rank_of(state, args),
            Op::Popc { .. } | Op::Clz { .. } => {
                let a = self.value(state, &args[1]);
                let attr = self.attr(&a);
                self.unknown_in(attr, Range::of(0, 64))
            }
            _ => return None,
        };
        Some(Val::Int(poly))
    }

    /// Returns both operands, as the instruction's type sees them if `seen` is set.
    fn two(&mut self, state: &State, args: &[Arg<'_>], ty: ScalarType, seen: bool) -> (Poly, Poly) {
        let a = self.int(state, &args[1], ty.bits());
        let b = self.int(state, &args[2], ty.bits());
        if seen { (self.seen_as(&a, ty), self.seen_as(&b, ty)) } else { (a, b) }
    }

    pub(super) fn choice(&mut self, c: Cond, a: Val, b: Val) -> Val {
        match self.syms.simplified(c) {
            Cond::True => a,
            Cond::False => b,
            _ if a == b => a,
            c => {
                let attr = self.syms.cond_attr(&c);
                self.chosen(&[a, b], &[c.clone(), c.not()], attr)
            }
        }
    }

    fn and(&mut self, state: &State, args: &[Arg<'_>], ty: ScalarType) -> Option<Val> {
        let bits = ty.bits();
        let (a, b) = (self.int(state, &args[1], bits), self.int(state, &args[2], bits));
        let (a, mask) = match (a.as_constant(), b.as_constant()) {
            (None, Some(m)) => (a, m),
            (Some(m), None) => (b, m),
            (Some(x), Some(y)) => return Some(Val::Int(Poly::constant(x & y))),
            (None, None) => {
                let (x, y) = (self.syms.range(&a), self.syms.range(&b));
                let attr = self.syms.attr(&a).join(self.syms.attr(&b));
                let most = [x, y].iter().filter(|r| r.lo.is_some_and(|l| l >= 0)).filter_map(|r| r.hi).min();
                return Some(Val::Int(match most {
                    Some(most) => self.unknown_in(attr, Range::of(0, most)),
                    None => self.unknown(attr, bits),
                }));
            }
        };
        if mask == 0 {
            return Some(Val::Int(Poly::default()));
        }
        if mask == -1 {
            return Some(Val::Int(a));
        }
        // `__mul24` and `__umul24`: factors that are indices are assumed to have 24 bits.
        if mask == (1 << 24) - 1 && bits == 32 && self.assume_narrow(&a) {
            return Some(Val::Int(a));
        }
        if mask > 0 && (mask & (mask + 1)) == 0 {
            return Some(Val::Int(self.syms.divide(&a, &Poly::constant(mask + 1)).1));
        }
        // The mask has all bits from one on, up to the sign.
        if mask < 0 && (-mask & (-mask - 1)) == 0 {
            if let Some(whole) = self.rounded(&a, -mask) {
                return Some(Val::Int(whole));
            }
            let (_, rest) = self.syms.divide(&a, &Poly::constant(-mask));
            return Some(Val::Int(a.minus(&rest)));
        }
        // The mask is a run of bits in the middle.
        if mask > 0 {
            let low = mask & -mask;
            if (mask + low) & mask == 0 {
                let (_, high) = self.syms.divide(&a, &Poly::constant(mask + low));
                if self.is_aligned(&a, low) {
                    return Some(Val::Int(high));
                }
                let (_, rest) = self.syms.divide(&a, &Poly::constant(low));
                return Some(Val::Int(high.minus(&rest)));
            }
        }
        let attr = self.syms.attr(&a);
        Some(Val::Int(if mask > 0 {
            self.unknown_in(attr, Range::of(0, mask))
        } else {
            self.unknown(attr, bits)
        }))
    }

    fn or(&mut self, state: &State, args: &[Arg<'_>], ty: ScalarType) -> Option<Val> {
        let bits = ty.bits();
        let (a, b) = (self.int(state, &args[1], bits), self.int(state, &args[2], bits));
        if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant()) {
            return Some(Val::Int(Poly::constant(x | y)));
        }
        // Without a common bit it is a sum.
        for (high, low) in [(&a, &b), (&b, &a)] {
            let unit = high.content();
            let unit = match (high.as_constant(), high.constant_term()) {
                (Some(c), _) => c,
                (None, 0) => unit,
                (None, c) => crate::solver::poly::gcd(unit, c),
            };
            let unit = unit & unit.wrapping_neg();
            let range = self.syms.range(low);
            if unit > 0 && range.within(0, unit - 1) {
                return Some(Val::Int(high.plus(low)));
            }
        }
        // Fields of a matrix descriptor are above the address of its tile.
        for (fields, start) in [(&a, &b), (&b, &a)] {
            if fields.as_constant().is_some_and(|c| self.is_apart(start, c)) {
                return Some(Val::Int(fields.plus(start)));
            }
        }
        let merged = self.merged(&a, &b, bits);
        let nonnegative = |e: &Self, p: &Poly| e.syms.range(p).lo.is_some_and(|lo| lo >= 0);
        if let Some(s) = merged.as_sym()
            && nonnegative(self, &a)
            && nonnegative(self, &b)
        {
            let sum = a.plus(&b);
            let facts = vec![Cond::le(&a, &merged), Cond::le(&b, &merged), Cond::le(&merged, &sum)];
            self.syms.get_mut(s).facts = facts;
        }
        Some(Val::Int(merged))
    }

    fn xor(&mut self, state: &State, args: &[Arg<'_>], ty: ScalarType) -> Option<Val> {
        let bits = ty.bits();
        let (a, b) = (self.int(state, &args[1], bits), self.int(state, &args[2], bits));
        let (x, c) = match (a.as_constant(), b.as_constant()) {
            (Some(x), Some(y)) => return Some(Val::Int(Poly::constant(x ^ y))),
            (None, Some(c)) => (&a, c),
            (Some(c), None) => (&b, c),
            (None, None) => return Some(self.bit_turned(&a, &b, bits)),
        };
        if c == -1 {
            return Some(Val::Int(x.negated().plus_constant(-1)));
        }
        // Every bit that may be set is inverted; lower ones are not set.
        let unit = c & c.wrapping_neg();
        let all = c > 0 && (c / unit) & (c / unit + 1) == 0;
        if all && x.divided(unit).is_some() && self.syms.range(x).within(0, c) {
            return Some(Val::Int(x.negated().plus_constant(c)));
        }
        // All low bits are inverted: the result is the rest minus the old low part.
        if all && x.divided(unit).is_some() {
            let (_, rest) = self.syms.divide(x, &Poly::constant(c + unit));
            return Some(Val::Int(x.plus_constant(c).minus(&rest.scaled(2)?)));
        }
        if c < 0 || c.count_ones() > 6 {
            return Some(Val::Int(self.merged(&a, &b, bits)));
        }
        // Each bit of the constant is inverted: + 2^k if it is not set, - 2^k if it is.
        let mut sum = x.clone();
        for k in 0..bits {
            if c >> k & 1 == 1 {
                let (q, _) = self.syms.divide(x, &Poly::constant(1 << k));
                let (_, bit) = self.syms.divide(&q, &Poly::constant(2));
                sum = sum.plus_constant(1 << k).minus(&bit.scaled(2 << k)?);
            }
        }
        Some(Val::Int(sum))
    }

    /// Returns `a | b` or `a ^ b` as an unknown that is at most the sum.
    pub(super) fn merged(&mut self, a: &Poly, b: &Poly, bits: u32) -> Poly {
        let (x, y) = (self.syms.range(a), self.syms.range(b));
        let attr = self.syms.attr(a).join(self.syms.attr(b));
        match (x.lo, y.lo, x.hi.zip(y.hi)) {
            (Some(0..), Some(0..), Some((p, q))) if p.max(q) < 1 << 62 => {
                let most = (p.max(q) + 1) as u128;
                self.unknown_in(attr, Range::of(0, most.next_power_of_two() as i128 - 1))
            }
            _ => self.unknown(attr, bits),
        }
    }

    pub(super) fn special(&mut self, s: SpecialReg) -> Val {
        use SpecialReg as S;
        let kind = match s {
            S::TidX => Kind::Tid(Axis::X),
            S::TidY => Kind::Tid(Axis::Y),
            S::TidZ => Kind::Tid(Axis::Z),
            S::CtaidX => Kind::Ctaid(Axis::X),
            S::CtaidY => Kind::Ctaid(Axis::Y),
            S::CtaidZ => Kind::Ctaid(Axis::Z),
            S::NtidX => Kind::Ntid(Axis::X),
            S::NtidY => Kind::Ntid(Axis::Y),
            S::NtidZ => Kind::Ntid(Axis::Z),
            S::NctaidX => Kind::Nctaid(Axis::X),
            S::NctaidY => Kind::Nctaid(Axis::Y),
            S::NctaidZ => Kind::Nctaid(Axis::Z),
            S::Laneid => {
                let Some(linear) = self.linear() else { return Val::Any(Attr::THREAD) };
                return Val::Int(self.syms.divide(&linear, &Poly::constant(32)).1);
            }
            S::DynamicSmemSize | S::TotalSmemSize | S::Gridid => return Val::Any(Attr::GRID),
            S::EnvReg(n) => {
                let whole = Range::of(0, (1 << 32) - 1);
                let (s, _) = self.syms.intern(Kind::Env(n.into()), Attr::GRID, whole);
                return Val::Int(Poly::sym(s));
            }
            other => return self.special_of_cluster(other),
        };
        Val::Int(self.known(kind))
    }

    /// Returns the thread's linear index in its block.
    pub(crate) fn linear(&mut self) -> Option<Poly> {
        let [x, y, z] = Axis::ALL.map(|a| self.known(Kind::Tid(a)));
        let [nx, ny, _] = Axis::ALL.map(|a| self.known(Kind::Ntid(a)));
        let row = ny.times(&z)?.plus(&y);
        Some(nx.times(&row)?.plus(&x))
    }
}
