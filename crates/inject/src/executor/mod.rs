//! Runs submitted work: kernels, copies, memsets, host functions, event marks.
//!
//! [`queue`] knows which operation may run; [`thread`] is the engine thread that has the
//! back end run them in submission order; [`outside`] tells whether anybody but a kernel can still help it.

pub(crate) mod callback;
mod outside;
pub(crate) mod queue;
pub(crate) mod thread;
