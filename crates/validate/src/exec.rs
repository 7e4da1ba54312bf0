//! The effect of one added instruction on the abstract state. Instructions that are not here are not allowed.

use crate::context::Context;
use crate::domain::{ANY, Bound, CONSTANT, Facts, Root, Value, any, between, constant, most};
use crate::flow::{is_agreed, is_collective};
use crate::memory::{Access, Beside, is_allowed};
use crate::place::{At, at};
use crate::state::State;
use crate::{Reason, tool};
use ptx::ast::{Function, ScalarType};
use ptx::flat::{Arg, Base, Flat, FlatInstruction, RegId, VarId, VarRole};
use ptx::op::{BoolOp, Cmp, Fence, Mem, MemSpace, MulPart, Op};
use ptx::sreg::SpecialReg;
use std::collections::{BTreeMap, HashMap};

/// The values that added functions receive: by function and parameter, joined over all calls.
pub(crate) struct Arguments(BTreeMap<String, Option<Vec<Value<'static>>>>);

impl Arguments {
    pub(crate) fn of(added: &BTreeMap<&str, &Function>) -> Arguments {
        Arguments(added.keys().map(|name| ((*name).to_owned(), None)).collect())
    }

    /// Returns the values of a function's parameters; `None` if it is not called.
    pub(crate) fn received(&self, function: &str) -> Option<&[Value<'static>]> {
        self.0.get(function)?.as_deref()
    }

    fn pass(&mut self, function: &str, values: Vec<Value<'static>>) {
        let Some(known) = self.0.get_mut(function) else { return };
        *known = Some(match known.take() {
            None => values,
            Some(known) => known.into_iter().zip(values).map(|(a, b)| a.join(b)).collect(),
        });
    }
}

/// Executes added code of one function.
pub(crate) struct Machine<'a, 'm> {
    pub(crate) flat: &'m Flat<'a>,
    pub(crate) context: &'m Context<'m>,
    pub(crate) arguments: &'m mut Arguments,
    /// The parameters' values, in an added function.
    pub(crate) parameters: Option<Vec<Value<'static>>>,
    /// The values of registers that keep theirs between blocks, and what was written to them.
    pub(crate) lasting: HashMap<RegId, Value<'a>>,
    pub(crate) written: HashMap<RegId, Value<'a>>,
    /// The last result of each instruction.
    pub(crate) results: HashMap<usize, Value<'a>>,
    pub(crate) beside: Beside<'a>,
    /// The register that the block may rename, and whether accesses are checked and calls are recorded.
    pub(crate) renamed: Option<RegId>,
    pub(crate) checks: bool,
    pub(crate) accesses: usize,
}

impl<'a> Machine<'a, '_> {
    fn is_own(&self, register: RegId) -> bool {
        self.parameters.is_some() || tool::is_own(&self.flat.registers[register.0 as usize].name)
    }

    fn is_lasting(&self, register: RegId) -> bool {
        self.parameters.is_none() && tool::is_lasting(&self.flat.registers[register.0 as usize].name)
    }

    fn bits(&self, register: RegId) -> u32 {
        self.flat.registers[register.0 as usize].ty.bits()
    }

    /// Returns an operand's value.
    fn value(&self, arg: &Arg<'a>, bits: u32, state: &State<'a>) -> Value<'a> {
        match arg {
            Arg::Reg(id) if self.is_lasting(*id) => self.lasting.get(id).cloned().unwrap_or(ANY),
            Arg::Reg(id) if self.is_own(*id) => match state.get(*id) {
                ANY => any(self.bits(*id)),
                value => value,
            },
            Arg::Reg(id) if state.passed || self.bits(*id) < 32 => any(self.bits(*id)),
            Arg::Reg(id) => Value::Address(Root::Register(*id), 0, 0, CONSTANT),
            Arg::Int(value) => constant(*value as u64 & most(bits)),
            Arg::Special(register) => Value::Special(*register),
            Arg::Variable(id, offset) => Value::Address(Root::Variable(*id), *offset, *offset, CONSTANT),
            Arg::Symbol(name, offset) => Value::Address(Root::Symbol(name), *offset, *offset, CONSTANT),
            _ => ANY,
        }
    }

    /// Executes an instruction that is no branch.
    pub(crate) fn step(&mut self, i: usize, state: &mut State<'a>) -> Result<(), At> {
        let inst = &self.flat.instructions[i];
        let op = inst.op.as_ref().map_err(|_| at(inst, Reason::Instruction))?;
        match op {
            Op::Ld(mem) => self.load(i, mem, state),
            Op::St(mem) => self.store(inst, mem, state),
            Op::Atom(atom) => {
                self.access(inst, &atom.mem, 1, true, state)?;
                self.write(i, &inst.args[0], any(atom.mem.ty.bits()), state)
            }
            Op::Call => self.call(inst, state),
            Op::Fence(Fence::Thread { .. }) | Op::Nanosleep | Op::BarWarpSync => Ok(()),
            Op::Activemask if self.parameters.is_none() && inst.guard.is_none() => {
                self.write(i, &inst.args[0], Value::Lanes(i), state)
            }
            op if is_collective(op) => self.collective(i, op, state),
            Op::Setp { .. } => self.compare(i, op, state),
            op => {
                let value = self.result(inst, op, state).ok_or_else(|| at(inst, Reason::Instruction))?;
                let Some(to) = inst.args.first() else { return Err(at(inst, Reason::Instruction)) };
                self.write(i, to, value, state)
            }
        }
    }

    /// Writes a result to an operand: a register, a vector of them, or the sink.
    fn write(&mut self, i: usize, to: &Arg<'a>, value: Value<'a>, state: &mut State<'a>) -> Result<(), At> {
        let inst = &self.flat.instructions[i];
        match to {
            Arg::Reg(register) => self.set(i, *register, value, state),
            Arg::Vector(items) => items.iter().try_for_each(|item| self.write(i, item, ANY, state)),
            Arg::Pair(a, b) => {
                self.write(i, a, value, state)?;
                self.write(i, b, ANY, state)
            }
            Arg::Sink => Ok(()),
            _ => Err(at(inst, Reason::Instruction)),
        }
    }

    fn set(&mut self, i: usize, register: RegId, value: Value<'a>, state: &mut State<'a>) -> Result<(), At> {
        let inst = &self.flat.instructions[i];
        self.results.insert(i, value.clone());
        if !self.is_own(register) {
            let renames = self.renamed == Some(register) && value == Value::BelowGrid && inst.guard.is_none();
            let name = || self.flat.registers[register.0 as usize].name.clone();
            return if renames { Ok(()) } else { Err((inst.source.span.start, Reason::Register(name()))) };
        }
        if self.is_lasting(register) {
            let known = self.written.remove(&register);
            self.written.insert(register, known.map_or(value.clone(), |known| known.join(value)));
            return Ok(());
        }
        state.set(register, value, inst.guard.is_some());
        Ok(())
    }

    /// Returns the result of an instruction without side effects; `None` if added code may not contain it.
    fn result(&self, inst: &FlatInstruction<'a>, op: &Op, state: &State<'a>) -> Option<Value<'a>> {
        let operand = |n: usize, bits| inst.args.get(n).map_or(ANY, |arg| self.value(arg, bits, state));
        let two = |bits| (operand(1, bits), operand(2, bits));
        Some(match op {
            // The bits of floating-point numbers are in no interval.
            Op::Add { ty, .. } | Op::Sub { ty, .. } | Op::Mul { ty, .. } if ty.is_float() => any(ty.bits()),
            Op::Cvt { dst, src, .. } if dst.is_float() || src.is_float() => any(dst.bits()),
            Op::Mov { ty } => match &inst.args[..] {
                [_, from] => self.value(from, ty.bits(), state),
                _ => return None,
            },
            Op::Add { ty, .. } => two(ty.bits()).0.plus(two(ty.bits()).1, ty.bits()),
            Op::Sub { ty, .. } => two(ty.bits()).0.minus(two(ty.bits()).1, ty.bits()),
            Op::Mul { ty, part: Some(part), .. } => product(two(ty.bits()), ty.bits(), *part).0,
            Op::Mad { ty, part: Some(part), .. } => {
                let (product, bits) = product(two(ty.bits()), ty.bits(), *part);
                product.plus(operand(3, bits), bits)
            }
            Op::And { ty } => two(ty.bits()).0.and(two(ty.bits()).1),
            Op::Or { ty } | Op::Xor { ty } => two(ty.bits()).0.or(two(ty.bits()).1),
            Op::Shl { ty } => operand(1, ty.bits()).shifted_left(&operand(2, 32), ty.bits()),
            Op::Shr { ty } if !ty.is_signed() => {
                operand(1, ty.bits()).shifted_right(&operand(2, 32), ty.bits())
            }
            Op::Bfe { ty } if !ty.is_signed() => match operand(3, 32).constant() {
                Some(length) if length > 0 && length <= u64::from(ty.bits()) => {
                    between(0, most(length as u32))
                }
                _ => any(ty.bits()),
            },
            Op::Min { ty, .. } | Op::Max { ty, .. } if !ty.is_signed() => {
                let (a, b) = two(ty.bits());
                let ((a, b), (c, d)) = (a.interval(), b.interval());
                match op {
                    Op::Min { .. } => between(a.min(c), b.min(d)),
                    _ => between(a.max(c), b.max(d)),
                }
            }
            Op::Rem { .. } if operand(2, 64) == Value::Special(SpecialReg::NctaidX) => Value::BelowGrid,
            Op::Rem { ty } if !ty.is_signed() => {
                let (_, d) = operand(2, ty.bits()).interval();
                between(0, d.saturating_sub(1).min(most(ty.bits())))
            }
            Op::Cvt { dst, src, .. } => self.converted(inst, *dst, *src, state),
            Op::Selp { ty } => self.selected(inst, ty.bits(), state),
            Op::Isspacep { .. } => ANY,
            Op::Cvta { .. } | Op::Getctarank { .. } | Op::Mapa { .. } => ANY,
            Op::Min { ty, .. }
            | Op::Max { ty, .. }
            | Op::Rem { ty }
            | Op::Div { ty, .. }
            | Op::Shr { ty }
            | Op::Not { ty }
            | Op::Bfe { ty } => any(ty.bits()),
            Op::Popc { .. }
            | Op::Clz { .. }
            | Op::Bfind { .. }
            | Op::Lop3 { combine: None }
            | Op::Shf { .. } => any(32),
            _ => return None,
        })
    }

    fn converted(
        &self,
        inst: &FlatInstruction<'a>,
        dst: ScalarType,
        src: ScalarType,
        state: &State<'a>,
    ) -> Value<'a> {
        let from = inst.args.get(1).map_or(ANY, |arg| self.value(arg, src.bits(), state));
        match from {
            Value::Address(Root::Register(id), 0, 0, _) if dst.bits() == 64 && self.bits(id) == 32 => {
                Value::Address(Root::Narrow(id), 0, 0, CONSTANT)
            }
            Value::Special(_) | Value::BelowGrid if src.bits() >= 32 => from,
            Value::Number(a, b, n) if b <= most(dst.bits()) && b <= most(src.bits()) && !src.is_signed() => {
                Value::Number(a, b, n)
            }
            _ if !src.is_signed() => any(src.bits().min(dst.bits())),
            _ => any(dst.bits()),
        }
    }

    fn selected(&self, inst: &FlatInstruction<'a>, bits: u32, state: &State<'a>) -> Value<'a> {
        let [_, a, b, predicate] = &inst.args[..] else { return ANY };
        let facts = match self.value(predicate, 1, state) {
            Value::Predicate(facts) => facts,
            _ => Facts::default(),
        };
        let under = |arg: &Arg<'a>, bounds: &[(RegId, Bound)]| match arg {
            Arg::Reg(id) if self.is_own(*id) && !self.is_lasting(*id) => state.under(*id, bounds),
            arg => self.value(arg, bits, state),
        };
        under(a, &facts.yes).join(under(b, &facts.no))
    }

    /// Executes `setp`.
    fn compare(&mut self, i: usize, op: &Op, state: &mut State<'a>) -> Result<(), At> {
        let inst = &self.flat.instructions[i];
        let Op::Setp { cmp, combine, ty, .. } = op else { return Err(at(inst, Reason::Instruction)) };
        let (Some(to), Some(a), Some(b)) = (inst.args.first(), inst.args.get(1), inst.args.get(2)) else {
            return Err(at(inst, Reason::Instruction));
        };
        let mut facts = match a {
            Arg::Reg(id)
                if self.is_own(*id) && !self.is_lasting(*id) && !ty.is_signed() && !ty.is_float() =>
            {
                bounds(*cmp, *id, &self.value(b, ty.bits(), state))
            }
            _ => Facts::default(),
        };
        if let Some(combine) = combine {
            let other = match inst.args.get(3).map(|arg| self.value(arg, 1, state)) {
                Some(Value::Predicate(other)) => other,
                _ => Facts::default(),
            };
            match combine {
                BoolOp::And => (facts.yes.extend(other.yes), facts.no.clear()),
                BoolOp::Or => (facts.no.extend(other.no), facts.yes.clear()),
                BoolOp::Xor => (facts.yes.clear(), facts.no.clear()),
            };
        }
        self.write(i, to, Value::Predicate(facts), state)
    }

    /// Executes an exchange among lanes, which all lanes of its mask must reach.
    fn collective(&mut self, i: usize, op: &Op, state: &mut State<'a>) -> Result<(), At> {
        let inst = &self.flat.instructions[i];
        let mask = inst.args.last().map_or(ANY, |arg| self.value(arg, 32, state));
        let together = matches!(mask, Value::Lanes(_)) && inst.guard.is_none() && self.parameters.is_none();
        let (true, Some(to)) = (together, inst.args.first()) else {
            return Err(at(inst, Reason::Convergence));
        };
        self.write(i, to, if is_agreed(op) { Value::Agreed } else { ANY }, state)
    }

    /// Returns the address of a memory operand.
    fn address(&self, operand: &Arg<'a>, state: &State<'a>) -> Option<Value<'a>> {
        let Arg::Address { base, offset, rest } = operand else { return None };
        let base = match base {
            Base::Reg(id) => self.value(&Arg::Reg(*id), 64, state),
            Base::Variable(id) => Value::Address(Root::Variable(*id), 0, 0, CONSTANT),
            Base::Symbol(name) => Value::Address(Root::Symbol(name), 0, 0, CONSTANT),
            Base::Absolute => constant(0),
            Base::Unresolved => return None,
        };
        let offset = *offset as u64;
        rest.is_empty().then(|| match base {
            Value::Number(a, b, n) => match (a.checked_add(offset), b.checked_add(offset)) {
                (Some(a), Some(b)) => Value::Number(a, b, n),
                _ => ANY,
            },
            base if offset == 0 => base,
            base => base.plus(constant(offset), 64),
        })
    }

    /// Checks an access outside of parameters.
    fn access(
        &mut self,
        inst: &FlatInstruction<'a>,
        mem: &Mem,
        operand: usize,
        writes: bool,
        state: &State<'a>,
    ) -> Result<(), At> {
        if !self.checks {
            return Ok(());
        }
        let address = inst.args.get(operand).and_then(|arg| self.address(arg, state));
        let bytes = u64::from(mem.ty.bytes()) * u64::from(mem.vector);
        let access = Access { space: mem.space, bytes, writes };

        let allowed = address.as_ref().is_some_and(|address| {
            is_allowed(&access, address, state, (self.flat, &self.beside), self.context)
        });
        if !allowed {
            let found = address.map_or("no address".to_owned(), |address| format!("{address:x?}"));
            return Err(at(inst, |text| Reason::Memory(format!("`{text}`, at {found}"))));
        }
        self.accesses += 1;
        Ok(())
    }

    fn load(&mut self, i: usize, mem: &Mem, state: &mut State<'a>) -> Result<(), At> {
        let inst = &self.flat.instructions[i];
        let [to, from] = &inst.args[..] else { return Err(at(inst, Reason::Instruction)) };
        let value = match mem.space {
            MemSpace::Param | MemSpace::ParamFunc => self
                .parameter(from, mem)
                .ok_or_else(|| at(inst, |text| Reason::Memory(format!("`{text}`"))))?,
            _ => {
                self.access(inst, mem, 1, false, state)?;
                any(mem.ty.bits())
            }
        };
        self.write(i, to, value, state)
    }

    /// Returns the value of a parameter that added code may read.
    fn parameter(&self, from: &Arg<'a>, mem: &Mem) -> Option<Value<'a>> {
        let Arg::Address { base: Base::Variable(id), offset, .. } = from else { return None };
        let variable = &self.flat.variables[id.0 as usize];
        let VarRole::Param(n) = variable.role else { return None };
        let bytes = u64::from(mem.ty.bytes()) * u64::from(mem.vector);
        let end = u64::try_from(*offset).ok()?.checked_add(bytes)?;
        if end > self.flat.variable_size(*id)? {
            return None;
        }
        if let Some(parameters) = &self.parameters {
            return parameters.get(n as usize).filter(|_| *offset == 0).cloned();
        }
        match variable.decl.name.text.as_str() {
            tool::LAUNCH if bytes == 8 => Some(Value::Address(Root::Launch, 0, 0, CONSTANT)),
            tool::LAUNCH => Some(any(mem.ty.bits())),
            tool::TOLD if bytes == 8 => Some(Value::Address(Root::Caller, 0, 0, CONSTANT)),
            _ => None,
        }
    }

    fn store(&mut self, inst: &FlatInstruction<'a>, mem: &Mem, state: &mut State<'a>) -> Result<(), At> {
        let [to, value] = &inst.args[..] else { return Err(at(inst, Reason::Instruction)) };
        if !matches!(mem.space, MemSpace::Param | MemSpace::ParamFunc) {
            return self.access(inst, mem, 0, true, state);
        }
        let refused = || at(inst, |text| Reason::Memory(format!("`{text}`")));
        let Arg::Address { base: Base::Variable(id), offset: 0, .. } = to else { return Err(refused()) };
        let variable = &self.flat.variables[id.0 as usize];
        let own = self.parameters.is_some() || tool::declared(variable.decl).is_some();
        let whole = self.flat.variable_size(*id) == Some(u64::from(mem.ty.bytes())) && mem.vector == 1;
        if variable.role != VarRole::CallParam || !own || !whole || inst.guard.is_some() {
            return Err(refused());
        }
        let value = self.value(value, mem.ty.bits(), state);
        if variable.decl.name.text.starts_with(tool::TOLD) && self.checks && !self.is_buffer(&value) {
            return Err(refused());
        }
        state.arguments.insert(*id, value);
        Ok(())
    }

    /// Returns whether a value is the address of the buffer that functions expect.
    fn is_buffer(&self, value: &Value<'a>) -> bool {
        match value {
            Value::Address(Root::Caller, 0, 0, _) => true,
            Value::Address(Root::Variable(id), 0, 0, _) => {
                self.flat.variables[id.0 as usize].decl.name.text == tool::BUFFER
            }
            _ => false,
        }
    }

    fn call(&mut self, inst: &FlatInstruction<'a>, state: &mut State<'a>) -> Result<(), At> {
        let refused = || at(inst, Reason::Call);
        let [Arg::Symbol(name, 0), Arg::List(arguments)] = &inst.args[..] else { return Err(refused()) };
        let callee = self.context.shared.get(*name).ok_or_else(refused)?;
        if callee.params.len() != arguments.len() {
            return Err(refused());
        }
        let mut values = Vec::new();
        for (parameter, argument) in callee.params.iter().zip(arguments) {
            let Arg::Variable(id, 0) = argument else { return Err(refused()) };
            let same = self.flat.variables[id.0 as usize].decl.ty.bits() == parameter.ty.bits();
            let value = state.arguments.remove(id).filter(|_| same).ok_or_else(refused)?;
            values.push(match value {
                Value::Address(Root::Launch, a, b, n) => Value::Address(Root::Launch, a, b, n),
                value => {
                    let (least, greatest) = value.interval();
                    between(least, greatest.min(most(parameter.ty.bits())))
                }
            });
        }
        if self.checks {
            self.arguments.pass(name, values);
        }
        Ok(())
    }

    /// Returns the arguments that no call has taken yet.
    pub(crate) fn open(&self, state: &State<'a>) -> Option<VarId> {
        state.arguments.keys().next().copied()
    }
}

