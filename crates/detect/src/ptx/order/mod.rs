//! Happens-before: which earlier accesses a thread knows.
//!
//! [`knowledge`] holds what the threads of a block know. [`barriers`], [`fence`], [`release`], [`pending`], [`mbarrier`] and
//! [`async_ops`] extend it. [`sc_fences`] holds the order of `fence.sc` operations, and [`cluster`] decides whether a peer's
//! shared memory still exists at an access.

pub(super) mod async_ops;
pub(super) mod barriers;
pub(super) mod clock_keys;
pub(super) mod cluster;
pub(super) mod context;
pub(super) mod fence;
pub(super) mod knowledge;
pub(super) mod mbarrier;
pub(super) mod pending;
pub(super) mod release;
pub(super) mod sc_fences;
pub(super) mod tensor;
