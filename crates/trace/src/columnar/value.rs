//! The values of a table, in any format.

/// One value of a row; `None` in the optional kinds is null.
pub(super) enum Value<'a> {
    Int(Option<i32>),
    Long(Option<i64>),
    Text(&'a str),
}

#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "CSV has no types"))]
pub(super) enum Kind {
    Int,
    Long,
    Text,
}
