//! The parts that the lenses of the papers share.
//!
//! A [`Lens`] is a detector that sees the events of all blocks in one order, as
//! the papers' detectors do; [`Serial`] makes it an [`events::Monitor`]. Such
//! lenses watch one launch at a time: launches that overlap get separate state,
//! and races between kernels, copies and the host are left to the `ptx` lens.
//!
//! * [`serial`]: the trait and its monitor.
//! * [`witness`]: who made an access, kept beside each detector's own metadata
//!   so that a finding can show both sides.
//! * [`pairs`]: findings, one for each pair of sites.
//! * [`acquit`]: why what others report is no race to a lens.
//! * [`shard`]: memory divided among workers.
//! * [`pages`]: sparse arrays over addresses.
//! * [`slab`]: their memory, used again.
//! * [`elements`]: a warp's access taken apart.
//! * [`operation`], [`granularity`]: what an access, a scope and a unit of memory are to `scord` and `iguard`.
//! * [`launches`]: the state of running launches.
//! * [`naming`]: from rules to the design's names.

pub mod acquit;
pub mod elements;
pub mod granularity;
pub mod launches;
pub mod naming;
pub mod operation;
pub mod pages;
pub mod pairs;
#[cfg(test)]
pub(crate) mod patterns;
#[cfg(test)]
#[allow(dead_code, reason = "a vocabulary; each lens's tests use a part of it")]
pub(crate) mod script;
pub mod serial;
pub mod shard;
pub mod slab;
#[cfg(test)]
mod toy;
pub mod witness;

pub use serial::{Lens, Overlooks, Serial, SerialObserver};
pub use shard::Shard;
