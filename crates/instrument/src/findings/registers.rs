//! Findings of registers of matrix products, like those of lens `ptx`: the address of both sides says which part of the product
//! the register holds (bit 0: the accumulator), and what is missing (bit 1: a wait; else, a fence).

use super::tasks::{Checked, kind};
use crate::sink::register::{ACCUMULATOR, ALONE, LATER_PRODUCT, LATER_WRITES, PRODUCT, UNWAITED, WRITES};
use crate::sink::{First, Other};
use events::access::{Proxy, Strength};
use events::finding::Actor;
use events::{BlockId, Class, Evidence, Finding, Level, Side, Space, TaskId, ThreadId};

/// Returns the finding for two accesses of a register by one thread, the earlier one first.
pub(super) fn finding(
    checks: [Checked<'_>; 2],
    (first, earlier): (First, Other),
    task: TaskId,
    count: u32,
) -> Finding {
    let how = first.address as u32;
    let is = |property: u32| how & property != 0;
    let block = BlockId(earlier.block);
    let thread = Actor::Thread { block, thread: ThreadId(earlier.thread) };
    let side = |check: Checked<'_>, who, product, writes| Side {
        site: check.site(),
        task,
        who,
        kind: kind(is(product), is(writes)),
        strength: Strength::Weak,
        proxy: Proxy::Generic,
        address: (how & (ACCUMULATOR | UNWAITED)).into(),
        size: 0,
    };
    let [other, own] = checks;
    let who = if is(ALONE) { Actor::Unseen } else { thread };
    Finding {
        lens: "guard".into(),
        level: Level::Race,
        class: Class::WgmmaRegisters,
        evidence: Evidence::Observed,
        space: Space::Shared(block),
        sides: [side(other, who, PRODUCT, WRITES), side(own, thread, LATER_PRODUCT, LATER_WRITES)],
        notes: Vec::new(),
        count: count.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::Check;
    use crate::findings::tests::ELSEWHERE;
    use crate::sink::{Memory, Record};
    use events::{AccessKind, AsyncOpId, SiteId};

    fn found(how: u32) -> Finding {
        let other = Other { writes: false, apart: false, ..ELSEWHERE };
        let first = First {
            address: how.into(),
            memory: Memory::Register,
            thread: [5, 0, 0],
            block: [2, 0, 0],
            threads: [128, 1, 1],
            blocks: [4, 1, 1],
            expected: 0,
            found: 0,
            other: Some(other),
        };
        let checked = |site| Checked { check: Check::own(SiteId(site), true, 4), call: None, maybe: false };
        let written = super::super::Written {
            check: 1,
            other: Some(0),
            in_warp: false,
            record: Record { count: 3, first: Some(first) },
        };
        written.found(checked(1), Some(checked(0)), TaskId(0), &|_| "k".to_owned()).finding
    }

    #[test]
    fn both_sides_of_a_register_are_the_threads() {
        let finding = found(ACCUMULATOR | UNWAITED | PRODUCT | WRITES | LATER_WRITES);
        assert_eq!((finding.class, finding.level, finding.count), (Class::WgmmaRegisters, Level::Race, 3));
        let thread = Actor::Thread { block: BlockId(2), thread: ThreadId(5) };
        assert_eq!(finding.sides.clone().map(|side| (side.who, side.address)), [(thread, 3); 2]);
        assert_eq!(finding.sides.clone().map(|side| side.site), [Some(SiteId(0)), Some(SiteId(1))]);
        let kinds = [AccessKind::AsyncWrite { op: AsyncOpId(0) }, AccessKind::Write];
        assert_eq!(finding.sides.clone().map(|side| side.kind), kinds);
    }

    #[test]
    fn a_product_before_any_fence_has_one_side() {
        let finding = found(ACCUMULATOR | WRITES | LATER_PRODUCT | LATER_WRITES | ALONE);
        assert_eq!(finding.sides[0].who, Actor::Unseen);
        assert_eq!(finding.sides.clone().map(|side| side.address), [1; 2]);
        assert_eq!(finding.sides[1].kind, AccessKind::AsyncWrite { op: AsyncOpId(0) });
    }
}
