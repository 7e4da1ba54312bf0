//! Hierarchical vector clocks and epochs.
//!
//! A GPU has too many threads for one counter each in every clock, but threads
//! learn of each other in groups: a barrier tells a thread of its whole block, a
//! warp synchronisation of its warp, a flag of one thread and what that one knew. A
//! [`Clock`] therefore maps blocks to [`BlockClock`]s, and a `BlockClock` is one tick
//! for all threads, overridden upwards for single warps and single threads.
//!
//! * [`block`]: what is known of one block.
//! * [`clock`]: what is known of all blocks; copy-on-write joins.
//! * [`fences`]: `fence.sc` operations whose order is still open, which clocks carry.
//! * [`compressed`]: the clocks of the GWCP paper.
//! * `tree`: what both keep their blocks in.

pub mod block;
pub mod clock;
pub mod compressed;
mod seen;
mod tree;

pub use block::BlockClock;
pub use clock::{Clock, Shared, fences};

/// A point in a block's time. Every block counts its own; 0 is before anything.
pub type Tick = u32;
