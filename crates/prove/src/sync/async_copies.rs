//! Accesses that a thread has begun, until it has waited for their group: copies by `cp.async` (PTX §9.7.9.25.3), bulk
//! copies out of shared memory (§9.7.9.25.4), and products of warpgroups (§9.7.15.5).
//!
//! A copy may be made at any time between its instruction and the end of the wait that covers it: a wait for
//! all copies, or for all groups except the last ones that do not include its own. It therefore belongs to
//! every interval between barriers in which it may still be in flight, including intervals that its thread
//! enters meanwhile; and within its thread it is unordered with everything executed before that wait.
//! Predicated waits and commits count as not executed.
//!
//! A product is one of all four warps of a warpgroup. Each of their threads is taken to make all of its reads, which is
//! complete when one of them has waited (`docs/assumptions.md`, 12c).

use crate::kernel::access::{Access, AccessKind, Doer};
use crate::kernel::shape::Shape;
use crate::sync::barriers::Phase;
use ptx::cfg::{BlockId, Cfg};
use ptx::flat::{Arg, Flat};
use ptx::op::Op;
use rustc_hash::{FxHashMap, FxHashSet};

/// An instruction that affects groups of copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupStep {
    /// Closes a group.
    Commit,
    /// Waits for all groups except the last ones, this many.
    WaitGroup(u32),
    WaitAll,
}

/// Instructions that affect groups of one kind, by their index.
pub type Steps = FxHashMap<usize, GroupStep>;

/// The instructions that affect a thread's groups, as far as they are unpredicated.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    copies: Steps,
    products: Steps,
    /// Those of bulk copies out of shared memory, which are waited for until they have read it, or until they have written.
    read: Steps,
    written: Steps,
    none: Steps,
}

impl Groups {
    pub(crate) fn of(flat: &Flat<'_>) -> Groups {
        let mut found = Groups::default();
        for (i, inst) in flat.instructions.iter().enumerate().filter(|(_, inst)| inst.guard.is_none()) {
            let Ok(op) = &inst.op else { continue };
            let left = match inst.args.as_slice() {
                [Arg::Int(n)] => u32::try_from(*n).ok().map(GroupStep::WaitGroup),
                _ => None,
            };
            let (kinds, step): (&mut [&mut Steps], _) = match op {
                Op::CpAsyncCommit => (&mut [&mut found.copies], Some(GroupStep::Commit)),
                Op::CpAsyncWait { all: true } => (&mut [&mut found.copies], Some(GroupStep::WaitAll)),
                Op::CpAsyncWait { all: false } => (&mut [&mut found.copies], left),
                Op::WgmmaCommit => (&mut [&mut found.products], Some(GroupStep::Commit)),
                Op::WgmmaWait => (&mut [&mut found.products], left),
                Op::CpAsyncBulkCommit => {
                    (&mut [&mut found.read, &mut found.written], Some(GroupStep::Commit))
                }
                Op::CpAsyncBulkWait { read: true } => (&mut [&mut found.read], left),
                Op::CpAsyncBulkWait { read: false } => (&mut [&mut found.read, &mut found.written], left),
                _ => continue,
            };
            if let Some(step) = step {
                kinds.iter_mut().for_each(|steps| _ = steps.insert(i, step));
            }
        }
        found
    }

    /// Returns the steps that complete an access; none for a copy that completes at an mbarrier.
    pub(crate) fn completing(&self, access: &Access) -> &Steps {
        match (&access.doer, access.kind) {
            (Doer::Copy, _) => &self.copies,
            (Doer::Product, _) => &self.products,
            (Doer::BulkOut, AccessKind::Read) => &self.read,
            (Doer::BulkOut, _) => &self.written,
            _ => &self.none,
        }
    }

    pub(crate) fn products(&self) -> &Steps {
        &self.products
    }
}

/// Groups and iterations are counted up to this number.
const MOST_COUNTED: u32 = 16;

/// Limits the states of a search.
const MOST: usize = 20_000;

/// The iteration of a loop relative to a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Turns {
    /// The copy was made outside the loop, and control is outside.
    Out,
    /// The copy was made outside the loop, and control is in this iteration.
    Entered(u32),
    /// The copy was made this many iterations ago, or at least as many as are counted.
    Ago(u32),
    /// Control has been in the loop for too many iterations, or has left it since.
    Lost,
}

