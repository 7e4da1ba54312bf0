//! Resolves the names of all sources and joins the sources into one module.

use crate::LoadError;
use crate::definitions::{Function, Parts, Placed};
use crate::graph::CallGraph;
use crate::kernel::{self, Kernel};
use crate::shared;
use crate::source::{GlobalVariable, Source, VariableInfo};
use crate::symbols::{Symbol, Symbols};
use ptx::ast::Item;
use std::collections::HashMap;
use std::rc::Rc;

/// Several PTX texts as one module.
pub struct Linked<'a> {
    pub functions: Vec<Function<'a>>,
    /// Variables in global and constant memory with their initial values.
    pub placed: Vec<Placed<'a>>,
    /// The symbols of each source.
    pub symbols: Vec<Symbols>,
    pub variables: HashMap<String, VariableInfo>,
    pub graph: CallGraph,
    /// The kernels in order of definition.
    pub kernels: Vec<Kernel>,
}

/// Joins sources into one module.
///
/// `place` provides storage for each `.global`, `.const` and managed variable and returns its device address.
/// Fails on 32-bit addresses, undeclared names and missing storage.
pub fn link<'a>(
    sources: &[Source<'a>],
    place: &mut dyn FnMut(&GlobalVariable<'_>) -> Result<u64, LoadError>,
) -> Result<Linked<'a>, LoadError> {
    let mut parts = Parts {
        functions: Vec::new(),
        shared: Vec::new(),
        placed: Vec::new(),
        symbols: sources.iter().map(|_| Symbols::default()).collect(),
        variables: HashMap::new(),
    };
    let mut visible: HashMap<String, Symbol> = HashMap::new();
    for (source, s) in sources.iter().enumerate() {
        if s.tree.address_size == 32 && s.tree.items.iter().any(|i| matches!(i, Item::Function(_))) {
            return Err(LoadError::Invalid(format!("{}: 32-bit addresses are not supported", s.name)));
        }
        for item in &s.tree.items {
            match item {
                Item::Variable(variable) => parts.variable(source, variable, &mut visible, place)?,
                Item::Function(function) => {
                    parts.function(source, function, &mut visible, place)?;
                }
                _ => {}
            }
        }
    }
    // Aliases come after all definitions that they may name.
    for (source, s) in sources.iter().enumerate() {
        for item in &s.tree.items {
            if let Item::Alias(alias, target) = item {
                let symbols = &mut parts.symbols[source];
                if let Some(symbol) = symbols.own.get(target.text.as_str()).cloned() {
                    symbols.own.insert(alias.text.to_string(), symbol.clone());
                    visible.entry(alias.text.to_string()).or_insert(symbol);
                }
            }
        }
    }
    let visible = Rc::new(visible);
    for symbols in &mut parts.symbols {
        symbols.visible = Rc::clone(&visible);
    }
    let graph = CallGraph::new(&parts);
    let layout = shared::lay_out(&mut parts, &graph);
    let kernels = kernel::describe(sources, &parts, &graph, &layout);
    let Parts { functions, placed, symbols, variables, .. } = parts;
    Ok(Linked { functions, placed, symbols, variables, graph, kernels })
}
