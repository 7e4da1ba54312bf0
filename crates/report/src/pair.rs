//! Kinds of pairs of accesses, for both explanations and advice.

use crate::attribute::is_of_libcu;
use events::{AccessKind, AtomicOp, Class, Finding, Side, SiteId, SiteTable};

/// Returns whether warps of a block race by one store. There is no place between the two for a barrier, but
/// between rounds of a loop.
pub(crate) fn is_one_store(finding: &Finding) -> bool {
    let [first, second] = &finding.sides;
    finding.class == Class::MissingBarrier
        && first.site.is_some()
        && first.site == second.site
        && finding.sides.iter().all(|side| side.kind == AccessKind::Write)
}

/// The side, if one is, by which libcu++ makes an atomic of 1 or 2 bytes: a compare-and-swap of the word around it.
pub(crate) fn swaps_the_word(sites: &SiteTable, finding: &Finding) -> Option<usize> {
    let [a, b] = &finding.sides;
    let part = |side: &Side, other: &Side| {
        let swaps = matches!(side.kind, AccessKind::Atomic { op: AtomicOp::Cas, .. });
        let word = side.site.and_then(|id| sites.get(id)).is_some_and(|site| site.text.contains(".b32"));
        swaps && word && other.size < 4 && is_of_libcu(sites, side.site)
    };
    let of = [part(a, b), part(b, a)];
    of.iter().position(|&swaps| swaps).filter(|_| finding.class == Class::MixedSize)
}

/// Returns whether both instructions are of one PTX function.
pub(crate) fn one_function(sites: &SiteTable, a: Option<SiteId>, b: SiteId) -> bool {
    let function = |id| sites.get(id).map(|site| &site.function);
    a.is_some_and(|a| function(a) == function(b))
}

/// `discard.L2`: what the line holds is undefined afterwards.
pub(crate) fn is_discard(instruction: &str) -> bool {
    instruction.starts_with("discard.")
}
