//! Functions and variables of all sources, and their names.

use crate::LoadError;
use crate::device_runtime;
use crate::source::{GlobalVariable, VariableInfo, VariableSpace};
use crate::symbols::{Symbol, Symbols};
use ptx::ast::{FunctionKind, Linkage, Space, VarAttribute, Variable};
use ptx::flat::{Flat, VarRole, flatten};
use std::collections::HashMap;

/// A function with a body.
pub struct Function<'a> {
    /// The index of the source that defines it.
    pub source: usize,
    pub flat: Flat<'a>,
}

/// A variable in shared memory whose offset is not yet assigned.
pub(crate) struct SharedVariable {
    pub source: usize,
    /// The declaring function's name and the variable's id in it, for a function-local variable.
    pub local: Option<(String, u32)>,
    pub name: String,
    pub size: u32,
    pub align: u32,
    pub dynamic: bool,
}

/// A variable in global memory with its initial value.
pub struct Placed<'a> {
    pub source: usize,
    pub decl: &'a Variable,
    pub address: u64,
    pub bytes: u64,
}

/// The functions and variables of all sources, collected before the layout of shared memory.
pub(crate) struct Parts<'a> {
    pub(crate) functions: Vec<Function<'a>>,
    pub(crate) shared: Vec<SharedVariable>,
    pub(crate) placed: Vec<Placed<'a>>,
    /// The symbols of each source.
    pub(crate) symbols: Vec<Symbols>,
    pub(crate) variables: HashMap<String, VariableInfo>,
}

impl<'a> Parts<'a> {
    fn define(
        &mut self,
        source: usize,
        name: &str,
        linkage: Linkage,
        symbol: Symbol,
        visible: &mut HashMap<String, Symbol>,
    ) {
        self.symbols[source].own.insert(name.to_owned(), symbol.clone());
        if matches!(linkage, Linkage::Visible | Linkage::Weak | Linkage::Common) {
            visible.entry(name.to_owned()).or_insert(symbol);
        }
    }

    pub(crate) fn variable(
        &mut self,
        source: usize,
        decl: &'a Variable,
        visible: &mut HashMap<String, Symbol>,
        place: &mut dyn FnMut(&GlobalVariable<'_>) -> Result<u64, LoadError>,
    ) -> Result<(), LoadError> {
        let name = decl.name.text.as_str();
        match decl.space {
            Space::Shared => {
                self.shared(source, decl, None);
                Ok(())
            }
            Space::Global | Space::Const => {
                if decl.linkage == Linkage::Extern {
                    self.symbols[source].own.entry(name.to_owned()).or_insert(Symbol::Undefined);
                    return Ok(());
                }
                if matches!(decl.linkage, Linkage::Weak | Linkage::Common)
                    && let Some(symbol) = visible.get(name).cloned()
                {
                    self.symbols[source].own.insert(name.to_owned(), symbol);
                    return Ok(());
                }
                let address = self.place(source, decl, place)?;
                self.define(source, name, decl.linkage, Symbol::Memory { address }, visible);
                Ok(())
            }
            // Module-scope textures and samplers; only unsupported instructions can use them.
            _ => Ok(()),
        }
    }

    fn place(
        &mut self,
        source: usize,
        decl: &'a Variable,
        place: &mut dyn FnMut(&GlobalVariable<'_>) -> Result<u64, LoadError>,
    ) -> Result<u64, LoadError> {
        let name = decl.name.text.as_str();
        let storage = |why: &str| LoadError::Storage { name: name.to_owned(), why: why.to_owned() };
        let bytes = size(decl).ok_or_else(|| storage("its size overflows"))?.max(1);
        let space = match decl.space {
            Space::Const => VariableSpace::Const,
            _ if decl.attributes.iter().any(|a| matches!(a, VarAttribute::Managed)) => VariableSpace::Managed,
            _ => VariableSpace::Global,
        };
        let align = u64::from(decl.alignment());
        let address = place(&GlobalVariable { name, space, bytes, align })?;
        self.placed.push(Placed { source, decl, address, bytes });
        self.variables.entry(name.to_owned()).or_insert(VariableInfo { address, bytes, space });
        Ok(address)
    }

    fn shared(&mut self, source: usize, decl: &Variable, local: Option<(String, u32)>) {
        let size = decl.size().unwrap_or(u64::MAX).min(1 << 30) as u32;
        let dynamic = decl.linkage == Linkage::Extern && size == 0;
        self.shared.push(SharedVariable {
            source,
            local,
            name: decl.name.text.to_string(),
            size,
            align: decl.alignment().clamp(1, 1 << 16).next_power_of_two(),
            dynamic,
        });
    }

    pub(crate) fn function(
        &mut self,
        source: usize,
        function: &'a ptx::ast::Function,
        visible: &mut HashMap<String, Symbol>,
        place: &mut dyn FnMut(&GlobalVariable<'_>) -> Result<u64, LoadError>,
    ) -> Result<(), LoadError> {
        let name = function.name.text.as_str();
        if function.body.is_none() || device_runtime::moves(name) {
            self.symbols[source].own.entry(name.to_owned()).or_insert(Symbol::Undefined);
            return Ok(());
        }
        let shared_name = function.linkage != Linkage::None || function.kind == FunctionKind::Entry;
        if shared_name && let Some(symbol) = visible.get(name).cloned() {
            // Another source already defines the same template instance or inline function.
            self.symbols[source].own.insert(name.to_owned(), symbol);
            return Ok(());
        }
        let flat = flatten(function);
        if let Some(error) = flat.errors.first() {
            return Err(LoadError::Syntax(format!("in `{name}`: {}", error.message)));
        }
        for (id, variable) in flat.variables.iter().enumerate() {
            let local = (name.to_owned(), id as u32);
            match variable.role {
                VarRole::Shared => self.shared(source, variable.decl, Some(local)),
                VarRole::Static => {
                    let address = self.place(source, variable.decl, place)?;
                    self.symbols[source].locals.insert(local, Symbol::Memory { address });
                }
                _ => {}
            }
        }
        let index = self.functions.len() as u32;
        self.functions.push(Function { source, flat });
        let linkage = if shared_name { Linkage::Visible } else { Linkage::None };
        self.define(source, name, linkage, Symbol::Function { index }, visible);
        Ok(())
    }
}

/// Returns `Variable::size`, except that the initial value determines the size of `[]`.
fn size(decl: &Variable) -> Option<u64> {
    let size = decl.size()?;
    if size == 0
        && let Some(ptx::ast::Init::List(items)) = &decl.init
    {
        let element = u64::from(decl.ty.bytes()) * u64::from(decl.vector);
        let rest = decl.dims.iter().skip(1).try_fold(element, |s, d| s.checked_mul(d.unwrap_or(0)))?;
        return rest.checked_mul(items.len() as u64);
    }
    Some(size)
}
