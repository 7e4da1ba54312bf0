//! Who calls whom, and what that means for each kernel.

use super::link::Linked;
use super::shared::Layout;
use super::symbols::Symbol;
use super::uses;
use crate::module::{Kernel, ParamLayout};
use crate::program::Program;
use events::Dim3;
use events::task::SyncUse;
use ptx::ast::{FunctionDirective, FunctionKind};
use ptx::flat::{Arg, Base, Flat};
use ptx::op::Op;
use std::collections::HashMap;

pub(super) struct CallGraph {
    /// By function.
    callees: Vec<Vec<usize>>,
    calls_indirectly: Vec<bool>,
    /// Functions whose address is taken.
    targets: Vec<usize>,
    /// By function: the shared variables it names.
    pub shared: Vec<Vec<usize>>,
    kernels: Vec<usize>,
}

impl CallGraph {
    pub(super) fn new(linked: &Linked<'_>) -> CallGraph {
        let mut by_name: HashMap<(usize, &str), usize> = HashMap::new();
        let mut by_local: HashMap<(usize, &str, u32), usize> = HashMap::new();
        for (v, variable) in linked.shared.iter().enumerate() {
            match &variable.local {
                Some((function, id)) => by_local.insert((variable.source, function, *id), v),
                None => by_name.insert((variable.source, variable.name.as_str()), v),
            };
        }
        let mut graph = CallGraph {
            callees: Vec::new(),
            calls_indirectly: Vec::new(),
            targets: Vec::new(),
            shared: Vec::new(),
            kernels: Vec::new(),
        };
        for (f, function) in linked.functions.iter().enumerate() {
            let symbols = &linked.symbols[function.source];
            let name = function.flat.function.name.text.as_str();
            let (mut callees, mut shared, mut indirect) = (Vec::new(), Vec::new(), false);
            for inst in &function.flat.instructions {
                let call = matches!(inst.op, Ok(Op::Call));
                let callee = call.then(|| callee(&inst.args)).flatten();
                indirect |= call && matches!(callee, Some(Arg::Reg(_)));
                for arg in &inst.args {
                    names(arg, &mut |named| match named {
                        Named::Symbol(symbol) => {
                            if let Some(&v) = by_name.get(&(function.source, symbol)) {
                                shared.push(v);
                            }
                            if let Some(Symbol::Function { index }) = symbols.get(symbol) {
                                if matches!(callee, Some(Arg::Symbol(c, _)) if *c == symbol) {
                                    callees.push(*index as usize);
                                } else {
                                    graph.targets.push(*index as usize);
                                }
                            }
                        }
                        Named::Variable(id) => {
                            if let Some(&v) = by_local.get(&(function.source, name, id)) {
                                shared.push(v);
                            }
                        }
                    });
                }
            }
            shared.sort_unstable();
            shared.dedup();
            callees.sort_unstable();
            callees.dedup();
            graph.callees.push(callees);
            graph.shared.push(shared);
            graph.calls_indirectly.push(indirect);
            if function.flat.function.kind == FunctionKind::Entry {
                graph.kernels.push(f);
            }
        }
        // Addresses in initial values: tables of functions.
        for placed in &linked.placed {
            if let Some(init) = &placed.decl.init {
                init_symbols(init, &mut |symbol| {
                    if let Some(Symbol::Function { index }) = linked.symbols[placed.source].get(symbol) {
                        graph.targets.push(*index as usize);
                    }
                });
            }
        }
        graph.targets.sort_unstable();
        graph.targets.dedup();
        graph
    }

    pub(super) fn kernels(&self) -> impl Iterator<Item = usize> + '_ {
        self.kernels.iter().copied()
    }

    /// The function and all that it may call.
    pub(super) fn reachable(&self, from: usize) -> Vec<usize> {
        let mut seen = vec![false; self.callees.len()];
        let mut work = vec![from];
        let mut found = Vec::new();
        while let Some(f) = work.pop() {
            if std::mem::replace(&mut seen[f], true) {
                continue;
            }
            found.push(f);
            work.extend_from_slice(&self.callees[f]);
            if self.calls_indirectly[f] {
                work.extend_from_slice(&self.targets);
            }
        }
        found.sort_unstable();
        found
    }

    /// Bytes of local memory along the deepest chain of calls, cycles counted once.
    fn local_bytes(&self, f: usize, program: &Program) -> u32 {
        // A bound by the sum is enough, and does not depend on the order of calls.
        self.reachable(f).iter().map(|&g| program.functions[g].frame_bytes).fold(0, u32::saturating_add)
    }
}

