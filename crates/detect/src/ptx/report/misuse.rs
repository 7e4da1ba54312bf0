//! Hazards of synchronisation itself: barriers and masks that CUDA forbids, though the kernel goes on.

use events::access::Warp;
use events::finding::Actor;
use events::{
    AccessKind, AsyncOpId, Class, Evidence, Finding, LaneMask, Level, Misuse, ProductRegister, Proxy,
    RegisterAccess, Side, SiteId, Space, Strength, ThreadId, WarpId,
};

/// The race of two accesses of a register of an asynchronous matrix product. Its sides' address says which part of the product the
/// register holds, and what is missing between them.
fn register(warp: Warp, site: SiteId, lanes: LaneMask, pair: ProductRegister) -> Finding {
    let block = warp.block;
    let who = Actor::Thread { block, thread: ThreadId::of(warp.warp, lanes.trailing_zeros()) };
    let address = u64::from(pair.accumulator) | u64::from(pair.unwaited) << 1;
    let side = |site, who, access: RegisterAccess| Side {
        site: Some(site),
        task: warp.task,
        who,
        kind: match (access.product, access.writes) {
            (false, false) => AccessKind::Read,
            (false, true) => AccessKind::Write,
            (true, false) => AccessKind::AsyncRead { op: AsyncOpId(0) },
            (true, true) => AccessKind::AsyncWrite { op: AsyncOpId(0) },
        },
        strength: Strength::Weak,
        proxy: Proxy::Generic,
        address,
        size: 0,
    };
    let first = match pair.first {
        Some(first) => side(first, who, pair.earlier),
        None => side(site, Actor::Unseen, pair.earlier),
    };
    Finding {
        lens: "ptx".to_owned(),
        level: Level::Race,
        class: Class::WgmmaRegisters,
        evidence: Evidence::Observed,
        space: Space::Shared(block),
        sides: [first, side(site, who, pair.later)],
        notes: Vec::new(),
        count: 1,
    }
}

/// The hazard that an engine has told of. Its sides are the instructions and access no memory: their address is the number of
/// the barrier, or the membermask.
pub(crate) fn finding(warp: Warp, site: SiteId, lanes: LaneMask, what: Misuse) -> Finding {
    let (class, address) = match what {
        Misuse::OtherBarrier { id, .. } => (Class::DivergentBarrier, u64::from(id)),
        Misuse::NotMember { member } => (Class::MaskWithoutCaller, u64::from(member)),
        Misuse::ProductRegister(pair) => return register(warp, site, lanes, pair),
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
        Misuse::NotMember { .. } | Misuse::ProductRegister(_) => side(Some(site), Actor::Unseen),
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
