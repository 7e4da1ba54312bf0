//! From PTX trees to a [`Program`]: linking, storage, then each function.
//!
//! The passes, in order: collect the functions and variables of all sources;
//! place variables; find who calls whom; lay out shared memory; write initial
//! values; lower bodies; describe kernels.

mod blocks;
mod body;
mod builder;
mod frame;
mod image;
mod initial;
mod kernels;
mod link;
mod memory;
mod registers;
mod select;
#[cfg(test)]
mod select_test;
mod shared;
mod sites;
mod symbols;
mod sync;
mod uses;

use crate::failure::LoadError;
use crate::memory::AddressSpace;
use crate::module::{GlobalVariable, Kernel, Source, VariableInfo};
use crate::program::Program;
use events::SiteTable;
use std::collections::HashMap;

pub(crate) struct Loaded {
    pub program: Program,
    pub kernels: Vec<Kernel>,
    /// By kernel: its function.
    pub entries: Vec<u32>,
    pub variables: HashMap<String, VariableInfo>,
}

pub(crate) fn load(
    sources: &[Source<'_>],
    table: &mut SiteTable,
    memory: &AddressSpace,
    place: &mut dyn FnMut(&GlobalVariable<'_>) -> Result<u64, LoadError>,
) -> Result<Loaded, LoadError> {
    let mut linked = link::link(sources, place)?;
    let graph = kernels::CallGraph::new(&linked);
    let layout = shared::lay_out(&mut linked, &graph)?;
    initial::write(&linked, memory)?;

    let mut builder = builder::Builder::default();
    let tables: Vec<ptx::lines::LineTable<'_>> =
        sources.iter().map(|s| ptx::lines::LineTable::new(s.tree)).collect();
    let indices: Vec<_> = sources.iter().map(|s| ptx::position::LineIndex::new(s.text)).collect();
    for function in &linked.functions {
        let source = function.source;
        let mut sites = sites::Sites {
            table,
            text: sources[source].text,
            index: &indices[source],
            lines: ptx::lines::FunctionLines::new(&tables[source], &function.flat),
        };
        let info = body::lower_function(&function.flat, &mut builder, &linked.symbols[source], &mut sites);
        builder.program.functions.push(info);
    }
    let (kernels, entries) = kernels::describe(&linked, &graph, &layout, &builder.program);
    Ok(Loaded { program: builder.program, kernels, entries, variables: linked.variables })
}
