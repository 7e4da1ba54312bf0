//! The order that proxies and their fences preserve (PTX §8.9.5).
//!
//! §8.9.5 names the alias proxy fence only. For the fences of other proxies the checker follows the published
//! model of mixed proxies (Lustig, Cooksey and Giroux, ISCA 2022): an access through another proxy is ordered
//! by a fence of that proxy in the access's own block, behind an earlier access and before a later one.

use crate::execution::Candidate;
use crate::path::Path;
use crate::program::Action;
use crate::relation::Relation;

/// Restricts base causality order between memory operations to what proxies preserve. Pairs with other
/// operations stay related.
pub(crate) fn preserved(candidate: &Candidate, base: &Relation) -> Relation {
    let mut out = base.clone();
    let n = candidate.events.len();
    for a in 0..n {
        for b in (0..n).filter(|&b| base.has(a, b)) {
            if !preserves(candidate, base, a, b) {
                out.remove(a, b);
            }
        }
    }
    out
}

/// Returns whether two operations that base causality order relates keep that order.
fn preserves(candidate: &Candidate, base: &Relation, a: usize, b: usize) -> bool {
    let (first, second) = (&candidate.events[a], &candidate.events[b]);
    let located = |e: usize| candidate.events[e].action().is_some_and(|action| action.location().is_some());
    if !located(a) || !located(b) {
        return true;
    }
    let (from, to) = (first.path, second.path);
    let block = |e: usize| (candidate.events[e].place.gpu, candidate.events[e].place.block);
    if from == to && (from.is_generic() || block(a) == block(b)) {
        return true;
    }
    // The fences behind each of `reached` that cross to or from `of`, in the block of `near` if there is one.
    let fences = |reached: Vec<usize>, of: Path, near: Option<usize>| -> Vec<usize> {
        let is_one = |f: usize| candidate.events[f].action() == Some(&Action::ProxyFence { of });
        let here = |f: usize| near.is_none_or(|e| block(e) == block(f));
        let behind = |f: usize| reached.iter().any(|&e| base.has(e, f));
        (0..candidate.events.len()).filter(|&f| is_one(f) && here(f) && behind(f)).collect()
    };
    let mut reached = vec![a];
    if !from.is_generic() {
        reached = fences(reached, from, Some(a));
    }
    if !from.is_aligned_with(to) {
        reached = fences(reached, Path::Alias, None);
    }
    if !to.is_generic() {
        reached = fences(reached, to, Some(b));
    }
    reached.iter().any(|&e| base.has(e, b))
}
