//! The axioms of PTX §8.10, and data races by §8.7.1.

use crate::execution::{Candidate, Event, EventKind, candidates};
use crate::program::{Action, Program};
use crate::proxies::preserved;
use crate::relation::Relation;
use events::{Scope, Sem};
use std::collections::BTreeMap;

/// A pair of instructions, each `(thread, index)`, the smaller first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Race(pub (usize, usize), pub (usize, usize));

/// The model's verdict on a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Every race of some consistent execution. The value tells whether a sequentially consistent execution
    /// has the race: an engine that interleaves instructions can exhibit only those.
    pub races: BTreeMap<Race, bool>,
    pub consistent_executions: u64,
}

/// Enumerates the consistent executions of `program` and collects their races.
pub fn check(program: &Program) -> Verdict {
    let mut verdict = Verdict::default();
    let clustered = program.has_cluster();
    candidates(program, &mut |candidate| check_candidate(candidate, clustered, &mut verdict));
    verdict
}

fn check_candidate(candidate: &Candidate, clustered: bool, verdict: &mut Verdict) {
    let strong = morally_strong(candidate, clustered);
    fence_orders(candidate, &strong, &mut |causality| {
        coherence_orders(candidate, &mut |total| {
            if is_consistent(candidate, &strong, causality, total) {
                verdict.consistent_executions += 1;
                collect_races(candidate, &strong, causality, total, verdict);
            }
        });
    });
}

/// Calls `visit` with the causality order of each order of the `fence.sc` operations that satisfies the
/// Fence-SC axiom.
pub(crate) fn fence_orders(candidate: &Candidate, strong: &Relation, visit: &mut dyn FnMut(&Relation)) {
    let fences: Vec<usize> = (0..candidate.events.len())
        .filter(|&e| {
            matches!(candidate.events[e].kind, EventKind::Operation(Action::Fence { sem: Sem::Sc, .. }))
        })
        .collect();
    permutations(&fences, &mut |order| {
        let fence_sc = fence_order(order, strong);
        let base = base_causality(candidate, strong, &fence_sc);
        // §8.10.2 Fence-SC; and base causality must be acyclic.
        if !base.is_acyclic() || order_contradicts(&base, order, strong) {
            return;
        }
        let observation = observation_order(candidate, strong);
        let kept = preserved(candidate, &base);
        visit(&kept.union(&observation.then(&kept)));
    });
}

/// Computes moral strength (§8.7) for every pair of events.
pub(crate) fn morally_strong(candidate: &Candidate, clustered: bool) -> Relation {
    let mut out = Relation::default();
    for (i, a) in candidate.events.iter().enumerate() {
        for (j, b) in candidate.events.iter().enumerate() {
            if i != j && pair_is_morally_strong(a, b, clustered) {
                out.add(i, j);
            }
        }
    }
    out
}

fn pair_is_morally_strong(a: &Event, b: &Event, clustered: bool) -> bool {
    let reach = |scope| if clustered && scope == Scope::Cluster { Scope::Gpu } else { scope };
    let (Some(x), Some(y)) = (a.action(), b.action()) else { return false };
    if let (Some(l), Some(m)) = (x.location(), y.location())
        && (l != m || !a.is_alike(b))
    {
        return false;
    }
    if a.thread == b.thread {
        return true;
    }
    match (x.strength(), y.strength()) {
        (Some((_, s)), Some((_, t))) => {
            a.place.includes(reach(s), b.place) && b.place.includes(reach(t), a.place)
        }
        _ => false,
    }
}

/// Computes Fence-SC order (§8.9.3): the chosen order, restricted to morally strong pairs.
fn fence_order(order: &[usize], strong: &Relation) -> Relation {
    let mut out = Relation::default();
    for (i, &a) in order.iter().enumerate() {
        for &b in &order[i + 1..] {
            if strong.has(a, b) {
                out.add(a, b);
            }
        }
    }
    out
}

fn order_contradicts(base: &Relation, order: &[usize], strong: &Relation) -> bool {
    order.iter().enumerate().any(|(i, &a)| order[i + 1..].iter().any(|&b| strong.has(a, b) && base.has(b, a)))
}

/// Computes observation order (§8.9.2): a read observes a write directly or through a chain of atomics.
fn observation_order(candidate: &Candidate, strong: &Relation) -> Relation {
    let mut direct = Relation::default();
    for (read, source) in candidate.source.iter().enumerate() {
        if let Some(write) = *source
            && strong.has(write, read)
        {
            direct.add(write, read);
        }
    }
    for (arrive, wait) in mbarriers(candidate).filter(|&(a, w)| strong.has(a, w)) {
        direct.add(arrive, wait);
    }
    // Chains pass through atomics only. Only atomics both read and write, so the transitive closure of the
    // direct relation is observation order.
    direct.closure()
}

