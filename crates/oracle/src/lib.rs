//! A bounded axiomatic checker of the PTX memory consistency model.
//!
//! Written from the definitions of PTX ISA chapter 8, not from any detector: it
//! enumerates every candidate execution of a small litmus program (which write
//! each read observes, the order of `fence.sc` operations, coherence), keeps those
//! that satisfy the axioms of §8.10, and asks of each whether two operations are in
//! a data race (§8.7.1).
//!
//! What it models: scopes, weak and strong reads and writes, read-modify-writes,
//! fences of all kinds, barriers (of blocks, with names, of warps, of a cluster), mbarrier objects of one phase, guards
//! on values read. What it does not: proxies, mixed sizes.
//!
//! [`observed`] asks the same of the one execution that an interleaving is.
//!
//! [`interleave`] runs the same programs one interleaving at a time and emits
//! [`events`], so that an operational detector can be compared.

pub mod execution;
pub mod interleave;
pub mod model;
pub mod named;
pub mod observed;
pub mod program;
pub mod random;
pub mod relation;

pub use model::{Race, Verdict, check};
pub use program::{Instruction, Place, Program, Thread};
