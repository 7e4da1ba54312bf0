//! Lowers loads, stores, atomics and addresses.

use super::body::{Body, Lowered};
use crate::num::rmw;
use crate::program::*;
use events::{AtomicOp, Proxy, Scope, Sem, Strength};
use kernels::Symbol;
use kernels::registers::is_seen;
use ptx::ast::ScalarType;
use ptx::flat::{Arg, Base, VarRole};
use ptx::op::{self, AtomOp, Mem, MemSpace, Rmw};
use smallvec::SmallVec;

pub(super) fn scope(scope: op::Scope) -> Scope {
    match scope {
        op::Scope::Cta => Scope::Cta,
        op::Scope::Cluster => Scope::Cluster,
        op::Scope::Gpu => Scope::Gpu,
        op::Scope::Sys => Scope::Sys,
    }
}

pub(super) fn sem(sem: op::Sem) -> Sem {
    match sem {
        op::Sem::Weak | op::Sem::Volatile | op::Sem::Mmio | op::Sem::Relaxed => Sem::Relaxed,
        op::Sem::Acquire => Sem::Acquire,
        op::Sem::Release => Sem::Release,
        op::Sem::AcqRel => Sem::AcqRel,
        op::Sem::Sc => Sem::Sc,
    }
}

fn strength(mem: &Mem) -> Strength {
    match mem.sem {
        op::Sem::Weak => Strength::Weak,
        op::Sem::Volatile => Strength::Volatile,
        op::Sem::Mmio => Strength::Strong { sem: Sem::Relaxed, scope: Scope::Sys },
        s => Strength::Strong { sem: sem(s), scope: scope(mem.scope) },
    }
}

pub(super) fn atomic_op(op: Rmw) -> AtomicOp {
    match op {
        Rmw::And => AtomicOp::And,
        Rmw::Or => AtomicOp::Or,
        Rmw::Xor => AtomicOp::Xor,
        Rmw::Exch => AtomicOp::Exch,
        Rmw::Cas => AtomicOp::Cas,
        Rmw::Add => AtomicOp::Add,
        Rmw::Inc => AtomicOp::Inc,
        Rmw::Dec => AtomicOp::Dec,
        Rmw::Min => AtomicOp::Min,
        Rmw::Max => AtomicOp::Max,
    }
}

