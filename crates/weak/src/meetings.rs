//! The state of barriers and of the Fence-SC order.

use crate::message::Message;
use crate::thread::ThreadId;
use clocks::Shared;
use events::{BarrierId, BlockId};
use rustc_hash::FxHashMap;

/// The barriers and the Fence-SC order.
#[derive(Debug, Default)]
pub(crate) struct Meetings {
    /// The generations that are not complete, by barrier and block.
    pub barriers: FxHashMap<(BarrierId, BlockId), Generation>,
    /// The arrivals of completed generations of cluster barriers.
    pub clusters: Published,
    /// The `fence.sc` operations of each block so far.
    pub block_fences: FxHashMap<u32, Shared>,
    /// Those whose scope reaches the launch.
    pub launch_fences: Shared,
    /// The release fences of all threads so far.
    pub released: Message,
}

/// The clocks that threads publish where they meet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Published {
    pub known: Shared,
    pub past: Shared,
}

#[derive(Debug, Default)]
pub(crate) struct Generation {
    pub arrived: Published,
    pub waiting: Vec<ThreadId>,
}

impl Published {
    /// Adds what a thread published; a relaxed arrival orders no memory.
    pub(crate) fn join(&mut self, other: &Published, orders: bool) {
        if orders {
            self.known.join(&other.known);
        }
        self.past.join(&other.past);
    }
}
