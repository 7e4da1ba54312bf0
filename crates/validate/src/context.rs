//! The facts about a module that every check of added code uses.

use crate::Declared;
use ptx::ast::Function;
use std::collections::{BTreeMap, HashSet};

/// The facts about a module.
pub(crate) struct Context<'c> {
    pub(crate) declared: &'c Declared,
    /// The functions that receive the address of their caller's buffer.
    pub(crate) extended: &'c HashSet<&'c str>,
    /// The bytes of the smallest buffer.
    pub(crate) buffer: u64,
    /// The added functions.
    pub(crate) shared: &'c BTreeMap<&'c str, &'c Function>,
}
