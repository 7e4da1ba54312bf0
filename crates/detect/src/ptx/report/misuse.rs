//! Hazards of synchronisation itself: barriers and masks that CUDA forbids, though the kernel goes on.

use events::access::Warp;
use events::finding::Actor;
use events::{
    AccessKind, Class, Evidence, Finding, LaneMask, Level, Misuse, Proxy, Side, SiteId, Space, Strength,
    ThreadId, WarpId,
};

/// The hazard that an engine has told of. Its sides are the instructions and access no memory: their address is the number of
/// the barrier, or the membermask.
pub(crate) fn finding(warp: Warp, site: SiteId, lanes: LaneMask, what: Misuse) -> Finding {
    let (class, address) = match what {
        Misuse::OtherBarrier { id, .. } => (Class::DivergentBarrier, u64::from(id)),
        Misuse::NotMember { member } => (Class::MaskWithoutCaller, u64::from(member)),
    };
    let side = |site, who| Side {
        site,
        task: warp.task,
        who,
        kind: AccessKind::Read,
        strength: Strength::Weak,
        proxy: Proxy::Generic,
        address,
        size: 0,
    };
    let thread = |of: WarpId, lane| Actor::Thread { block: warp.block, thread: ThreadId::of(of, lane) };
    let first = match what {
        Misuse::OtherBarrier { first, by, lane, .. } => side(Some(first), thread(by, lane.into())),
        Misuse::NotMember { .. } => side(Some(site), Actor::Unseen),
    };
    Finding {
        lens: "ptx".to_owned(),
        level: Level::Hazard,
        class,
        evidence: Evidence::Observed,
        space: Space::Shared(warp.block),
        sides: [first, side(Some(site), thread(warp.warp, lanes.trailing_zeros()))],
        notes: Vec::new(),
        count: 1,
    }
}
