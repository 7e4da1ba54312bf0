//! Inlines called functions.
//!
//! A call by name of a function of the same source becomes its body: registers, labels and variables get new
//! numbers, `ret` becomes a branch behind the call, and arguments and results in `.param` memory become
//! registers, if any two accesses of such a variable name the same bytes or disjoint ones. A call that cannot
//! be inlined stays and makes the kernel unknown where it matters: a recursive call, one by address, to
//! another source, or beyond the limits.

use kernels::{Kernel, Linked, Symbol};
use ptx::ast::ScalarType;
use ptx::flat::{Arg, Base, Binding, Flat, FlatGuard, FlatInstruction, FlatLabel, FlatRegister, LabelId};
use ptx::flat::{LocId, RegId, VarId, VarRole};
use ptx::op::{Mem, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// Limits the depth of nested calls.
const MOST_DEPTH: usize = 24;

/// Limits the instructions of a kernel with all that was inlined.
const MOST_INSTRUCTIONS: usize = 20_000;

/// A kernel without the calls that could be inlined.
pub(crate) struct Inlined<'a> {
    pub(crate) flat: Flat<'a>,
    /// The kernel's own instruction for each instruction, if it is one.
    pub(crate) own: Vec<Option<usize>>,
}

/// Inlines a kernel's calls; `None` if there is none that can be inlined.
pub(crate) fn inlined<'a>(linked: &Linked<'a>, kernel: &Kernel) -> Option<Inlined<'a>> {
    let flat = &linked.functions[kernel.function].flat;
    if !flat.instructions.iter().any(|i| matches!(i.op, Ok(Op::Call))) {
        return None;
    }
    let empty = |flat: &Flat<'a>| Flat {
        instructions: Vec::new(),
        registers: Vec::new(),
        variables: Vec::new(),
        labels: Vec::new(),
        branch_targets: Vec::new(),
        call_targets: Vec::new(),
        prototypes: Vec::new(),
        locs: Vec::new(),
        ..flat.clone()
    };
    let source = linked.functions[kernel.function].source;
    let mut writer = Writer {
        linked,
        kernel,
        source,
        out: empty(flat),
        own: Vec::new(),
        everybodys: FxHashMap::default(),
        stack: vec![kernel.function],
        written: false,
    };
    let variables = (0..flat.variables.len()).map(|v| VarId(v as u32)).collect();
    writer.out.variables.clone_from(&flat.variables);
    writer.body(kernel.function, variables, None);
    let Writer { out, own, written, .. } = writer;
    written.then(|| registers_for_arguments(out, own))
}

struct Writer<'l, 'a> {
    linked: &'l Linked<'a>,
    kernel: &'l Kernel,
    source: usize,
    out: Flat<'a>,
    own: Vec<Option<usize>>,
    /// Variables of functions that all their calls share.
    everybodys: FxHashMap<(usize, u32), VarId>,
    stack: Vec<usize>,
    written: bool,
}

/// The offsets for the names of an inlined function.
struct Names {
    registers: u32,
    labels: u32,
    locs: u32,
    branch_targets: u32,
    call_targets: u32,
    prototypes: u32,
    variables: Vec<VarId>,
}

impl Names {
    fn register(&self, r: RegId) -> RegId {
        RegId(r.0 + self.registers)
    }

    fn label(&self, l: LabelId) -> LabelId {
        LabelId(l.0 + self.labels)
    }

    fn arg<'a>(&self, arg: &Arg<'a>) -> Arg<'a> {
        let all = |items: &[Arg<'a>]| items.iter().map(|a| self.arg(a)).collect();
        match arg {
            Arg::Reg(r) => Arg::Reg(self.register(*r)),
            Arg::NotReg(r) => Arg::NotReg(self.register(*r)),
            Arg::Element(r, n) => Arg::Element(self.register(*r), *n),
            Arg::Variable(v, offset) => Arg::Variable(self.variables[v.0 as usize], *offset),
            Arg::Label(l) => Arg::Label(self.label(*l)),
            Arg::BranchTargets(n) => Arg::BranchTargets(n + self.branch_targets),
            Arg::CallTargets(n) => Arg::CallTargets(n + self.call_targets),
            Arg::Prototype(n) => Arg::Prototype(n + self.prototypes),
            Arg::Address { base, offset, rest } => Arg::Address {
                base: match base {
                    Base::Reg(r) => Base::Reg(self.register(*r)),
                    Base::Variable(v) => Base::Variable(self.variables[v.0 as usize]),
                    other => *other,
                },
                offset: *offset,
                rest: all(rest),
            },
            Arg::Vector(items) => Arg::Vector(all(items)),
            Arg::List(items) => Arg::List(all(items)),
            Arg::Pair(a, b) => Arg::Pair(Box::new(self.arg(a)), Box::new(self.arg(b))),
            Arg::Special(_)
            | Arg::Symbol(..)
            | Arg::Int(_)
            | Arg::F32(_)
            | Arg::F64(_)
            | Arg::Sink
            | Arg::Unresolved => arg.clone(),
        }
    }
}

