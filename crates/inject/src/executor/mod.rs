//! Runs submitted work: kernels, copies, memsets, host functions, event marks.
//!
//! [`queue`] knows which operation may run; [`thread`] is the engine thread that runs
//! them in submission order; [`copy`] and [`kernel`] do the work; [`explore`] runs kernels
//! under other schedules first; [`progress`] tells people what takes long.

pub(crate) mod callback;
pub(crate) mod copy;
pub(crate) mod explore;
pub(crate) mod kernel;
mod outside;
mod progress;
pub(crate) mod queue;
pub(crate) mod thread;
