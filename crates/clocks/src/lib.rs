//! Hierarchical vector clocks and epochs.
//!
//! A GPU has too many threads for one counter each in every clock, but threads synchronise in groups: a
//! barrier orders a thread after its whole block, a warp synchronisation after its warp, an acquired flag
//! after one thread and that thread's past. A [`Clock`] therefore maps blocks to [`BlockClock`]s, and a
//! `BlockClock` is one tick for all threads, overridden upwards for single warps and single threads.
//!
//! * [`block`]: the vector clock of one block.
//! * [`clock`]: the vector clock of a launch; copy-on-write joins.
//! * [`fences`]: `fence.sc` operations whose order is still open, which clocks carry.
//! * [`compressed`]: the clocks of the GWCP paper.
//! * `tree`: the sparse array of blocks that both kinds of clock use.
//! * `version`: numbers by which an array knows those that it has grown from.

pub mod block;
pub mod clock;
pub mod compressed;
mod seen;
mod tree;
mod version;

pub use block::BlockClock;
pub use clock::{Clock, Shared, fences};

/// A point in a block's logical time. Every block counts its own ticks; tick 0 precedes every event.
pub type Tick = u32;
