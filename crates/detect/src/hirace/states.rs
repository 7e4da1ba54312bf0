//! The states, what each stands for, and the transition table that follows.
//!
//! A state describes all accesses to one datum that may still race with a later one, seen
//! from the thread that the shadow word names (the *last* one):
//!
//! * `now`: accesses that no barrier has followed, as far as the last thread knows. They are
//!   of one [`Kind`] and spread over an [`Extent`] around the last thread.
//! * `before`: whether there are older accesses, ordered before all of `now` by barriers of a
//!   warp or of a block, that race with *every* access from outside that warp or block.
//!
//! Older accesses that race with no more than `now` does anyway are left out; so a store
//! leaves nothing `before` it, and a load behind loads neither.
//!
//! [`next`] works out from these definitions what one more access makes of a state, and
//! [`Table::generate`] enumerates it: 25 states by four operations, three kinds of barrier since the
//! last access, and four relations between the two threads are 1,200 entries. An exhaustive
//! comparison with happens-before on small histories is among the tests.

/// How far threads are spread, or how one thread is related to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    Thread,
    Warp,
    Block,
    Grid,
}

/// The widest barrier between the last access and this one that both threads took part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Barrier {
    None,
    Warp,
    Block,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Read,
    Write,
    BlockAtomic,
    GlobalAtomic,
}

/// The kind of the accesses of `now`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Read,
    /// A store, or anything of one thread that races with every other access.
    Write,
    /// Atomics, some of them block-scoped.
    BlockAtomic,
    GlobalAtomic,
    /// Atomics of any scope: with something `before` them it makes no difference.
    Atomic,
}

/// A state's definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    pub now: Option<(Kind, Extent)>,
    /// `Extent::Warp` or `Extent::Block`.
    pub before: Option<Extent>,
}

macro_rules! states {
    ($($name:ident = $now:expr, $before:expr;)*) => {
        /// The states, by the names that HiRace gives them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "the paper's names")]
        pub enum State { $($name),* }

        impl State {
            pub const ALL: &'static [State] = &[$(State::$name),*];

            /// The accesses that the state stands for; none for a race.
            pub const fn definition(self) -> Definition {
                match self { $(State::$name => Definition { now: $now, before: $before }),* }
            }
        }
    };
}

use Extent::{Block, Grid, Thread, Warp};
use Kind::{Atomic, BlockAtomic, GlobalAtomic, Read, Write};

states! {
    INIT = None, None;
    READ = Some((Read, Thread)), None;
    WREAD = Some((Read, Warp)), None;
    BREAD = Some((Read, Block)), None;
    GREAD = Some((Read, Grid)), None;
    WRITE = Some((Write, Thread)), None;
    BATOM = Some((BlockAtomic, Thread)), None;
    BATOM_W = Some((BlockAtomic, Warp)), None;
    BATOM_B = Some((BlockAtomic, Block)), None;
    GATOM = Some((GlobalAtomic, Thread)), None;
    GATOM_W = Some((GlobalAtomic, Warp)), None;
    GATOM_B = Some((GlobalAtomic, Block)), None;
    GATOM_G = Some((GlobalAtomic, Grid)), None;
    WSYNC = Some((Read, Thread)), Some(Warp);
    MR_WSYNC = Some((Read, Warp)), Some(Warp);
    WSYNC_ATOM = Some((Atomic, Thread)), Some(Warp);
    WSYNC_ATOM_M = Some((Atomic, Warp)), Some(Warp);
    BSYNC = Some((Read, Thread)), Some(Block);
    // As BSYNC, reached through a warp barrier among readers. No access tells them apart.
    BWSYNC = Some((Read, Thread)), Some(Block);
    W_MR_BWSYNC = Some((Read, Warp)), Some(Block);
    B_MR_BSYNC = Some((Read, Block)), Some(Block);
    BSYNC_ATOM = Some((Atomic, Thread)), Some(Block);
    BSYNC_ATOM_W = Some((Atomic, Warp)), Some(Block);
    BSYNC_ATOM_B = Some((Atomic, Block)), Some(Block);
    RACE = None, None;
}

impl State {
    pub const fn from_bits(bits: u8) -> Option<State> {
        if (bits as usize) < State::ALL.len() { Some(State::ALL[bits as usize]) } else { None }
    }

    fn defined_by(definition: Definition) -> State {
        let found = State::ALL.iter().find(|s| **s != State::RACE && s.definition() == definition);
        // The tests walk through every transition: there is a state for each definition.
        found.copied().unwrap_or(State::RACE)
    }
}

/// Returns whether accesses within `spread` of the last thread are ordered before this thread's by `barrier`.
fn ordered(spread: Extent, barrier: Barrier, relation: Extent) -> bool {
    match barrier {
        Barrier::Block => relation <= Block && spread <= Block,
        Barrier::Warp => relation <= Warp && spread <= Warp,
        Barrier::None => relation == Thread && spread == Thread,
    }
}

/// Returns whether an unordered access of `kind` and the operation race.
fn conflict(kind: Kind, operation: Operation, one_block: bool) -> bool {
    let atomic = matches!(operation, Operation::BlockAtomic | Operation::GlobalAtomic);
    match kind {
        Read => operation != Operation::Read,
        Write => true,
        GlobalAtomic if operation == Operation::GlobalAtomic => false,
        GlobalAtomic | BlockAtomic | Atomic => !(atomic && one_block),
    }
}

