//! Candidate executions: the set of executed instructions, and the write that each read observes.

use crate::path::Path;
use crate::program::{Action, Instruction, Meeting, Place, Program, Size};
use crate::relation::Relation;

/// One event of a candidate. A barrier at which its thread waits consists of two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub thread: usize,
    /// The instruction's index in the thread's code.
    pub index: usize,
    pub place: Place,
    pub path: Path,
    pub size: Size,
    pub kind: EventKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    Operation(Action),
    /// The release side of a barrier; `Wait` is its acquire side.
    Arrive(Meeting),
    Wait(Meeting),
}

impl Event {
    /// Returns whether accesses of one location have the same path and size.
    pub(crate) fn is_alike(&self, other: &Event) -> bool {
        (self.path, self.size) == (other.path, other.size)
    }

    pub fn action(&self) -> Option<&Action> {
        match &self.kind {
            EventKind::Operation(action) => Some(action),
            _ => None,
        }
    }
}

/// The events in program order per thread, and the source of each read.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub events: Vec<Event>,
    /// For reads: the writing event, or `None` for the initial 0.
    pub source: Vec<Option<usize>>,
    pub program_order: Relation,
}

/// Calls `visit` with every candidate whose values satisfy its guards and do not come out of thin air
/// (§8.10.4).
pub fn candidates(program: &Program, visit: &mut dyn FnMut(&Candidate)) {
    let guarded: Vec<(usize, usize)> = program
        .threads
        .iter()
        .enumerate()
        .flat_map(|(t, thread)| {
            thread.code.iter().enumerate().filter(|(_, i)| i.guard.is_some()).map(move |(k, _)| (t, k))
        })
        .collect();
    for chosen in 0..1u32 << guarded.len() {
        let runs = |t: usize, k: usize| {
            guarded.iter().position(|&g| g == (t, k)).is_none_or(|bit| chosen >> bit & 1 != 0)
        };
        let events = events_of(program, &runs);
        let mut program_order = Relation::default();
        for a in 0..events.len() {
            for b in a + 1..events.len() {
                if events[a].thread == events[b].thread {
                    program_order.add(a, b);
                }
            }
        }
        let mut candidate = Candidate { source: vec![None; events.len()], events, program_order };
        assign_sources(program, &runs, &mut candidate, 0, visit);
    }
}

fn events_of(program: &Program, runs: &dyn Fn(usize, usize) -> bool) -> Vec<Event> {
    let mut events = Vec::new();
    for (t, thread) in program.threads.iter().enumerate() {
        for k in 0..thread.code.len() {
            let (place, Instruction { path, size, .. }) = (thread.place, thread.code[k]);
            let push = |kind| events.push(Event { thread: t, index: k, place, path, size, kind });
            if runs(t, k) {
                kinds(program, t, k).into_iter().flatten().for_each(push);
            }
        }
    }
    assert!(events.len() <= 32, "the oracle is bounded to 32 events");
    events
}

/// Returns the kinds of the events that an executed instruction consists of.
pub(crate) fn kinds(program: &Program, thread: usize, index: usize) -> [Option<EventKind>; 2] {
    let action = program.threads[thread].code[index].action;
    let Some(meeting) = program.meeting(thread, index) else {
        return [Some(EventKind::Operation(action)), None];
    };
    let (arrive, wait) = (EventKind::Arrive(meeting), EventKind::Wait(meeting));
    match action {
        Action::Named { waits: false, .. } | Action::ClusterArrive => [Some(arrive), None],
        Action::ClusterWait => [Some(wait), None],
        // Their semantics and scopes determine which events they order.
        Action::MbarrierArrive { .. } | Action::MbarrierWait { .. } => {
            [Some(EventKind::Operation(action)), None]
        }
        _ => [Some(arrive), Some(wait)],
    }
}

fn assign_sources(
    program: &Program,
    runs: &dyn Fn(usize, usize) -> bool,
    candidate: &mut Candidate,
    next: usize,
    visit: &mut dyn FnMut(&Candidate),
) {
    let Some(read) = (next..candidate.events.len())
        .find(|&e| candidate.events[e].action().is_some_and(|a| a.reads().is_some()))
    else {
        if guards_hold(program, runs, candidate) {
            visit(candidate);
        }
        return;
    };
    let location = candidate.events[read].action().and_then(Action::location);
    candidate.source[read] = None;
    assign_sources(program, runs, candidate, read + 1, visit);
    for write in 0..candidate.events.len() {
        let writes_here =
            candidate.events[write].action().is_some_and(|a| a.writes() && a.location() == location);
        if write != read && writes_here {
            candidate.source[read] = Some(write);
            assign_sources(program, runs, candidate, read + 1, visit);
        }
    }
    candidate.source[read] = None;
}

/// Computes all values. Returns false if a guard disagrees with the set of executed instructions, or a value
/// depends on itself.
fn guards_hold(program: &Program, runs: &dyn Fn(usize, usize) -> bool, candidate: &Candidate) -> bool {
    let n = candidate.events.len();
    let event_at = |t: usize, k: usize| {
        (0..n).find(|&e| (candidate.events[e].thread, candidate.events[e].index) == (t, k))
    };
    // Dependency edges: from source to read, and from guarding read to guarded event.
    let mut depends = Relation::default();
    for (read, source) in candidate.source.iter().enumerate() {
        if let Some(write) = *source {
            depends.add(write, read);
        }
    }
    let mut values = vec![None; n];
    for e in 0..n {
        if read_value(candidate, &mut values, e, 0).is_none() {
            return false;
        }
    }
    for (t, thread) in program.threads.iter().enumerate() {
        for (k, instruction) in thread.code.iter().enumerate() {
            let Some((register, wanted)) = instruction.guard else { continue };
            let setter = (0..k)
                .rev()
                .filter(|&j| thread.code[j].action.reads() == Some(register))
                .find(|&j| thread.code[j].guard.is_none() || runs(t, j))
                .and_then(|j| event_at(t, j));
            let value = setter.and_then(|e| values[e]).unwrap_or(0);
            if (value == wanted) != runs(t, k) {
                return false;
            }
            if let (Some(setter), Some(event)) = (setter, event_at(t, k)) {
                depends.add(setter, event);
            }
        }
    }
    depends.is_acyclic()
}

/// Returns the value that event `e` reads (0 for events that read nothing), or `None` on a cycle.
pub(crate) fn read_value(
    candidate: &Candidate,
    values: &mut [Option<u32>],
    e: usize,
    depth: usize,
) -> Option<u32> {
    if let Some(value) = values[e] {
        return Some(value);
    }
    if depth > candidate.events.len() {
        return None;
    }
    let value = match candidate.source[e] {
        None => 0,
        Some(write) => {
            let action = candidate.events[write].action()?;
            // A plain store or an exchange stores the same value whatever it read.
            match action {
                Action::Write { value, .. } | Action::Exchange { value, .. } => *value,
                _ => action.stored(read_value(candidate, values, write, depth + 1)?)?,
            }
        }
    };
    values[e] = Some(value);
    Some(value)
}
