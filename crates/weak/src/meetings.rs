//! The state of barriers, of mbarrier objects, of asynchronous copies and of the Fence-SC order.

use crate::known::Known;
use crate::message::Message;
use crate::thread::ThreadId;
use clocks::Shared;
use events::{AsyncOpId, BarrierId, BlockId, Space};
use rustc_hash::FxHashMap;

/// The barriers and the Fence-SC order.
#[derive(Debug, Default)]
pub(crate) struct Meetings {
    /// The generations that are not complete, by barrier and block.
    pub barriers: FxHashMap<(BarrierId, BlockId), Generation>,
    /// The arrivals of completed generations of cluster barriers.
    pub clusters: Published,
    /// The `fence.sc` operations of each block so far.
    pub block_fences: FxHashMap<u32, Known>,
    /// Those whose scope reaches the launch.
    pub launch_fences: Known,
    pub mbarriers: Mbarriers,
    pub copies: Copies,
    /// The release fences of all threads so far.
    pub released: Message,
}

/// The clocks that threads publish where they meet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Published {
    pub known: Known,
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

/// The number of phases of an object that are kept.
const PHASES: u64 = 4;

pub(crate) type Object = (Space, u64);

/// What the operations of each phase of each object have published.
#[derive(Debug, Default)]
pub(crate) struct Mbarriers(FxHashMap<Object, FxHashMap<u64, Phase>>);

#[derive(Debug, Default)]
pub(crate) struct Phase {
    pub message: Message,
    pub past: Shared,
}

impl Mbarriers {
    pub(crate) fn forget(&mut self, object: Object) {
        self.0.remove(&object);
    }

    pub(crate) fn phase(&mut self, object: Object, phase: u64) -> &mut Phase {
        let phases = self.0.entry(object).or_default();
        if !phases.contains_key(&phase) {
            phases.retain(|&old, _| old + PHASES > phase);
        }
        phases.entry(phase).or_default()
    }
}

/// The copies that have begun.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    pub running: FxHashMap<AsyncOpId, Copy>,
    /// The number of copies that each thread has begun.
    pub begun: FxHashMap<ThreadId, u32>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Copy {
    pub thread: ThreadId,
    pub proxy: events::Proxy,
}
