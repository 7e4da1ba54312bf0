//! Linked PTX modules and their static properties.
//!
//! All readers of kernels use this crate: the virtual GPU lowers linked modules, the library in the user's
//! process queries launch limits, `warprace inspect` the vocabulary of a function.
//!
//! * [`link`](fn@link) joins several PTX texts (`-rdc=true`) into one [`Linked`]: functions, variables and
//!   their storage, names, the call graph, and a [`Kernel`] for each entry point.
//! * [`effects()`] returns the effects of one instruction; [`registers`] which registers it reads and writes.
//! * [`device_runtime`]: the functions by which kernels launch kernels.
//! * [`libraries`] distinguishes a library's headers from the user's files.
//! * [`limits`]: the resources of a device, and how many blocks of a kernel they allow.
//! * [`blocks`] are a function's basic blocks in weak topological order.
//! * [`fixed_accesses`] finds kernels whose accesses depend on the launch alone.
//! * [`roles`] finds instructions that only some threads of a block execute.
//! * [`sites`] describes instructions for events and reports.
//! * [`tensor_map`]: the descriptors of tensor copies.

pub mod blocks;
mod definitions;
pub mod device_runtime;
pub mod effects;
mod error;
pub mod fixed_accesses;
mod graph;
mod kernel;
pub mod libraries;
pub mod limits;
mod link;
pub mod registers;
pub mod roles;
mod shared;
pub mod sites;
mod source;
mod symbols;
pub mod tensor_map;
mod uses;

pub use definitions::{Function, Placed};
pub use effects::{Effects, effects};
pub use error::LoadError;
pub use graph::CallGraph;
pub use kernel::{Kernel, ParamLayout};
pub use link::{Linked, link};
pub use shared::NamedShared;
pub use source::{GlobalVariable, Source, VariableInfo, VariableSpace};
pub use symbols::{Symbol, Symbols};
