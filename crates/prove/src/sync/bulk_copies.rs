//! Bulk copies from global to shared memory (`cp.async.bulk`, PTX §9.7.9.25.4), which complete at an mbarrier by
//! their bytes.
//!
//! # Completion
//!
//! The thread that begins a copy also arrives at its mbarrier with `.expect_tx`, in the same basic block, and expects
//! exactly the bytes of all copies to that mbarrier there. [`crate::sync::pipeline`] has shown that each thread makes
//! one arrival in a phase, after it knows that the one before has ended. So all bytes that are expected and completed
//! in a phase are those of its arrivals' copies: pending arrivals and bytes are both zero only when all of these
//! copies are complete. A thread that has waited for the phase comes after them.

use crate::kernel::access::Doer;
use crate::kernel::instructions::{is_box_load, is_load};
use crate::sync::pipeline::{BulkCopies, Pipelines};
use crate::sync::split_barriers::BarrierFacts;
use ptx::op::{MbarrierOp, Op};

const WHICH: &str = "it has bulk copies whose mbarriers are not followed, not modelled yet";
const BYTES: &str =
    "it has bulk copies of other bytes than their thread expects where it begins them, not modelled yet";

/// Returns the bulk copies of a kernel, or the unsupported use.
pub(crate) fn find(asked: &BarrierFacts<'_>, pipelines: &Pipelines) -> Result<BulkCopies, &'static str> {
    let mut found = BulkCopies::default();
    for (i, inst) in asked.flat.instructions.iter().enumerate() {
        let here = asked.shape.place[asked.cfg.block_of(i as u32).0 as usize].is_some();
        if !here || !inst.op.as_ref().is_ok_and(is_load) {
            continue;
        }
        // Both sides of the copy are recorded; of a tensor copy, one.
        let sides = asked.accesses.iter().filter(|a| a.inst == i);
        let recorded = if inst.op.as_ref().is_ok_and(is_box_load) { 1 } else { 2 };
        if sides.filter(|a| a.doer == Doer::Bulk && a.rank.is_none()).count() != recorded {
            return Err(WHICH);
        }
        found.expected.push((i, arrival_of(asked, pipelines, i)?));
    }
    for (n, arrival) in pipelines.arrivals.iter().enumerate() {
        if !expects(asked, arrival.inst) {
            continue;
        }
        let bytes = |inst: usize| asked.used.get(&inst)?.number.as_ref()?.as_constant();
        let copied: Option<i128> =
            found.expected.iter().filter(|(_, of)| *of == n).map(|(copy, _)| bytes(*copy)).sum();
        if copied.is_none() || copied != bytes(arrival.inst) {
            return Err(BYTES);
        }
    }
    Ok(found)
}

/// Returns whether an arrival expects bytes.
fn expects(asked: &BarrierFacts<'_>, arrival: usize) -> bool {
    let op = &asked.flat.instructions[arrival].op;
    matches!(op, Ok(Op::Mbarrier { op: MbarrierOp::Arrive { expect_tx: true, .. }, .. }))
}

/// Returns the index of the one arrival in a copy's basic block that expects bytes at the copy's mbarrier.
fn arrival_of(asked: &BarrierFacts<'_>, pipelines: &Pipelines, copy: usize) -> Result<usize, &'static str> {
    let object = |inst: usize| asked.used.get(&inst).and_then(|used| used.object.as_ref());
    let place = object(copy).filter(|_| asked.flat.instructions[copy].guard.is_none()).ok_or(WHICH)?;
    let block = asked.cfg.block_of(copy as u32);
    let mut of_copy = pipelines
        .arrivals
        .iter()
        .enumerate()
        .filter(|(_, a)| a.block == block && expects(asked, a.inst) && object(a.inst) == Some(place));
    match (of_copy.next(), of_copy.next()) {
        (Some((n, _)), None) => Ok(n),
        _ => Err(WHICH),
    }
}
