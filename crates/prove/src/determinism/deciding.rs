//! Identifies kernels all of whose executions of one launch make the same accesses in the same order.
//!
//! An access is *determined* if neither whether it is made nor its address depends on the order of threads.
//! One execution then stands for all, and for all memory contents that do not decide: the detector finds its
//! races. The analysis works backwards: what branches, guards, addresses and barriers read *decides*, and so
//! does everything from which it is computed, through registers and memory.
//!
//! Memory that decides and that the kernel writes is also determined if the execution has no race: its values
//! follow from barriers (data-race-free programs without locks are deterministic). Atomics must commute.

use crate::determinism::reads_from::Flows;
use crate::determinism::relevance::Relevance;
use crate::exec::Summary;
use crate::kernel::access::{AccessKind, Space};
use crate::kernel::instructions::{is_fixed, leaves_memory, number, read};
use crate::solver::poly::Sym;
use crate::solver::symbols::Kind;
use crate::sync::wait_loops::waiting;
use kernels::effects::{Control, Order, Place, TouchKind};
use kernels::registers;
use kernels::{Kernel, Linked, effects};
use ptx::flat::{Arg, Binding, Flat, FlatInstruction, VarRole};
use ptx::op::{BarKind, MbarrierOp, MemSpace, Op, Rmw, Sem};
use ptx::sreg::SpecialReg;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// The inputs that decide which accesses a kernel makes.
#[derive(Clone, Debug, Default)]
pub struct Deciding {
    /// Reasons why another thread order could make other accesses or order them differently; empty if none
    /// could.
    pub undetermined: BTreeSet<String>,
    /// Arrays whose contents decide.
    pub arrays: BTreeSet<Sym>,
    /// Whether unidentified memory decides.
    pub any_memory: bool,
    /// Parameters whose values decide, by index.
    pub parameters: BTreeSet<u32>,
    pub shared_memory: bool,
    /// Loads and atomics whose results decide, by function and instruction.
    pub loads: BTreeSet<(usize, usize)>,
    /// Special registers whose values decide.
    pub special: FxHashSet<SpecialReg>,
}

/// The kinds of memory that decide.
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
    /// Registers that decide, by function of `functions`.
    decides: Vec<Vec<bool>>,
    flags: Flags,
    found: Deciding,
    noreturn: &'a dyn Fn(&str) -> bool,
    /// For each function of `functions`, the instructions that only wait for an mbarrier.
    waiting: Vec<Vec<bool>>,
    /// The instructions that matter, if only some accesses are asked about.
    about: Option<Relevance>,
    /// The stores that loads have read, if they are known.
    flows: Option<&'a Flows>,
    /// Whether the kernel may begin before its predecessor has ended, and miss the predecessor's writes.
    early: bool,
}

/// Returns what decides in a kernel. Without a summary, all memory counts as one array.
pub fn deciding(
    linked: &Linked<'_>,
    kernel: &Kernel,
    summary: Option<&Summary>,
    noreturn: &dyn Fn(&str) -> bool,
) -> Deciding {
    search(linked, kernel, summary, noreturn, None, None)
}

/// Returns what decides whether the instructions `asked` (by function and instruction) race in the thread order
/// of one execution: whether they and all instructions that may order them are executed, and at which addresses.
/// A dependence on the thread order is allowed. A stored value decides only if a load that decides has read it,
/// as far as `flows` knows the reads of that execution.
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

/// Returns the functions that a kernel reaches, itself first.
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
    let about = asked.map(|asked| Relevance::new(linked, &functions, asked, noreturn));
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

    /// Records a dependence on the thread order.
    fn varies(&mut self, why: &str) {
        if self.about.is_none() {
            self.doubt(why);
        }
    }

    /// Records the instructions that alone make the order of accesses depend on the thread order.
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
                    Op::Unknown => self.doubt(format!("`{}`", crate::kernel::instructions::spelled(inst))),
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

    /// Makes one pass over all functions; returns true if something new decides.
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

    /// Returns whether an instruction's effect matters.
    fn acts(&self, flat: &Flat<'_>, at: usize, i: usize) -> bool {
        let Some(about) = &self.about else { return true };
        let acts = |i: usize| about.matters(at, i) || self.leaves_what_decides(flat, i);
        match about.region(at, i) {
            Some(region) => region.iter().any(|blocks| blocks.clone().any(acts)),
            None => acts(i),
        }
    }

    /// Returns whether an instruction may write memory that decides.
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

    /// Collects the registers of an instruction that decide.
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
                    // The value found in memory decides too.
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
            // The predicate that threads contribute affects the result only.
            Op::Bar { kind: BarKind::RedPopc | BarKind::RedAnd | BarKind::RedOr, .. } => {
                let last = inst.args.len().saturating_sub(1);
                inst.args.iter().take(last).skip(1).for_each(|a| read(a, roots));
            }
            // The contents of fragments and texels go into memory only: a matrix's place is its address and
            // its pitch.
            Op::WmmaStore { space, .. } | Op::Stmatrix { space, .. } => {
                let decides = self.is_read(flat, *space, &inst.args[0], (at, i));
                let place = |(at, _): &(usize, &Arg<'_>)| *at != 1 || decides;
                inst.args.iter().enumerate().filter(place).for_each(|(_, a)| read(a, roots));
            }
            // Contents of surfaces never decide: see `source`.
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

    /// Returns whether a value stored there may decide.
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

    /// Returns whether a stored value may decide and, as far as is known, a load that decides has read it.
    fn is_read(&self, flat: &Flat<'_>, space: MemSpace, to: &Arg<'_>, (at, i): (usize, usize)) -> bool {
        // The readers of local memory and parameters are not tracked.
        let own = matches!(space, MemSpace::Local | MemSpace::Param | MemSpace::ParamFunc)
            || space == MemSpace::Generic && self.flags.local;
        let here = (self.functions[at], i);
        let flows = |flows: &Flows| {
            self.found.loads.iter().any(|load| flows.get(load).is_some_and(|from| from.contains(&here)))
        };
        self.may_decide(flat, space, to) && (own || self.flows.is_none_or(flows))
    }

    /// Records atomics whose order is unobservable: all of one kind, on integers.
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

    /// Traces the sources of a result that decides.
    fn source(&mut self, flat: &Flat<'_>, at: usize, i: usize, inst: &FlatInstruction<'_>, op: &Op) {
        let effects = effects(op, &inst.args);
        if inst.args.iter().any(|a| matches!(a, Arg::Special(s) if !is_fixed(*s))) {
            self.doubt("clocks, or where threads run, decide");
        }
        self.found.special.extend(inst.args.iter().filter_map(|a| match a {
            Arg::Special(s) => Some(*s),
            _ => None,
        }));
        // The address of a parameter may be used to read all of them.
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

    /// Records that the memory an instruction reads decides.
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

    /// Returns the array that an instruction accesses.
    fn base(&self, at: usize, inst: usize) -> Option<Sym> {
        self.summary.filter(|_| at == 0)?.bases.get(&inst).copied().flatten()
    }

    /// Returns whether the kernel may write to an array.
    fn is_written(&self, base: Sym) -> bool {
        let Some(summary) = self.summary.filter(|s| s.writes_are_known && self.functions.len() == 1) else {
            return true;
        };
        summary.accesses.iter().any(|a| {
            a.kind != AccessKind::Read && a.space != Space::Shared && a.base.is_none_or(|b| b == base)
        })
    }
}
