//! Computes happens-before of a run, and the accesses that race.

use super::accesses::{Access, Kind, Node, Through, accesses, mutual};
use super::program::{Object, Op, Program, Range};
use super::run::{At, Run, Step, What};
use events::sync::ProxySpace;
use events::{Scope, Sem, Space};
use std::collections::BTreeSet;

/// A pair of instructions that race, the smaller one first. Each is the one of its [leader](Program::leader).
pub type Race = (At, At);

/// The races of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Races {
    pub pairs: BTreeSet<Race>,
    /// Accesses that touch the same bytes. An instruction may have several, those of its operation and of its object.
    pub overlaps: Vec<Overlap>,
}

/// Two accesses that touch the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    pub a: At,
    pub b: At,
    pub bytes: Range,
    pub order: Order,
}

/// The order of two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The first happens before the second.
    AFirst,
    BFirst,
    /// Neither happens before the other; `race` says whether they race.
    None {
        race: bool,
    },
}

impl Overlap {
    /// Returns whether the accesses are of these instructions and race.
    fn is_race(&self, a: At, b: At) -> bool {
        self.order == Order::None { race: true } && [(a, b), (b, a)].contains(&(self.a, self.b))
    }

    /// Returns whether the access of `a` happens before that of `b`; `None` if the overlap is of other instructions.
    fn orders(&self, a: At, b: At) -> Option<bool> {
        match (self.a, self.b) {
            first if first == (a, b) => Some(self.order == Order::AFirst),
            second if second == (b, a) => Some(self.order == Order::BFirst),
            _ => None,
        }
    }
}

impl Races {
    /// Returns whether `witness` stands for `old` in its race with `new`: wherever these two race, `witness` races with `new`, too,
    /// and `old` happens before it.
    pub fn stands_for(&self, witness: At, old: At, new: At) -> bool {
        let near = |bytes: Range| self.overlaps.iter().filter(move |other| other.bytes.overlaps(&bytes));
        self.overlaps.iter().filter(|overlap| overlap.is_race(old, new)).all(|race| {
            let mut order = near(race.bytes).filter_map(|other| other.orders(old, witness)).peekable();
            near(race.bytes).any(|other| other.is_race(witness, new))
                && order.peek().is_some()
                && order.all(|is_before| is_before)
        })
    }
}

/// The largest number of nodes.
const NODES: usize = 512;

/// A relation of nodes.
struct Relation {
    nodes: Vec<Node>,
    rows: Vec<[u128; NODES / 128]>,
}

impl Relation {
    fn index(&self, node: Node) -> usize {
        self.nodes.binary_search(&node).expect("a node of the run")
    }

    fn add(&mut self, a: Node, b: Node) {
        let (a, b) = (self.index(a), self.index(b));
        self.rows[a][b / 128] |= 1 << (b % 128);
    }

    fn has(&self, a: Node, b: Node) -> bool {
        let (a, b) = (self.index(a), self.index(b));
        self.rows[a][b / 128] >> (b % 128) & 1 != 0
    }

    fn close(&mut self) {
        for k in 0..self.nodes.len() {
            let via = self.rows[k];
            for row in self.rows.iter_mut().filter(|row| row[k / 128] >> (k % 128) & 1 != 0) {
                row.iter_mut().zip(via).for_each(|(row, via)| *row |= via);
            }
        }
    }
}

/// A run with its program.
struct Judge<'a> {
    program: &'a Program,
    run: &'a Run,
}

/// Returns the races of a run; `None` if it is too long.
pub fn races(program: &Program, run: &Run) -> Option<Races> {
    let judge = Judge { program, run };
    let base = judge.base()?;
    let observed = judge.observations();
    let all = accesses(program, run);
    let mut races = Races::default();
    for (i, a) in all.iter().enumerate() {
        for b in all[i + 1..].iter().filter(|b| a.range.overlaps(&b.range)) {
            let (p, q) = (a.at, b.at);
            let (first, second) =
                (judge.precedes(&base, &observed, a, b), judge.precedes(&base, &observed, b, a));
            let race = a.conflicts(b) && !first && !second && !a.is_atomic_with(b, program);
            if race {
                races.pairs.insert((p.min(q), p.max(q)));
            }
            let order = match (first, second) {
                (true, _) => Order::AFirst,
                (_, true) => Order::BFirst,
                _ => Order::None { race },
            };
            races.overlaps.push(Overlap { a: p, b: q, bytes: a.range.common(&b.range), order });
        }
    }
    Some(races)
}