impl<'a> Writer<'_, 'a> {
    /// Writes a function's body; `ret` leads to `after`.
    fn body(&mut self, f: usize, variables: Vec<VarId>, after: Option<LabelId>) {
        let linked = self.linked;
        let flat = &linked.functions[f].flat;
        let out = &mut self.out;
        let names = Names {
            registers: out.registers.len() as u32,
            labels: out.labels.len() as u32,
            locs: out.locs.len() as u32,
            branch_targets: out.branch_targets.len() as u32,
            call_targets: out.call_targets.len() as u32,
            prototypes: out.prototypes.len() as u32,
            variables,
        };
        out.registers.extend(flat.registers.iter().cloned());
        out.labels.extend(flat.labels.iter().cloned());
        out.locs.extend(&flat.locs);
        let table = |t: &Vec<LabelId>| t.iter().map(|&l| names.label(l)).collect();
        out.branch_targets.extend(flat.branch_targets.iter().map(table));
        out.call_targets.extend(flat.call_targets.iter().cloned());
        out.prototypes.extend(&flat.prototypes);
        let mut starts = Vec::with_capacity(flat.instructions.len() + 1);
        for (i, inst) in flat.instructions.iter().enumerate() {
            starts.push(self.out.instructions.len() as u32);
            let own = (self.stack.len() == 1).then_some(i);
            let mut new = FlatInstruction {
                source: inst.source,
                op: inst.op.clone(),
                guard: inst.guard.map(|g| FlatGuard { register: names.register(g.register), ..g }),
                args: inst.args.iter().map(|a| names.arg(a)).collect(),
                loc: inst.loc.map(|l| LocId(l.0 + names.locs)),
            };
            match (&inst.op, after) {
                (Ok(Op::Call), _) if self.call(&new, own) => {}
                (Ok(Op::Ret), Some(after)) => {
                    new.op = Ok(Op::Bra { uniform: false });
                    new.args = vec![Arg::Label(after)];
                    self.push(new, own);
                }
                _ => self.push(new, own),
            }
        }
        starts.push(self.out.instructions.len() as u32);
        for (l, label) in flat.labels.iter().enumerate() {
            self.out.labels[names.labels as usize + l].target = starts[label.target as usize];
        }
    }

    fn push(&mut self, inst: FlatInstruction<'a>, own: Option<usize>) {
        self.out.instructions.push(inst);
        self.own.push(own);
    }

    /// Inlines a call; returns false if it must stay.
    fn call(&mut self, call: &FlatInstruction<'a>, own: Option<usize>) -> bool {
        let Some(Called { function, returns, arguments }) = self.called(&call.args) else { return false };
        let linked = self.linked;
        let flat = &linked.functions[function].flat;
        let Some(variables) = self.variables(function, returns, arguments) else { return false };
        let label = |out: &mut Flat<'a>| {
            out.labels.push(FlatLabel { name: flat.function.name.text.as_str(), target: 0 });
            LabelId(out.labels.len() as u32 - 1)
        };
        self.written = true;
        let after = label(&mut self.out);
        if let Some(guard) = call.guard {
            let guard = Some(FlatGuard { negated: !guard.negated, ..guard });
            let op = Ok(Op::Bra { uniform: false });
            self.push(FlatInstruction { op, guard, args: vec![Arg::Label(after)], ..call.clone() }, own);
        }
        // The first number of the function's registers.
        let registers = self.out.registers.len() as u32;
        let copy = |to: Arg<'a>, from: Arg<'a>, ty: ScalarType| FlatInstruction {
            op: Ok(Op::Mov { ty }),
            guard: None,
            args: vec![to, from],
            ..call.clone()
        };
        let in_register = |b: &Binding| match b {
            Binding::Reg(r) => Some((RegId(r.0 + registers), flat.registers[r.0 as usize].ty)),
            Binding::Memory(_) => None,
        };
        for (formal, actual) in flat.params.iter().zip(arguments) {
            if let Some((r, ty)) = in_register(formal) {
                self.push(copy(Arg::Reg(r), actual.clone(), ty), own);
            }
        }
        let inner = label(&mut self.out);
        self.stack.push(function);
        self.body(function, variables, Some(inner));
        self.stack.pop();
        self.out.labels[inner.0 as usize].target = self.out.instructions.len() as u32;
        for (formal, actual) in flat.returns.iter().zip(returns) {
            if let Some((r, ty)) = in_register(formal) {
                self.push(copy(actual.clone(), Arg::Reg(r), ty), own);
            }
        }
        self.out.labels[after.0 as usize].target = self.out.instructions.len() as u32;
        true
    }

    /// Returns the function of a call, if its body can be inlined here.
    fn called<'c>(&self, args: &'c [Arg<'a>]) -> Option<Called<'c, 'a>> {
        let (returns, rest) = match args {
            [Arg::List(returns), rest @ ..] => (returns.as_slice(), rest),
            rest => (&[][..], rest),
        };
        let (name, arguments) = match rest {
            [Arg::Symbol(name, 0), Arg::List(arguments)] => (name, arguments.as_slice()),
            [Arg::Symbol(name, 0)] => (name, &[][..]),
            _ => return None,
        };
        let Some(Symbol::Function { index }) = self.linked.symbols[self.source].get(name) else {
            return None;
        };
        let function = *index as usize;
        let called = &self.linked.functions[function];
        let flat = &called.flat;
        let fits = called.source == self.source
            && !flat.instructions.is_empty()
            && flat.errors.is_empty()
            && flat.params.len() == arguments.len()
            && flat.returns.len() == returns.len()
            && !self.stack.contains(&function)
            && self.stack.len() <= MOST_DEPTH
            && self.out.instructions.len() + flat.instructions.len() <= MOST_INSTRUCTIONS
            // The caller would see a write to a parameter.
            && !flat.instructions.iter().any(|i| writes_parameter(flat, i))
            && !arguments.iter().any(|a| returns.contains(a));
        fits.then_some(Called { function, returns, arguments })
    }

    /// Returns the new numbers of a function's variables for one call.
    fn variables(
        &mut self,
        function: usize,
        returns: &[Arg<'a>],
        arguments: &[Arg<'a>],
    ) -> Option<Vec<VarId>> {
        let linked = self.linked;
        let flat = &linked.functions[function].flat;
        let mut bound: FxHashMap<VarId, VarId> = FxHashMap::default();
        for (formals, actuals) in [(&flat.params, arguments), (&flat.returns, returns)] {
            for (formal, actual) in formals.iter().zip(actuals) {
                match (formal, actual) {
                    (Binding::Memory(v), Arg::Variable(at, 0)) => {
                        let role = self.out.variables[at.0 as usize].role;
                        if role != VarRole::CallParam || bound.insert(*v, *at).is_some() {
                            return None;
                        }
                    }
                    (Binding::Reg(_), Arg::Reg(_)) => {}
                    (Binding::Reg(_), Arg::Int(_) | Arg::F32(_) | Arg::F64(_))
                        if std::ptr::eq(actuals, arguments) => {}
                    _ => return None,
                }
            }
        }
        // Variables in shared memory with the same name cannot be distinguished.
        let told_apart =
            |name: &str| self.kernel.shared_variables.iter().filter(|v| v.name == name).count() == 1;
        let ambiguous = |v: &ptx::flat::FlatVariable<'_>| {
            v.role == VarRole::Shared && !told_apart(v.decl.name.text.as_str())
        };
        if flat.variables.iter().any(ambiguous) {
            return None;
        }
        let mut found = Vec::with_capacity(flat.variables.len());
        for (i, variable) in flat.variables.iter().enumerate() {
            let id = VarId(i as u32);
            let shared = matches!(variable.role, VarRole::Shared | VarRole::Static);
            let known = match bound.get(&id) {
                Some(at) => Some(*at),
                None => self.everybodys.get(&(function, id.0)).copied().filter(|_| shared),
            };
            let new = known.unwrap_or_else(|| {
                self.out.variables.push(variable.clone());
                VarId(self.out.variables.len() as u32 - 1)
            });
            // A parameter without a caller would be taken for the kernel's.
            if known.is_none() && matches!(variable.role, VarRole::Param(_) | VarRole::Return(_)) {
                return None;
            }
            if shared {
                self.everybodys.insert((function, id.0), new);
            }
            found.push(new);
        }
        Some(found)
    }
}

