//! Names of a module and what they stand for.

use ptx::flat::VarId;
use std::collections::HashMap;
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// Global or constant memory.
    Memory {
        address: u64,
    },
    /// Shared memory at a fixed offset.
    Shared {
        offset: u32,
    },
    /// `.extern .shared`: behind the static part.
    DynamicShared,
    Function {
        index: u32,
    },
    /// Declared only.
    Undefined,
}

/// The names that one source sees: its own, then those other sources make visible.
#[derive(Debug, Default)]
pub struct Symbols {
    pub own: HashMap<String, Symbol>,
    pub visible: Rc<HashMap<String, Symbol>>,
    /// Variables inside functions.
    pub locals: HashMap<(String, u32), Symbol>,
}

impl Symbols {
    pub fn get(&self, name: &str) -> Option<&Symbol> {
        match self.own.get(name) {
            None | Some(Symbol::Undefined) => self.visible.get(name),
            found => found,
        }
    }

    pub fn get_local(&self, function: &str, id: VarId) -> Option<&Symbol> {
        self.locals.get(&(function.to_owned(), id.0))
    }
}
