//! The names of a module and the entities that they denote.

use ptx::flat::VarId;
use std::collections::HashMap;
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// A variable in global or constant memory.
    Memory {
        address: u64,
    },
    /// A variable in shared memory at a fixed offset.
    Shared {
        offset: u32,
    },
    /// An `.extern .shared` variable, which lies behind the static part.
    DynamicShared,
    Function {
        index: u32,
    },
    /// A name that is declared but not defined.
    Undefined,
}

/// The names that one source sees: its own, then the visible ones of other sources.
#[derive(Debug, Default)]
pub struct Symbols {
    pub own: HashMap<String, Symbol>,
    pub visible: Rc<HashMap<String, Symbol>>,
    /// Variables declared inside functions.
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
