//! The call graph of a linked module, and the shared variables that each function names.

use crate::definitions::Parts;
use crate::symbols::Symbol;
use ptx::ast::FunctionKind;
use ptx::flat::{Arg, Base};
use ptx::op::Op;
use std::collections::HashMap;

/// For each function of a linked module, the functions that it may call.
#[derive(Default)]
pub struct CallGraph {
    /// Direct callees of each function.
    callees: Vec<Vec<usize>>,
    calls_indirectly: Vec<bool>,
    /// Functions whose address is taken.
    targets: Vec<usize>,
    /// The shared variables that each function names.
    pub(crate) shared: Vec<Vec<usize>>,
    kernels: Vec<usize>,
}

impl CallGraph {
    pub(crate) fn new(parts: &Parts<'_>) -> CallGraph {
        let mut by_name: HashMap<(usize, &str), usize> = HashMap::new();
        let mut by_local: HashMap<(usize, &str, u32), usize> = HashMap::new();
        for (v, variable) in parts.shared.iter().enumerate() {
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
        for (f, function) in parts.functions.iter().enumerate() {
            let symbols = &parts.symbols[function.source];
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
        // Initial values may contain addresses of functions (tables of functions).
        for placed in &parts.placed {
            if let Some(init) = &placed.decl.init {
                init_symbols(init, &mut |symbol| {
                    if let Some(Symbol::Function { index }) = parts.symbols[placed.source].get(symbol) {
                        graph.targets.push(*index as usize);
                    }
                });
            }
        }
        graph.targets.sort_unstable();
        graph.targets.dedup();
        graph
    }

    pub fn kernels(&self) -> impl Iterator<Item = usize> + '_ {
        self.kernels.iter().copied()
    }

    /// Returns whether a function may call itself, directly or not, or contains an indirect call.
    pub fn recurses(&self) -> bool {
        self.calls_indirectly.iter().any(|&indirect| indirect)
            || (0..self.callees.len())
                .any(|f| self.callees[f].iter().any(|&callee| self.reachable(callee).contains(&f)))
    }

    /// Returns the function and all functions that it may call.
    pub fn reachable(&self, from: usize) -> Vec<usize> {
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
