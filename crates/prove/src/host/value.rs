//! Values of the host code.

use std::collections::HashMap;

/// Where an address is from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Origin {
    /// A variable in the host's memory, by function and name.
    Local(usize, String),
    Global(String),
    /// Memory that a call has allocated: by the function's place in the chain, block and instruction.
    Allocation(usize, usize, usize),
    /// Anything else: the value, by function.
    Other(usize, String),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// With a sign, whatever it is used for.
    Int(i128),
    Float(f64),
    Address(Origin, i128),
}

impl Value {
    pub(super) fn int(&self) -> Option<i128> {
        match self {
            Value::Int(c) => Some(*c),
            _ => None,
        }
    }
}

/// What is given: values of a function (by its place in the chain).
pub(super) type Given<'a> = HashMap<(usize, &'a str), Value>;
