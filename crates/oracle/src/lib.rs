//! A bounded axiomatic checker of the PTX memory consistency model.
//!
//! The checker follows the definitions of PTX ISA chapter 8, not any detector. It enumerates every candidate
//! execution of a small litmus program (the write that each read observes, the order of `fence.sc`
//! operations, coherence), selects those that satisfy the axioms of §8.10, and finds the pairs of operations
//! in each that are a data race (§8.7.1).
//!
//! It models scopes, weak and strong reads and writes, read-modify-writes, fences of all kinds, barriers (of
//! blocks, with names, of warps, of a cluster), mbarrier objects of one phase, proxies and virtual aliases
//! ([`path`]), words and their halves ([`sizes`]), and guards on values read.
//!
//! [`outcomes`] collects the values that consistent executions read and leave, and [`litmus`] generates the
//! classic tests of a weak memory in all strengths, [`crossings`] those of proxies.
//!
//! [`observed`] finds the races of the one execution that an interleaving determines.
//!
//! [`pipeline`] does so for programs with asynchronous operations: their completion, proxies, groups and mbarrier
//! objects of several phases.
//!
//! [`interleave`] runs the same programs one interleaving at a time and emits [`events`], for comparison with
//! an operational detector; [`weakly`] runs them with another memory.

pub mod cells;
pub mod crossings;
pub mod execution;
pub mod interleave;
pub mod litmus;
pub mod model;
pub mod named;
pub mod observed;
pub mod outcomes;
pub mod path;
pub mod pipeline;
pub mod program;
mod proxies;
pub mod random;
pub mod relation;
pub mod sizes;
pub mod weakly;

pub use model::{Race, Verdict, check};
pub use path::Path;
pub use program::{Instruction, Place, Program, Thread};