/// One kind for two accesses that do not race with each other, or that one thread made.
fn merge(kind: Kind, operation: Operation) -> Kind {
    match (kind, operation) {
        (Read, Operation::Read) => Read,
        (Atomic, Operation::BlockAtomic | Operation::GlobalAtomic) => Atomic,
        (GlobalAtomic, Operation::GlobalAtomic) => GlobalAtomic,
        (GlobalAtomic | BlockAtomic, Operation::BlockAtomic | Operation::GlobalAtomic) => BlockAtomic,
        _ => Write,
    }
}

fn kind(operation: Operation) -> Kind {
    match operation {
        Operation::Read => Read,
        Operation::Write => Write,
        Operation::BlockAtomic => BlockAtomic,
        Operation::GlobalAtomic => GlobalAtomic,
    }
}

/// Returns whether both are atomic.
fn atomics(kind: Kind, operation: Operation) -> bool {
    matches!(kind, GlobalAtomic | BlockAtomic | Atomic)
        && matches!(operation, Operation::BlockAtomic | Operation::GlobalAtomic)
}

/// Returns whether the operation races with all that an earlier, ordered access of `kind` races with.
fn stands_for(operation: Operation, kind: Kind) -> bool {
    operation == Operation::Write || operation == Operation::Read && kind == Read
}

/// Returns the state after one more access.
pub fn next(state: State, operation: Operation, barrier: Barrier, relation: Extent) -> State {
    let Definition { now, before } = state.definition();
    if state == State::RACE {
        return State::RACE;
    }
    let Some((old, spread)) = now else {
        return State::defined_by(Definition { now: Some((kind(operation), Thread)), before: None });
    };
    // Block barriers also order what warp barriers have ordered.
    let reach = if barrier == Barrier::Block { Block } else { Warp };
    let inside =
        before.is_none_or(|extent| relation <= extent.max(if relation <= Block { reach } else { Warp }));
    let now_ordered = ordered(spread, barrier, relation);
    if !inside || !now_ordered && conflict(old, operation, spread.max(relation) <= Block) {
        return State::RACE;
    }
    let program_order = barrier == Barrier::None;
    let (new, spread, residue) = if !now_ordered {
        (merge(old, operation), spread.max(relation), None)
    } else if program_order || atomics(old, operation) {
        // Two atomics, too, are one of the narrower scope to everybody else.
        (merge(old, operation), Thread, None)
    } else if stands_for(operation, old) {
        (kind(operation), Thread, None)
    } else {
        (kind(operation), Thread, Some(reach))
    };
    let older = before.map(|extent| if barrier == Barrier::Block { Block } else { extent });
    let before = match (older, residue) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    let before = before.filter(|_| new != Write);
    let atomic = matches!(new, BlockAtomic | GlobalAtomic);
    let new = if before.is_some() && atomic { Atomic } else { new };
    let result = State::defined_by(Definition { now: Some((new, spread)), before });
    let through_warp = barrier == Barrier::Warp && operation == Operation::Read && old == Read;
    if result == State::BSYNC && through_warp { State::BWSYNC } else { result }
}

/// The transition table.
pub struct Table([[[[State; 4]; 3]; 4]; 25]);

impl Table {
    pub fn generate() -> Self {
        let operations = [Operation::Read, Operation::Write, Operation::BlockAtomic, Operation::GlobalAtomic];
        let barriers = [Barrier::None, Barrier::Warp, Barrier::Block];
        let relations = [Thread, Warp, Block, Grid];
        Table(std::array::from_fn(|state| {
            operations.map(|operation| {
                barriers.map(|barrier| {
                    relations.map(|relation| next(State::ALL[state], operation, barrier, relation))
                })
            })
        }))
    }

    #[inline]
    pub fn next(&self, state: State, operation: Operation, barrier: Barrier, relation: Extent) -> State {
        self.0[state as usize][operation as usize][barrier as usize][relation as usize]
    }
}

const _: () = assert!(State::ALL.len() == 25);
const _: () = assert!(size_of::<Table>() == 1200);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_transition_leads_to_a_defined_state() {
        let mut reached = vec![State::INIT];
        let mut at = 0;
        while let Some(&state) = reached.get(at) {
            at += 1;
            for operation in
                [Operation::Read, Operation::Write, Operation::BlockAtomic, Operation::GlobalAtomic]
            {
                for barrier in [Barrier::None, Barrier::Warp, Barrier::Block] {
                    for relation in [Thread, Warp, Block, Grid] {
                        let new = next(state, operation, barrier, relation);
                        if !reached.contains(&new) {
                            reached.push(new);
                        }
                    }
                }
            }
        }
        assert_eq!(reached.len(), 25, "{reached:?}");
    }

    #[test]
    fn bsync_and_bwsync_behave_alike() {
        let same =
            |a: State, b: State| a == b || [a, b].iter().all(|s| matches!(s, State::BSYNC | State::BWSYNC));
        let table = Table::generate();
        let (a, b) = (table.0[State::BSYNC as usize], table.0[State::BWSYNC as usize]);
        let pairs = a.as_flattened().as_flattened().iter().zip(b.as_flattened().as_flattened());
        for (a, b) in pairs {
            assert!(same(*a, *b), "{a:?} {b:?}");
        }
    }
}
