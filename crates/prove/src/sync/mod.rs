//! What orders threads of a block, a warp, a cluster or a grid without regard to values in memory.
//!
//! * [`barriers`]: which accesses may happen between the same two barriers.
//! * [`named_barriers`]: which barriers instructions name, and of how many threads.
//! * [`split_barriers`]: barriers made of an arrival and a wait, at mbarriers and of clusters.
//! * [`pipeline`]: mbarriers by which producers and consumers take turns.
//! * [`async_copies`]: copies that a thread has begun and not yet waited for.
//! * [`bulk_copies`]: copies that complete at an mbarrier by their bytes.
//! * [`products`]: the registers of products of warpgroups.
//! * [`proxies`]: fences between generic accesses and those through the async proxy.
//! * [`wait_loops`]: loops that only wait for a phase.
//!
//! Order by values (flags, counters, locks) is in [`crate::pairs::order`].

pub mod async_copies;
pub mod barriers;
pub(crate) mod bulk_copies;
pub(crate) mod named_barriers;
pub(crate) mod pipeline;
pub(crate) mod products;
pub mod proxies;
pub(crate) mod split_barriers;
pub(crate) mod wait_loops;
