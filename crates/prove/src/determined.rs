//! Kernels of which every execution of one launch makes the same accesses in the same order.
//!
//! An access is *determined* if neither whether it is made nor where depends on what another order of the threads could
//! change. Then one execution stands for all of them, and for all contents of memory that decide nothing: whether it
//! has a race, the detector can say. Found backwards: what branches, guards, addresses and barriers read *decides*, and
//! so does what it is computed from, through registers and memory.
//!
//! Memory that decides and that the kernel writes is determined, too, if the execution has no race: its values then
//! follow from barriers alone (data-race-free programs without locks are deterministic). Atomics are let in
//! where they commute.

use crate::about::About;
use crate::access::{AccessKind, Space};
use crate::exec::Summary;
use crate::flows::Flows;
use crate::poly::Sym;
use crate::syms::Kind;
use crate::vocabulary::{is_fixed, leaves_memory, number, read};
use crate::waits::waiting;
use kernels::effects::{Control, Order, Place, TouchKind};
use kernels::registers;
use kernels::{Kernel, Linked, effects};
use ptx::flat::{Arg, Binding, Flat, FlatInstruction, VarRole};
use ptx::op::{BarKind, MbarrierOp, MemSpace, Op, Rmw, Sem};
use ptx::sreg::SpecialReg;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// What decides which accesses a kernel makes.
#[derive(Clone, Debug, Default)]
pub struct Deciding {
    /// Why another order of threads could make other accesses, or order them otherwise; empty if none could.
    pub undetermined: BTreeSet<String>,
    /// Arrays whose contents decide.
    pub arrays: BTreeSet<Sym>,
    /// Memory that cannot be told decides.
    pub any_memory: bool,
    /// Parameters whose values decide, by index.
    pub parameters: BTreeSet<u32>,
    pub shared_memory: bool,
    /// Loads and atomics whose results decide: function and instruction.
    pub loads: BTreeSet<(usize, usize)>,
    /// Special registers whose values decide.
    pub special: FxHashSet<SpecialReg>,
}

/// What of memory decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Flags {
    /// Global memory that the kernel writes.
    global: bool,
    shared: bool,
    local: bool,
    /// Arguments and results of calls.
    calls: bool,
}

struct Search<'a> {
    linked: &'a Linked<'a>,
    kernel: usize,
    functions: Vec<usize>,
    summary: Option<&'a Summary>,
    /// By function of `functions`, by register.
    decides: Vec<Vec<bool>>,
    flags: Flags,
    found: Deciding,
    noreturn: &'a dyn Fn(&str) -> bool,
    /// By function of `functions`, by instruction: does it only wait for an mbarrier?
    waiting: Vec<Vec<bool>>,
    /// Not all accesses are asked about.
    about: Option<About>,
    /// What loads have read, if that is known.
    flows: Option<&'a Flows>,
    /// It may begin before the kernel before it has ended, whose writes it may then see or not.
    early: bool,
}

/// What decides in a kernel; without a summary, all memory is one.
pub fn deciding(
    linked: &Linked<'_>,
    kernel: &Kernel,
    summary: Option<&Summary>,
    noreturn: &dyn Fn(&str) -> bool,
) -> Deciding {
    search(linked, kernel, summary, noreturn, None, None)
}

/// What decides whether some instructions (`asked`, by function and instruction) race in the order of threads that one
/// execution had: whether they and all that may order them are executed, and where these access memory. What
/// only another order could change is no reason against it. What goes into memory decides only if loads that do have read it, as far
/// as `flows` tells who has read what in that execution.
pub(crate) fn deciding_about(
    linked: &Linked<'_>,
    kernel: &Kernel,
    summary: Option<&Summary>,
    noreturn: &dyn Fn(&str) -> bool,
    asked: &BTreeSet<(usize, usize)>,
    flows: Option<&Flows>,
) -> Deciding {
    search(linked, kernel, summary, noreturn, Some(asked), flows)
}