impl Judge<'_> {
    fn op(&self, at: At) -> Op {
        self.program.threads[at.thread].code[at.index]
    }

    fn steps(&self) -> impl Iterator<Item = (usize, &Step, Op)> {
        self.run.steps.iter().enumerate().map(|(number, step)| (number, step, self.op(step.at)))
    }

    /// Computes base causality order (§8.9.5).
    fn base(&self) -> Option<Relation> {
        let steps = (0..self.run.steps.len()).map(Node::Step);
        let operations = 0..self.run.operations.len();
        let begin = operations.clone().map(Node::Begins);
        let end = operations.clone().map(Node::Reads).chain(operations.map(Node::Writes));
        let nodes: Vec<Node> = steps.chain(begin).chain(end).collect();
        if nodes.len() > NODES {
            return None;
        }
        let rows = vec![[0; NODES / 128]; nodes.len()];
        let mut base = Relation { nodes, rows };
        self.add_program_order(&mut base);
        self.add_operations(&mut base);
        self.add_barriers(&mut base);
        self.add_patterns(&mut base);
        base.close();
        Some(base)
    }

    fn add_program_order(&self, base: &mut Relation) {
        for thread in 0..self.program.threads.len() {
            let own = |(_, step, _): &(usize, &Step, Op)| {
                step.at.thread == thread && !matches!(step.what, What::Completed(_))
            };
            let own: Vec<usize> = self.steps().filter(own).map(|(number, ..)| number).collect();
            own.windows(2).for_each(|pair| base.add(Node::Step(pair[0]), Node::Step(pair[1])));
        }
    }

    /// Orders each operation behind its instruction, and before what waits for it.
    fn add_operations(&self, base: &mut Relation) {
        for (number, moved) in self.run.operations.iter().enumerate() {
            base.add(Node::Step(moved.issued), Node::Begins(number));
            base.add(Node::Reads(number), Node::Writes(number));
        }
        for (number, step, op) in self.steps() {
            for &operation in &step.operations {
                match op {
                    _ if matches!(step.what, What::Completed(_)) => {
                        base.add(Node::Writes(operation), Node::Step(number));
                    }
                    Op::BulkWait { reads: true, .. } => base.add(Node::Reads(operation), Node::Step(number)),
                    Op::Wait { .. } | Op::BulkWait { .. } | Op::ProductWait { .. } => {
                        base.add(Node::Writes(operation), Node::Step(number));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Orders arrivals at a barrier before what has waited for it.
    fn add_barriers(&self, base: &mut Relation) {
        let block = |step: &Step| self.program.threads[step.at.thread].block;
        for (a, first, arrives) in self.steps() {
            for (b, second, waits) in self.steps().filter(|(_, step, _)| step.turn == first.turn) {
                let meets = match (arrives, waits) {
                    (Op::Barrier, Op::Barrier) => {
                        (first.what, second.what) == (What::Ran, What::Passed)
                            && block(first) == block(second)
                    }
                    (Op::ClusterArrive, Op::ClusterWait) => true,
                    _ => false,
                };
                if meets {
                    base.add(Node::Step(a), Node::Step(b));
                }
            }
        }
    }

    /// Orders release patterns before the acquire patterns that observe them (§8.8, §8.9.4).
    fn add_patterns(&self, base: &mut Relation) {
        for (write, read) in self.observations() {
            for (last, acquires) in self.ends_of_acquire(read) {
                for (first, releases) in self.beginnings_of_release(write) {
                    let both = match (releases, acquires) {
                        (Some(a), b) => mutual(self.program, a, b),
                        // The completion of an operation is observed by whoever waits for its object.
                        (None, _) => true,
                    };
                    if both {
                        base.add(first, Node::Step(last));
                    }
                }
            }
        }
    }

    /// Returns each write with each step that observes it: of a flag, the last one; of an object, arrivals and completed
    /// operations of a phase that the step has waited for, and what was done to the object before.
    fn observations(&self) -> Vec<(Node, usize)> {
        let mut out = Vec::new();
        for (read, step, op) in self.steps().filter(|(_, step, _)| step.what == What::Ran) {
            match op {
                Op::Flag { number, writes: false, .. } => {
                    let stores = |&(_, _, op): &(usize, &Step, Op)| matches!(op, Op::Flag { number: n, writes: true, .. } if n == number);
                    let last = self.steps().take(read).filter(stores).last();
                    let strong = last.filter(|&(write, ..)| self.morally_strong(write, read));
                    out.extend(strong.map(|(write, ..)| (Node::Step(write), read)));
                }
                Op::Await { object, .. } => {
                    for (write, earlier, _) in self.steps().take(read).filter(|(_, e, _)| e.phase.is_some()) {
                        let here = earlier.life == step.life && self.changes(earlier, object);
                        let counted = earlier.phase <= step.phase;
                        if here && counted && self.morally_strong(write, read) {
                            out.push((Node::Step(write), read));
                        }
                    }
                }
                _ => {}
            }
        }
        out
    }

    /// Returns whether a step changes an object by an arrival, an `expect_tx` or the completion of an operation.
    fn changes(&self, step: &Step, object: Object) -> bool {
        match (step.what, self.op(step.at)) {
            (What::Completed(operation), _) => {
                self.run.operations[operation].signals.is_some_and(|(at, _)| at == object)
            }
            (_, op @ (Op::Arrive { .. } | Op::ArriveCopies { .. } | Op::Expect { .. })) => {
                op.object() == Some(object)
            }
            _ => false,
        }
    }

    /// Returns whether the operations of two steps on a flag or an object are within each other's scope. Operations without a
    /// scope have every.
    fn morally_strong(&self, a: usize, b: usize) -> bool {
        let scope = |number: usize| {
            let step = &self.run.steps[number];
            match (step.what, self.op(step.at)) {
                (What::Ran, Op::Flag { scope, .. } | Op::Arrive { scope, .. } | Op::Await { scope, .. }) => {
                    Some((scope, step.at.thread))
                }
                _ => None,
            }
        };
        match (scope(a), scope(b)) {
            (Some(a), Some(b)) => mutual(self.program, a, b),
            _ => true,
        }
    }

    /// Returns the first operations of the release patterns that end at a write, with their scopes.
    fn beginnings_of_release(&self, write: Node) -> Vec<(Node, Option<(Scope, usize)>)> {
        let Node::Step(number) = write else { return Vec::new() };
        let step = &self.run.steps[number];
        let thread = step.at.thread;
        let mut out = Vec::new();
        match (step.what, self.op(step.at)) {
            (What::Completed(_), _) => return vec![(write, None)],
            (_, Op::ArriveCopies { .. }) => {
                out.extend(step.operations.iter().map(|&copy| (Node::Writes(copy), None)));
            }
            (_, Op::Flag { sem, scope, .. } | Op::Arrive { sem, scope, .. }) if sem.releases() => {
                out.push((write, Some((scope, thread))));
            }
            (_, Op::Flag { .. } | Op::Arrive { .. } | Op::Expect { .. }) => {}
            _ => return out,
        }
        let fences = self.fences(thread, Sem::releases).filter(|&(at, _)| at < number);
        out.extend(fences.map(|(at, scope)| (Node::Step(at), Some((scope, thread)))));
        out
    }

    /// Returns the last operations of the acquire patterns that begin with a read, with their scopes.
    fn ends_of_acquire(&self, read: usize) -> Vec<(usize, (Scope, usize))> {
        let step = &self.run.steps[read];
        let thread = step.at.thread;
        let mut out = Vec::new();
        if let Op::Flag { sem, scope, .. } | Op::Await { sem, scope, .. } = self.op(step.at)
            && sem.acquires()
        {
            out.push((read, (scope, thread)));
        }
        let fences = self.fences(thread, Sem::acquires).filter(|&(at, _)| at > read);
        out.extend(fences.map(|(at, scope)| (at, (scope, thread))));
        out
    }

    fn fences(&self, thread: usize, is: fn(Sem) -> bool) -> impl Iterator<Item = (usize, Scope)> {
        self.steps().filter_map(move |(number, step, op)| match op {
            Op::Fence { sem, scope } if step.at.thread == thread && is(sem) => Some((number, scope)),
            _ => None,
        })
    }

    /// Returns whether one access precedes another in causality order (§8.9.5).
    fn precedes(&self, base: &Relation, observed: &[(Node, usize)], a: &Access, b: &Access) -> bool {
        let Some(begins) = self.beginning(b) else { return false };
        if begins == a.node || base.has(a.node, begins) {
            return a.through == b.through || b.through != Through::Async || self.is_fenced(base, a, begins);
        }
        // An operation on an object is observed by the step that signals its completion.
        let is_here = |write: Node| match (a.node, write) {
            (Node::Writes(operation), Node::Step(number)) if a.kind == Kind::Object => {
                self.run.steps[number].what == What::Completed(operation)
            }
            _ => write == a.node,
        };
        let atomic = matches!(a.kind, Kind::Object | Kind::Strong(_)) && b.through != Through::Async;
        let behind = |read: usize| begins == Node::Step(read) || base.has(Node::Step(read), begins);
        atomic && observed.iter().any(|&(write, read)| is_here(write) && behind(read))
    }

    /// Returns the node behind which an access begins. A wait may have examined its object before it returned true, as
    /// soon as its thread came to it (assumption 11b); `None` if it came there first.
    fn beginning(&self, access: &Access) -> Option<Node> {
        let number = match access.node {
            Node::Step(number) => number,
            Node::Begins(operation) | Node::Reads(operation) | Node::Writes(operation) => {
                return Some(Node::Begins(operation));
            }
        };
        if !matches!(self.op(access.at), Op::Await { .. }) {
            return Some(access.node);
        }
        let own =
            |step: &Step| step.at.thread == access.at.thread && !matches!(step.what, What::Completed(_));
        (0..number).rev().find(|&earlier| own(&self.run.steps[earlier])).map(Node::Step)
    }

    /// Returns whether a proxy fence lies between an access and the beginning of one through the async proxy.
    fn is_fenced(&self, base: &Relation, a: &Access, begins: Node) -> bool {
        self.steps().any(|(number, _, op)| {
            let here = match op {
                Op::ProxyFence { space: None } => true,
                Op::ProxyFence { space: Some(ProxySpace::Global) } => a.range.space == Space::Global,
                Op::ProxyFence { .. } => a.range.space != Space::Global,
                _ => false,
            };
            let fence = Node::Step(number);
            here && base.has(a.node, fence) && base.has(fence, begins)
        })
    }
}
