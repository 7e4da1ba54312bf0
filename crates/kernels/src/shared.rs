//! Offsets of variables in shared memory.
//!
//! A variable has one offset in all kernels, so that kernels can share device functions; variables that no
//! kernel uses together may overlap.

use crate::definitions::Parts;
use crate::graph::CallGraph;
use crate::symbols::Symbol;

/// A variable in a kernel's shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedShared {
    /// The name, as in PTX.
    pub name: String,
    pub offset: u32,
    /// The size; `None` for `extern __shared__`, whose size the launch determines.
    pub bytes: Option<u32>,
}

/// For each function (only kernels matter): bytes of static shared memory, the alignment of the dynamic part,
/// and the variables.
pub(crate) struct Layout {
    pub(crate) bytes: Vec<u32>,
    pub(crate) dynamic_align: Vec<u32>,
    pub(crate) variables: Vec<Vec<NamedShared>>,
}

pub(crate) fn lay_out(parts: &mut Parts<'_>, graph: &CallGraph) -> Layout {
    let n = parts.functions.len();
    let mut layout = Layout { bytes: vec![0; n], dynamic_align: vec![16; n], variables: vec![Vec::new(); n] };
    let mut dynamic: Vec<(usize, String)> = Vec::new();
    // The kernels that use each variable.
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); parts.shared.len()];
    for kernel in graph.kernels() {
        for function in graph.reachable(kernel) {
            for &variable in &graph.shared[function] {
                if users[variable].last() != Some(&kernel) {
                    users[variable].push(kernel);
                }
            }
        }
    }
    for (v, kernels) in users.iter().enumerate() {
        let variable = &parts.shared[v];
        let symbol = if variable.dynamic {
            for &k in kernels {
                layout.dynamic_align[k] = layout.dynamic_align[k].max(variable.align);
                dynamic.push((k, variable.name.clone()));
            }
            Symbol::DynamicShared
        } else {
            let start = kernels.iter().map(|&k| layout.bytes[k]).max().unwrap_or(0);
            let offset = start.next_multiple_of(variable.align);
            for &k in kernels {
                layout.bytes[k] = offset.saturating_add(variable.size);
                let (name, bytes) = (variable.name.clone(), Some(variable.size));
                layout.variables[k].push(NamedShared { name, offset, bytes });
            }
            Symbol::Shared { offset }
        };
        let (source, name, local) = (variable.source, variable.name.clone(), variable.local.clone());
        match local {
            Some(key) => parts.symbols[source].locals.insert(key, symbol),
            None => parts.symbols[source].own.insert(name, symbol),
        };
    }
    for (k, name) in dynamic {
        let offset = layout.bytes[k].next_multiple_of(layout.dynamic_align[k]);
        layout.variables[k].push(NamedShared { name, offset, bytes: None });
    }
    layout
}
