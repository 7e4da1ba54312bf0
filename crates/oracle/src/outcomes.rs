//! The values that consistent executions read and leave.

use crate::execution::{Candidate, candidates, read_value};
use crate::model::{coherence_orders, fence_orders, is_consistent, morally_strong};
use crate::program::{Location, Program};
use crate::relation::Relation;
use std::collections::BTreeMap;

/// What an execution shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    /// The value of each read, by thread and index.
    pub reads: BTreeMap<(usize, usize), u32>,
    /// The final value of each location that is written.
    pub memory: BTreeMap<Location, u32>,
}

/// The outcomes that the model allows. The value tells whether an execution without load buffering has the
/// outcome: program order, observation and causality order then form no cycle.
pub type Outcomes = BTreeMap<Outcome, bool>;

/// Returns the outcomes of all consistent executions of `program`.
pub fn outcomes(program: &Program) -> Outcomes {
    let mut all = Outcomes::new();
    let clustered = program.has_cluster();
    candidates(program, &mut |candidate| {
        let strong = morally_strong(candidate, clustered);
        let reads = reads(candidate);
        fence_orders(candidate, &strong, &mut |causality| {
            let forward = has_an_order(candidate, causality);
            coherence_orders(candidate, &mut |total| {
                if is_consistent(candidate, &strong, causality, total) {
                    let outcome = Outcome { reads: reads.clone(), memory: memory(candidate, total) };
                    *all.entry(outcome).or_insert(false) |= forward;
                }
            });
        });
    });
    all
}

pub(crate) fn reads(candidate: &Candidate) -> BTreeMap<(usize, usize), u32> {
    let mut values = vec![None; candidate.events.len()];
    let read = |e: &usize| candidate.events[*e].action().is_some_and(|a| a.reads().is_some());
    let all: Vec<usize> = (0..candidate.events.len()).filter(read).collect();
    let value = |e: usize| {
        let event = &candidate.events[e];
        ((event.thread, event.index), read_value(candidate, &mut values, e, 0).unwrap_or(0))
    };
    all.into_iter().map(value).collect()
}

/// Returns the value of each location's last write.
pub(crate) fn memory(candidate: &Candidate, total: &Relation) -> BTreeMap<Location, u32> {
    let mut values = vec![None; candidate.events.len()];
    let mut memory = BTreeMap::new();
    for (e, event) in candidate.events.iter().enumerate() {
        let Some(action) = event.action().filter(|a| a.writes()) else { continue };
        let Some(location) = action.location().filter(|_| total.row(e) == 0) else { continue };
        let read = read_value(candidate, &mut values, e, 0).unwrap_or(0);
        memory.insert(location, action.stored(read).unwrap_or(0));
    }
    memory
}

/// Returns whether the events can run one after the other, each read behind the write that it observes.
fn has_an_order(candidate: &Candidate, causality: &Relation) -> bool {
    let mut order = candidate.program_order.union(causality);
    for (read, source) in candidate.source.iter().enumerate() {
        if let Some(write) = *source {
            order.add(write, read);
        }
    }
    order.is_acyclic()
}