/// Returns a part of the product of two numbers of `bits` bits, and its bits.
fn product<'a>((a, b): (Value<'a>, Value<'a>), bits: u32, part: MulPart) -> (Value<'a>, u32) {
    match part {
        MulPart::Hi if bits == 32 => (a.upper(b), bits),
        MulPart::Hi => (any(bits), bits),
        MulPart::Lo => (a.times(b, bits, false), bits),
        MulPart::Wide => (a.times(b, bits, true), 2 * bits),
    }
}

/// Returns the bounds on a register by its comparison with a value.
fn bounds(cmp: Cmp, register: RegId, with: &Value<'_>) -> Facts {
    let (_, most) = with.interval();
    let below = (register, Bound::AtMost(most.saturating_sub(1)));
    let mut facts = Facts::default();
    match cmp {
        Cmp::Lt | Cmp::Lo if most > 0 => facts.yes.push(below),
        Cmp::Ge | Cmp::Hs if most > 0 => facts.no.push(below),
        Cmp::Le | Cmp::Ls => facts.yes.push((register, Bound::AtMost(most))),
        Cmp::Gt | Cmp::Hi => facts.no.push((register, Bound::AtMost(most))),
        Cmp::Eq if with.constant() == Some(0) => facts.no.push((register, Bound::NonZero)),
        Cmp::Ne if with.constant() == Some(0) => facts.yes.push((register, Bound::NonZero)),
        Cmp::Eq => facts.yes.push((register, Bound::AtMost(most))),
        _ => {}
    }
    facts
}
