//! Symbolic execution of memory accesses.

use super::grid::WORKSPACE;

use super::{Exec, State, Val};
use crate::facts::Assumption;
use crate::kernel::access::{Access, AccessKind, Doer, Space, Stored};
use crate::kernel::instructions;
use crate::solver::cond::Cond;
use crate::solver::poly::{Poly, Range, Sym};
use crate::solver::symbols::{Attr, Kind, Level};
use kernels::Symbol;
use ptx::ast::ScalarType;
use ptx::flat::{Arg, Base, VarRole};
use ptx::op::{AtomOp, Mem, MemSpace, Op, Rmw, Sem};

/// A path with at most this many conditions also gets the condition that an access was within its variable.
const MOST_WITHIN: usize = 16;

/// The effect of an access and its doer.
pub(super) struct AccessForm {
    pub(super) kind: AccessKind,
    pub(super) stored: Stored,
    pub(super) read: Option<Sym>,
    pub(super) doer: Doer,
}

impl Exec<'_> {
    /// Executes loads, stores and atomics; returns false for other instructions.
    pub(super) fn memory(&mut self, state: &mut State, op: &Op, args: &[Arg<'_>]) -> bool {
        match op {
            Op::Ld(mem) | Op::Ldu(mem) => {
                let mem = &self.by_law(mem);
                self.load(state, mem, args);
            }
            Op::St(mem) => {
                let mem = &self.by_law(mem);
                let stored = self.operand(state, mem, &args[1]).map_or(Stored::Unknown, Stored::Value);
                self.access(state, mem, &args[0], AccessKind::Write, stored, None);
            }
            Op::Atom(atom) => self.atomic(state, atom, args),
            Op::Red(atom) => {
                let stored = self.modified(state, atom, &args[1..]);
                self.access(state, &atom.mem, &args[0], AccessKind::Atomic, stored, None);
            }
            _ if self.of_many(state, op, args) => {}
            _ => return false,
        }
        true
    }

    /// Returns a volatile access as strong, as PTX defines it, or as weak if the options ask for that.
    fn by_law(&mut self, mem: &Mem) -> Mem {
        let mut mem = *mem;
        if mem.sem == Sem::Volatile && mem.space != MemSpace::Local {
            let weak = self.facts.volatile_weak;
            self.assumed.insert(match weak {
                true => Assumption::VolatileIsWeak,
                false => Assumption::VolatileIsStrong,
            });
            if weak {
                mem.sem = Sem::Weak;
            }
        }
        mem
    }

    fn load(&mut self, state: &mut State, mem: &Mem, args: &[Arg<'_>]) {
        if matches!(mem.space, MemSpace::Param | MemSpace::ParamFunc) {
            return self.load_param(state, mem, args);
        }
        // The access is recorded before its value is known, which depends on its readers.
        let noted = self.accesses.len();
        let address = self.access(state, mem, &args[1], AccessKind::Read, Stored::Nothing, None);
        // Equal addresses give equal values, unless a concurrent write exists, which would be a race.
        let mut attr = self.syms.attr(&address);
        attr.level = attr.level.max(Level::Block);
        if mem.sem != Sem::Weak
            || self.loads.own
            || matches!(mem.space, MemSpace::Local | MemSpace::Generic | MemSpace::SharedCluster)
        {
            attr.level = Level::Thread;
        }
        attr.loops |= self.loops_here();
        let items: Vec<&Arg<'_>> = match &args[0] {
            Arg::Vector(items) => items.iter().collect(),
            one => vec![one],
        };
        for (at, item) in items.into_iter().enumerate() {
            let Arg::Reg(_) = item else { continue };
            let value = if mem.ty.is_float() || mem.ty.bits() > 64 {
                Val::Any(attr)
            } else {
                let bits = mem.ty.bits();
                let range = match mem.ty.is_unsigned() && bits < 32 {
                    true => Range::of(0, (1 << bits) - 1),
                    false => Range::of(-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                };
                let (value, is_new) = self.word((&address, at), mem, attr, range);
                self.element(&address, mem, at, value);
                if mem.sem != Sem::Weak {
                    self.polled.insert(value);
                }
                if let Some(access) = self.accesses.get_mut(noted).filter(|_| mem.vector == 1 && is_new) {
                    access.read = Some(value);
                }
                Val::Int(Poly::sym(value))
            };
            self.define(state, item, value);
        }
    }

    /// Returns a stored integer, with the bits that memory has for it.
    fn operand(&mut self, state: &State, mem: &Mem, arg: &Arg<'_>) -> Option<Poly> {
        let bits = mem.ty.bits();
        if mem.ty.is_float() || bits > 64 || mem.vector != 1 {
            return None;
        }
        let (lo, hi) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
        Some(self.int(state, arg, bits)).filter(|p| self.syms.range(p).within(lo, hi))
    }

    /// Returns the effect of an atomic.
    fn modified(&mut self, state: &State, atom: &AtomOp, operands: &[Arg<'_>]) -> Stored {
        let mut value = |at: usize| operands.get(at).and_then(|arg| self.operand(state, &atom.mem, arg));
        match (atom.op, value(0)) {
            (Rmw::Exch, Some(v)) => Stored::Value(v),
            (Rmw::Add | Rmw::Or | Rmw::Xor, Some(v)) if v.is_zero() => Stored::Nothing,
            (Rmw::Add, Some(v)) => Stored::Added(v),
            (Rmw::Inc, Some(v)) => Stored::Wrapped(v),
            (Rmw::Cas, Some(expected)) => match value(1) {
                Some(new) if new == expected => Stored::Nothing,
                Some(new) => Stored::Swapped(expected, new),
                None => Stored::Unknown,
            },
            _ => Stored::Unknown,
        }
    }

    fn atomic(&mut self, state: &mut State, atom: &AtomOp, args: &[Arg<'_>]) {
        let stored = self.modified(state, atom, &args[2..]);
        let attr = Attr { loops: self.loops_here(), ..Attr::THREAD };
        let bits = atom.mem.ty.bits();
        let integer = !atom.mem.ty.is_float() && bits <= 64 && atom.mem.vector == 1;
        if !integer || !matches!(args[0], Arg::Reg(_)) {
            self.access(state, &atom.mem, &args[1], AccessKind::Atomic, stored, None);
            return self.forget(state, &args[0], Attr::THREAD);
        }
        let nth = self.syms.len() as u32;
        let range = Range::of(-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
        let value = self.syms.fresh(Kind::Loaded { inst: self.inst as u32, nth }, attr, range);
        self.access(state, &atom.mem, &args[1], AccessKind::Atomic, stored, Some(value));
        self.polled.insert(value);
        if atom.op == Rmw::Add && self.recording && bits == 32 {
            let added = self.int(state, &args[2], bits);
            self.added.insert(self.inst, added);
        }
        self.define(state, &args[0], Val::Int(Poly::sym(value)));
    }

    fn load_param(&mut self, state: &mut State, mem: &Mem, args: &[Arg<'_>]) {
        let place = instructions::parameter(self.flat, &args[1]);
        let items: Vec<Arg<'_>> = match &args[0] {
            Arg::Vector(items) => items.clone(),
            one => vec![one.clone()],
        };
        for (i, item) in items.iter().enumerate() {
            let value = match place {
                Some((n, offset)) if !mem.ty.is_float() && mem.ty.bits() <= 64 => {
                    let p = self.param(n, offset + i as u32 * mem.ty.bytes(), mem.ty.bytes());
                    Val::Int(if mem.ty.bits() < 32 { self.seen_as(&p, mem.ty) } else { p })
                }
                Some(_) => Val::Any(Attr::GRID),
                None => Val::Any(Attr { level: Level::Thread, loops: self.loops_here() }),
            };
            self.define(state, item, value);
        }
    }

    /// Records an access and returns its address.
    fn access(
        &mut self,
        state: &mut State,
        mem: &Mem,
        at: &Arg<'_>,
        kind: AccessKind,
        stored: Stored,
        read: Option<Sym>,
    ) -> Poly {
        let address = self.address(state, at);
        let done = AccessForm { kind, stored, read, doer: Doer::Thread };
        self.access_at(state, (mem.ty.bytes() * u32::from(mem.vector), mem), address, done)
    }

    pub(super) fn access_at(
        &mut self,
        state: &mut State,
        (bytes, mem): (u32, &Mem),
        address: Poly,
        form: AccessForm,
    ) -> Poly {
        let AccessForm { kind, stored, read, doer } = form;
        let (address, rank) = self.distributed(mem.space, &address);
        let base = self.base(&address);
        self.bases.entry(self.inst).and_modify(|old| *old = old.filter(|&o| base == Some(o))).or_insert(base);
        let of_base = base.map(|s| self.syms.get(s).kind.clone());
        let space = match (mem.space, &of_base) {
            _ if rank.is_some() => Some(Space::Distributed),
            (MemSpace::SharedCta, _) => Some(Space::Shared),
            (MemSpace::Global, _) => Some(Space::Global),
            (MemSpace::Generic | MemSpace::SharedCluster, Some(Kind::Shared(_))) => Some(Space::Shared),
            (MemSpace::Generic, Some(Kind::Param { .. } | Kind::Global(_) | Kind::Env(_))) => {
                Some(Space::Global)
            }
            (MemSpace::Generic, Some(Kind::Local)) => None,
            (MemSpace::Generic | MemSpace::SharedCluster, _) => Some(Space::Unknown),
            _ => None,
        };
        let offset = base.map_or_else(|| address.clone(), |s| address.minus(&Poly::sym(s)));
        if let Some(Kind::Shared(name)) = &of_base
            && !matches!(doer, Doer::Warp { .. })
        {
            self.is_within(state, name, &offset, bytes);
        }
        // Accesses through the non-coherent path (PTX §8.1) are included, since no write may race with them; loads of
        // constants are not.
        if mem.space == MemSpace::Const {
            self.constants.insert(base);
        }
        let Some(space) = space.filter(|_| self.recording) else { return address };
        self.conditions += state.path.len();
        self.accesses.push(Access {
            inst: self.inst,
            doer,
            text: self.flat.instructions[self.inst].source.opcode.span.start,
            block: self.here,
            space,
            rank,
            kind,
            strong: (mem.sem != Sem::Weak || kind == AccessKind::Atomic).then_some(mem.scope),
            sem: mem.sem,
            incoherent: mem.nc,
            read,
            stored,
            bytes,
            // Each half of a packed type is an operation of its own (PTX §8.2.5).
            elements: if matches!(mem.ty, ScalarType::F16x2 | ScalarType::Bf16x2) {
                mem.vector.saturating_mul(2)
            } else {
                mem.vector
            },
            base,
            offset,
            guard: self.path_and_guard(state),
        });
        address
    }

    /// Adds the condition that an access was within its variable to the path of threads that continue: an
    /// array with one element for each thread bounds the number of threads.
    fn is_within(&mut self, state: &mut State, name: &str, offset: &Poly, bytes: u32) {
        let Some(&extent) = self.extents.get(name).filter(|_| matches!(self.guard, None | Some(Cond::True)))
        else {
            return;
        };
        let last = Poly::constant(i128::from(extent) - i128::from(bytes));
        for bound in [Cond::Ge(offset.clone()), Cond::le(offset, &last)] {
            let bound = self.syms.simplified(bound);
            if !matches!(bound, Cond::Ge(_)) || state.path.len() >= MOST_WITHIN || state.path.contains(&bound)
            {
                continue;
            }
            self.assumed.insert(Assumption::Within(name.to_owned(), extent));
            state.path.push(bound);
        }
    }

    pub(super) fn address(&mut self, state: &State, at: &Arg<'_>) -> Poly {
        let Arg::Address { base, offset, .. } = at else {
            return self.int(state, at, 64);
        };
        let base = match base {
            Base::Reg(r) => self.int(state, &Arg::Reg(*r), 64),
            Base::Variable(id) => self.place(&Arg::Variable(*id, 0)),
            Base::Symbol(name) => self.place(&Arg::Symbol(name, 0)),
            Base::Absolute => Poly::default(),
            Base::Unresolved => self.unknown(Attr::THREAD, 64),
        };
        base.plus_constant(i128::from(*offset))
    }

    fn place(&mut self, arg: &Arg<'_>) -> Poly {
        match self.variable_address(arg) {
            Val::Int(p) => p,
            _ => self.unknown(Attr::THREAD, 64),
        }
    }

    /// Returns the address of a variable, in its own space or generic. An array has the same symbol in both.
    pub(super) fn variable_address(&mut self, arg: &Arg<'_>) -> Val {
        let symbols = &self.linked.symbols[self.source];
        let (kind, offset) = match arg {
            Arg::Variable(id, offset) => {
                let v = &self.flat.variables[id.0 as usize];
                let name = v.decl.name.text.to_string();
                match v.role {
                    VarRole::Shared => (Kind::Shared(name), *offset),
                    VarRole::Local => (Kind::Local, *offset),
                    VarRole::Static => (Kind::Global(format!("{name}#{}", id.0)), *offset),
                    _ => return Val::Any(Attr::GRID),
                }
            }
            Arg::Symbol(name, offset) => match symbols.get(name) {
                Some(Symbol::Shared { .. } | Symbol::DynamicShared) => {
                    (Kind::Shared((*name).to_owned()), *offset)
                }
                Some(Symbol::Memory { .. }) => (Kind::Global((*name).to_owned()), *offset),
                _ => return Val::Any(Attr::GRID),
            },
            _ => return Val::Any(Attr::THREAD),
        };
        let attr = if kind == Kind::Local { Attr::THREAD } else { Attr::GRID };
        let (s, _) = self.syms.intern(kind, attr, Range::of(0, 1 << 56));
        Val::Int(Poly::sym(s).plus_constant(i128::from(offset)))
    }

    /// Returns whether it is the address of a variable in shared memory plus an offset that fits into 32
    /// bits, signed or unsigned.
    pub(super) fn is_in_shared(&self, address: &Poly) -> bool {
        let place = |s: &Sym| matches!(self.syms.get(*s).kind, Kind::Shared(_) | Kind::Far(_));
        let mut rest = address.clone();
        let named: Vec<Sym> =
            address.terms().iter().filter_map(|(m, _)| m.first().copied()).filter(place).collect();
        named.iter().for_each(|&s| rest = rest.minus(&Poly::sym(s)));
        let shared = self.base(address).is_some_and(|s| matches!(self.syms.get(s).kind, Kind::Shared(_)));
        shared && self.syms.range(&rest).within(0, 1 << 30) && !rest.syms().any(|s| place(&s))
    }

    /// Executes `cvta`. Arrays keep their symbol when their addresses are converted.
    pub(super) fn cvta(&mut self, state: &State, op: &Op, args: &[Arg<'_>]) -> Option<Val> {
        let Op::Cvta { space, .. } = op else { return None };
        let p = self.int(state, &args[1], 64);
        let kind = self.base(&p).map(|s| self.syms.get(s).kind.clone());
        let right = matches!(
            (space, kind),
            (MemSpace::Global | MemSpace::Const, Some(Kind::Param { .. } | Kind::Global(_)))
                | (MemSpace::Global, None | Some(Kind::Loaded { .. }))
                | (MemSpace::SharedCta | MemSpace::SharedCluster, Some(Kind::Shared(_)))
                | (MemSpace::Local, Some(Kind::Local))
        );
        if !right {
            let attr = self.syms.attr(&p);
            return Some(Val::Int(self.unknown(attr, ScalarType::U64.bits())));
        }
        Some(Val::Int(p))
    }

    /// Returns the one symbol of an address that can be an array.
    pub(super) fn base(&self, address: &Poly) -> Option<Sym> {
        let mut found = None;
        for (m, c) in address.terms() {
            if m.len() != 1 || *c != 1 {
                continue;
            }
            let array = match &self.syms.get(m[0]).kind {
                Kind::Shared(_) | Kind::Global(_) | Kind::Tensor(_) | Kind::Local => true,
                Kind::Param { bytes, .. } => *bytes == 8,
                Kind::Env(WORKSPACE) => {
                    let upper = self.syms.find(&Kind::Env(WORKSPACE - 1));
                    upper.is_some_and(|s| address.coefficient(s) == 1 << 32)
                }
                Kind::Loaded { .. } => self.syms.get(m[0]).range.hi.is_some_and(|h| h > 1 << 40),
                _ => false,
            };
            if array && found.replace(m[0]).is_some() {
                return None;
            }
        }
        found
    }
}
