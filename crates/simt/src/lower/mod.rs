//! Lowers PTX trees to a [`Program`].
//!
//! The passes, in order: link the sources ([`kernels::link`]); write initial values; lower bodies; sum up the
//! resources of each kernel.

mod body;
mod builder;
mod call;
mod copies;
mod frame;
mod image;
mod initial;
mod launch_control;
mod memory;
mod mma;
mod moves;
mod products;
mod pure;
mod registers;
mod select;
mod sync;
mod tcgen05;
mod tensor;
mod warpgroup;

use crate::memory::AddressSpace;
use crate::program::Program;
use events::SiteTable;
use kernels::sites::Sites;
use kernels::{GlobalVariable, Kernel, Linked, LoadError, Source, VariableInfo};
use std::collections::HashMap;

/// The resources of a kernel's threads, as this engine lowers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Bytes of local memory per thread, without recursion.
    pub local_bytes: u32,
    /// An estimate of the 32-bit registers per thread.
    pub registers: u32,
}

pub(crate) struct Loaded {
    pub program: Program,
    pub kernels: Vec<Kernel>,
    /// The resources of each kernel.
    pub resources: Vec<Resources>,
    pub variables: HashMap<String, VariableInfo>,
}

pub(crate) fn load(
    sources: &[Source<'_>],
    table: &mut SiteTable,
    memory: &AddressSpace,
    place: &mut dyn FnMut(&GlobalVariable<'_>) -> Result<u64, LoadError>,
) -> Result<Loaded, LoadError> {
    let linked = kernels::link(sources, place)?;
    initial::write(&linked, memory)?;

    let mut builder = builder::Builder::default();
    let tables: Vec<ptx::lines::LineTable<'_>> =
        sources.iter().map(|s| ptx::lines::LineTable::new(s.tree)).collect();
    let indices: Vec<_> = sources.iter().map(|s| ptx::position::LineIndex::new(s.text)).collect();
    let sizes = linked.functions.iter().map(|f| {
        let lines = ptx::lines::FunctionLines::new(&tables[f.source], &f.flat);
        copies::size(&f.flat, &lines)
    });
    builder.copies = copies::Copies::new(sizes);
    let mut number = 0;
    while let Some((of, callers)) = builder.copies.get(number) {
        let function = &linked.functions[of];
        let source = function.source;
        let mut sites = Sites {
            table,
            text: sources[source].text,
            index: &indices[source],
            lines: ptx::lines::FunctionLines::new(&tables[source], &function.flat),
            ways: kernels::roles::ways(&function.flat),
            callers,
        };
        let info = body::lower_function(&function.flat, &mut builder, &linked.symbols[source], &mut sites);
        builder.program.functions.push(info);
        number += 1;
    }
    let resources = linked.kernels.iter().map(|k| resources(&linked, k, &builder.program)).collect();
    Ok(Loaded { program: builder.program, kernels: linked.kernels, resources, variables: linked.variables })
}

fn resources(linked: &Linked<'_>, kernel: &Kernel, program: &Program) -> Resources {
    let reachable = linked.graph.reachable(kernel.function);
    let functions = || reachable.iter().map(|&g| &program.functions[g]);
    Resources {
        // The sum over all functions is a sufficient bound, independent of the order of calls.
        local_bytes: functions().map(|f| f.frame_bytes).fold(0, u32::saturating_add),
        registers: functions()
            .map(|f| (f.bytes_32 / 128 + f.bytes_64 / 128).clamp(8, 255))
            .max()
            .unwrap_or(8),
    }
}
