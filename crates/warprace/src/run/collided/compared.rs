//! Findings of engine `guard`: pairs of accesses that met in the table.

use events::access::{Proxy, Scope, Sem, Strength};
use events::finding::Actor;
use events::task::{HostCall, TaskKind};
use events::{
    AccessKind, BlockId, Class, Evidence, Finding, Level, Side, SiteId, Space, StreamId, SyncNote, TaskId,
    TaskInfo, ThreadId,
};
use instrument::sink::{First, Other};
use protocol::Check;

const WARP: u64 = 32;

/// Returns the launch of the other access, of which only the thread's number is known.
pub(super) fn launch(id: TaskId, function: &str, other: Other) -> TaskInfo {
    let all = First {
        address: 0,
        shared: false,
        thread: [0; 3],
        block: [0; 3],
        threads: [u32::from(other.thread) + 1, 1, 1],
        blocks: [other.block + 1, 1, 1],
        expected: 0,
        found: 0,
        other: None,
    };
    super::launch(id, function, Some(all))
}

/// Returns whether the call stands for an instruction of the host.
fn is_host(call: &HostCall) -> bool {
    call.api.is_empty()
}

/// Returns the actor of a call or of a host instruction.
pub(super) fn who(call: &HostCall) -> Actor {
    if is_host(call) { Actor::HostThread(1) } else { Actor::Engine }
}

/// Returns the sentence on why a change of memory beside such an access is a race, with the values that were
/// seen.
pub(super) fn changed(call: &HostCall, check: Check, first: First) -> String {
    let digits = 2 * check.size.min(8) as usize;
    let values = format!("0x{:0digits$x}, and a moment later 0x{:0digits$x}", first.expected, first.found);
    match is_host(call) {
        true => format!(
            "behind the host's access memory held {values}: a kernel or a copy wrote there that the host had not waited for"
        ),
        false => format!(
            "where `{}` was about to {} memory held {values}: somebody wrote there whom neither streams, events nor the host \
             order before the call or behind it",
            call.api,
            if check.writes { "write" } else { "read" },
        ),
    }
}

/// Returns the task of a call that accesses memory, or of the host.
pub(super) fn call(id: TaskId, call: &HostCall) -> TaskInfo {
    TaskInfo {
        id,
        kind: if is_host(call) { TaskKind::HostSegment { thread: 1 } } else { TaskKind::Copy },
        stream: StreamId(0),
        after: Vec::new(),
        call: call.clone(),
        device: 0,
        overlap: None,
    }
}

/// Returns the finding for two accesses. `checks` and the other pairs begin with the earlier access.
pub(super) fn finding(
    checks: [Check; 2],
    sites: [Option<SiteId>; 2],
    first: First,
    other: Other,
    count: u32,
    tasks: [TaskId; 2],
    calls: [Option<&HostCall>; 2],
) -> Finding {
    let linear = |at: [u32; 3], of: [u32; 3]| {
        let [x, y, z] = at.map(u64::from);
        x + u64::from(of[0]) * (y + u64::from(of[1]) * z)
    };
    let block = linear(first.block, first.blocks);
    let thread = linear(first.thread, first.threads);
    let places = [(u64::from(other.block), u64::from(other.thread)), (block, thread)];
    let strong = [other.strong, other.own_strong];
    let side = |i: usize| Side {
        site: sites[i],
        task: tasks[i],
        who: match calls[i] {
            Some(call) => who(call),
            None => {
                Actor::Thread { block: BlockId(places[i].0 as u32), thread: ThreadId(places[i].1 as u16) }
            }
        },
        kind: if checks[i].writes { AccessKind::Write } else { AccessKind::Read },
        // The site says which strong operation it was.
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
        _ if calls.iter().flatten().any(|call| !is_host(call)) => Class::MemcpyAsync,
        _ if calls.iter().flatten().any(|call| is_host(call)) => Class::HostDevice,
        _ if other.apart => Class::InterKernel,
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
        // Between a launch that did not wait and its predecessor, the predecessor's access comes first.
        sides: if other.overlapped { [side(1), side(0)] } else { [side(0), side(1)] },
        notes: vec![match other.overlaps || other.overlapped {
            true => SyncNote::BeforeGridWait,
            false => SyncNote::Nothing,
        }],
        count: count.into(),
    }
}
