//! The races of the one execution that an interleaving is.
//!
//! An interleaving says what each read observes and how writes follow each other, but not how the model orders its
//! `fence.sc` operations: every order that contradicts no axiom is one of an execution with the same values. [`races`] tries
//! them all.

use crate::execution::{Candidate, Event, EventKind, kinds};
use crate::interleave::{Ran, run};
use crate::model::{Race, fence_orders, is_consistent, morally_strong, racing, sees_arrivals};
use crate::program::{Action, Location, Program};
use crate::relation::{EVENTS, Relation};
use events::Sem;
use std::collections::BTreeSet;

/// The races that some order of the fences has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// Of orders that contradict no axiom.
    pub consistent: BTreeSet<Race>,
    /// Of those, too, that contradict axioms by nothing but accesses that race themselves, if they are ordered by nothing else: what a
    /// weak access reads, for example. Without a race of `consistent` there is none.
    pub beside: BTreeSet<Race>,
}

/// Fences of which all orders are tried.
const FENCES: usize = 5;

/// The races of the execution that `schedule` is; `None` if threads wait for ever, or it has more events or fences than are tried.
pub fn races(program: &Program, schedule: &[usize]) -> Option<Observed> {
    let (candidate, total) = candidate(program, &run(program, schedule)?)?;
    let is_sc = |e: &&Event| matches!(e.action(), Some(Action::Fence { sem: Sem::Sc, .. }));
    if candidate.events.iter().filter(is_sc).count() > FENCES {
        return None;
    }
    let strong = morally_strong(&candidate, program.has_cluster());
    let mut observed = Observed::default();
    fence_orders(&candidate, &strong, &mut |causality| {
        if is_consistent(&candidate, &strong, causality, &total) {
            let races = racing(&candidate, &strong, causality);
            observed.beside.extend(races.iter().copied());
            observed.consistent.extend(races);
        } else if agrees_with_strong(&candidate, &strong, causality, &total) {
            observed.beside.extend(racing(&candidate, &strong, causality));
        }
    });
    Some(observed)
}

/// The candidate that a run is, with the order of its writes to each location.
fn candidate(program: &Program, ran: &[Ran]) -> Option<(Candidate, Relation)> {
    let mut events = Vec::new();
    // The last write of each location, by event; and when each event came.
    let mut placed: Vec<(usize, usize)> = Vec::new();
    for (t, thread) in program.threads.iter().enumerate() {
        for (at, ran) in ran.iter().enumerate().filter(|(_, ran)| ran.thread == t) {
            for kind in kinds(program, t, ran.index).into_iter().flatten() {
                placed.push((at, events.len()));
                events.push(Event { thread: t, index: ran.index, place: thread.place, kind });
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

/// Returns whether an order of the fences contradicts nothing that strong accesses have observed: no write of two is before the other that the
/// run had first, no read before what it observes morally strongly, or behind a strong write that overwrote what it read. That is what
/// [`is_consistent`] asks of all accesses.
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
        if source.is_some_and(|write| strong.has(write, read) && causality.has(read, write)) {
            return false;
        }
        let location = candidate.events[read].action().and_then(Action::location);
        let writes =
            |e: usize| candidate.events[e].action().is_some_and(|a| a.writes() && a.location() == location);
        let behind = |e: usize| e != read && source.is_none_or(|s| total.has(s, e));
        let mut later: Vec<usize> = (0..n).filter(|&e| writes(e) && behind(e)).collect();
        later.sort_unstable_by_key(|&e| later_than(total, n, e));
        let mut last = source;
        for write in later {
            // What was read is before each in coherence order, as long as each of them is before the next.
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

/// How many writes are before one.
fn later_than(total: &Relation, events: usize, write: usize) -> usize {
    (0..events).filter(|&e| total.has(e, write)).count()
}
