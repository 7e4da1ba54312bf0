//! Runs of litmus programs whose memory decides which write each read returns.

use crate::cells::{At, Cells};
use crate::interleave::{State, begin, tell};
use crate::outcomes::Outcome;
use crate::program::{Action, Program, Register};
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
/// the threads that can run and the late accesses that may be performed; it receives their number. Returns
/// `None` on a deadlock.
///
/// A late access commutes with the steps of other threads but those at its location, so it is performed only
/// directly behind one of these, or if the memory demands it, or at the end.
pub fn weakly(
    program: &Program,
    pick: &mut dyn FnMut(usize) -> usize,
    memory: &mut (impl Cells + Observer),
) -> Option<Weakly> {
    let mut run = Run { program, state: State::new(program), reads: BTreeMap::new(), late: Vec::new() };
    begin(program, TaskId(1), memory);
    loop {
        let enabled: Vec<usize> = (0..program.threads.len()).filter(|&t| run.state.enabled(t)).collect();
        let fresh: Vec<At> = run.late.iter().filter(|late| late.fresh).map(|late| late.at).collect();
        let options = enabled.len() + fresh.len();
        if options > 0 {
            let picked = pick(options);
            match enabled.get(picked) {
                Some(&t) => run.step(t, memory),
                None => run.perform(fresh[picked - enabled.len()], memory),
            }
        } else if let Some(late) = run.late.first() {
            run.perform(late.at, memory);
        } else {
            let Run { state, reads, .. } = run;
            return state.is_over().then_some(Weakly { reads, memory: state.memory });
        }
    }
}

struct Run<'p> {
    program: &'p Program,
    state: State<'p>,
    reads: BTreeMap<(usize, usize), u32>,
    late: Vec<Late>,
}

struct Late {
    at: At,
    /// Whether the last step accessed its location.
    fresh: bool,
}

impl Run<'_> {
    fn action(&self, at: At) -> Action {
        self.program.threads[at.thread].code[at.index].action
    }

    fn is_late(&self, at: At) -> bool {
        self.late.iter().any(|late| late.at == at)
    }

    /// Runs a thread's next instruction, or lets the thread pass it.
    fn step(&mut self, t: usize, memory: &mut (impl Cells + Observer)) {
        let at = At { thread: t, index: self.state.position[t] };
        let instruction = self.program.threads[t].code[at.index];
        if let Some((register, _)) = instruction.guard
            && let Some(setter) = self.setter(at, register).filter(|setter| self.is_late(*setter))
        {
            self.perform(setter, memory);
        }
        self.perform_due(at, memory);
        if let (Some(_), Some(location)) = (instruction.action.reads(), instruction.action.location())
            && self.state.runs(t)
            && memory.postpone(at, instruction.action, self.state.memory[location as usize])
        {
            self.late.push(Late { at, fresh: false });
            self.state.skip(t);
            return;
        }
        let step = self.state.step_in(t, memory);
        if step.runs {
            if step.instruction.action.reads().is_some() {
                self.reads.insert((t, step.index), step.read);
            }
            tell(self.program, t, &step, TaskId(1), memory);
        }
        self.late.iter_mut().for_each(|late| late.fresh = false);
        self.refresh(instruction.action);
    }

    /// Records that late accesses of a location may be performed, since an access has been.
    fn refresh(&mut self, done: Action) {
        let program = self.program;
        for late in &mut self.late {
            let action = program.threads[late.at.thread].code[late.at.index].action;
            let same = action.location() == done.location();
            late.fresh |= same && (done.writes() || action.writes());
        }
    }

    fn perform_due(&mut self, at: At, memory: &mut impl Cells) {
        while let Some(first) = memory.due(at, self.action(at)) {
            self.perform(first, memory);
        }
    }

    /// Returns the last instruction before `at` that ran, or is late, and sets the register.
    fn setter(&self, at: At, register: Register) -> Option<At> {
        let code = &self.program.threads[at.thread].code;
        let earlier = (0..at.index).rev().map(|index| At { index, ..at });
        let sets = |earlier: &At| code[earlier.index].action.reads() == Some(register);
        let ran = |e: &At| self.is_late(*e) || self.reads.contains_key(&(e.thread, e.index));
        earlier.filter(sets).find(ran)
    }

    /// Performs a late access.
    fn perform(&mut self, at: At, memory: &mut impl Cells) {
        self.perform_due(at, memory);
        self.late.retain(|late| late.at != at);
        let action = self.action(at);
        let (Some(location), Some(register)) = (action.location(), action.reads()) else { return };
        let there = &mut self.state.memory[location as usize];
        let done = memory.perform_late(at, action, *there);
        *there = done.left;
        self.reads.insert((at.thread, at.index), done.read);
        let next = At { index: self.state.position[at.thread], ..at };
        if self.setter(next, register) == Some(at) {
            self.state.registers[at.thread][register as usize] = done.read;
        }
        self.refresh(action);
    }
}
