//! The ways of an access, from the fastest to the exact one, and the state of one launch that they share.
//!
//! [`ladder`] has the order of the ways, their preconditions, and what each leaves to the next. [`sync`] has the events that order threads.

mod asynchronous;
mod begin;
pub(super) mod by_block;
mod cluster_memory;
mod coalesced;
mod copies;
mod deferring;
mod delayed_writes;
mod heap;
mod ladder;
mod lockstep;
mod mbarriers;
mod memory_bound;
pub(super) mod pager;
pub(super) mod prefetch;
mod race_free;
mod scattered;
pub(super) mod shape;
pub(super) mod shared_shadow;
mod single_thread;
pub(super) mod step;
mod sync;
mod tensor;

use crate::ptx::PtxOptions;
use crate::ptx::clues::Heard;
use crate::ptx::clues::barrier_sites::Meetings;
use crate::ptx::deferral::Spare;
use crate::ptx::history::words::packing::Kinds;
use crate::ptx::launch::Launch;
use crate::ptx::launch::ordering::Order;
use crate::ptx::order::barriers::Arrivals;
use crate::ptx::order::cluster::Clusters;
use crate::ptx::order::knowledge::BlockState;
use crate::ptx::order::mbarrier::Objects;
use crate::ptx::report::counts::Known;
use crate::ptx::report::uninitialised::Initial;
use crate::ptx::ways::by_block::ByBlock;
use crate::ptx::ways::prefetch::Ahead;
use crate::ptx::ways::shape::Runs;
use crate::ptx::ways::shared_shadow::SharedMemory;
use crate::shadow::Bias;
use clocks::compressed::Seen;
use copies::Flights;
use delayed_writes::Late;
use events::Dim3;
use events::task::SyncUse;
use lockstep::Lockstep;
use memory_bound::Bound;
use race_free::RaceFree;
use std::cell::RefCell;
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct LaunchState {
    pub(crate) launch: Arc<Launch>,
    volatile_strong: bool,
    equal_values_hazard: bool,
    check_sync: bool,
    /// Which shared memory has been written, if that is checked.
    initial: Option<Initial>,
    pub(crate) blocks: ByBlock<BlockState>,
    pub(crate) shared: SharedMemory,
    arrivals: Arrivals,
    meetings: Meetings,
    pub(crate) order: Order,
    /// Whether accesses of a block's shared memory race with those of their own barrier interval only, unless
    /// copies are under way.
    by_intervals: bool,
    objects: Objects,
    /// Accesses of blocks of a cluster to each other's shared memory.
    clusters: Clusters,
    lockstep: Lockstep,
    /// The clues of all observers of the launch: flags and locks that blocks see of each other.
    pub(crate) clues: Heard,
    flights: Flights,
    /// For splitting accesses, kept for its memory.
    pub(crate) runs: Runs,
    bound: Option<Bound>,
    /// Numbers of kinds that the launch has given.
    pub(crate) kinds: Kinds,
    pub(crate) known: RefCell<Known>,
    pub(crate) ahead: Ahead,
    /// This worker's bias on the lock of the launch's global shadow.
    pub(crate) bias: Bias,
    /// Deferred accesses are being judged: their clues are recorded already.
    told: bool,
    /// For accesses that are put off.
    spare: Spare,
    /// A scattered access that is judged with the next one.
    late: Late,
    /// Blocks that have ended.
    ended: u64,
    race_free: RaceFree,
    tensor: tensor::TensorMemory,
}

impl LaunchState {
    pub(crate) fn new(launch: Arc<Launch>, options: &PtxOptions) -> Self {
        let uses = launch.info.uses;
        let simple = uses.barrier_only() || launch.is_large() && uses.order_by_barriers();
        // A wait for groups of `cp.async` orders nothing but those.
        let proxies = uses.asynchronous && !uses.groups_only;
        let but_groups = SyncUse { asynchronous: proxies, ..uses };
        LaunchState {
            race_free: RaceFree::new(&launch),
            tensor: tensor::TensorMemory::default(),
            order: Order {
                orderless: uses.order_by_barriers(),
                simple,
                own: simple || but_groups.barrier_only(),
                launch: launch.clone(),
                shared: false,
            },
            // Behind a barrier accesses by other proxies may still race.
            by_intervals: launch.info.cluster == Dim3::ONE && !proxies,
            shared: SharedMemory::new(launch.enlist()),
            clues: launch.clues(),
            objects: Objects::new(launch.objects.clone()),
            clusters: Clusters::default(),
            lockstep: Lockstep::default(),
            bound: launch.memory().capped().then(Bound::default),
            launch,
            volatile_strong: options.volatile_strong,
            equal_values_hazard: options.equal_values_hazard,
            check_sync: options.check_sync,
            initial: options.check_init.then(Initial::default),
            blocks: ByBlock::default(),
            arrivals: Arrivals::default(),
            meetings: Meetings::default(),
            flights: Flights::default(),
            runs: Runs::new(),
            kinds: Kinds::default(),
            known: RefCell::default(),
            ahead: Ahead::default(),
            bias: Bias::default(),
            told: false,
            spare: Spare::new(),
            late: Late::default(),
            ended: 0,
        }
    }

    /// Returns whether only whole barriers and the warp itself order threads.
    pub(crate) fn orderless(&self) -> bool {
        self.order.orderless
    }

    /// Bytes that this observer needs to know what is ordered, but for clocks in `seen`.
    pub(crate) fn order_bytes(&self, seen: &mut Seen) -> usize {
        let blocks: usize = self.blocks.values().map(|block| block.bytes(seen)).sum();
        let shared = self.shared.blocks.values().flat_map(|(shadow, _)| shadow.iter());
        let heads: usize = shared.map(|(_, page)| page.heads(seen)).sum();
        blocks + heads + self.arrivals.bytes(seen) + self.objects.bytes(seen)
    }

    pub(crate) fn block(&mut self, block: u32) -> &mut BlockState {
        let threads = self.launch.threads();
        self.blocks.get_or(block, || BlockState::new(threads))
    }
}