fn callee<'x, 'a>(args: &'x [Arg<'a>]) -> Option<&'x Arg<'a>> {
    match args {
        [Arg::List(_), callee, ..] => Some(callee),
        [callee, ..] => Some(callee),
        [] => None,
    }
}

enum Named<'a> {
    Symbol(&'a str),
    Variable(u32),
}

fn names<'a>(arg: &Arg<'a>, f: &mut impl FnMut(Named<'a>)) {
    match arg {
        Arg::Symbol(name, _) => f(Named::Symbol(name)),
        Arg::Variable(id, _) => f(Named::Variable(id.0)),
        Arg::Address { base, .. } => match base {
            Base::Symbol(name) => f(Named::Symbol(name)),
            Base::Variable(id) => f(Named::Variable(id.0)),
            _ => {}
        },
        Arg::Vector(items) | Arg::List(items) => items.iter().for_each(|a| names(a, f)),
        _ => {}
    }
}

fn init_symbols<'a>(init: &'a ptx::ast::Init, f: &mut impl FnMut(&'a str)) {
    match init {
        ptx::ast::Init::List(items) => items.iter().for_each(|i| init_symbols(i, f)),
        ptx::ast::Init::Symbol { name, .. } | ptx::ast::Init::MaskedSymbol { name, .. } => f(&name.text),
        _ => {}
    }
}

/// The kernels in order of definition, with the function of each.
pub(super) fn describe(
    linked: &Linked<'_>,
    graph: &CallGraph,
    layout: &Layout,
    program: &Program,
) -> (Vec<Kernel>, Vec<u32>) {
    let own: Vec<SyncUse> = linked.functions.iter().map(|f| uses::of(&f.flat)).collect();
    let mut kernels = Vec::new();
    let mut entries = Vec::new();
    for f in graph.kernels() {
        let flat = &linked.functions[f].flat;
        let reachable = graph.reachable(f);
        let (params, param_bytes) = params(flat);
        let mut kernel = Kernel {
            name: flat.function.name.text.to_string(),
            params,
            param_bytes,
            static_shared: layout.bytes[f],
            uses_reserved_shared: reachable.iter().any(|&g| reserved(&linked.functions[g].flat)),
            dynamic_shared_align: layout.dynamic_align[f],
            local_bytes: graph.local_bytes(f, program),
            max_threads: 1024,
            required_threads: None,
            cluster: None,
            uses: reachable.iter().fold(SyncUse::default(), |u, &g| uses::join(u, own[g])),
            registers: reachable
                .iter()
                .map(|&g| {
                    (program.functions[g].bytes_32 / 128 + program.functions[g].bytes_64 / 128).clamp(8, 255)
                })
                .max()
                .unwrap_or(8),
            has_line_info: !flat.locs.is_empty(),
        };
        for directive in &flat.function.directives {
            match directive {
                FunctionDirective::MaxNTid([x, y, z]) => {
                    kernel.max_threads = x.saturating_mul(*y).saturating_mul(*z).clamp(1, 1024);
                }
                FunctionDirective::ReqNTid([x, y, z]) => {
                    kernel.required_threads = Some(Dim3::new(*x, *y, *z))
                }
                FunctionDirective::ReqNCtaPerCluster([x, y, z]) => {
                    kernel.cluster = Some(Dim3::new(*x, *y, *z))
                }
                _ => {}
            }
        }
        kernels.push(kernel);
        entries.push(f as u32);
    }
    (kernels, entries)
}

fn reserved(flat: &Flat<'_>) -> bool {
    use ptx::sreg::SpecialReg as S;
    flat.instructions.iter().flat_map(|i| &i.args).any(|arg| {
        matches!(
            arg,
            Arg::Special(
                S::ReservedSmemOffset(_)
                    | S::ReservedSmemOffsetBegin
                    | S::ReservedSmemOffsetEnd
                    | S::ReservedSmemOffsetCap
            )
        )
    })
}

/// Laid out as `frame` does.
fn params(flat: &Flat<'_>) -> (Vec<ParamLayout>, u32) {
    let mut end = 0u32;
    let params = flat
        .function
        .params
        .iter()
        .map(|p| {
            let size = p.size().unwrap_or(0).min(1 << 30) as u32;
            let align = p.alignment().clamp(1, 1 << 16).next_power_of_two();
            let offset = end.next_multiple_of(align);
            end = offset.saturating_add(size).min(1 << 30);
            ParamLayout { offset, size, align }
        })
        .collect();
    (params, end)
}
