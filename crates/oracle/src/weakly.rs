//! Runs of litmus programs whose memory decides which write each read returns.

use crate::cells::Cells;
use crate::interleave::{State, begin, tell};
use crate::outcomes::Outcome;
use crate::program::Program;
use events::{Observer, TaskId};
use std::collections::BTreeMap;

/// A run whose memory decides which writes its reads return.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weakly {
    /// The value of each read, by thread and index.
    pub reads: BTreeMap<(usize, usize), u32>,
    /// The final value of each location.
    pub memory: [u32; 16],
}

impl Weakly {
    /// Returns the run's reads, and the values of the locations that it wrote.
    pub fn outcome(&self, program: &Program) -> Outcome {
        let mut memory = BTreeMap::new();
        for (t, thread) in program.threads.iter().enumerate() {
            let ran = |k: usize| self.reads.contains_key(&(t, k));
            for (k, instruction) in thread.code.iter().enumerate() {
                let runs = instruction.guard.is_none_or(|(register, wanted)| {
                    let sets = |j: &usize| thread.code[*j].action.reads() == Some(register) && ran(*j);
                    let set = (0..k).rev().find(sets);
                    set.map_or(0, |j| self.reads[&(t, j)]) == wanted
                });
                let location = instruction.action.location().filter(|_| runs && instruction.action.writes());
                location.map(|l| memory.insert(l, self.memory[l as usize]));
            }
        }
        Outcome { reads: self.reads.clone(), memory }
    }
}

/// Runs `program` with another memory, which also receives the synchronisation events. `pick` chooses among
/// the threads that can run. Returns `None` on a deadlock.
pub fn weakly(
    program: &Program,
    pick: &mut dyn FnMut(&[usize]) -> usize,
    memory: &mut (impl Cells + Observer),
) -> Option<Weakly> {
    let mut state = State::new(program);
    let mut reads = BTreeMap::new();
    let task = TaskId(1);
    begin(program, task, memory);
    loop {
        let enabled: Vec<usize> = (0..program.threads.len()).filter(|&t| state.enabled(t)).collect();
        if enabled.is_empty() {
            return state.is_over().then_some(Weakly { reads, memory: state.memory });
        }
        let t = enabled[pick(&enabled)];
        let step = state.step_in(t, memory);
        if step.runs {
            if step.instruction.action.reads().is_some() {
                reads.insert((t, step.index), step.read);
            }
            tell(program, t, &step, task, memory);
        }
    }
}
