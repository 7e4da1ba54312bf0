//! What `tests/ptx` is made of: forms, their inputs and their recorded results.
//!
//! Shared by the replay test and by `examples/ptx_forms`, which writes the files.

pub(crate) mod check;
pub(crate) mod form;
pub(crate) mod inputs;
pub(crate) mod results;
