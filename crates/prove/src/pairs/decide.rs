//! Decides all pairs of a kernel's accesses.

use crate::exec::Summary;
use crate::facts::{Assumed, Assumption, Facts};
use crate::kernel::access::{Access, AccessKind, Doer, Space};
use crate::pairs::pair::{OpenPair, Pair, Relation, Threads, apart, apart_by, harmless};
use crate::pairs::{incoherent, order};
use crate::sync::async_copies;
use crate::sync::barriers::{Phase, Reached, interval};
use crate::sync::pipeline::Ways;
use rustc_hash::FxHashMap;

/// Limits the pairs that are examined.
const MOST_PAIRS: usize = 60_000;

/// Limits the pairs of one kernel that are passed to an external solver.
const MOST_FOREIGN: u32 = 40;

/// The result for all pairs.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    pub open: Vec<OpenPair>,
    pub assumed: Assumed,
    /// Number of queries to the solver.
    pub asked: usize,
    /// Whether a limit was reached.
    pub gave_up: bool,
}

/// Decides every pair, until `stop` returns true.
pub fn decide(summary: &Summary, facts: &Facts, stop: &dyn Fn() -> bool) -> Decision {
    decide_some(summary, facts, &|_, _| true, stop)
}

/// Decides the pairs that are `wanted`.
pub(crate) fn decide_some(
    summary: &Summary,
    facts: &Facts,
    wanted: &dyn Fn(&Access, &Access) -> bool,
    stop: &dyn Fn() -> bool,
) -> Decision {
    let mut decision = Decision { assumed: summary.assumed.clone(), ..Decision::default() };
    let accesses = &summary.accesses;
    let mut answers: FxHashMap<(usize, usize, Relation), bool> = FxHashMap::default();
    let mut patience = MOST_FOREIGN;
    let mut ask = |d: &mut Decision, i: usize, j: usize, relation: Relation, tracked: &[usize]| {
        let (i, j, relation) = ordered(i, j, relation);
        let (a, b): (&Access, &Access) = (&accesses[i], &accesses[j]);
        if !wanted(a, b) {
            return true;
        }
        if harmless(summary, a, b, &relation, &mut d.assumed) {
            return true;
        }
        let same_block =
            !matches!(relation, Relation::Grid | Relation::Blocks { .. } | Relation::Cluster { .. });
        let key = (i, j, relation);
        if let Some(&answer) = answers.get(&key) {
            return answer;
        }
        // One reason suffices for a pair.
        if d.open.iter().any(|o| (o.first, o.second, o.same_block) == (i, j, same_block)) {
            return false;
        }
        d.asked += 1;
        if d.asked > MOST_PAIRS || stop() {
            d.gave_up = true;
            return false;
        }
        let pair = Pair { summary, relation: &key.2, tracked };
        let mut answer = apart(pair, a, b);
        if !answer && let Some(mut assumed) = order::ordered(pair, (a, b), facts, stop) {
            d.assumed.append(&mut assumed);
            answer = true;
        }
        answer = answer || order::handed_over(pair, a, b);
        if !answer && let Some(smt) = facts.smt.as_ref().filter(|_| patience > 0) {
            patience -= 1;
            answer = apart_by(smt, pair, a, b, stop);
            if answer {
                d.assumed.insert(Assumption::Solver(smt.name()));
            }
        }
        answers.insert(key, answer);
        if !answer {
            d.open.push(OpenPair { first: i, second: j, same_block });
        }
        answer
    };
    // These pairs are in different blocks.
    for i in 0..accesses.len() {
        for j in i..accesses.len() {
            if decision.gave_up {
                return decision;
            }
            let shared = |a: &Access| matches!(a.space, Space::Shared | Space::Distributed);
            let reads = |a: &Access| a.kind == AccessKind::Read;
            // Copies may go on after a barrier of the grid.
            let at_any_time =
                summary.grids.is_empty() || accesses[i].doer.is_late() || accesses[j].doer.is_late();
            if !at_any_time {
                continue;
            }
            if !(shared(&accesses[i]) || shared(&accesses[j]) || reads(&accesses[i]) && reads(&accesses[j])) {
                ask(&mut decision, i, j, Relation::Grid, &[]);
            }
        }
    }
    // Pairs within a block are examined by interval. If warps have barriers of their own, they also have
    // intervals of their own.
    let mut by_inst: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for (i, a) in accesses.iter().enumerate() {
        by_inst.entry(a.inst).or_default().push(i);
    }
    let late: Vec<usize> = (0..accesses.len()).filter(|&i| accesses[i].doer.is_late()).collect();
    let tracked_by = |barriers: &[usize]| -> Vec<usize> {
        let inside = |l: usize, i: usize| summary.shape.contains(l, summary.cfg.block_of(i as u32));
        (0..summary.shape.loops.len()).filter(|&l| barriers.iter().any(|&i| inside(l, i))).collect()
    };
    let groups: Vec<(Threads, &[usize])> = match &summary.lanes {
        None => vec![(Threads::Any, &summary.barriers)],
        Some(lanes) => {
            let mut groups = vec![(Threads::OtherWarps, &summary.barriers[..])];
            groups.extend(lanes.iter().enumerate().map(|(n, g)| (Threads::Lanes(n as u8), &g.barriers[..])));
            groups
        }
    };
    for (threads, barriers) in groups {
        let tracked = tracked_by(barriers);
        // Late accesses that go on, by the barrier at which they do.
        let mut going_on: FxHashMap<usize, Vec<(usize, Vec<Phase>)>> = FxHashMap::default();
        for &i in &late {
            let steps = summary.groups.completing(&accesses[i]);
            let own = summary.ways_of(&accesses[i]);
            let place = (&*own, &summary.shape);
            let Some(found) = async_copies::intervals(place, steps, barriers, &tracked, accesses[i].inst)
            else {
                decision.gave_up = true;
                return decision;
            };
            for (barrier, phases) in found {
                going_on.entry(barrier).or_default().push((i, phases));
            }
        }
        for start in std::iter::once(None).chain(barriers.iter().map(|&b| Some(b))) {
            let Some(reached) = interval(&summary.cfg, &summary.shape, barriers, &tracked, start) else {
                decision.gave_up = true;
                return decision;
            };
            let going_on = start.and_then(|b| going_on.get(&b)).into_iter().flatten().cloned();
            let mut list: Vec<(usize, Vec<Phase>)> = going_on.collect();
            for (inst, phases) in reached {
                for &i in by_inst.get(&inst).into_iter().flatten() {
                    list.push((i, phases.clone()));
                }
            }
            list.sort_unstable();
            list.dedup();
            for (n, (i, p)) in list.iter().enumerate() {
                for (j, q) in &list[n..] {
                    if decision.gave_up {
                        return decision;
                    }
                    let phases = p.iter().copied().zip(q.iter().copied()).collect();
                    ask(&mut decision, *i, *j, Relation::Block { threads, phases }, &tracked);
                }
            }
        }
    }
    // Pairs in different blocks are examined by interval of the grid's barriers or of a cluster's.
    let far = |a: &Access| a.space == Space::Distributed;
    let cluster = summary.cluster.as_ref().filter(|_| accesses.iter().any(far));
    let of_cluster = cluster.map(|cluster| (&cluster.barriers, true));
    let of_grid = (!summary.grids.is_empty()).then_some((&summary.grids, false));
    for (barriers, in_cluster) in of_cluster.into_iter().chain(of_grid) {
        let tracked = tracked_by(barriers);
        for start in std::iter::once(None).chain(barriers.iter().map(|&b| Some(b))) {
            let Some(reached) = interval(&summary.cfg, &summary.shape, barriers, &tracked, start) else {
                decision.gave_up = true;
                return decision;
            };
            let mut list: Vec<(usize, Vec<Phase>)> = Vec::new();
            for (inst, phases) in reached {
                list.extend(by_inst.get(&inst).into_iter().flatten().map(|&i| (i, phases.clone())));
            }
            list.sort_unstable();
            for (n, (i, p)) in list.iter().enumerate() {
                for (j, q) in &list[n..] {
                    if decision.gave_up {
                        return decision;
                    }
                    let phases = p.iter().copied().zip(q.iter().copied()).collect();
                    let is_far = far(&accesses[*i]) || far(&accesses[*j]);
                    match in_cluster {
                        true if is_far => ask(&mut decision, *i, *j, Relation::Cluster { phases }, &tracked),
                        false if !is_far => ask(&mut decision, *i, *j, Relation::Blocks { phases }, &tracked),
                        _ => true,
                    };
                }
            }
        }
    }
    // Each thread is paired with its own late accesses.
    let all_loops: Vec<usize> = (0..summary.shape.loops.len()).collect();
    let instructions = by_inst.keys().copied().collect();
    for &i in &late {
        let steps = summary.groups.completing(&accesses[i]);
        let own = summary.ways_of(&accesses[i]);
        let place = (&*own, &summary.shape);
        let Some(beside) = async_copies::beside(place, steps, accesses[i].inst, &instructions) else {
            decision.gave_up = true;
            return decision;
        };
        let mut beside: Vec<Reached> = beside.into_iter().collect();
        beside.sort_unstable();
        for (inst, phases) in beside {
            for &j in &by_inst[&inst] {
                // For a matrix, all pairs of a block's threads have already been examined.
                if decision.gave_up || matches!(accesses[j].doer, Doer::Warp { .. }) {
                    continue;
                }
                let of_loop = |(&l, &p): (&usize, &Phase)| {
                    let inside = summary.shape.contains(l, accesses[i].block);
                    (if inside { Phase::Same } else { Phase::Out }, p)
                };
                let phases = all_loops.iter().zip(&phases).map(of_loop).collect();
                ask(&mut decision, i, j, Relation::Own { phases }, &all_loops);
            }
        }
    }
    let open = unfenced(summary, &mut decision.assumed, stop);
    decision.open.extend(open);
    decision.open.extend(incoherent::behind_writes(summary, wanted, &mut decision.assumed, stop));
    decision
}

