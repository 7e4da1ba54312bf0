//! Loads through paths that are not coherent with the kernel's own writes: `ld.global.nc` (PTX §8.1) and `ld.const`
//! (`docs/assumptions.md`, 11).
//!
//! No order puts such a load behind a write of the same launch: not program order, no barrier, no fence. So the two must
//! not overlap, whichever threads make them and whenever, unless the load always comes first. Towards later writes it is
//! an ordinary read, which the other pairs of [`super::decide`] cover. Host code alone fills constants in nearly all
//! programs, so that only the arrays of writes are compared with them.

use crate::exec::Summary;
use crate::facts::{Assumed, Facts};
use crate::kernel::access::{Access, AccessKind, Space};
use crate::pairs::pair::{OpenPair, Pair, Relation, apart, harmless};
use crate::solver::symbols::Kind;
use crate::sync::pipeline::Ways;

/// Returns the wanted pairs of a load and a write of which the write may come first, and that may overlap.
pub(super) fn behind_writes(
    summary: &Summary,
    wanted: &dyn Fn(&Access, &Access) -> bool,
    assumed: &mut Assumed,
    stop: &dyn Fn() -> bool,
) -> Vec<OpenPair> {
    let mut open = Vec::new();
    let all = || summary.accesses.iter().enumerate();
    for (i, load) in all().filter(|(_, a)| a.incoherent) {
        for (j, write) in all().filter(|(_, w)| w.kind != AccessKind::Read && wanted(load, w)) {
            if is_always_first(summary, load, write) {
                continue;
            }
            let own = Relation::Own { phases: Vec::new() };
            let relations = [(Relation::Grid, false), (Relation::any_of_block(), true), (own, true)];
            let meets = |(relation, _): &&(Relation, bool)| {
                let pair = Pair { summary, relation, tracked: &[] };
                !harmless(summary, load, write, relation, assumed) && (stop() || !apart(pair, load, write))
            };
            if let Some((_, same_block)) = relations.iter().find(meets) {
                open.push(OpenPair { first: i.min(j), second: i.max(j), same_block: *same_block });
            }
        }
    }
    open
}

/// Returns whether the load comes before the write wherever the two are ordered: only barriers order threads, and no path
/// leads from the write to the load.
fn is_always_first(summary: &Summary, load: &Access, write: &Access) -> bool {
    let only_barriers = summary.pipelines.is_none()
        && summary.is_plain()
        && summary.accesses.iter().all(|access| access.strong.is_none());
    let branches = vec![None; summary.cfg.blocks.len()];
    let ways = Ways { cfg: &summary.cfg, shape: &summary.shape, branches: &branches };
    only_barriers && !ways.may_follow(write.inst, load.inst, None)
}

/// Whether a kernel writes to constants that it loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Constants {
    /// It does not: each write is of another variable, or of an array of a given launch.
    Apart,
    /// A pointer may lead there.
    Reachable,
    /// A write is of a variable in constant memory that it loads.
    Written,
}

/// Returns whether the kernel writes to constants that it loads, by the arrays of its writes alone.
pub(crate) fn constants(summary: &Summary, facts: &Facts) -> Constants {
    if summary.constants.is_empty() {
        return Constants::Apart;
    }
    let writes = summary.accesses.iter().filter(|access| {
        access.kind != AccessKind::Read && matches!(access.space, Space::Global | Space::Unknown)
    });
    let of_base = |write: &Access| match write.base {
        Some(base) if summary.constants.contains(&Some(base)) => Constants::Written,
        Some(base) => match &summary.syms.get(base).kind {
            Kind::Global(_) | Kind::Env(_) if !summary.constants.contains(&None) => Constants::Apart,
            // The host code says where its pointers lead.
            Kind::Param { .. } if facts.strict && !summary.is_loose(base) => Constants::Apart,
            _ => Constants::Reachable,
        },
        None => Constants::Reachable,
    };
    writes.map(of_base).max().unwrap_or(Constants::Apart)
}