impl<'a> Body<'a, '_> {
    /// Lowers an address operand in a space.
    pub(super) fn address(&self, arg: &Arg<'a>, space: MemSpace) -> Lowered<Address> {
        let Arg::Address { base, offset, .. } = arg else { return Err("no address".to_owned()) };
        let mut target = match space {
            MemSpace::Generic => Target::Generic,
            MemSpace::Global | MemSpace::Const => Target::Global,
            MemSpace::SharedCta | MemSpace::SharedCluster => Target::Shared,
            MemSpace::Local => Target::Local,
            MemSpace::Param if self.kernel => Target::Param,
            MemSpace::Param | MemSpace::ParamFunc => Target::Local,
        };
        let mut address =
            Address { row: NO_ROW, wide: false, base: AddressBase::None, offset: *offset, target };
        match *base {
            Base::Reg(id) => {
                address.row = self.rows.row(id, 0);
                address.wide = self.bits(id) == 64;
            }
            Base::Absolute => {}
            Base::Unresolved => return Err("an undeclared name".to_owned()),
            Base::Symbol(name) => {
                let symbol = self.symbols.get(name).ok_or_else(|| format!("undefined symbol `{name}`"))?;
                self.base_symbol(&mut address, symbol, name)?;
            }
            Base::Variable(id) => match self.flat.variables[id.0 as usize].role {
                VarRole::Shared | VarRole::Static => {
                    let name = self.flat.variables[id.0 as usize].decl.name.text.as_str();
                    let symbol = self.local_symbol(id).ok_or("a variable without storage")?;
                    self.base_symbol(&mut address, symbol, name)?;
                }
                VarRole::Param(_) if self.kernel => {
                    address.offset += i64::from(self.frame.place(id).0);
                    target = Target::Param;
                    address.target = target;
                }
                VarRole::Param(_) | VarRole::Return(_) | VarRole::CallParam | VarRole::Local => {
                    address.offset += i64::from(self.frame.place(id).0);
                    address.base = AddressBase::Frame;
                    address.target = Target::Local;
                }
            },
        }
        Ok(address)
    }

    fn base_symbol(&self, address: &mut Address, symbol: &Symbol, name: &str) -> Lowered<()> {
        match symbol {
            Symbol::Memory { address: base } => {
                address.offset = address.offset.wrapping_add(*base as i64);
                address.target = Target::Global;
            }
            Symbol::Shared { offset } => {
                address.offset += i64::from(*offset);
                address.target = Target::Shared;
            }
            Symbol::DynamicShared => {
                address.base = AddressBase::Dynamic;
                address.target = Target::Shared;
            }
            Symbol::Function { .. } => return Err("an access to code".to_owned()),
            Symbol::Undefined => return Err(format!("undefined symbol `{name}`")),
        }
        Ok(())
    }

    /// Returns the rows of a scalar, a vector or a 128-bit register, one per part of at most 8 bytes.
    pub(super) fn value_rows(
        &mut self,
        arg: &Arg<'a>,
        ty: ScalarType,
        dst: bool,
    ) -> Lowered<SmallVec<[Row; 4]>> {
        let single = [arg.clone()];
        let items = match arg {
            Arg::Vector(items) => items.as_slice(),
            _ => &single,
        };
        let halves = if ty.bits() == 128 { 2 } else { 1 };
        let mut rows = SmallVec::new();
        for item in items {
            match item {
                Arg::Reg(id) => {
                    let register = &self.flat.registers[id.0 as usize];
                    if (register.ty.bits() == 128) != (halves == 2) {
                        return Err("a register of another width".to_owned());
                    }
                    for e in 0..halves * u32::from(register.vector.max(1)) {
                        rows.push(self.rows.row(*id, e));
                    }
                }
                Arg::Sink if dst => rows.extend(std::iter::repeat_n(NO_ROW, halves as usize)),
                _ if dst => rows.push(self.destination(item)?),
                _ => {
                    let ty = if ty.bits() > 64 { ScalarType::B64 } else { ty };
                    rows.push(self.source(item, ty)?);
                    if halves == 2 {
                        rows.push(self.builder.wide(0));
                    }
                }
            }
        }
        if rows.iter().any(|&r| r != NO_ROW && r & FILE_MASK == FILE_PRED) {
            return Err("a predicate in memory".to_owned());
        }
        Ok(rows)
    }

    fn memory(&mut self, mem: &Mem, value: &Arg<'a>, address: &Arg<'a>, load: bool) -> Lowered<MemInst> {
        let rows = self.value_rows(value, mem.ty, load)?;
        let size = mem.ty.bytes();
        let part = size.min(8);
        if rows.len() != (u32::from(mem.vector) * size / part) as usize {
            return Err("operands do not match the vector".to_owned());
        }
        let extend_to = match value {
            Arg::Reg(id) => self.bits(*id).min(64) as u8,
            Arg::Vector(items) => match items.first() {
                Some(Arg::Reg(id)) => self.bits(*id).min(64) as u8,
                _ => 64,
            },
            _ => 64,
        };
        let address = self.address(address, mem.space)?;
        let strength = strength(mem);
        let constant = (mem.space == MemSpace::Const).then(|| {
            self.builder.program.constants += 1;
            self.builder.program.constants - 1
        });
        Ok(MemInst {
            address,
            size: size as u8,
            elements: mem.vector,
            rows,
            part: part as u8,
            signed: mem.ty.is_signed(),
            extend_to,
            strength,
            proxy: if mem.nc || constant.is_some() { Proxy::Texture } else { Proxy::Generic },
            constant,
            polls: strength != Strength::Weak,
        })
    }

    pub(super) fn load(&mut self, mem: &Mem, args: &[Arg<'a>]) -> Lowered<()> {
        let [d, a, ..] = args else { return Err("two operands expected".to_owned()) };
        let inst = self.memory(mem, d, a, true)?;
        self.builder.program.mems.push(inst);
        let n = self.builder.program.mems.len() as u32 - 1;
        self.emit(Code::Load(n));
        Ok(())
    }

    pub(super) fn store(&mut self, mem: &Mem, args: &[Arg<'a>]) -> Lowered<()> {
        let [a, value, ..] = args else { return Err("two operands expected".to_owned()) };
        let inst = self.memory(mem, value, a, false)?;
        let strong = inst.strength != Strength::Weak;
        self.builder.program.mems.push(inst);
        let n = self.builder.program.mems.len() as u32 - 1;
        self.emit(if strong { Code::StrongStore(n) } else { Code::Store(n) });
        Ok(())
    }

    pub(super) fn discard(&mut self, space: MemSpace, args: &[Arg<'a>]) -> Lowered<()> {
        let [a, Arg::Int(128)] = args else { return Err("an address and 128 expected".to_owned()) };
        let address = self.address(a, space)?;
        self.builder.program.rares.push(RareInst::Discard { address });
        let n = self.builder.program.rares.len() as u32 - 1;
        self.emit(Code::Rare(n));
        Ok(())
    }

    pub(super) fn atom(&mut self, atom: &AtomOp, args: &[Arg<'a>], returns: bool) -> Lowered<()> {
        let (d, rest) = match (returns, args) {
            (true, [d, rest @ ..]) => (Some(d), rest),
            _ => (None, args),
        };
        let [a, b, rest @ ..] = rest else { return Err("operands missing".to_owned()) };
        let mem = &atom.mem;
        let size = mem.ty.bytes();
        let to = |rows: SmallVec<[Row; 4]>| SmallVec::from_slice(&rows);
        // An unread result is dropped: such an `atom` is lowered like `red`.
        let d = match d {
            Some(d) if is_seen(d, &self.reads) => to(self.value_rows(d, mem.ty, true)?),
            _ => SmallVec::new(),
        };
        if size <= 8 && rmw::apply(atom.op, mem.ty, 0, 0, 0, false).is_none() {
            return Err("not implemented".to_owned());
        }
        let b = to(self.value_rows(b, mem.ty, false)?);
        let c = match (atom.op, rest.first()) {
            (Rmw::Cas, Some(c)) => to(self.value_rows(c, mem.ty, false)?),
            (Rmw::Cas, None) => return Err("operands missing".to_owned()),
            _ => SmallVec::new(),
        };
        let returns = d.iter().any(|&row| row != NO_ROW);
        let inst = AtomInst {
            address: self.address(a, mem.space)?,
            op: atom.op,
            kind: atomic_op(atom.op),
            ty: mem.ty,
            size: size as u8,
            elements: mem.vector,
            d,
            returns,
            b,
            c,
            sem: sem(mem.sem),
            scope: scope(mem.scope),
        };
        if inst.b.len() != (u32::from(inst.elements) * size.div_ceil(8)) as usize {
            return Err("operands do not match the vector".to_owned());
        }
        self.builder.program.atoms.push(inst);
        let n = self.builder.program.atoms.len() as u32 - 1;
        self.emit(Code::Atom(n));
        Ok(())
    }

    pub(super) fn cvta(
        &mut self,
        to: bool,
        space: MemSpace,
        ty: ScalarType,
        args: &[Arg<'a>],
    ) -> Lowered<()> {
        let [d, a] = args else { return Err("two operands expected".to_owned()) };
        let dst = self.destination(d)?;
        // A variable by name denotes its generic address.
        if let Arg::Variable(id, offset) = *a
            && !to
        {
            let place = self.frame.place(id).0;
            let local = (i64::from(place) + offset) as u32;
            match self.flat.variables[id.0 as usize].role {
                VarRole::Param(_) if self.kernel => {
                    return self.mov_constant(dst, window::PARAM | u64::from(local));
                }
                VarRole::Local | VarRole::Param(_) | VarRole::Return(_) | VarRole::CallParam => {
                    self.emit(Code::LocalAddress { d: dst, offset: local, generic: true });
                    return Ok(());
                }
                _ => {}
            }
        }
        let dynamic = match a {
            Arg::Symbol(name, offset) => {
                matches!(self.symbols.get(name), Some(Symbol::DynamicShared)).then_some(*offset)
            }
            Arg::Variable(id, offset) => {
                matches!(self.local_symbol(*id), Some(Symbol::DynamicShared)).then_some(*offset)
            }
            _ => None,
        };
        if let Some(offset) = dynamic {
            self.emit(Code::DynamicShared { d: dst, offset: offset as u32, generic: !to });
            return Ok(());
        }
        let a = self.source(a, ty)?;
        let target = match space {
            MemSpace::SharedCta | MemSpace::SharedCluster => Target::Shared,
            MemSpace::Local => Target::Local,
            MemSpace::Param if self.kernel => Target::Param,
            MemSpace::Param | MemSpace::ParamFunc => Target::Local,
            MemSpace::Global | MemSpace::Const | MemSpace::Generic => return self.mov_row(dst, a),
        };
        self.builder.program.rares.push(RareInst::Cvta { d: dst, a, wide: ty.bits() == 64, to, target });
        let n = self.builder.program.rares.len() as u32 - 1;
        self.emit(Code::Rare(n));
        Ok(())
    }
}