/// Returns each arrival at an mbarrier object with each wait that observes it.
fn mbarriers(candidate: &Candidate) -> impl Iterator<Item = (usize, usize)> {
    let events = || candidate.events.iter().enumerate();
    events().flat_map(move |(a, arrive)| {
        events().filter_map(move |(w, wait)| match (arrive.action(), wait.action()) {
            (Some(Action::MbarrierArrive { at, .. }), Some(Action::MbarrierWait { at: object, .. }))
                if at == object =>
            {
                Some((a, w))
            }
            _ => None,
        })
    })
}

/// Computes base causality order (§8.9.4 and §8.9.5): the transitive closure of program order and
/// synchronisation.
fn base_causality(candidate: &Candidate, strong: &Relation, fence_sc: &Relation) -> Relation {
    let mut edges = candidate.program_order.union(fence_sc);
    let observation = observation_order(candidate, strong);
    let releases = release_patterns(candidate);
    let acquires = acquire_patterns(candidate);
    for &(first, write) in &releases {
        for &(read, last) in &acquires {
            if observation.has(write, read) && strong.has(first, last) {
                edges.add(first, last);
            }
        }
    }
    edges.union(&meetings(candidate)).closure()
}

/// Relates each arrival at a barrier to each wait there.
pub(crate) fn meetings(candidate: &Candidate) -> Relation {
    let mut edges = Relation::default();
    for (i, a) in candidate.events.iter().enumerate() {
        for (j, b) in candidate.events.iter().enumerate() {
            if let (EventKind::Arrive(m), EventKind::Wait(n)) = (a.kind, b.kind)
                && m == n
            {
                edges.add(i, j);
            }
        }
    }
    edges
}

/// Returns `(first operation, write)` of every release pattern (§8.8).
fn release_patterns(candidate: &Candidate) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    for (w, event) in candidate.events.iter().enumerate() {
        let Some(action) = event.action() else { continue };
        let Some((sem, _)) = action.strength() else { continue };
        if !action.writes() && !matches!(action, Action::MbarrierArrive { .. }) {
            continue;
        }
        if sem.releases() {
            out.push((w, w));
        }
        for (f, earlier) in candidate.events.iter().enumerate() {
            let Some(first) = earlier.action() else { continue };
            let releases = first.strength().is_some_and(|(s, _)| s.releases());
            let is_fence = matches!(first, Action::Fence { .. });
            let same_location_write =
                first.writes() && first.location() == action.location() && earlier.is_alike(event);
            if releases && (is_fence || same_location_write) && candidate.program_order.has(f, w) {
                out.push((f, w));
            }
        }
    }
    out
}

/// Returns `(read, last operation)` of every acquire pattern (§8.8).
fn acquire_patterns(candidate: &Candidate) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    for (r, event) in candidate.events.iter().enumerate() {
        let Some(action) = event.action() else { continue };
        let Some((sem, _)) = action.strength() else { continue };
        if action.reads().is_none() && !matches!(action, Action::MbarrierWait { .. }) {
            continue;
        }
        if sem.acquires() {
            out.push((r, r));
        }
        for (f, later) in candidate.events.iter().enumerate() {
            let Some(last) = later.action() else { continue };
            let acquires = last.strength().is_some_and(|(s, _)| s.acquires());
            let is_fence = matches!(last, Action::Fence { .. });
            let same_location_read =
                last.reads().is_some() && last.location() == action.location() && later.is_alike(event);
            if acquires && (is_fence || same_location_read) && candidate.program_order.has(r, f) {
                out.push((r, f));
            }
        }
    }
    out
}

/// Calls `visit` with each total order of the writes to each location.
pub(crate) fn coherence_orders(candidate: &Candidate, visit: &mut dyn FnMut(&Relation)) {
    let mut by_location: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
    for (e, event) in candidate.events.iter().enumerate() {
        if let Some(action) = event.action().filter(|a| a.writes()) {
            by_location.entry(action.location().unwrap_or(0)).or_default().push(e);
        }
    }
    let locations: Vec<Vec<usize>> = by_location.into_values().collect();
    choose_orders(&locations, &mut Vec::new(), &mut |orders| {
        let mut total = Relation::default();
        for order in orders {
            for (i, &a) in order.iter().enumerate() {
                for &b in &order[i + 1..] {
                    total.add(a, b);
                }
            }
        }
        visit(&total);
    });
}