/// The functions that a kernel reaches, itself first.
pub(crate) fn reached(linked: &Linked<'_>, kernel: &Kernel) -> Vec<usize> {
    let mut functions = linked.graph.reachable(kernel.function);
    functions.retain(|&f| f != kernel.function);
    functions.insert(0, kernel.function);
    functions
}

fn search(
    linked: &Linked<'_>,
    kernel: &Kernel,
    summary: Option<&Summary>,
    noreturn: &dyn Fn(&str) -> bool,
    asked: Option<&BTreeSet<(usize, usize)>>,
    flows: Option<&Flows>,
) -> Deciding {
    let functions = reached(linked, kernel);
    let about = asked.map(|asked| About::new(linked, &functions, asked, noreturn));
    let decides = functions.iter().map(|&f| vec![false; linked.functions[f].flat.registers.len()]).collect();
    let waiting = functions.iter().map(|&f| waiting(&linked.functions[f].flat, noreturn)).collect();
    let mut search = Search {
        linked,
        kernel: kernel.function,
        functions,
        summary,
        decides,
        flags: Flags::default(),
        found: Deciding::default(),
        noreturn,
        waiting,
        about,
        flows,
        early: false,
    };
    search.vocabulary();
    while search.pass() {}
    if search.early && (search.found.any_memory || !search.found.arrays.is_empty()) {
        search.doubt("what memory holds decides, and the kernel before may still write to it");
    }
    search.found.shared_memory = search.flags.shared;
    search.found
}

