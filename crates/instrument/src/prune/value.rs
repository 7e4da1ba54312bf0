//! Abstract values of registers, for addresses of shared memory.
//!
//! A register has one value in all of a function: that of its only definition, or the join of its
//! definitions. A known value is therefore the same at every execution by one thread.

use ptx::ast::{ScalarType, Space};
use ptx::flat::{Arg, Base as AddressBase, Flat, FlatInstruction, RegId, VarRole};
use ptx::op::{MulPart, Op};
use ptx::sreg::SpecialReg;
use std::collections::HashMap;

/// Bounds of `%tid` (CUDA Programming Guide, table of technical specifications).
const MOST: [i64; 3] = [1023, 1023, 63];

/// The base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Base {
    /// A variable in shared memory, by its number; all `extern` ones have number 0, because they overlap.
    Shared(u32),
    /// Memory of this thread alone, or memory that kernels cannot write: local and constant variables.
    Private,
}

/// `constant` plus, for each axis, `by` times `%tid`, as an exact integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Affine {
    pub(super) by: [i64; 3],
    pub(super) constant: i64,
}

impl Affine {
    const fn constant(constant: i64) -> Affine {
        Affine { by: [0; 3], constant }
    }

    fn plus(self, other: Affine, sign: i64) -> Option<Affine> {
        let mut sum = self;
        for (to, from) in sum.by.iter_mut().zip(other.by) {
            *to = to.checked_add(from.checked_mul(sign)?)?;
        }
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(sign)?)?;
        Some(sum)
    }

    fn times(self, factor: i64) -> Option<Affine> {
        let mut product = self;
        for by in &mut product.by {
            *by = by.checked_mul(factor)?;
        }
        product.constant = product.constant.checked_mul(factor)?;
        Some(product)
    }

    /// Returns the least and the greatest value.
    fn range(self) -> Option<(i64, i64)> {
        let (mut least, mut most) = (self.constant, self.constant);
        for (by, extent) in self.by.into_iter().zip(MOST) {
            let far = by.checked_mul(extent)?;
            least = least.checked_add(far.min(0))?;
            most = most.checked_add(far.max(0))?;
        }
        Some((least, most))
    }

    fn as_constant(self) -> Option<i64> {
        (self.by == [0; 3]).then_some(self.constant)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// Not computed yet.
    None,
    Known(Affine),
    /// The address of a variable plus an offset; the offset is unknown if it is `None`.
    In(Base, Option<Affine>),
    /// Unknown, and computed from no address.
    Any,
    /// Unknown, and possibly an address of any variable.
    Loose,
}

impl Value {
    fn join(self, other: Value) -> Value {
        match (self, other) {
            (Value::None, x) | (x, Value::None) => x,
            (a, b) if a == b => a,
            (Value::In(a, _), Value::In(b, _)) if a == b => Value::In(a, None),
            (Value::Known(_) | Value::Any, Value::Known(_) | Value::Any) => Value::Any,
            _ => Value::Loose,
        }
    }

    fn plus(self, other: Value, sign: i64) -> Value {
        match (self, other) {
            (Value::None, _) | (_, Value::None) => Value::None,
            (Value::Known(a), Value::Known(b)) => a.plus(b, sign).map_or(Value::Any, Value::Known),
            (Value::In(base, at), Value::Known(b)) => Value::In(base, at.and_then(|a| a.plus(b, sign))),
            (Value::In(base, _), Value::Any) => Value::In(base, None),
            (Value::Known(a), Value::In(base, at)) if sign == 1 => {
                Value::In(base, at.and_then(|b| a.plus(b, 1)))
            }
            (Value::Any, Value::In(base, _)) if sign == 1 => Value::In(base, None),
            (Value::Any | Value::Known(_), Value::Any | Value::Known(_)) => Value::Any,
            _ => Value::Loose,
        }
    }

    fn times(self, other: Value) -> Value {
        match (self, other) {
            (Value::None, _) | (_, Value::None) => Value::None,
            (Value::Known(a), Value::Known(b)) => {
                let product = match (a.as_constant(), b.as_constant()) {
                    (_, Some(factor)) => a.times(factor),
                    (Some(factor), _) => b.times(factor),
                    _ => None,
                };
                product.map_or(Value::Any, Value::Known)
            }
            (Value::Any | Value::Known(_), Value::Any | Value::Known(_)) => Value::Any,
            _ => Value::Loose,
        }
    }

