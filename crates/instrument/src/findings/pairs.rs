//! Findings of engine `guard`: pairs of accesses, the earlier of which was in the table.

use super::tasks::{self, Checked, is_host, kind, place, who};
use crate::collide::Check;
use crate::sink::{First, Memory, Other};
use events::access::{Proxy, Scope, Sem, Strength};
use events::finding::Actor;
use events::{BlockId, Class, Evidence, Finding, Level, Side, Space, SyncNote, TaskId, TaskInfo, ThreadId};

const WARP: u64 = 32;

/// The sentence on why a possible access is no race.
const POSSIBLE: &str = "whether the kernel made this access was not observed: its arguments point to this memory, or its \
    code names this constant; no stream, event or wait of the host orders it with the other access";

/// Returns the launch of the other access, of which only the thread's number is known.
pub(super) fn launch(id: TaskId, function: &str, other: Other) -> TaskInfo {
    let all = First {
        address: 0,
        memory: Memory::Global,
        thread: [0; 3],
        block: [0; 3],
        threads: [u32::from(other.thread) + 1, 1, 1],
        blocks: [other.block + 1, 1, 1],
        expected: 0,
        found: 0,
        other: None,
    };
    tasks::launch(id, function, Some(all))
}

/// Two accesses that race, the earlier one first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'c> {
    pub(super) checks: [Checked<'c>; 2],
    pub(super) tasks: [TaskId; 2],
    /// The record of the later access.
    pub(super) first: First,
    pub(super) earlier: Other,
    pub(super) count: u32,
}

/// Returns the note on a race of an asynchronous operation, the earlier access of which is `first`.
fn copied(first: Check) -> SyncNote {
    match first.asynchronous {
        Some(_) => SyncNote::NotWaited,
        None => SyncNote::BegunTooEarly,
    }
}

/// Returns the finding for two accesses.
pub(super) fn finding(pair: &Pair<'_>) -> Finding {
    let &Pair { checks, tasks, first, earlier: other, count } = pair;
    let calls = checks.map(|check| check.call);
    let (block, thread) = place(&first);
    let places = [(u64::from(other.block), u64::from(other.thread)), (block, thread)];
    let strong = [other.strong, other.own_strong];
    let side = |i: usize| Side {
        site: checks[i].site(),
        task: tasks[i],
        who: match calls[i] {
            Some(call) => who(call),
            None => {
                Actor::Thread { block: BlockId(places[i].0 as u32), thread: ThreadId(places[i].1 as u16) }
            }
        },
        kind: kind(checks[i].check.asynchronous.is_some(), checks[i].check.writes),
        // The site says which strong operation it was.
        strength: if strong[i] {
            Strength::Strong { sem: Sem::Relaxed, scope: Scope::Gpu }
        } else {
            Strength::Weak
        },
        proxy: match checks[i].check.asynchronous {
            Some(proxy) => proxy,
            None if other.unkept && i == 1 => Proxy::Texture,
            None => Proxy::Generic,
        },
        address: first.address,
        size: checks[i].check.size,
    };
    let same_block = places[0].0 == places[1].0;
    let maybe = checks.iter().any(|check| check.maybe);
    let copies = checks.iter().filter(|check| !check.maybe).filter_map(|check| check.call);
    let class = match strong {
        _ if copies.into_iter().any(|call| !is_host(call)) => Class::MemcpyAsync,
        _ if calls.iter().flatten().any(|call| is_host(call)) => Class::HostDevice,
        _ if other.elsewhere => Class::MultiGpu,
        _ if other.apart || maybe => Class::InterKernel,
        _ if other.unkept => Class::Proxy,
        _ if checks.iter().any(|check| check.check.asynchronous.is_some()) => Class::AsyncCopy,
        [true, true] if checks[0].check.size != checks[1].check.size => Class::MixedSize,
        [true, true] => Class::AtomicScope,
        [false, false] if !same_block && first.memory == Memory::Shared => Class::ClusterDsmem,
        [false, false] if !same_block => Class::InterBlock,
        [false, false] if places[0].1 / WARP != places[1].1 / WARP => Class::MissingBarrier,
        [false, false] if checks[0].check.site == checks[1].check.site => Class::SameInstruction,
        [false, false] => Class::DivergentWarp,
        _ => Class::WeakVsAtomic,
    };
    Finding {
        lens: "guard".into(),
        level: if maybe { Level::Hazard } else { Level::Race },
        class,
        evidence: Evidence::Observed,
        space: if first.memory == Memory::Shared {
            Space::Shared(BlockId(block as u32))
        } else {
            Space::Global
        },
        // Between a launch that did not wait and its predecessor, the predecessor's access comes first.
        sides: if other.overlapped { [side(1), side(0)] } else { [side(0), side(1)] },
        notes: vec![match other.overlaps || other.overlapped {
            true => SyncNote::BeforeGridWait,
            false if other.unkept => SyncNote::ProxyFenceMissing { from: side(0).proxy, to: side(1).proxy },
            false if maybe => SyncNote::Rule(POSSIBLE.into()),
            false if class == Class::AsyncCopy => copied(checks[0].check),
            false => SyncNote::Nothing,
        }],
        count: count.into(),
    }
}
