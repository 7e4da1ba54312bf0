//! Programs with asynchronous operations, and the races of their runs.
//!
//! The rules follow the instructions' descriptions in PTX ISA (§8.9.1.1, §9.7.9.26, §9.7.14.16, §9.7.16) and
//! docs/assumptions.md (11b, 12, 12c, 25b), not any detector:
//!
//! * An asynchronous operation begins behind its instruction and ends before whatever observes its completion. It
//!   is part of no program order.
//! * A wait for a group is behind the operations of the thread's groups; one for reads is behind their reads.
//! * A phase of an mbarrier object contains arrivals and completed operations. A wait observes those of its phase
//!   and of earlier ones.
//! * Memory that the generic proxy has accessed is accessed through the async proxy behind a proxy fence. The
//!   completion of an operation of the async proxy is such a fence.
//!
//! [`program`] has the instructions, [`mod@run`] executes a program in a random order, [`order`] computes what
//! happens before what in a run and which accesses race, [`told`] emits the run's [`events`], and [`random`] draws
//! programs.

pub mod accesses;
pub mod order;
pub mod program;
pub mod random;
pub mod run;
pub mod told;

pub use order::races;
pub use program::{Object, Op, Program, Range, Thread};
pub use run::{Run, run};
