//! mbarrier objects as locations of memory: a thread that uses one must be ordered with the thread that made
//! it, and with all other accesses of its bytes.
//!
//! Source: PTX ISA §9.7.14.15. `mbarrier.init` and `mbarrier.inval` are weak writes of the object's eight bytes by their thread. All other
//! operations are atomic towards each other, those of asynchronous copies included, and conflict with everything else:
//! with `init` and `inval`, and with loads and stores, which must not come near an object that is alive.

use super::LaunchState;
use crate::ptx::access::class::AccessClass;
use crate::ptx::access::entry::Entry;
use crate::ptx::access::thread::index;
use crate::ptx::order::mbarrier::InPhase;
use crate::shadow::lock;
use events::access::Warp;
use events::{Access, AccessKind, AsyncOpId, LaneMask, Proxy, SiteId, Space, Strength, Written};

/// The way in which an object is used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    /// The copy that will complete there.
    pub(super) op: Option<AsyncOpId>,
    /// The phase in which the object is changed, if waits for that phase observe it.
    pub(super) phase: Option<u64>,
    /// Whether the object's block must not exit before.
    pub(super) abroad: bool,
}

impl Use {
    /// An operation that no wait observes.
    pub(super) const UNOBSERVED: Use = Use { op: None, phase: None, abroad: true };
}

impl LaunchState {
    /// `mbarrier.init`, or `inval`.
    pub(super) fn writes_object(&mut self, warp: Warp, site: SiteId, lane: u8, at: (Space, u64)) {
        let (space, address) = at;
        let access = Access {
            warp,
            site,
            space,
            kind: AccessKind::Write,
            strength: Strength::Weak,
            proxy: Proxy::Generic,
            size: 8,
            elements: 1,
            mask: 1 << (lane & 31),
            addresses: &[address; 32],
            stride: None,
            stored: 1 << (lane & 31),
            values: None,
            written: Written::Unknown,
        };
        self.access(&access);
    }

    /// Any other operation, by some lanes.
    pub(super) fn uses_object(
        &mut self,
        (warp, site): (Warp, SiteId),
        lanes: LaneMask,
        at: (Space, u64),
        how: Use,
    ) {
        let (Space::Shared(owner), address) = at else { return };
        if !address.is_multiple_of(8) || self.bound.is_some() && self.is_stopped() {
            return;
        }
        let (block, by) = (warp.block.0, warp.warp.0);
        let number = how.op.map(|op| lock(&self.launch.ops).number(op));
        let phase = how.phase.map(|phase| InPhase::new(self.objects.number(at), phase, owner != warp.block));
        let waited = self.clusters.waited(index(warp));
        let need = self.need(false);
        let Some(tick) = self.block(block).warps.get(usize::from(by)).map(|warp| warp.tick) else { return };
        let class = AccessClass::ON_MBARRIER;
        let new = Entry { block, tick, lanes: 0, site, warp: by, bytes: 0, class, chain: 0, place: 0 };
        let init = self.objects.initialised(at);
        let Some((mut pager, mut step)) = self.step(at.0, new, need) else { return };
        let published = |old: &Entry| init.and_then(|init| init.is_published(old, waited));
        step.object(&mut pager, (address, lanes), (number, phase), published);
        let grown = step.grown;
        drop(pager);
        self.grew(at.0, grown);
        if owner.0 != block && how.abroad {
            let tick = number.unwrap_or(tick);
            let class = if number.is_some() { class.of_copy() } else { class };
            self.goes_abroad(Entry { lanes, tick, class, ..new }, owner.0, address, 8);
        }
    }
}