/// Checks the axioms for one total order of writes per location. By §8.9.6, coherence order consists of its
/// morally strong or causality-related pairs.
pub(crate) fn is_consistent(
    candidate: &Candidate,
    strong: &Relation,
    causality: &Relation,
    total: &Relation,
) -> bool {
    let n = candidate.events.len();
    if !sees_arrivals(candidate, strong, causality) {
        return false;
    }
    let mut coherence = Relation::default();
    for a in 0..n {
        for b in 0..n {
            if total.has(a, b) {
                // §8.10.1 Coherence.
                if causality.has(b, a) {
                    return false;
                }
                if strong.has(a, b) || causality.has(a, b) {
                    coherence.add(a, b);
                }
            }
        }
    }
    let coherence = coherence.closure();
    let mut from_read = Relation::default();
    let mut reads_from = Relation::default();
    for (r, event) in candidate.events.iter().enumerate() {
        let Some(action) = event.action().filter(|a| a.reads().is_some()) else { continue };
        let source = candidate.source[r];
        if let Some(w) = source {
            reads_from.add(w, r);
            // §8.10.6 Causality, first half: a read does not observe a write that follows it in causality
            // order.
            if causality.has(r, w) {
                return false;
            }
        }
        for (w, other) in candidate.events.iter().enumerate() {
            let same = other.action().is_some_and(|a| a.writes() && a.location() == action.location());
            if !same || w == r || Some(w) == source {
                continue;
            }
            if source.is_none_or(|s| coherence.has(s, w)) {
                from_read.add(r, w);
                // Second half: a read does not observe a write that a causally earlier write has overwritten.
                if causality.has(w, r) {
                    return false;
                }
            }
            // §8.10.3 Atomicity: no morally strong write between an atomic's read and its write.
            let between = source.is_none_or(|s| coherence.has(s, w)) && coherence.has(w, r);
            if action.is_atomic() && strong.has(w, r) && between {
                return false;
            }
        }
    }
    // §8.10.5 SC per location.
    let mut local = Relation::default();
    for a in 0..n {
        for b in 0..n {
            let (Some(x), Some(y)) = (candidate.events[a].action(), candidate.events[b].action()) else {
                continue;
            };
            let same = x.location().is_some() && x.location() == y.location();
            let communicates = reads_from.has(a, b) || from_read.has(a, b) || coherence.has(a, b);
            if same && strong.has(a, b) && (candidate.program_order.has(a, b) || communicates) {
                local.add(a, b);
            }
        }
    }
    local.is_acyclic()
}

/// Returns whether no wait for an mbarrier precedes, in causality order, an arrival that it observes.
pub(crate) fn sees_arrivals(candidate: &Candidate, strong: &Relation, causality: &Relation) -> bool {
    mbarriers(candidate).all(|(arrive, wait)| !strong.has(arrive, wait) || !causality.has(wait, arrive))
}

/// Returns the pairs that race (§8.7.1).
pub(crate) fn racing(candidate: &Candidate, strong: &Relation, causality: &Relation) -> Vec<Race> {
    let mut races = Vec::new();
    for (a, x) in candidate.events.iter().enumerate() {
        for (b, y) in candidate.events.iter().enumerate().skip(a + 1) {
            let (Some(p), Some(q)) = (x.action(), y.action()) else { continue };
            let conflict =
                p.location().is_some() && p.location() == q.location() && (p.writes() || q.writes());
            let ordered = causality.has(a, b) || causality.has(b, a);
            if x.thread != y.thread && conflict && !strong.has(a, b) && !ordered {
                races.push(Race((x.thread, x.index), (y.thread, y.index)));
            }
        }
    }
    races
}

fn collect_races(
    candidate: &Candidate,
    strong: &Relation,
    causality: &Relation,
    total: &Relation,
    verdict: &mut Verdict,
) {
    let mut sequential = None;
    for race in racing(candidate, strong, causality) {
        let sc = *sequential.get_or_insert_with(|| is_sequential(candidate, total));
        *verdict.races.entry(race).or_insert(false) |= sc;
    }
}

/// Returns whether one interleaving has these observations and this order of writes.
fn is_sequential(candidate: &Candidate, total: &Relation) -> bool {
    let mut order = candidate.program_order.union(total);
    for (r, event) in candidate.events.iter().enumerate() {
        let Some(action) = event.action().filter(|a| a.reads().is_some()) else { continue };
        if let Some(w) = candidate.source[r] {
            order.add(w, r);
        }
        for (w, other) in candidate.events.iter().enumerate() {
            let same = other.action().is_some_and(|a| a.writes() && a.location() == action.location());
            if same && w != r && candidate.source[r].is_none_or(|s| total.has(s, w)) {
                order.add(r, w);
            }
        }
    }
    for (arrive, wait) in mbarriers(candidate) {
        order.add(arrive, wait);
    }
    let order = order.union(&meetings(candidate));
    order.is_acyclic()
}

fn permutations(items: &[usize], visit: &mut dyn FnMut(&[usize])) {
    fn go(rest: &mut Vec<usize>, chosen: &mut Vec<usize>, visit: &mut dyn FnMut(&[usize])) {
        if rest.is_empty() {
            visit(chosen);
            return;
        }
        for i in 0..rest.len() {
            let item = rest.remove(i);
            chosen.push(item);
            go(rest, chosen, visit);
            chosen.pop();
            rest.insert(i, item);
        }
    }
    go(&mut items.to_vec(), &mut Vec::new(), visit);
}

fn choose_orders(
    locations: &[Vec<usize>],
    chosen: &mut Vec<Vec<usize>>,
    visit: &mut dyn FnMut(&[Vec<usize>]),
) {
    let Some(writes) = locations.get(chosen.len()) else {
        visit(chosen);
        return;
    };
    permutations(writes, &mut |order| {
        chosen.push(order.to_vec());
        choose_orders(locations, chosen, visit);
        chosen.pop();
    });
}
