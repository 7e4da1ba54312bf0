//! The virtual GPU.
//!
//! Runs PTX kernels a warp at a time, with independent thread scheduling, and
//! tells an [`events::Observer`] what they did. It knows memory as ranges that
//! its caller maps ([`memory::AddressSpace`]), programs as loaded modules
//! ([`module::Module`]), and a kernel launch as a [`grid::Grid`] that is run
//! in portions until it finishes, fails, or can only be helped from outside.
//!
//! It does not know the CUDA runtime, streams, or which detector listens.

mod alu;
mod builtin;
pub mod conditional;
mod configuration;
mod exec;
pub mod failure;
mod filter;
mod fuel;
pub mod grid;
pub mod heap;
pub mod launch;
mod lower;
pub mod memory;
pub mod module;
pub mod num;
mod program;
pub mod schedule;
pub mod surface;
pub mod texture;
mod workspace;

// What [`Module::load`] takes and gives.
pub use kernels::{GlobalVariable, Kernel, LoadError, ParamLayout, Source, VariableInfo, VariableSpace};

pub use failure::{Failure, FailureKind, LaunchError, Waiting, WaitingFor};
pub use grid::Grid;
pub use heap::DeviceHeap;
pub use launch::{Host, Launch, Options, Progress, Stall, Stats};
pub use memory::{AddressSpace, DeviceMask, Fault, Region};
pub use module::{Module, Resources};
pub use schedule::Schedule;
