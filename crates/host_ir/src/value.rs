//! Values of the host code.

use std::collections::HashMap;

/// The origin of an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Origin {
    /// A variable in the host's memory, by function and name.
    Local(usize, String),
    Global(String),
    /// Memory that a call has allocated: the function's index in the call chain, the block and the
    /// instruction.
    Allocation(usize, usize, usize),
    /// An unknown origin: the value, by function.
    Other(usize, String),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A signed integer, whatever its use.
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

/// Given values, by the function's index in the call chain and the name of the value.
pub(super) type Given<'a> = HashMap<(usize, &'a str), Value>;

/// Parses a literal.
pub(super) fn constant(text: &str) -> Option<Value> {
    match text {
        "true" => return Some(Value::Int(1)),
        "false" | "null" => return Some(Value::Int(0)),
        _ => {}
    }
    if let Ok(c) = text.parse::<i128>() {
        return Some(Value::Int(c));
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok().map(|b| Value::Float(f64::from_bits(b)));
    }
    match text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        true => text.parse::<f64>().ok().map(Value::Float),
        false => None,
    }
}
