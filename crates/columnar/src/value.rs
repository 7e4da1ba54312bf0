//! The values of a table, in any format.

/// One value of a row; `None` in the optional kinds is null.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    Int(Option<i32>),
    Long(Option<i64>),
    Text(&'a str),
}

/// The type of a column: 32 or 64 bits, or text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Int,
    Long,
    Text,
}
