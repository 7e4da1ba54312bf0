//! Findings of tensor memory: two operations, the earlier of which was pending.

use super::tasks::{Checked, kind, place};
use crate::sink::tensor::{KIND, LOAD, OWN_WRITES, PLAIN, STORE, TRACKED, WRITE};
use crate::sink::{First, Other};
use events::access::{Proxy, Strength};
use events::finding::Actor;
use events::{BlockId, Class, Evidence, Finding, Level, Side, Space, SyncNote, TaskId, TensorGap, ThreadId};

/// Returns the finding for two operations on tensor memory, the earlier one first.
pub(super) fn finding(
    checks: [Checked<'_>; 2],
    (first, earlier): (First, Other),
    task: TaskId,
    count: u32,
) -> Finding {
    let how = first.expected as u32;
    let is = |property: u32| how & property != 0;
    let (block, thread) = place(&first);
    let (block, thread) = (BlockId(block as u32), ThreadId(thread as u16));
    let other = Actor::Thread { block: BlockId(earlier.block), thread: ThreadId(earlier.thread) };
    let later = kind(!is(PLAIN), is(PLAIN | OWN_WRITES));
    let side = |check: Checked<'_>, who, kind| Side {
        site: check.site(),
        task,
        who,
        kind,
        strength: Strength::Weak,
        proxy: Proxy::Generic,
        address: first.address,
        size: 4,
    };
    let operation = how & KIND;
    let gap = match operation {
        LOAD => TensorGap::Load,
        STORE => TensorGap::Store,
        _ if is(TRACKED) => TensorGap::Before,
        _ => TensorGap::Phase,
    };
    Finding {
        lens: "guard".into(),
        level: Level::Race,
        class: Class::TensorMemory,
        evidence: Evidence::Observed,
        space: Space::Tensor(block),
        sides: [
            side(checks[0], other, kind(true, matches!(operation, STORE | WRITE))),
            side(checks[1], Actor::Thread { block, thread }, later),
        ],
        notes: vec![SyncNote::Tensor(gap)],
        count: count.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::Check;
    use crate::findings::tests::ELSEWHERE;
    use crate::sink::Memory;
    use crate::sink::tensor::READ;
    use events::{AccessKind, AsyncOpId, SiteId};

    fn found(how: u32) -> Finding {
        let other = Other { block: 0, thread: 64, writes: false, apart: false, ..ELSEWHERE };
        let first = First {
            address: 32 << 16 | 7,
            memory: Memory::Tensor,
            thread: [5, 0, 0],
            block: [1, 0, 0],
            threads: [128, 1, 1],
            blocks: [4, 1, 1],
            expected: how.into(),
            found: 0,
            other: Some(other),
        };
        let checked = |site| Checked { check: Check::own(SiteId(site), true, 4), call: None, maybe: false };
        finding([checked(0), checked(1)], (first, other), TaskId(0), 3)
    }

    #[test]
    fn the_kind_of_the_earlier_operation_says_what_is_missing() {
        let reads = AccessKind::AsyncRead { op: AsyncOpId(0) };
        let writes = AccessKind::AsyncWrite { op: AsyncOpId(0) };
        for (how, kinds, gap) in [
            (LOAD | OWN_WRITES, [reads, writes], TensorGap::Load),
            (STORE, [writes, reads], TensorGap::Store),
            (WRITE, [writes, reads], TensorGap::Phase),
            (READ | TRACKED | OWN_WRITES, [reads, writes], TensorGap::Before),
            (STORE | OWN_WRITES | PLAIN, [writes, AccessKind::Write], TensorGap::Store),
        ] {
            let finding = found(how);
            assert_eq!((finding.class, finding.space), (Class::TensorMemory, Space::Tensor(BlockId(1))));
            assert_eq!(finding.sides.clone().map(|side| side.kind), kinds, "{how:#x}");
            assert_eq!(finding.sides.clone().map(|side| side.address), [32 << 16 | 7; 2]);
            assert!(matches!(finding.notes[..], [SyncNote::Tensor(found)] if found == gap), "{how:#x}");
        }
    }
}
