//! Runs of programs, in a random order of their threads' instructions and of completions.

use super::program::{Object, Op, Program, Range};
use crate::random::Rng;
use events::{BlockId, Space};
use std::collections::BTreeMap;

/// An instruction of a thread, and its position in the thread's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    pub thread: usize,
    pub index: usize,
}

/// An asynchronous operation that moves bytes, or reads them only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    pub by: At,
    pub from: Option<Range>,
    pub to: Option<Range>,
    /// The object that the operation signals, and its [life](Step::life).
    pub signals: Option<(Object, usize)>,
    /// The step of the instruction.
    pub issued: usize,
}

/// What happened at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// An instruction was executed. At barriers, the thread arrived.
    Ran,
    /// The thread passed the barrier of the block.
    Passed,
    /// An operation completed and signalled its object.
    Completed(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub what: What,
    /// The instruction; of an operation that completed, the one that began it.
    pub at: At,
    /// The phase of the object, counted from 0; `None` for the one before the first.
    pub phase: Option<u64>,
    /// Counts the initialisations of the object.
    pub life: usize,
    /// How many times the thread's barrier has been completed before.
    pub turn: usize,
    /// The operations that were begun, that were waited for, or that an arrival tracks.
    pub operations: Vec<usize>,
}

/// A complete run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    pub steps: Vec<Step>,
    pub operations: Vec<Moved>,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    count: u32,
    pending: u32,
    bytes: i64,
    phase: u64,
    life: usize,
}

impl State {
    fn settle(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.phase += 1;
            self.pending = self.count;
        }
    }
}

/// One thread's operations of a kind, in groups.
#[derive(Clone, Debug, Default)]
struct Groups {
    open: Vec<usize>,
    closed: Vec<Vec<usize>>,
    /// The number of groups that the thread has waited for.
    waited: usize,
}

impl Groups {
    fn commit(&mut self) {
        self.closed.push(std::mem::take(&mut self.open));
    }

    /// Returns the number of groups that a wait leaves complete.
    fn done(&self, keep: usize) -> usize {
        self.closed.len().saturating_sub(keep).max(self.waited)
    }
}

struct Machine<'p> {
    program: &'p Program,
    position: Vec<usize>,
    waiting: Vec<bool>,
    turns: Vec<usize>,
    arrivals: Vec<usize>,
    waits: Vec<usize>,
    copies: Vec<Groups>,
    bulk: Vec<Groups>,
    products: Vec<Groups>,
    objects: BTreeMap<Object, State>,
    lives: usize,
    /// Operations that have yet to signal their object.
    flying: Vec<usize>,
    run: Run,
}

/// Executes a program in a random order; `None` if its threads wait for ever.
pub fn run(program: &Program, rng: &mut Rng) -> Option<Run> {
    let n = program.threads.len();
    let mut machine = Machine {
        program,
        position: vec![0; n],
        waiting: vec![false; n],
        turns: vec![0; n],
        arrivals: vec![0; n],
        waits: vec![0; n],
        copies: vec![Groups::default(); n],
        bulk: vec![Groups::default(); n],
        products: vec![Groups::default(); n],
        objects: BTreeMap::new(),
        lives: 0,
        flying: Vec::new(),
        run: Run::default(),
    };
    loop {
        let ready: Vec<usize> = (0..n).filter(|&t| machine.is_ready(t)).collect();
        let landing: Vec<usize> = machine.flying.iter().copied().filter(|&o| machine.may_land(o)).collect();
        let choices = ready.len() + landing.len();
        if choices == 0 || ready.is_empty() && machine.is_over() {
            return machine.is_over().then_some(machine.run);
        }
        // Lanes of a warp often execute an instruction together.
        let last = machine.run.steps.last().filter(|step| step.what == What::Ran).map(|step| step.at);
        let next = last.and_then(|at| machine.next_lane(at)).filter(|t| ready.contains(t));
        if let Some(t) = next.filter(|_| rng.below(8) > 0) {
            machine.step(t);
            continue;
        }
        match rng.below(choices as u64) as usize {
            choice if choice < ready.len() => machine.step(ready[choice]),
            choice => machine.land(landing[choice - ready.len()]),
        }
    }
}

