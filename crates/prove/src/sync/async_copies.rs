//! Copies that a thread has begun, until it has waited for them (`cp.async`, PTX §9.7.9.25.3).
//!
//! A copy may be made at any time between its instruction and the end of the wait that covers it: a wait for
//! all copies, or for all groups except the last ones that do not include its own. It therefore belongs to
//! every interval between barriers in which it may still be in flight, including intervals that its thread
//! enters meanwhile; and within its thread it is unordered with everything executed before that wait.
//! Predicated waits and commits count as not executed.

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

/// Returns these instructions, as far as they are unpredicated.
pub(crate) fn steps(flat: &Flat<'_>) -> FxHashMap<usize, GroupStep> {
    let step = |(i, inst): (usize, &ptx::flat::FlatInstruction<'_>)| {
        let step = match (&inst.op, inst.args.as_slice()) {
            (Ok(Op::CpAsyncCommit), _) => GroupStep::Commit,
            (Ok(Op::CpAsyncWait { all: true }), _) => GroupStep::WaitAll,
            (Ok(Op::CpAsyncWait { all: false }), [Arg::Int(n)]) => {
                GroupStep::WaitGroup(u32::try_from(*n).ok()?)
            }
            _ => return None,
        };
        inst.guard.is_none().then_some((i, step))
    };
    flat.instructions.iter().enumerate().filter_map(step).collect()
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
    /// The copy was made this many iterations ago.
    Ago(u32),
    /// Too many iterations, or the loop was left since.
    Lost,
}

/// Returns the later intervals of a copy: the barrier at which it was still in flight, and its phases by loop
/// of `tracked`.
pub(crate) fn intervals(
    (cfg, shape): (&Cfg, &Shape),
    steps: &FxHashMap<usize, GroupStep>,
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
                (Turns::Ago(n), true) if head && shape.contains(l, from) => {
                    if counted(n) {
                        Turns::Ago(n + 1)
                    } else {
                        Turns::Lost
                    }
                }
                (same, true) => same,
            }
        };
        tracked.iter().zip(turns).map(of_loop).collect::<Vec<_>>()
    };
    let phase = |turns: &Turns| match turns {
        Turns::Out => Phase::Out,
        Turns::Entered(n) => Phase::Entered(*n),
        Turns::Ago(0) => Phase::Same,
        Turns::Ago(n) => Phase::Ago(*n),
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
    steps: &FxHashMap<usize, GroupStep>,
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
    steps: &FxHashMap<usize, GroupStep>,
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
