//! Findings of registers of matrix products, like those of lens `ptx`: the address of both sides says which part of the product
//! the register holds (bit 0: the accumulator), and what is missing (bit 1: a wait; else, a fence).

use super::tasks::Checked;
use crate::sink::register::{ACCUMULATOR, ALONE, LATER_PRODUCT, LATER_WRITES, PRODUCT, UNWAITED, WRITES};
use crate::sink::{First, Other};
use events::access::{Proxy, Strength};
use events::finding::Actor;
use events::{
    AccessKind, AsyncOpId, BlockId, Class, Evidence, Finding, Level, Side, Space, TaskId, ThreadId,
};

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
        kind: match (is(product), is(writes)) {
            (false, false) => AccessKind::Read,
            (false, true) => AccessKind::Write,
            (true, false) => AccessKind::AsyncRead { op: AsyncOpId(0) },
            (true, true) => AccessKind::AsyncWrite { op: AsyncOpId(0) },
        },
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