impl Machine<'_> {
    fn next(&self, t: usize) -> Option<Op> {
        self.program.threads[t].code.get(self.position[t]).copied()
    }

    /// Returns the next thread that executes the same instruction in the same warp and has come to it.
    fn next_lane(&self, At { thread, index }: At) -> Option<usize> {
        let next = thread + 1;
        let same = next < self.position.len() && self.program.leader(next) == self.program.leader(thread);
        (same && self.position[next] == index).then_some(next)
    }

    fn is_over(&self) -> bool {
        (0..self.position.len()).all(|t| self.next(t).is_none())
    }

    fn is_ready(&self, t: usize) -> bool {
        let Some(op) = self.next(t).filter(|_| !self.waiting[t]) else { return false };
        let object = op.object().map(|object| self.objects.get(&object));
        match op {
            Op::Init { .. } => matches!(object, Some(None)),
            Op::ArriveCopies { noinc: false, .. } => matches!(object, Some(Some(_))),
            Op::Arrive { .. } | Op::ArriveCopies { .. } => {
                object.flatten().is_some_and(|state| state.pending > 0)
            }
            Op::Await { parity, .. } => object.flatten().is_some_and(|state| state.phase % 2 != parity),
            Op::Multicast { object, blocks, .. } => {
                (0..blocks).all(|block| self.objects.contains_key(&Object { block, number: object }))
            }
            Op::ClusterWait => {
                let all = |u: usize| self.arrivals[u] > self.waits[t] || self.next(u).is_none();
                self.arrivals[t] > self.waits[t] && (0..self.position.len()).all(all)
            }
            // A thread arrives again behind its wait.
            Op::ClusterArrive => self.arrivals[t] == self.waits[t],
            Op::ProductWait { keep } => {
                let done = self.products[t].done(keep);
                self.group_of(t).into_iter().all(|u| self.products[u].closed.len() >= done)
            }
            _ => object.is_none_or(|state| state.is_some()),
        }
    }

    /// Returns the threads of a thread's warpgroup.
    fn group_of(&self, t: usize) -> Vec<usize> {
        let threads = &self.program.threads;
        let member = |u: &usize| {
            threads[*u].block == threads[t].block
                && threads[*u].code.iter().any(|op| matches!(op, Op::Product { .. }))
        };
        (0..threads.len()).filter(member).collect()
    }

    fn record(&mut self, t: usize, what: What) -> &mut Step {
        let at = At { thread: t, index: self.position[t] };
        self.run.steps.push(Step { what, at, phase: None, life: 0, turn: 0, operations: Vec::new() });
        let last = self.run.steps.len() - 1;
        &mut self.run.steps[last]
    }

    fn step(&mut self, t: usize) {
        let Some(op) = self.next(t) else { return };
        let mut step = self.record(t, What::Ran).clone();
        if let Some(state) = op.object().and_then(|object| self.objects.get(&object)) {
            (step.phase, step.life) = (Some(state.phase), state.life);
        }
        match op {
            Op::Barrier => return self.barrier(t),
            Op::ClusterArrive => {
                step.turn = self.arrivals[t];
                self.arrivals[t] += 1;
            }
            Op::ClusterWait => {
                step.turn = self.waits[t];
                self.waits[t] += 1;
            }
            Op::Await { .. } => step.phase = step.phase.and_then(|phase| phase.checked_sub(1)),
            Op::Init { .. } | Op::Inval { .. } | Op::Expect { .. } | Op::Arrive { .. } => {
                self.on_object(op, &mut step);
            }
            Op::ArriveCopies { object, noinc } => {
                let groups = &self.copies[t];
                let closed = groups.closed[groups.waited..].iter().flatten();
                step.operations = closed.chain(&groups.open).copied().collect();
                if noinc && let Some(state) = self.objects.get_mut(&object) {
                    state.pending -= 1;
                    state.settle();
                }
            }
            _ => step.operations = self.asynchronous(t, op),
        }
        let last = self.run.steps.len() - 1;
        self.run.steps[last] = step;
        self.position[t] += 1;
        if self.next(t).is_none() {
            self.release(self.program.threads[t].block);
        }
    }

    fn barrier(&mut self, t: usize) {
        self.waiting[t] = true;
        let turn = self.turns[t];
        let last = self.run.steps.len() - 1;
        self.run.steps[last].turn = turn;
        self.release(self.program.threads[t].block);
    }

    /// Lets the threads of a block pass its barrier if all that have not ended have arrived.
    fn release(&mut self, block: u32) {
        let mates: Vec<usize> =
            (0..self.position.len()).filter(|&u| self.program.threads[u].block == block).collect();
        if mates.iter().all(|&u| self.waiting[u] || self.next(u).is_none()) {
            for u in mates {
                if !std::mem::take(&mut self.waiting[u]) {
                    continue;
                }
                let turn = self.turns[u];
                self.record(u, What::Passed).turn = turn;
                self.turns[u] += 1;
                self.position[u] += 1;
            }
        }
    }

    fn on_object(&mut self, op: Op, step: &mut Step) {
        let Some(object) = op.object() else { return };
        match op {
            Op::Init { count, .. } => {
                self.lives += 1;
                step.life = self.lives;
                let life = self.lives;
                self.objects.insert(object, State { count, pending: count, bytes: 0, phase: 0, life });
            }
            Op::Inval { .. } => {
                self.objects.remove(&object);
            }
            Op::Expect { bytes, .. } | Op::Arrive { bytes, .. } => {
                let Some(state) = self.objects.get_mut(&object) else { return };
                state.bytes += bytes as i64;
                if let Op::Arrive { .. } = op {
                    state.pending -= 1;
                    state.settle();
                }
            }
            _ => {}
        }
    }

    /// Begins operations, commits them, or waits for them; returns those that it begins or waits for.
    fn asynchronous(&mut self, t: usize, op: Op) -> Vec<usize> {
        match op {
            Op::Copy { from, to } => {
                let copy = self.begin(t, Some(from), Some(to), None);
                self.copies[t].open.push(copy);
                vec![copy]
            }
            Op::Bulk { from, to, signals, .. } => {
                let copy = self.begin(t, Some(from), Some(to), signals);
                if signals.is_none() {
                    self.bulk[t].open.push(copy);
                }
                vec![copy]
            }
            Op::Multicast { from, to, object, blocks } => {
                let each = |block: u32| {
                    let to = Range { space: Space::Shared(BlockId(block)), ..to };
                    self.begin(t, Some(from), Some(to), Some(Object { block, number: object }))
                };
                (0..blocks).map(each).collect()
            }
            Op::Remote { to, object, .. } => vec![self.begin(t, None, Some(to), Some(object))],
            Op::Product { reads } => {
                let product = self.begin(t, Some(reads), None, None);
                self.products[t].open.push(product);
                vec![product]
            }
            Op::Commit => self.closed(|machine| &mut machine.copies[t]),
            Op::BulkCommit => self.closed(|machine| &mut machine.bulk[t]),
            Op::ProductCommit => self.closed(|machine| &mut machine.products[t]),
            Op::Wait { keep } => finish(&mut self.copies[t], keep, false),
            Op::BulkWait { keep, reads } => finish(&mut self.bulk[t], keep, reads),
            Op::ProductWait { keep } => {
                let (from, to) = (self.products[t].waited, self.products[t].done(keep));
                self.products[t].waited = to;
                let group = self.group_of(t).into_iter();
                group.flat_map(|u| self.products[u].closed[from..to].concat()).collect()
            }
            _ => Vec::new(),
        }
    }

    fn closed(&mut self, groups: impl Fn(&mut Self) -> &mut Groups) -> Vec<usize> {
        groups(self).commit();
        Vec::new()
    }

    fn begin(&mut self, t: usize, from: Option<Range>, to: Option<Range>, signals: Option<Object>) -> usize {
        let by = At { thread: t, index: self.position[t] };
        let signals = signals.map(|object| (object, self.objects.get(&object).map_or(0, |state| state.life)));
        let issued = self.run.steps.len() - 1;
        self.run.operations.push(Moved { by, from, to, signals, issued });
        let number = self.run.operations.len() - 1;
        if signals.is_some() {
            self.flying.push(number);
        }
        number
    }

    /// Returns whether the object that an operation signals is still the one of its instruction.
    fn may_land(&self, operation: usize) -> bool {
        let signals = self.run.operations[operation].signals;
        signals
            .is_some_and(|(object, life)| self.objects.get(&object).is_some_and(|state| state.life == life))
    }

    /// Completes an operation that signals an object.
    fn land(&mut self, operation: usize) {
        self.flying.retain(|&other| other != operation);
        let Moved { by, to, signals, .. } = self.run.operations[operation];
        let Some((object, life)) = signals else { return };
        let Some(state) = self.objects.get_mut(&object) else { return };
        let phase = Some(state.phase);
        state.bytes -= to.map_or(0, |to| to.bytes) as i64;
        state.settle();
        let (what, operations) = (What::Completed(operation), vec![operation]);
        self.run.steps.push(Step { what, at: by, phase, life, turn: 0, operations });
    }
}

/// Returns the operations of groups that a wait completes. Those of which only the reads are complete are waited for again.
fn finish(groups: &mut Groups, keep: usize, reads: bool) -> Vec<usize> {
    let done = groups.done(keep);
    let operations = groups.closed[groups.waited..done].concat();
    if !reads {
        groups.waited = done;
    }
    operations
}
