//! Executes `setp`.

use super::{Exec, State, Val};
use crate::solver::cond::Cond;
use crate::solver::poly::Poly;
use ptx::ast::ScalarType;
use ptx::flat::Arg;
use ptx::op::{Cmp, Op};

impl Exec<'_> {
    pub(super) fn comparison(&mut self, state: &mut State, op: &Op, args: &[Arg<'_>]) {
        let Op::Setp { cmp, combine, ty, .. } = op else { return };
        let mut c = if ty.is_float() || packed(*ty) {
            let a = self.value(state, &args[1]);
            let b = self.value(state, &args[2]);
            let attr = self.attr(&a).join(self.attr(&b));
            self.unknown_pred(attr)
        } else {
            self.compared(state, *cmp, *ty, args)
        };
        if let Some(combine) = combine {
            let other = self.pred(state, &args[3]);
            let both = |a: &Cond, b: &Cond| match combine {
                ptx::op::BoolOp::And => a.clone().and(b.clone()),
                ptx::op::BoolOp::Or => a.clone().or(b.clone()),
                ptx::op::BoolOp::Xor => either(a, b),
            };
            if let Arg::Pair(p, q) = &args[0] {
                let second = both(&c.not(), &other);
                self.define(state, q, Val::Pred(second));
                self.define(state, p, Val::Pred(both(&c, &other)));
                return;
            }
            c = both(&c, &other);
        }
        match &args[0] {
            Arg::Pair(p, q) => {
                self.define(state, q, Val::Pred(c.not()));
                self.define(state, p, Val::Pred(c));
            }
            p => self.define(state, p, Val::Pred(c)),
        }
    }

    fn compared(&mut self, state: &State, cmp: Cmp, ty: ScalarType, args: &[Arg<'_>]) -> Cond {
        let unsigned = matches!(cmp, Cmp::Lo | Cmp::Ls | Cmp::Hi | Cmp::Hs) || ty.is_unsigned();
        let (a, b) = (self.int(state, &args[1], ty.bits()), self.int(state, &args[2], ty.bits()));
        // Equality needs no signedness; the one that both ranges suggest is best.
        let equality = matches!(cmp, Cmp::Eq | Cmp::Ne);
        let nonnegative = |e: &Self, p: &Poly| e.syms.range(p).lo.is_some_and(|lo| lo >= 0);
        let signed = if equality { !(nonnegative(self, &a) && nonnegative(self, &b)) } else { !unsigned };
        let (a, b) = (self.seen(&a, signed, ty.bits()), self.seen(&b, signed, ty.bits()));
        match cmp {
            Cmp::Eq => Cond::eq(&a, &b),
            Cmp::Ne => Cond::eq(&a, &b).not(),
            Cmp::Lt | Cmp::Lo => Cond::lt(&a, &b),
            Cmp::Le | Cmp::Ls => Cond::le(&a, &b),
            Cmp::Gt | Cmp::Hi => Cond::lt(&b, &a),
            Cmp::Ge | Cmp::Hs => Cond::le(&b, &a),
            _ => {
                let attr = self.syms.attr(&a).join(self.syms.attr(&b));
                self.unknown_pred(attr)
            }
        }
    }
}

/// Returns the exclusive or of two conditions.
pub(super) fn either(a: &Cond, b: &Cond) -> Cond {
    Cond::Or(vec![a.clone().and(b.not()), a.not().and(b.clone())])
}

/// Returns whether a type packs several numbers.
pub(super) fn packed(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::U16x2 | ScalarType::S16x2 | ScalarType::U8x4 | ScalarType::S8x4)
}
