//! The accesses of a run, and which of them conflict.

use super::program::{Object, Op, Program, Range};
use super::run::{At, Run, What};
use events::{BlockId, Scope, Space};

/// An event of a run that happens before and behind others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    Step(usize),
    /// The beginning of an operation. What happens before it does not happen before what waits for the operation (§8.9.1.1).
    Begins(usize),
    /// The end of an operation's reads, and of its writes.
    Reads(usize),
    Writes(usize),
}

/// The kind of an access, by which two that conflict may be no race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Weak,
    /// A strong operation of a scope.
    Strong(Scope),
    /// An operation on an mbarrier object, atomic towards others (assumption 11b).
    Object,
}

/// The proxy of an access. Objects are accessed through none (assumption 11b).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Through {
    Generic,
    Async,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The node that happens before what is behind the access.
    pub node: Node,
    pub at: At,
    pub range: Range,
    pub writes: bool,
    pub kind: Kind,
    pub through: Through,
    pub operation: Option<usize>,
}

impl Access {
    /// Returns whether two accesses are of overlapping bytes, one of them writes, and they are not of one operation.
    pub fn conflicts(&self, other: &Access) -> bool {
        let one = self.operation.is_some() && self.operation == other.operation;
        !one && (self.writes || other.writes) && self.range.overlaps(&other.range)
    }

    /// Returns whether two accesses that conflict are atomic towards each other (§8.7).
    pub fn is_atomic_with(&self, other: &Access, program: &Program) -> bool {
        match (self.kind, other.kind) {
            (Kind::Object, Kind::Object) => true,
            (Kind::Strong(a), Kind::Strong(b)) => {
                self.through == other.through && mutual(program, (a, self.at.thread), (b, other.at.thread))
            }
            _ => false,
        }
    }
}

/// Returns whether two scopes of threads include each other's threads. All blocks form one cluster.
pub fn mutual(program: &Program, (a, t): (Scope, usize), (b, u): (Scope, usize)) -> bool {
    program.threads[t].block == program.threads[u].block || a > Scope::Cta && b > Scope::Cta
}

/// Returns all accesses of a run.
pub fn accesses(program: &Program, run: &Run) -> Vec<Access> {
    let steps = run.steps.iter().enumerate().filter(|(_, step)| step.what == What::Ran);
    let of_steps = steps.flat_map(|(number, step)| {
        let op = program.threads[step.at.thread].code[step.at.index];
        of_step(op).into_iter().map(move |(range, writes, kind, through)| {
            let (node, at) = (Node::Step(number), step.at);
            Access { node, at, range, writes, kind, through, operation: None }
        })
    });
    let of_operations = (0..run.operations.len()).flat_map(|number| of_operation(program, run, number));
    of_steps.chain(of_operations).collect()
}

type Part = (Range, bool, Kind, Through);

/// Returns the accesses that a thread makes itself.
fn of_step(op: Op) -> Vec<Part> {
    match op {
        Op::Access { at, writes } => vec![(at, writes, Kind::Weak, Through::Generic)],
        Op::Reduce { at } => vec![(at, true, Kind::Strong(Scope::Gpu), Through::Generic)],
        Op::Flag { number, writes, scope, .. } => {
            vec![(flag(number), writes, Kind::Strong(scope), Through::Generic)]
        }
        Op::Init { object, .. } | Op::Inval { object } => {
            vec![(object.range(), true, Kind::Weak, Through::None)]
        }
        // The operation signals its object, not the thread.
        Op::Bulk { .. } | Op::Remote { .. } => Vec::new(),
        _ => {
            let object = |object: Object| (object.range(), true, Kind::Object, Through::None);
            op.object().map(object).into_iter().collect()
        }
    }
}

/// Returns the accesses of an asynchronous operation.
fn of_operation(program: &Program, run: &Run, number: usize) -> Vec<Access> {
    let moved = run.operations[number];
    let op = program.threads[moved.by.thread].code[moved.by.index];
    let through = match op {
        Op::Copy { .. } | Op::Remote { .. } => Through::Generic,
        _ => Through::Async,
    };
    let kind = match op {
        Op::Bulk { reduces: true, .. } => Kind::Strong(Scope::Gpu),
        Op::Remote { reduces: true, .. } => Kind::Strong(Scope::Cluster),
        _ => Kind::Weak,
    };
    let access = |node, range, writes, kind, through| Access {
        node,
        at: moved.by,
        range,
        writes,
        kind,
        through,
        operation: Some(number),
    };
    let reads = moved.from.map(|from| access(Node::Reads(number), from, false, Kind::Weak, through));
    let writes = moved.to.map(|to| access(Node::Writes(number), to, true, kind, through));
    let signal = moved
        .signals
        .map(|(object, _)| access(Node::Writes(number), object.range(), true, Kind::Object, Through::None));
    [reads, writes, signal].into_iter().flatten().collect()
}

/// Returns the bytes of a flag.
pub fn flag(number: u64) -> Range {
    Range { space: Space::Global, start: FLAGS + 16 * number, bytes: 4 }
}

const FLAGS: u64 = 0x8000;

/// Returns a block's shared memory.
pub fn shared(block: u32) -> Space {
    Space::Shared(BlockId(block))
}
