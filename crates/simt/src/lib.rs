//! The virtual GPU.
//!
//! Runs PTX kernels a warp at a time, with independent thread scheduling, and
//! tells an [`events::Observer`] what they did. It knows memory as ranges that
//! its caller maps ([`memory::AddressSpace`]), programs as loaded modules
//! ([`module::Module`]), and a kernel launch as a [`grid::Grid`] that is run
//! in portions until it finishes, fails, or can only be helped from outside.
//!
//! It does not know the CUDA runtime, streams, or which detector listens.
//!
//! Lowering ([`lower`]) makes a compact program of linked PTX; [`exec`] runs warps as sets of diverged groups; policies are
//! in [`schedule`], where a [`Plan`](schedule::Plan) names a run's schedule, and the launch and schedule of a finding that
//! was made under another one. `exec::whole` takes accesses whose lanes lie side by side or at one address, `exec::scattered` words
//! anywhere in one region, `exec::one` accesses of a single lane, `exec::memory` all others. Of a launch that is too large a sample of blocks runs
//! (`sample`). Pure arithmetic with PTX's exact semantics is in [`num`], row by row in `alu`.
//!
//! # Invariants
//!
//! * Execution is deterministic for a seed and a schedule, whatever the number of workers. Several are used only for kernels
//!   whose blocks cannot communicate.
//! * No verdict depends on a wall clock. That a loop waits is proved from one turn of it (`exec::lap`), that nobody outside
//!   can help from where the host's threads sleep (`inject`'s executor).
//! * Convergence is an optimisation. No diverged group waits for another unless an instruction of the program says so.
//!
//! # How to add an instruction
//!
//! 1. `ptx::op` gets a variant of `Op` with its PTX section; `ptx::decode` a line in its table of names and, in the file of
//!    its family, a function that reads its modifiers; a row in `crates/ptx/tests/decode.rs`.
//! 2. The compiler names who has to decide, one after the other: `ptx::decode::arity` (how many operands), `kernels::effects`
//!    (what it defines, touches, orders, and where it leads), `lower::pure::source_type` (the type of its immediates, or that it
//!    computes nothing), and the list in `simt/tests/heard.rs` of what detectors hear of it.
//! 3. Its meaning: pure arithmetic is a line in `num::eval`, which lowering takes for whatever it has no faster function for; if
//!    it is to be fast, a row function in `alu` and a line in `lower::select`. What touches memory or waits is lowered in
//!    `lower::{memory, sync}` and executed in `exec`. What leads elsewhere than to the next instruction is lowered in
//!    `lower::body`, and `ptx::cfg` learns of it.
//! 4. A form in `tests/ptx`, with results of a real GPU. The prover takes what it does not know as *unknown*, and
//!    instrumentation leaves it as it is: both are right before they are better.

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
mod sample;
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
pub use workspace::WORKSPACES;
