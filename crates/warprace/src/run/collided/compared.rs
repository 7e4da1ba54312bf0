//! Findings of engine `guard`: two accesses that the table brought together.

use events::access::{Proxy, Scope, Sem, Strength};
use events::finding::Actor;
use events::{AccessKind, BlockId, Class, Evidence, Finding, Level, Side, Space, SyncNote, TaskId, ThreadId};
use instrument::sink::{First, Other};
use protocol::Check;

const WARP: u64 = 32;

/// Of the checks of both accesses, the earlier one first.
pub(super) fn finding(checks: [Check; 2], first: First, other: Other, count: u32, task: TaskId) -> Finding {
    let linear = |at: [u32; 3], of: [u32; 3]| {
        let [x, y, z] = at.map(u64::from);
        x + u64::from(of[0]) * (y + u64::from(of[1]) * z)
    };
    let block = linear(first.block, first.blocks);
    let thread = linear(first.thread, first.threads);
    let places = [(u64::from(other.block), u64::from(other.thread)), (block, thread)];
    let strong = [other.strong, other.own_strong];
    let side = |i: usize| Side {
        site: Some(checks[i].site),
        task,
        who: Actor::Thread { block: BlockId(places[i].0 as u32), thread: ThreadId(places[i].1 as u16) },
        kind: if checks[i].writes { AccessKind::Write } else { AccessKind::Read },
        // Which strong operation it was, the site tells.
        strength: if strong[i] {
            Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu }
        } else {
            Strength::Weak
        },
        proxy: Proxy::Generic,
        address: first.address,
        size: checks[i].size,
    };
    let same_block = places[0].0 == places[1].0;
    let class = match strong {
        [true, true] if checks[0].size != checks[1].size => Class::MixedSize,
        [true, true] => Class::AtomicScope,
        [false, false] if !same_block => Class::InterBlock,
        [false, false] if places[0].1 / WARP != places[1].1 / WARP => Class::MissingBarrier,
        [false, false] if checks[0].site == checks[1].site => Class::SameInstruction,
        [false, false] => Class::DivergentWarp,
        _ => Class::WeakVsAtomic,
    };
    Finding {
        lens: "guard".into(),
        level: Level::Race,
        class,
        evidence: Evidence::Observed,
        space: if first.shared { Space::Shared(BlockId(block as u32)) } else { Space::Global },
        sides: [side(0), side(1)],
        notes: vec![SyncNote::Nothing],
        count: count.into(),
    }
}