struct Called<'c, 'a> {
    function: usize,
    returns: &'c [Arg<'a>],
    arguments: &'c [Arg<'a>],
}

fn writes_parameter(flat: &Flat<'_>, inst: &FlatInstruction<'_>) -> bool {
    let is_parameter = |v: &VarId| matches!(flat.variables[v.0 as usize].role, VarRole::Param(_));
    match (&inst.op, inst.args.first()) {
        (Ok(Op::St(_)), Some(Arg::Address { base: Base::Variable(v), .. })) => is_parameter(v),
        _ => false,
    }
}

/// Bytes of a variable, by offset and size in bits.
type Cell = (i64, u32);

/// Returns the variable of arguments or results that an instruction loads or stores, and its accessed cells.
fn cells(flat: &Flat<'_>, inst: &FlatInstruction<'_>) -> Option<(VarId, Vec<Cell>)> {
    let (mem, at, values) = match (&inst.op, inst.args.as_slice()) {
        (Ok(Op::Ld(mem)), [value, at]) | (Ok(Op::St(mem)), [at, value]) => (mem, at, value),
        _ => return None,
    };
    let Arg::Address { base: Base::Variable(v), offset, rest } = at else { return None };
    let argument = flat.variables[v.0 as usize].role == VarRole::CallParam;
    let count = match values {
        Arg::Vector(items) => items.len(),
        _ => 1,
    };
    if !argument || !rest.is_empty() || count != usize::from(mem.vector) || mem.ty.bits() > 64 {
        return None;
    }
    let (bits, bytes) = (mem.ty.bits(), i64::from(mem.ty.bytes()));
    Some((*v, (0..count as i64).map(|n| (offset + n * bytes, bits)).collect()))
}

