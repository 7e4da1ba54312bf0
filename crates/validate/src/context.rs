//! The facts about a module that every check of added code uses.

use crate::Declared;
use ptx::ast::Function;
use std::collections::{BTreeMap, HashSet};

/// The facts about a module.
pub(crate) struct Context<'c> {
    pub(crate) declared: &'c Declared,
    pub(crate) extended: &'c Extended<'c>,
    /// The bytes of the smallest buffer.
    pub(crate) buffer: u64,
    /// The added functions.
    pub(crate) shared: &'c BTreeMap<&'c str, &'c Function>,
}

/// The functions that receive the address of their caller's buffer.
#[derive(Debug, Default)]
pub(crate) struct Extended<'c> {
    pub(crate) names: HashSet<&'c str>,
    /// Whether there are any, in this text or those that are linked to it: functions that are called by pointers are then
    /// among them.
    pub(crate) any: bool,
}
