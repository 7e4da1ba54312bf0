//! Proxy fences between generic accesses and the async proxy (PTX §8.9.5): of bulk copies, tensor copies and products of
//! warpgroups.
//!
//! A generic access before an access through the async proxy needs a proxy fence, which may be
//!
//! * behind the access, before its thread orders anything: on every path from the access comes a fence before a
//!   barrier, an arrival, a strong operation or another copy; or
//! * in front of the copy: on every path to the copy comes a fence behind the last such instruction, and behind the
//!   last access.
//!
//! A completed copy needs none before generic accesses (`docs/assumptions.md`, 12).

use crate::kernel::access::{Access, Doer, Space};
use crate::kernel::instructions::{is_box_store, is_bulk_store, is_load};
use crate::sync::products::Place;
use kernels::effects;
use ptx::cfg::BlockId;
use ptx::flat::FlatInstruction;
use ptx::op::{Fence, MbarrierOp, MemSpace, Op, ProxyFence, Sem};
use rustc_hash::FxHashSet;

/// The instructions of generic accesses behind which a proxy fence may be missing, and of accesses through the async proxy
/// in front of which one may be missing.
#[derive(Clone, Debug, Default)]
pub struct Proxies {
    shared: FxHashSet<usize>,
    global: FxHashSet<usize>,
    /// Whether the kernel has accesses through the async proxy.
    pub(crate) any: bool,
}

impl Proxies {
    pub(crate) fn of(place: Place<'_>, accesses: &[Access]) -> Proxies {
        let any = accesses.iter().any(|a| a.doer.is_async_proxy());
        let mut found = Proxies { any, ..Proxies::default() };
        if !found.any {
            return found;
        }
        let fences = Fences { place };
        let spaces = [(MemSpace::SharedCta, &mut found.shared), (MemSpace::Global, &mut found.global)];
        for (space, unfenced) in spaces {
            for access in accesses {
                let fenced = match &access.doer {
                    doer if doer.is_async_proxy() => fences.is_before(access.inst, space),
                    // The wait for it comes later.
                    Doer::Copy => false,
                    _ => fences.is_behind(access.inst, space),
                };
                if !fenced {
                    unfenced.insert(access.inst);
                }
            }
        }
        found
    }

    /// Returns whether a proxy fence lies between a generic access and one through the async proxy that comes after it.
    pub(crate) fn is_fenced(&self, access: &Access, copy: &Access) -> bool {
        let unfenced = if copy.space == Space::Global { &self.global } else { &self.shared };
        !(unfenced.contains(&access.inst) && unfenced.contains(&copy.inst))
    }
}

/// Returns whether an instruction begins accesses through the async proxy.
fn is_async_proxy(op: &Op) -> bool {
    is_load(op) || is_bulk_store(op) || is_box_store(op) || matches!(op, Op::Wgmma(_))
}

/// Returns whether an instruction concerns groups of asynchronous accesses of its own thread, or its products' registers.
fn is_of_groups(op: &Op) -> bool {
    matches!(op, Op::WgmmaFence | Op::WgmmaCommit | Op::CpAsyncBulkCommit)
}

/// Searches for proxy fences on paths.
struct Fences<'a> {
    place: Place<'a>,
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
            (false, false) if is_async_proxy(op) => Step::Orders,
            (false, false) => Step::Access,
        }
    }

    /// Returns whether each path from an access comes to a fence before anything that orders it.
    fn is_behind(&self, access: usize, space: MemSpace) -> bool {
        let cfg = self.place.cfg;
        let mut seen = vec![false; cfg.blocks.len()];
        let mut work = vec![(cfg.block_of(access as u32), access + 1)];
        while let Some((b, from)) = work.pop() {
            let code = from..cfg.block(b).end as usize;
            let steps = self.place.flat.instructions[code].iter().map(|inst| self.step(inst, space));
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
        let cfg = self.place.cfg;
        let mut seen = vec![false; cfg.blocks.len()];
        let mut work: Vec<(BlockId, usize)> = vec![(cfg.block_of(copy as u32), copy)];
        while let Some((b, to)) = work.pop() {
            let start = cfg.block(b).start as usize;
            let steps =
                self.place.flat.instructions[start..to].iter().rev().map(|inst| self.before(inst, space));
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
            Ok(op) if is_async_proxy(op) || is_of_groups(op) => Step::Nothing,
            _ => self.step(inst, space),
        }
    }
}
