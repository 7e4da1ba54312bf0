//! The contents of `tests/ptx`: forms, their inputs and their recorded results.
//!
//! The replay test shares this module with `examples/ptx_forms`, which writes the files.

pub(crate) mod check;
pub(crate) mod factors;
pub(crate) mod form;
pub(crate) mod inputs;
pub(crate) mod results;
pub(crate) mod sparse;
