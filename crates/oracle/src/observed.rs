//! The races of the one execution that an interleaving determines.
//!
//! An interleaving determines the write that each read observes and the order of writes, but not the order of
//! `fence.sc` operations in the model: every order that contradicts no axiom belongs to an execution with the
//! same values. [`races`] tries all orders.

use crate::execution::{Candidate, Event, EventKind, kinds};
use crate::interleave::{Ran, run};
use crate::model::{Race, fence_orders, is_consistent, morally_strong, racing, sees_arrivals};
use crate::program::{Action, Instruction, Location, Program};
use crate::relation::{EVENTS, Relation};
use events::Sem;
use std::collections::BTreeSet;

/// The races over all orders of the `fence.sc` operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// The races in orders that satisfy all axioms.
    pub consistent: BTreeSet<Race>,
    /// The races in those orders and in orders that violate axioms only through weak accesses that race
    /// themselves (for example, by the value that a weak read observes). Empty if `consistent` is empty.
    pub beside: BTreeSet<Race>,
    /// Accesses that each order of `beside` puts one before the other: the earlier, then the later one.
    pub ordered: BTreeSet<(Access, Access)>,
}

/// An access by its thread and its place in the thread's code.
pub type Access = (usize, usize);

/// The largest number of `fence.sc` operations whose orders are enumerated.
const FENCES: usize = 5;

/// Returns the races of the execution that `schedule` determines; `None` if threads deadlock, or the
/// execution exceeds the bounds on events or fences.
pub fn races(program: &Program, schedule: &[usize]) -> Option<Observed> {
    let (candidate, total) = candidate(program, &run(program, schedule)?)?;
    let is_sc = |e: &&Event| matches!(e.action(), Some(Action::Fence { sem: Sem::Sc, .. }));
    if candidate.events.iter().filter(is_sc).count() > FENCES {
        return None;
    }
    let strong = morally_strong(&candidate, program.has_cluster());
    let mut observed = Observed::default();
    let mut ordered: Option<Relation> = None;
    fence_orders(&candidate, &strong, &mut |causality| {
        if is_consistent(&candidate, &strong, causality, &total) {
            observed.consistent.extend(racing(&candidate, &strong, causality));
        } else if !agrees_with_strong(&candidate, &strong, causality, &total) {
            return;
        }
        observed.beside.extend(racing(&candidate, &strong, causality));
        ordered = Some(ordered.as_ref().map_or_else(|| causality.clone(), |all| all.common(causality)));
    });
    observed.ordered = accesses(&candidate, &ordered.unwrap_or_default());
    Some(observed)
}

/// Returns the accesses that `order` relates.
fn accesses(candidate: &Candidate, order: &Relation) -> BTreeSet<(Access, Access)> {
    let accesses = || {
        let located = |e: &&Event| e.action().is_some_and(|action| action.location().is_some());
        let numbered = candidate.events.iter().enumerate();
        numbered.filter(move |(_, event)| located(event)).map(|(e, event)| (e, (event.thread, event.index)))
    };
    let pairs = accesses().flat_map(|(a, first)| accesses().map(move |(b, second)| (a, b, first, second)));
    pairs.filter(|&(a, b, ..)| order.has(a, b)).map(|(_, _, first, second)| (first, second)).collect()
}

/// Returns the candidate of a run, and the total order of its writes to each location.
fn candidate(program: &Program, ran: &[Ran]) -> Option<(Candidate, Relation)> {
    let mut events = Vec::new();
    // The position of each event in the run, as (position, event).
    let mut placed: Vec<(usize, usize)> = Vec::new();
    for (t, thread) in program.threads.iter().enumerate() {
        for (at, ran) in ran.iter().enumerate().filter(|(_, ran)| ran.thread == t) {
            for kind in kinds(program, t, ran.index).into_iter().flatten() {
                placed.push((at, events.len()));
                let (place, Instruction { path, size, .. }) = (thread.place, thread.code[ran.index]);
                events.push(Event { thread: t, index: ran.index, place, path, size, kind });
            }
        }
    }
    if events.len() > EVENTS {
        return None;
    }
    let mut program_order = Relation::default();
    for a in 0..events.len() {
        for b in a + 1..events.len() {
            if events[a].thread == events[b].thread {
                program_order.add(a, b);
            }
        }
    }
    placed.sort_unstable();
    let mut source = vec![None; events.len()];
    let (mut total, mut written) = (Relation::default(), Vec::<(Location, usize)>::new());
    for &(_, event) in &placed {
        let EventKind::Operation(action) = events[event].kind else { continue };
        let Some(location) = action.location() else { continue };
        if action.reads().is_some() {
            source[event] = written.iter().rev().find(|(l, _)| *l == location).map(|&(_, write)| write);
        }
        if action.writes() {
            written.iter().filter(|(l, _)| *l == location).for_each(|&(_, write)| total.add(write, event));
            written.push((location, event));
        }
    }
    Some((Candidate { events, source, program_order }, total))
}

/// Returns whether an order of the fences agrees with the observations of strong accesses: causality reverses
/// no two strong writes of the run, places no read before a write that it observes morally strongly or before
/// a strong write that precedes that one, and no read after a strong write that overwrote what it read.
/// [`is_consistent`] requires the same of all accesses.
fn agrees_with_strong(
    candidate: &Candidate,
    strong: &Relation,
    causality: &Relation,
    total: &Relation,
) -> bool {
    let n = candidate.events.len();
    let is_strong = |e: usize, is: fn(&Action) -> bool| {
        candidate.events[e].action().is_some_and(|a| is(a) && a.strength().is_some())
    };
    let coherent = |a: usize, b: usize| total.has(a, b) && (strong.has(a, b) || causality.has(a, b));
    for a in (0..n).filter(|&a| is_strong(a, Action::writes)) {
        for b in (0..n).filter(|&b| is_strong(b, Action::writes)) {
            if total.has(a, b) && causality.has(b, a) {
                return false;
            }
        }
    }
    for read in (0..n).filter(|&read| is_strong(read, |a| a.reads().is_some())) {
        let source = candidate.source[read];
        let location = candidate.events[read].action().and_then(Action::location);
        let writes =
            |e: usize| candidate.events[e].action().is_some_and(|a| a.writes() && a.location() == location);
        let precedes_source = |source: usize| {
            let earlier = |e: usize| writes(e) && is_strong(e, Action::writes) && total.has(e, source);
            (0..n).any(|e| (e == source || earlier(e)) && causality.has(read, e))
        };
        if source.is_some_and(|write| strong.has(write, read) && precedes_source(write)) {
            return false;
        }
        let behind = |e: usize| e != read && source.is_none_or(|s| total.has(s, e));
        let mut later: Vec<usize> = (0..n).filter(|&e| writes(e) && behind(e)).collect();
        later.sort_unstable_by_key(|&e| later_than(total, n, e));
        let mut last = source;
        for write in later {
            // The source precedes each of these writes in coherence order as long as each precedes the next.
            if last.is_some_and(|last| !coherent(last, write)) {
                break;
            }
            if is_strong(write, Action::writes) && causality.has(write, read) {
                return false;
            }
            last = Some(write);
        }
    }
    sees_arrivals(candidate, strong, causality)
}

/// Returns how many writes precede `write` in `total`.
fn later_than(total: &Relation, events: usize, write: usize) -> usize {
    (0..events).filter(|&e| total.has(e, write)).count()
}
