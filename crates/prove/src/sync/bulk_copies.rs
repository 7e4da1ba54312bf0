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
//!
//! # Proxies
//!
//! A generic access before a copy needs a proxy fence, which may be
//!
//! * behind the access, before its thread orders anything: on every path from the access comes a fence before a
//!   barrier, an arrival, a strong operation or another copy; or
//! * in front of the copy: on every path to the copy comes a fence behind the last such instruction, and behind the
//!   last access.
//!
//! A completed copy needs none before generic accesses (`docs/assumptions.md`, 12).

use crate::kernel::access::Doer;
use crate::kernel::instructions::is_load;
use crate::sync::pipeline::{BulkCopies, Pipelines};
use crate::sync::split_barriers::BarrierFacts;
use kernels::effects;
use ptx::cfg::BlockId;
use ptx::flat::FlatInstruction;
use ptx::op::{Fence, MbarrierOp, MemSpace, Op, ProxyFence, Sem};

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
        // Both sides of the copy are recorded.
        let sides = asked.accesses.iter().filter(|a| a.inst == i);
        if sides.filter(|a| a.doer == Doer::Bulk && a.rank.is_none()).count() != 2 {
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
    let fences = Fences { asked };
    for (space, unfenced) in [MemSpace::SharedCta, MemSpace::Global].into_iter().zip(&mut found.unfenced) {
        for access in asked.accesses {
            let fenced = match access.doer {
                Doer::Bulk => fences.is_before(access.inst, space),
                // The wait for it comes later.
                Doer::Copy => false,
                _ => fences.is_behind(access.inst, space),
            };
            if !fenced {
                unfenced.insert(access.inst);
            }
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

/// Searches for proxy fences on paths.
struct Fences<'a> {
    asked: &'a BarrierFacts<'a>,
}

/// The role of an instruction on a path that needs a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Fence,
    /// It may order accesses, or is a copy.
    Orders,
    Access,
    Nothing,
}

impl Fences<'_> {
    fn step(&self, inst: &FlatInstruction<'_>, space: MemSpace) -> Step {
        let Ok(op) = &inst.op else { return Step::Orders };
        if let Op::Fence(Fence::Proxy(ProxyFence::Async { space: of })) = op
            && inst.guard.is_none()
        {
            let right = match of {
                None => true,
                Some(MemSpace::Global) => space == MemSpace::Global,
                Some(_) => space != MemSpace::Global,
            };
            return if right { Step::Fence } else { Step::Nothing };
        }
        let effects = effects(op, &inst.args);
        let strong = effects.touches.iter().any(|touch| touch.sem != Sem::Weak);
        match (effects.order.is_some() || strong || matches!(op, Op::Call), effects.touches.is_empty()) {
            (true, _) => Step::Orders,
            (false, true) => Step::Nothing,
            (false, false) if is_load(op) => Step::Orders,
            (false, false) => Step::Access,
        }
    }

    /// Returns whether each path from an access comes to a fence before anything that orders it.
    fn is_behind(&self, access: usize, space: MemSpace) -> bool {
        let cfg = self.asked.cfg;
        let mut seen = vec![false; cfg.blocks.len()];
        let mut work = vec![(cfg.block_of(access as u32), access + 1)];
        while let Some((b, from)) = work.pop() {
            let code = from..cfg.block(b).end as usize;
            let steps = self.asked.flat.instructions[code].iter().map(|inst| self.step(inst, space));
            match steps.into_iter().find(|step| matches!(step, Step::Fence | Step::Orders)) {
                Some(Step::Fence) => continue,
                Some(_) => return false,
                None => {}
            }
            for &next in &cfg.block(b).successors {
                if !std::mem::replace(&mut seen[next.0 as usize], true) {
                    work.push((next, cfg.block(next).start as usize));
                }
            }
        }
        true
    }

    /// Returns whether each path to a copy comes from a fence with nothing between that orders or accesses.
    fn is_before(&self, copy: usize, space: MemSpace) -> bool {
        let cfg = self.asked.cfg;
        let mut seen = vec![false; cfg.blocks.len()];
        let mut work: Vec<(BlockId, usize)> = vec![(cfg.block_of(copy as u32), copy)];
        while let Some((b, to)) = work.pop() {
            let start = cfg.block(b).start as usize;
            let steps =
                self.asked.flat.instructions[start..to].iter().rev().map(|inst| self.before(inst, space));
            match steps.into_iter().find(|step| *step != Step::Nothing) {
                Some(Step::Fence) => continue,
                Some(_) => return false,
                None => {}
            }
            for &last in &cfg.block(b).predecessors {
                if !std::mem::replace(&mut seen[last.0 as usize], true) {
                    work.push((last, cfg.block(last).end as usize));
                }
            }
        }
        true
    }

    /// Returns the role of an instruction between a fence and a copy: an arrival that releases lets nothing come
    /// before the copy, and copies of the thread need no fence.
    fn before(&self, inst: &FlatInstruction<'_>, space: MemSpace) -> Step {
        match &inst.op {
            Ok(Op::Mbarrier { op: MbarrierOp::Arrive { .. }, sem: Sem::Release, .. }) => Step::Nothing,
            Ok(op) if is_load(op) => Step::Nothing,
            _ => self.step(inst, space),
        }
    }
}