/// Returns the pairs of a generic access and one through the async proxy between which a proxy fence may be missing: any
/// that may overlap, unless a fence lies behind the access or before the other one, or that one always comes first.
fn unfenced(summary: &Summary, assumed: &mut Assumed, stop: &dyn Fn() -> bool) -> Vec<OpenPair> {
    let mut open = Vec::new();
    if !summary.proxies.any {
        return open;
    }
    let all = || summary.accesses.iter().enumerate();
    for (i, a) in all().filter(|(_, a)| !a.doer.is_async_proxy()) {
        for (j, copy) in all().filter(|(_, c)| c.doer.is_async_proxy()) {
            if summary.proxies.is_fenced(a, copy) || never_first(summary, a, copy) {
                continue;
            }
            let orders = [Relation::any_of_block(), Relation::Own { phases: Vec::new() }].map(|relation| {
                if harmless(summary, a, copy, &relation, assumed) {
                    return true;
                }
                let pair = Pair { summary, relation: &relation, tracked: &[] };
                !stop() && (apart(pair, a, copy) || order::handed_back(pair, a, copy))
            });
            if orders != [true, true] {
                open.push(OpenPair { first: i.min(j), second: i.max(j), same_block: true });
            }
        }
    }
    open
}

/// Returns whether no thread can make the first access before another thread of its block makes the second one, if both are
/// ordered: only barriers of the block order threads, and no path leads from the first access to the second one.
fn never_first(summary: &Summary, a: &Access, copy: &Access) -> bool {
    let branches = vec![None; summary.cfg.blocks.len()];
    let ways = Ways { cfg: &summary.cfg, shape: &summary.shape, branches: &branches };
    summary.pipelines.is_none() && copy.space != Space::Global && !ways.may_follow(a.inst, copy.inst, None)
}

/// Returns the pair with the lower index first.
fn ordered(i: usize, j: usize, relation: Relation) -> (usize, usize, Relation) {
    if i <= j {
        return (i, j, relation);
    }
    let relation = match relation {
        Relation::Block { threads, phases } => {
            Relation::Block { threads, phases: phases.into_iter().map(|(a, b)| (b, a)).collect() }
        }
        Relation::Blocks { phases } => {
            Relation::Blocks { phases: phases.into_iter().map(|(a, b)| (b, a)).collect() }
        }
        Relation::Cluster { phases } => {
            Relation::Cluster { phases: phases.into_iter().map(|(a, b)| (b, a)).collect() }
        }
        Relation::Own { phases } => {
            Relation::Own { phases: phases.into_iter().map(|(a, b)| (b, a)).collect() }
        }
        grid => grid,
    };
    (j, i, relation)
}