/// Returns the later intervals of a copy: the barrier at which it was still in flight, and its phases by loop
/// of `tracked`.
pub(crate) fn intervals(
    (cfg, shape): (&Cfg, &Shape),
    steps: &Steps,
    barriers: &[usize],
    tracked: &[usize],
    copy: usize,
) -> Option<FxHashSet<(usize, Vec<Phase>)>> {
    let mut found = FxHashSet::default();
    let first = cfg.block_of(copy as u32);
    let begin = |l: &usize| if shape.contains(*l, first) { Turns::Ago(0) } else { Turns::Out };
    let next = |turns: &[Turns], from: BlockId, to: BlockId| {
        let of_loop = |(&l, &turns): (&usize, &Turns)| {
            let head = shape.loops[l].header == to;
            let counted = |n: u32| n < MOST_COUNTED;
            match (turns, shape.contains(l, to)) {
                (Turns::Lost | Turns::Ago(_), false) => Turns::Lost,
                (Turns::Entered(_) | Turns::Out, false) => Turns::Out,
                (Turns::Out, true) => Turns::Entered(0),
                (Turns::Entered(n), true) if head && shape.contains(l, from) => {
                    if counted(n) {
                        Turns::Entered(n + 1)
                    } else {
                        Turns::Lost
                    }
                }
                (Turns::Ago(n), true) if head && shape.contains(l, from) && counted(n) => Turns::Ago(n + 1),
                (same, true) => same,
            }
        };
        tracked.iter().zip(turns).map(of_loop).collect::<Vec<_>>()
    };
    let phase = |turns: &Turns| match turns {
        Turns::Out => Phase::Out,
        Turns::Entered(n) => Phase::Entered(*n),
        Turns::Ago(0) => Phase::Same,
        Turns::Ago(n) if *n < MOST_COUNTED => Phase::Ago(*n),
        Turns::Ago(n) => Phase::LongAgo(*n),
        Turns::Lost => Phase::Lost,
    };
    search((cfg, shape), steps, copy, tracked.iter().map(begin).collect(), &next, &mut |i, turns| {
        if barriers.binary_search(&i).is_ok() {
            found.insert((i, turns.iter().map(phase).collect()));
        }
    })?;
    Some(found)
}

/// Returns what the copy's own thread executes before it has waited for the copy, with the iterations of all
/// loops relative to the copy.
pub(crate) fn beside(
    (cfg, shape): (&Cfg, &Shape),
    steps: &Steps,
    copy: usize,
    accesses: &FxHashSet<usize>,
) -> Option<FxHashSet<(usize, Vec<Phase>)>> {
    let mut found = FxHashSet::default();
    let loops: Vec<usize> = (0..shape.loops.len()).collect();
    let first = cfg.block_of(copy as u32);
    let begin = |l: &usize| if shape.contains(*l, first) { Phase::Same } else { Phase::Out };
    let next = |phases: &[Phase], from: BlockId, to: BlockId| {
        loops.iter().zip(phases).map(|(&l, &p)| p.next(shape, l, from, to)).collect::<Vec<_>>()
    };
    search((cfg, shape), steps, copy, loops.iter().map(begin).collect(), &next, &mut |i, phases| {
        if accesses.contains(&i) {
            found.insert((i, phases.to_vec()));
        }
    })?;
    Some(found)
}

/// The transition of states from one block to the next.
type Next<'a, T> = dyn Fn(&[T], BlockId, BlockId) -> Vec<T> + 'a;

/// Searches from behind a copy along all paths to the waits that cover it. Returns `None` if there are too
/// many states.
fn search<T: Clone + Eq + std::hash::Hash>(
    (cfg, _): (&Cfg, &Shape),
    steps: &Steps,
    copy: usize,
    begin: Vec<T>,
    next: &Next<'_, T>,
    visit: &mut dyn FnMut(usize, &[T]),
) -> Option<()> {
    let mut seen: FxHashSet<(BlockId, u32, Vec<T>)> = FxHashSet::default();
    let mut work = vec![(cfg.block_of(copy as u32), copy + 1, 0u32, begin)];
    while let Some((b, at, mut closed, state)) = work.pop() {
        let block = cfg.block(b);
        let mut waited = false;
        for i in at..block.end as usize {
            match steps.get(&i) {
                Some(GroupStep::Commit) => closed = (closed + 1).min(MOST_COUNTED + 1),
                Some(GroupStep::WaitAll) => waited = true,
                Some(GroupStep::WaitGroup(left)) => waited = closed > *left,
                None => {}
            }
            if waited {
                break;
            }
            visit(i, &state);
        }
        if waited {
            continue;
        }
        for &s in &block.successors {
            let state = next(&state, b, s);
            if seen.insert((s, closed, state.clone())) {
                if seen.len() > MOST {
                    return None;
                }
                work.push((s, cfg.block(s).start as usize, closed, state));
            }
        }
    }
    Some(())
}