impl Search<'_> {
    fn doubt(&mut self, why: impl Into<String>) {
        self.found.undetermined.insert(why.into());
    }

    /// Of another order of threads.
    fn varies(&mut self, why: &str) {
        if self.about.is_none() {
            self.doubt(why);
        }
    }

    /// What alone makes the order of accesses depend on the order of threads.
    fn vocabulary(&mut self) {
        for at in 0..self.functions.len() {
            let linked = self.linked;
            let flat = &linked.functions[self.functions[at]].flat;
            for inst in &flat.instructions {
                let Ok(op) = &inst.op else {
                    self.doubt("an instruction that cannot be decoded");
                    continue;
                };
                let effects = effects(op, &inst.args);
                match effects.order {
                    Some(Order::GridDependency { .. }) => self.early = true,
                    Some(Order::Mbarrier(MbarrierOp::CompleteTx)) => {
                        self.doubt("`mbarrier.complete_tx`");
                    }
                    _ => {}
                }
                if effects.touches.iter().any(|t| t.place == Place::Multimem) {
                    self.doubt("`multimem`");
                }
                match op {
                    Op::Unknown => self.doubt(format!("`{}`", crate::vocabulary::spelled(inst))),
                    Op::Alloca { .. } => self.doubt("`alloca`"),
                    Op::Call => self.callee(flat, inst, at),
                    _ => {}
                }
            }
        }
    }

    fn callee(&mut self, flat: &Flat<'_>, inst: &FlatInstruction<'_>, at: usize) {
        let name = inst.args.iter().find_map(|a| match a {
            Arg::Symbol(name, _) => Some(*name),
            _ => None,
        });
        let Some(name) = name else { return self.doubt("calls of functions by their address") };
        let source = self.linked.functions[self.functions[at]].source;
        let defined = matches!(
            self.linked.symbols[source].get(name),
            Some(kernels::Symbol::Function { index })
                if !self.linked.functions[*index as usize].flat.instructions.is_empty()
        );
        if !(defined || leaves_memory(name) || (self.noreturn)(name)) {
            self.doubt(format!("calls of `{name}`"));
        }
        // Arguments in registers are no variables.
        let in_registers = |b: &Binding| matches!(b, Binding::Reg(_));
        if flat.params.iter().any(in_registers) {
            self.doubt("parameters in registers");
        }
    }

    /// Once over all; true if something new decides.
    fn pass(&mut self) -> bool {
        let (flags, loads) = (self.flags, self.found.loads.len());
        let mut changed = false;
        for at in 0..self.functions.len() {
            let linked = self.linked;
            let flat = &linked.functions[self.functions[at]].flat;
            for (i, inst) in flat.instructions.iter().enumerate() {
                if self.waiting[at][i] {
                    continue;
                }
                let Ok(op) = &inst.op else { continue };
                let mut roots: Vec<u32> = Vec::new();
                if self.acts(flat, at, i) {
                    self.roots(flat, (at, i), op, &mut roots);
                }
                let result = {
                    let decides = &self.decides[at];
                    let mut decides_here = false;
                    registers::visit(inst, |place, written| {
                        decides_here |= written && number(place).is_none_or(|r| decides[r as usize]);
                    });
                    decides_here
                };
                if result {
                    self.source(flat, at, i, inst, op);
                    registers::visit(inst, |place, written| roots.extend(number(place).filter(|_| !written)));
                }
                for r in roots {
                    changed |= !std::mem::replace(&mut self.decides[at][r as usize], true);
                }
            }
            if self.flags.calls {
                for binding in &flat.returns {
                    if let Binding::Reg(r) = binding {
                        changed |= !std::mem::replace(&mut self.decides[at][r.0 as usize], true);
                    }
                }
            }
        }
        changed || flags != self.flags || loads != self.found.loads.len()
    }

    /// Is it asked what that instruction does?
    fn acts(&self, flat: &Flat<'_>, at: usize, i: usize) -> bool {
        let Some(about) = &self.about else { return true };
        let acts = |i: usize| about.matters(at, i) || self.leaves_what_decides(flat, i);
        match about.region(at, i) {
            Some(region) => region.iter().any(|blocks| blocks.clone().any(acts)),
            None => acts(i),
        }
    }

    /// May it write to memory what decides?
    fn leaves_what_decides(&self, flat: &Flat<'_>, i: usize) -> bool {
        let inst = &flat.instructions[i];
        let Ok(op) = &inst.op else { return true };
        effects(op, &inst.args).touches.iter().any(|t| match (t.kind, t.place) {
            (TouchKind::Read | TouchKind::AsyncRead, _) => false,
            (_, Place::Memory(space)) => {
                inst.args.get(t.operand).is_none_or(|a| self.may_decide(flat, space, a))
            }
            _ => false,
        })
    }

    /// Registers that an instruction reads to decide.
    fn roots(&mut self, flat: &Flat<'_>, (at, i): (usize, usize), op: &Op, roots: &mut Vec<u32>) {
        let inst = &flat.instructions[i];
        let effects = effects(op, &inst.args);
        let exchange = matches!(effects.order, Some(Order::Rendezvous | Order::Aligned));
        let acts = !effects.touches.is_empty()
            || effects.order.is_some() && !exchange
            || !matches!(effects.control, Control::Next | Control::Break);
        if !acts {
            return;
        }
        roots.extend(inst.guard.map(|g| g.register.0));
        let private = |space: MemSpace| matches!(space, MemSpace::Param | MemSpace::ParamFunc);
        match op {
            Op::Ld(mem) | Op::Ldu(mem) => {
                if !private(mem.space) {
                    read(&inst.args[1], roots);
                }
            }
            Op::St(mem) => {
                read(&inst.args[0], roots);
                if self.is_read(flat, mem.space, &inst.args[0], (at, i)) {
                    inst.args[1..].iter().for_each(|a| read(a, roots));
                    if mem.sem != Sem::Weak && !private(mem.space) && mem.space != MemSpace::Local {
                        self.varies("strong stores to memory that decides");
                    }
                }
            }
            Op::Atom(atom) | Op::Red(atom) => {
                let place = usize::from(matches!(op, Op::Atom(_)));
                read(&inst.args[place], roots);
                if self.is_read(flat, atom.mem.space, &inst.args[place], (at, i)) {
                    inst.args[place + 1..].iter().for_each(|a| read(a, roots));
                    // So does what it has found there.
                    self.found.loads.insert((self.functions[at], i));
                    self.memory(at, i, atom.mem.space);
                    self.commutes(atom.op, atom.mem.ty.is_float());
                }
            }
            Op::Call => {
                if self.flags.calls {
                    inst.args.iter().for_each(|a| read(a, roots));
                }
            }
            // The predicate that threads contribute goes into the result only.
            Op::Bar { kind: BarKind::RedPopc | BarKind::RedAnd | BarKind::RedOr, .. } => {
                let last = inst.args.len().saturating_sub(1);
                inst.args.iter().take(last).skip(1).for_each(|a| read(a, roots));
            }
            // What fragments and texels hold goes into memory only: a matrix's place is its address and its pitch.
            Op::WmmaStore { space, .. } | Op::Stmatrix { space, .. } => {
                let decides = self.is_read(flat, *space, &inst.args[0], (at, i));
                let place = |(at, _): &(usize, &Arg<'_>)| *at != 1 || decides;
                inst.args.iter().enumerate().filter(place).for_each(|(_, a)| read(a, roots));
            }
            // Nobody decides by what surfaces hold: see `source`.
            Op::Sust(_) => read(&inst.args[0], roots),
            Op::Ret | Op::Exit | Op::Trap => {}
            _ => registers::visit(inst, |place, written| roots.extend(number(place).filter(|_| !written))),
        }
        let moves = |k: TouchKind| matches!(k, TouchKind::AsyncWrite | TouchKind::AsyncAtomic(_));
        if self.flags.shared && effects.touches.iter().any(|t| moves(t.kind)) {
            self.flags.global = true;
            self.found.any_memory = true;
            self.found.loads.insert((self.functions[at], i));
        }
    }

    /// May what is stored there decide?
    fn may_decide(&self, flat: &Flat<'_>, space: MemSpace, at: &Arg<'_>) -> bool {
        let Flags { global, shared, local, calls } = self.flags;
        match space {
            MemSpace::Global | MemSpace::Const => global,
            MemSpace::SharedCta | MemSpace::SharedCluster => shared,
            MemSpace::Local => local,
            MemSpace::Param | MemSpace::ParamFunc => {
                let own = matches!(at, Arg::Address { base: ptx::flat::Base::Variable(id), .. }
                    if matches!(flat.variables[id.0 as usize].role, VarRole::Param(_)));
                calls || own && local
            }
            MemSpace::Generic => global || shared || local,
        }
    }

    /// May it, and has a load that decides read it, as far as that is known?
    fn is_read(&self, flat: &Flat<'_>, space: MemSpace, to: &Arg<'_>, (at, i): (usize, usize)) -> bool {
        // Who reads local memory and parameters is not told.
        let own = matches!(space, MemSpace::Local | MemSpace::Param | MemSpace::ParamFunc)
            || space == MemSpace::Generic && self.flags.local;
        let here = (self.functions[at], i);
        let flows = |flows: &Flows| {
            self.found.loads.iter().any(|load| flows.get(load).is_some_and(|from| from.contains(&here)))
        };
        self.may_decide(flat, space, to) && (own || self.flows.is_none_or(flows))
    }

    /// Atomics whose order does not show: all of one kind, on integers.
    fn commutes(&mut self, op: Rmw, float: bool) {
        let alike = |op: &Op| match op {
            Op::Atom(a) | Op::Red(a) => Some(a.op),
            _ => None,
        };
        let linked = self.linked;
        let mut all = self
            .functions
            .iter()
            .flat_map(|&f| &linked.functions[f].flat.instructions)
            .filter_map(|i| i.op.as_ref().ok().and_then(alike));
        let commutative = matches!(op, Rmw::And | Rmw::Or | Rmw::Xor | Rmw::Add | Rmw::Min | Rmw::Max);
        if float || !commutative || all.any(|other| other != op) {
            self.varies("atomics on memory that decides");
        }
    }

    /// A result that decides: where it is from.
    fn source(&mut self, flat: &Flat<'_>, at: usize, i: usize, inst: &FlatInstruction<'_>, op: &Op) {
        let effects = effects(op, &inst.args);
        if inst.args.iter().any(|a| matches!(a, Arg::Special(s) if !is_fixed(*s))) {
            self.doubt("clocks, or where threads run, decide");
        }
        self.found.special.extend(inst.args.iter().filter_map(|a| match a {
            Arg::Special(s) => Some(*s),
            _ => None,
        }));
        // Somebody may read all of them at an address.
        let of_kernel = |id: &ptx::flat::VarId| match flat.variables[id.0 as usize].role {
            VarRole::Param(n) if self.functions[at] == self.kernel => Some(n),
            _ => None,
        };
        if inst.args.iter().any(|a| matches!(a, Arg::Variable(id, _) if of_kernel(id).is_some())) {
            self.found.parameters.extend(0..flat.function.params.len() as u32);
        }
        if matches!(op, Op::Atom(_))
            || matches!(op, Op::Ld(m) | Op::Ldu(m) if !matches!(m.space, MemSpace::Param | MemSpace::ParamFunc))
        {
            self.found.loads.insert((self.functions[at], i));
        }
        match op {
            Op::Ld(mem) | Op::Ldu(mem) => match mem.space {
                MemSpace::Param | MemSpace::ParamFunc => {
                    let own = |id: &ptx::flat::VarId| {
                        self.functions[at] == self.kernel
                            && matches!(flat.variables[id.0 as usize].role, VarRole::Param(_))
                    };
                    let kernels_own = matches!(&inst.args[1],
                        Arg::Address { base: ptx::flat::Base::Variable(id), .. } if own(id));
                    self.flags.calls |= !kernels_own;
                    if let Arg::Address { base: ptx::flat::Base::Variable(id), .. } = &inst.args[1]
                        && let VarRole::Param(n) = flat.variables[id.0 as usize].role
                        && kernels_own
                    {
                        self.found.parameters.insert(n);
                    }
                }
                MemSpace::Local => self.flags.local = true,
                MemSpace::SharedCta | MemSpace::SharedCluster => {
                    self.flags.shared = true;
                    if mem.sem != Sem::Weak {
                        self.varies("values that are polled decide");
                    }
                }
                MemSpace::Global | MemSpace::Const | MemSpace::Generic => {
                    self.memory(at, i, mem.space);
                    if mem.sem != Sem::Weak {
                        self.varies("values that are polled decide");
                    }
                }
            },
            Op::Atom(atom) => {
                self.memory(at, i, atom.mem.space);
                self.varies("what atomics return decides");
            }
            Op::Call => self.flags.calls = true,
            Op::Activemask => self.doubt("`activemask` decides"),
            Op::Mbarrier { op: MbarrierOp::Wait { .. } | MbarrierOp::PendingCount, .. } => {
                self.doubt("tests of mbarriers decide");
            }
            _ if effects.touches.iter().any(|t| t.kind == TouchKind::Read) => {
                self.doubt("what textures, surfaces or matrices hold decides");
            }
            _ => {}
        }
    }

    /// What it reads of memory decides.
    fn memory(&mut self, at: usize, i: usize, space: MemSpace) {
        let kind = |s: Sym| self.summary.map(|summary| &summary.syms.get(s).kind);
        match self.base(at, i).map(|s| (s, kind(s))) {
            Some((_, Some(Kind::Shared(_)))) => self.flags.shared = true,
            Some((_, Some(Kind::Local))) => self.flags.local = true,
            Some((base, _)) => {
                self.found.arrays.insert(base);
                self.flags.global |= self.is_written(base);
            }
            None if matches!(space, MemSpace::SharedCta | MemSpace::SharedCluster) => {
                self.flags.shared = true
            }
            None => {
                self.flags.global = true;
                self.found.any_memory = true;
                if space == MemSpace::Generic {
                    self.flags.shared = true;
                    self.flags.local = true;
                }
            }
        }
    }

    /// The array that an instruction accesses.
    fn base(&self, at: usize, inst: usize) -> Option<Sym> {
        self.summary.filter(|_| at == 0)?.bases.get(&inst).copied().flatten()
    }

    /// May the kernel write to that array?
    fn is_written(&self, base: Sym) -> bool {
        let Some(summary) = self.summary.filter(|s| s.writes_are_known && self.functions.len() == 1) else {
            return true;
        };
        summary.accesses.iter().any(|a| {
            a.kind != AccessKind::Read && a.space != Space::Shared && a.base.is_none_or(|b| b == base)
        })
    }
}
