//! The virtual GPU.
//!
//! It runs PTX kernels a warp at a time, with independent thread scheduling, and reports their actions to an
//! [`events::Observer`]. Memory consists of ranges that the caller maps ([`memory::AddressSpace`]), programs
//! are loaded modules ([`module::Module`]), and a kernel launch is a [`grid::Grid`] that runs in portions
//! until it finishes, fails, or depends on other tasks.
//!
//! The crate knows neither the CUDA runtime nor streams nor the detector behind the observer.
//!
//! Lowering ([`lower`]) translates linked PTX to a compact program; [`exec`] runs warps as sets of diverged
//! groups. `exec::lap` proves that a loop's next turn repeats the last one, and `exec::grid` decides from that
//! whether the launch is in a deadlock: no group can run, and no loop waits for memory that another task can write.
//! Scheduling policies are in [`schedule`] (`schedule::named` makes a policy of a name), where a [`Plan`](names::schedule::Plan) names a run's schedule
//! and, for a finding under a further schedule, that schedule and its launch. `exec::whole` executes accesses
//! whose lanes are contiguous or at one address, `exec::scattered` words anywhere in one region, `exec::one`
//! accesses of a single lane, `exec::memory` all others. A sample of blocks represents a launch that is too
//! large (`sample`). Pure arithmetic with PTX's exact semantics is in [`num`], on whole rows in `alu`.
//!
//! # Invariants
//!
//! * Execution is deterministic for a seed and a schedule, whatever the number of workers. Several are used
//!   only for kernels whose blocks cannot communicate.
//! * No verdict depends on a wall clock. A waiting loop is proved to wait from one of its turns
//!   (`exec::lap`); the absence of other tasks that could end the wait is proved from where the host's
//!   threads sleep (`inject`'s executor).
//! * Convergence is an optimisation. No diverged group waits for another unless an instruction of the program
//!   requires it.
//!
//! # How to add an instruction
//!
//! 1. `ptx::op` gets a variant of `Op` with its PTX section; `ptx::decode` a line in its table of names and,
//!    in the file of its family, a function that reads its modifiers; a row in `crates/ptx/tests/decode.rs`.
//! 2. The compiler then reports the missing cases, one after the other: `ptx::decode::arity` (the number of
//!    operands), `kernels::effects` (definitions, accesses, ordering, control flow),
//!    `lower::pure::source_type` (the type of its immediates, or that it computes nothing), and the list in
//!    `simt/tests/heard.rs` of the events that it emits.
//! 3. Its meaning: pure arithmetic is a line in `num::eval`, which lowering uses whenever no faster function
//!    exists; a fast version is a row function in `alu` and a line in `lower::select`. Instructions that
//!    access memory or wait are lowered in `lower::{memory, sync}` and executed in `exec`. Instructions that
//!    transfer control are lowered in `lower::body` and added to `ptx::cfg`.
//! 4. A form in `tests/ptx`, with results of a real GPU. The prover treats an instruction that it does not
//!    know as *unknown*, and instrumentation leaves it unchanged: both are sound until they are extended.

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
pub mod nested;
pub mod num;
mod program;
pub mod running;
mod sample;
pub mod schedule;
pub mod surface;
mod tensor;
pub mod texture;
mod workspace;

// The arguments and results of [`Module::load`].
pub use kernels::{GlobalVariable, Kernel, LoadError, ParamLayout, Source, VariableInfo, VariableSpace};

// The schedule of [`launch::Options`].
pub use names::Schedule;

pub use failure::{Failure, FailureKind, LaunchError, Waiting, WaitingFor};
pub use grid::Grid;
pub use heap::DeviceHeap;
pub use launch::{Host, Launch, Options, Progress, Stall, Stats};
pub use memory::{AddressSpace, DeviceMask, Fault, Region};
pub use module::{Module, Resources};
pub use nested::{Child, Nesting};
pub use running::RunningGrid;
pub use weak::{Kind, Outcome, Stronger, ThreadId};
pub use workspace::WORKSPACES;