    /// Returns the value of any other operation on two values.
    fn mixed(self, other: Value) -> Value {
        match (self, other) {
            (Value::None, _) | (_, Value::None) => Value::None,
            (Value::Any | Value::Known(_), Value::Any | Value::Known(_)) => Value::Any,
            _ => Value::Loose,
        }
    }

    /// Returns the value in a register of `bits` bits: unknown if it does not fit. Addresses are never that
    /// large.
    fn fitting(self, bits: u32) -> Value {
        let Value::Known(affine) = self else { return self };
        let limit = 1i64 << (bits.clamp(1, 62) - 1);
        match affine.range() {
            Some((least, most)) if bits >= 32 && least >= -limit && most < limit => self,
            _ => Value::Any,
        }
    }

    /// Returns the value as an unsigned one, for a conversion to more bits.
    fn unsigned(self) -> Value {
        match self {
            Value::Known(a) if a.range().is_none_or(|(least, _)| least < 0) => Value::Any,
            value => value,
        }
    }
}

/// The values of all registers of a function.
pub(super) struct Values<'m> {
    registers: Vec<Value>,
    variables: HashMap<&'m str, Base>,
    locals: Vec<Option<Base>>,
}

impl<'m> Values<'m> {
    /// Computes the values. `variables` are the module's: those in shared memory, and constants.
    pub(super) fn new(flat: &Flat<'_>, variables: HashMap<&'m str, Base>) -> Values<'m> {
        let first = variables.len() as u32 + 1;
        let locals = flat.variables.iter().zip(first..).map(|(variable, number)| match variable.role {
            VarRole::Local => Some(Base::Private),
            VarRole::Shared if variable.decl.size().is_some_and(|bytes| bytes > 0) => {
                Some(Base::Shared(number))
            }
            VarRole::Shared => Some(Base::Shared(0)),
            _ if variable.decl.space == Space::Const => Some(Base::Private),
            _ => None,
        });
        let mut values = Values {
            registers: vec![Value::None; flat.registers.len()],
            variables,
            locals: locals.collect(),
        };
        loop {
            let mut changed = false;
            for inst in &flat.instructions {
                changed |= values.define(flat, inst);
            }
            if !changed {
                return values;
            }
        }
    }

    /// Returns the value of an address operand.
    pub(super) fn address(&self, arg: Option<&Arg<'_>>) -> Value {
        let Some(Arg::Address { base, offset, .. }) = arg else { return Value::Loose };
        let from = match base {
            AddressBase::Reg(id) => self.register(*id),
            AddressBase::Variable(id) => {
                self.locals.get(id.0 as usize).copied().flatten().map_or(Value::Any, origin)
            }
            AddressBase::Symbol(name) => self.variables.get(name).copied().map_or(Value::Any, origin),
            AddressBase::Absolute => Value::Any,
            AddressBase::Unresolved => Value::Loose,
        };
        match from {
            // The register has no visible definition.
            Value::None => Value::Loose,
            from => from.plus(Value::Known(Affine::constant(*offset)), 1),
        }
    }

    fn register(&self, id: RegId) -> Value {
        self.registers.get(id.0 as usize).copied().unwrap_or(Value::Loose)
    }

    fn operand(&self, arg: Option<&Arg<'_>>) -> Value {
        match arg {
            Some(Arg::Reg(id)) => self.register(*id),
            Some(Arg::Int(value)) => {
                i64::try_from(*value).map_or(Value::Any, |v| Value::Known(Affine::constant(v)))
            }
            Some(Arg::Special(special)) => {
                let axis = match special {
                    SpecialReg::TidX => 0,
                    SpecialReg::TidY => 1,
                    SpecialReg::TidZ => 2,
                    _ => return Value::Any,
                };
                let mut by = [0; 3];
                by[axis] = 1;
                Value::Known(Affine { by, constant: 0 })
            }
            Some(Arg::Variable(id, offset)) => {
                let base = self.locals.get(id.0 as usize).copied().flatten();
                base.map_or(Value::Any, |b| Value::In(b, Some(Affine::constant(*offset))))
            }
            Some(Arg::Symbol(name, offset)) => {
                let base = self.variables.get(name).copied();
                base.map_or(Value::Any, |b| Value::In(b, Some(Affine::constant(*offset))))
            }
            _ => Value::Loose,
        }
    }

    fn define(&mut self, flat: &Flat<'_>, inst: &FlatInstruction<'_>) -> bool {
        let mut changed = false;
        let value = match (&inst.op, inst.args.first()) {
            (Ok(op), Some(Arg::Reg(id))) if flat.registers[id.0 as usize].vector == 1 => {
                self.result(op, inst).fitting(flat.registers[id.0 as usize].ty.bits())
            }
            (Ok(_), _) => Value::Any,
            (Err(_), _) => Value::Loose,
        };
        // Instructions with several results are not tracked.
        let mut written = Vec::new();
        kernels::registers::visit(inst, |place, is_written| {
            if let (kernels::registers::Place::Whole(id), true) = (place, is_written) {
                written.push(id);
            }
        });
        let value = match (&written[..], inst.args.first()) {
            ([one], Some(Arg::Reg(first))) if one == first => value,
            _ => Value::Any,
        };
        for id in written {
            let Some(old) = self.registers.get_mut(id.0 as usize) else { continue };
            let new = old.join(value);
            changed |= new != *old;
            *old = new;
        }
        changed
    }

    fn result(&self, op: &Op, inst: &FlatInstruction<'_>) -> Value {
        let arg = |i: usize| self.operand(inst.args.get(i));
        let whole = |ty: &ScalarType| !ty.is_float() && ty.bits() >= 32;
        match op {
            Op::Mov { ty } if ty.bits() >= 32 => arg(1),
            Op::Add { ty, sat: false, .. } if whole(ty) => arg(1).plus(arg(2), 1),
            Op::Sub { ty, sat: false, .. } if whole(ty) => arg(1).plus(arg(2), -1),
            Op::Mul { ty, part: Some(part), .. } if whole(ty) => {
                multiplied(arg(1), arg(2), *ty, *part).unwrap_or(Value::Any)
            }
            Op::Mad { ty, part: Some(part), sat: false, .. } if whole(ty) => {
                multiplied(arg(1), arg(2), *ty, *part).map_or(Value::Any, |v| v.plus(arg(3), 1))
            }
            Op::Shl { ty } if whole(ty) => match self.operand(inst.args.get(2)) {
                Value::Known(Affine { by: [0, 0, 0], constant: n @ 0..=31 }) => {
                    arg(1).times(Value::Known(Affine::constant(1 << n)))
                }
                other => arg(1).mixed(other),
            },
            Op::Selp { .. } => arg(1).join(arg(2)),
            Op::Cvta { .. } => arg(1),
            Op::Cvt { dst, src, sat: false, .. } if whole(dst) && whole(src) => {
                let value = arg(1).fitting(src.bits());
                if src.is_signed() || dst.bits() <= src.bits() { value } else { value.unsigned() }
            }
            // A loaded value is assumed not to be a shared variable's address that is then offset to another
            // variable.
            Op::Ld(_) | Op::Ldu(_) | Op::Atom(_) => Value::Any,
            _ => inst.args.iter().skip(1).fold(Value::Any, |all, arg| match arg {
                Arg::Reg(_) | Arg::Special(_) | Arg::Variable(..) | Arg::Symbol(..) => {
                    all.mixed(self.operand(Some(arg)))
                }
                Arg::Int(_) | Arg::F32(_) | Arg::F64(_) | Arg::NotReg(_) => all,
                _ => Value::Loose,
            }),
        }
    }
}

fn origin(base: Base) -> Value {
    Value::In(base, Some(Affine::constant(0)))
}

/// Returns the value of a product; `None` for its upper half.
fn multiplied(a: Value, b: Value, ty: ScalarType, part: MulPart) -> Option<Value> {
    let [a, b] = match (part, ty.is_signed()) {
        (MulPart::Wide, false) => [a.unsigned(), b.unsigned()],
        _ => [a, b],
    };
    (part != MulPart::Hi).then(|| a.times(b))
}
