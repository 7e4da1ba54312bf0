//! What one execution of a launch says about all its executions.
//!
//! * [`deciding`]: whether accesses depend on the order of threads, and which memory decides about them.
//! * [`barrier_order`] and [`barrier_phases`]: whether other orders of threads have the same barriers.
//! * [`relevance`]: the instructions that matter for a race; [`prefix`]: what happens before anything unknown matters.
//! * [`initial_reads`] and [`reads_from`]: which loads read memory from before the launch, and which read which store.

pub mod barrier_order;
mod barrier_phases;
pub mod deciding;
pub(crate) mod initial_reads;
pub(crate) mod prefix;
pub(crate) mod reads_from;
pub(crate) mod relevance;