/// Converts arguments and results to registers.
fn registers_for_arguments<'a>(mut flat: Flat<'a>, own: Vec<Option<usize>>) -> Inlined<'a> {
    let mut of: FxHashMap<VarId, Vec<Cell>> = FxHashMap::default();
    let mut opaque: FxHashSet<VarId> = FxHashSet::default();
    for inst in &flat.instructions {
        match cells(&flat, inst) {
            Some((v, cells)) => of.entry(v).or_default().extend(cells),
            None => inst.args.iter().for_each(|a| {
                named(a, &mut |v| {
                    opaque.insert(v);
                })
            }),
        }
    }
    let mut registers: FxHashMap<(VarId, Cell), RegId> = FxHashMap::default();
    for (v, mut cells) in of {
        cells.sort_unstable();
        cells.dedup();
        let meet = |w: &[Cell]| w[0].0 + i64::from(w[0].1.div_ceil(8)) > w[1].0;
        if opaque.contains(&v) || cells.windows(2).any(meet) {
            continue;
        }
        for cell in cells {
            registers.insert((v, cell), RegId(flat.registers.len() as u32));
            let ty = if cell.1 > 32 { ScalarType::B64 } else { ScalarType::B32 };
            flat.registers.push(FlatRegister { name: format!("argument{}", v.0), ty, vector: 1 });
        }
    }
    let old = std::mem::take(&mut flat.instructions);
    let (mut starts, mut new_own) = (Vec::with_capacity(old.len() + 1), Vec::new());
    for (inst, own) in old.into_iter().zip(own) {
        starts.push(flat.instructions.len() as u32);
        let before = flat.instructions.len();
        match copies(&flat, &inst, &registers) {
            Some(copies) => flat.instructions.extend(copies),
            None => flat.instructions.push(inst),
        }
        new_own.extend(std::iter::repeat_n(own, flat.instructions.len() - before));
    }
    starts.push(flat.instructions.len() as u32);
    for label in &mut flat.labels {
        label.target = starts[label.target as usize];
    }
    Inlined { flat, own: new_own }
}

/// Converts a load or store of arguments or results to register copies.
fn copies<'a>(
    flat: &Flat<'a>,
    inst: &FlatInstruction<'a>,
    registers: &FxHashMap<(VarId, Cell), RegId>,
) -> Option<Vec<FlatInstruction<'a>>> {
    let (v, cells) = cells(flat, inst)?;
    let (mem, loads): (&Mem, bool) = match &inst.op {
        Ok(Op::Ld(mem)) => (mem, true),
        Ok(Op::St(mem)) => (mem, false),
        _ => return None,
    };
    let values = match &inst.args[usize::from(!loads)] {
        Arg::Vector(items) => items.clone(),
        one => vec![one.clone()],
    };
    let mut found = Vec::new();
    for (cell, value) in cells.into_iter().zip(values) {
        let register = Arg::Reg(*registers.get(&(v, cell))?);
        let ty = mem.ty;
        // A value smaller than a register is extended by sign or zeros.
        let op = match loads && ty.bits() < 32 && !ty.is_float() {
            true => Op::Cvt {
                dst: ty,
                src: ty,
                rnd: None,
                ftz: false,
                sat: false,
                relu: false,
                satfinite: false,
                scaled: false,
            },
            false => Op::Mov { ty },
        };
        let args = if loads { vec![value, register] } else { vec![register, value] };
        found.push(FlatInstruction { op: Ok(op), args, ..inst.clone() });
    }
    Some(found)
}

/// Calls a function with the variables that an operand names.
fn named(arg: &Arg<'_>, f: &mut dyn FnMut(VarId)) {
    match arg {
        Arg::Variable(v, _) | Arg::Address { base: Base::Variable(v), .. } => f(*v),
        Arg::Vector(items) | Arg::List(items) => items.iter().for_each(|a| named(a, f)),
        Arg::Pair(a, b) => {
            named(a, f);
            named(b, f);
        }
        _ => {}
    }
    if let Arg::Address { rest, .. } = arg {
        rest.iter().for_each(|a| named(a, f));
    }
}
