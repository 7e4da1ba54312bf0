//! Barriers that all threads of a block pass together, and the intervals between them.

use crate::kernel::shape::Shape;
use crate::solver::symbols::{Attr, Level};
use crate::sync::named_barriers::{Bars, Meaning};
use ptx::cfg::{BlockId, Cfg};
use rustc_hash::FxHashSet;

/// Returns the barriers of a kernel if all threads of a block that have not ended pass the same ones in the
/// same order. Otherwise returns none, which is safe, since fewer barriers order less. `meetings` are barriers of
/// other kinds ([`crate::sync::split_barriers`]).
///
/// Named barriers of some threads (PTX §9.7.13.1) are ignored if they have other numbers: they only wait.
pub(crate) fn of_blocks(
    bars: Bars<'_>,
    cfg: &Cfg,
    shape: &Shape,
    branches: &[Option<Attr>],
    meetings: &[usize],
) -> Vec<usize> {
    let mut found: Vec<(usize, i128)> = Vec::new();
    let mut of_some: Vec<(i128, i128)> = Vec::new();
    let mut are_counted = false;
    for (i, meaning) in bars.reachable(cfg, shape) {
        match meaning {
            Meaning::Whole { id, counted } => {
                are_counted |= counted;
                found.push((i, id));
            }
            Meaning::Some { first, last } => of_some.push((first, last)),
            Meaning::Any => return Vec::new(),
        }
    }
    if found.iter().any(|(_, id)| of_some.iter().any(|(first, last)| first <= id && id <= last)) {
        return Vec::new();
    }
    // A thread that has ended counts as arrived at a barrier of all threads, but not at one of so many threads.
    let mut found: Vec<usize> = found.into_iter().map(|(i, _)| i).chain(meetings.iter().copied()).collect();
    found.sort_unstable();
    aligned(found, cfg, shape, branches, &|_, a| a.level >= Level::Warp, &|_| are_counted)
}

/// Returns whether all threads of a warp execute the named barriers `found` together, and no thread of it ends while
/// others go on to one. `apart` selects the branches that threads of a warp may decide differently.
pub(crate) fn are_of_whole_warps(
    found: Vec<usize>,
    cfg: &Cfg,
    shape: &Shape,
    branches: &[Option<Attr>],
    apart: &dyn Fn(usize, Attr) -> bool,
) -> bool {
    !aligned(found, cfg, shape, branches, apart, &|_| true).is_empty()
}

/// Returns the barriers that all threads of a group of a warp's lanes pass together. `whole` are the block's
/// barriers, and `warps` those of all lanes of the group. At the end of `uniform` blocks these lanes continue
/// alike, whatever values they hold. Returns none if lanes end after an access (`accesses` are the
/// instructions) while others go on to another barrier: unlike a block's, a warp's barrier orders nothing for
/// lanes that have ended.
pub fn of_warps(
    whole: &[usize],
    warps: &[usize],
    cfg: &Cfg,
    shape: &Shape,
    (branches, uniform): (&[Option<Attr>], &dyn Fn(usize) -> bool),
    accesses: &FxHashSet<usize>,
) -> Vec<usize> {
    let reachable = |&i: &usize| shape.place[cfg.block_of(i as u32).0 as usize].is_some();
    let mut all: Vec<usize> = whole.iter().chain(warps).copied().filter(reachable).collect();
    all.sort_unstable();
    let apart = |b: usize, a: Attr| a.level >= Level::Thread && !uniform(b);
    aligned(all, cfg, shape, branches, &apart, &|i| accesses.contains(&i))
}

/// Returns those of a block's barriers `found` that are a cluster's, if all threads of a cluster pass the
/// same ones in the same order; otherwise none. Returns none also if threads end after an access (`accesses`
/// are the instructions) while others go on.
pub fn of_clusters(
    found: Vec<usize>,
    cfg: &Cfg,
    shape: &Shape,
    branches: &[Option<Attr>],
    accesses: &FxHashSet<usize>,
) -> Vec<usize> {
    aligned(found, cfg, shape, branches, &|_, a| a.level >= Level::Block, &|i| accesses.contains(&i))
}

/// Returns those of a block's barriers `found` that are the grid's, if all blocks pass the same ones in the
/// same order; otherwise none. Returns none also if threads end after an access while others go on.
pub fn of_grids(
    found: Vec<usize>,
    cfg: &Cfg,
    shape: &Shape,
    branches: &[Option<Attr>],
    accesses: &FxHashSet<usize>,
) -> Vec<usize> {
    aligned(found, cfg, shape, branches, &|_, a| a.level >= Level::Block, &|i| accesses.contains(&i))
}

/// Returns `found` if every branch that threads of a group may decide differently (`apart` selects these)
/// either sends some of them to the end without another barrier, or has its paths join before one; otherwise
/// nothing. Returns nothing also if the threads that are sent to the end have executed an instruction that
/// `matters` selects since their last barrier.
fn aligned(
    found: Vec<usize>,
    cfg: &Cfg,
    shape: &Shape,
    branches: &[Option<Attr>],
    apart: &dyn Fn(usize, Attr) -> bool,
    matters: &dyn Fn(usize) -> bool,
) -> Vec<usize> {
    if found.is_empty() {
        return found;
    }
    let has: Vec<bool> = in_blocks(cfg, &found);
    let reaches = reaching(cfg, &has);
    let differs: Vec<bool> =
        (0..cfg.blocks.len()).map(|b| branches[b].is_some_and(|a| apart(b, a))).collect();
    let divergent = |b: usize, uneven: u64| branches[b].is_some_and(|a| a.loops & uneven != 0) || differs[b];
    // Loops that threads may leave in different iterations.
    let mut uneven = 0u64;
    loop {
        let mut next = uneven;
        for (l, lp) in shape.loops.iter().enumerate() {
            let leaves =
                |b: usize| lp.body[b] && cfg.blocks[b].successors.iter().any(|s| !lp.body[s.0 as usize]);
            if (0..cfg.blocks.len()).any(|b| leaves(b) && divergent(b, next)) {
                next |= 1 << l;
            }
        }
        if next == uneven {
            break;
        }
        uneven = next;
    }
    let post = post_dominators(cfg, &reaches, &has);
    for b in 0..cfg.blocks.len() {
        if shape.place[b].is_none() || !reaches[b] || !divergent(b, uneven) {
            continue;
        }
        let ways: Vec<BlockId> =
            cfg.blocks[b].successors.iter().copied().filter(|s| reaches[s.0 as usize]).collect();
        if ways.len() < 2 {
            if ways.len() == 1 && ends_behind(cfg, &found, b, &reaches, matters) {
                return Vec::new();
            }
            continue;
        }
        // These blocks can be passed before the paths join.
        let meet = post[b];
        let mut seen = vec![false; cfg.blocks.len()];
        let mut work = ways;
        while let Some(w) = work.pop() {
            let w = w.0 as usize;
            if Some(w) == meet || std::mem::replace(&mut seen[w], true) {
                continue;
            }
            if has[w] {
                return Vec::new();
            }
            work.extend(cfg.blocks[w].successors.iter().filter(|s| reaches[s.0 as usize]));
        }
    }
    found
}

/// Returns whether threads that end at a block's branch execute an instruction that matters between their
/// last barrier and their end.
fn ends_behind(
    cfg: &Cfg,
    barriers: &[usize],
    b: usize,
    reaches: &[bool],
    matters: &dyn Fn(usize) -> bool,
) -> bool {
    let instructions = |b: usize| cfg.blocks[b].start as usize..cfg.blocks[b].end as usize;
    let mut seen = vec![false; cfg.blocks.len()];
    // This searches forward to the end.
    let mut work: Vec<usize> = cfg.blocks[b].successors.iter().map(|s| s.0 as usize).collect();
    while let Some(w) = work.pop() {
        if reaches[w] || std::mem::replace(&mut seen[w], true) {
            continue;
        }
        if instructions(w).any(matters) {
            return true;
        }
        work.extend(cfg.blocks[w].successors.iter().map(|s| s.0 as usize));
    }
    // This searches backward to the barrier.
    let mut work = vec![b];
    while let Some(w) = work.pop() {
        if std::mem::replace(&mut seen[w], true) {
            continue;
        }
        let barrier = instructions(w).rev().find(|i| barriers.binary_search(i).is_ok());
        if (barrier.map_or(instructions(w).start, |i| i + 1)..instructions(w).end).any(matters) {
            return true;
        }
        if barrier.is_none() {
            work.extend(cfg.blocks[w].predecessors.iter().map(|p| p.0 as usize));
        }
    }
    false
}

fn in_blocks(cfg: &Cfg, barriers: &[usize]) -> Vec<bool> {
    let mut has = vec![false; cfg.blocks.len()];
    for &i in barriers {
        has[cfg.block_of(i as u32).0 as usize] = true;
    }
    has
}

/// Returns the blocks from which a barrier can be reached.
fn reaching(cfg: &Cfg, has: &[bool]) -> Vec<bool> {
    let mut reaches = has.to_vec();
    let mut work: Vec<usize> = (0..has.len()).filter(|&b| has[b]).collect();
    while let Some(b) = work.pop() {
        for p in &cfg.blocks[b].predecessors {
            if !std::mem::replace(&mut reaches[p.0 as usize], true) {
                work.push(p.0 as usize);
            }
        }
    }
    reaches
}

/// Returns for each block the first block that every path from it to its next barrier and beyond must pass,
/// among the blocks that reach a barrier.
fn post_dominators(cfg: &Cfg, reaches: &[bool], has: &[bool]) -> Vec<Option<usize>> {
    let n = cfg.blocks.len();
    if n > 1500 {
        return vec![None; n];
    }
    let words = n.div_ceil(64);
    let full = vec![u64::MAX; words];
    let only = |b: usize| {
        let mut set = vec![0u64; words];
        set[b / 64] |= 1 << (b % 64);
        set
    };
    let mut sets: Vec<Vec<u64>> = (0..n).map(|b| if has[b] { only(b) } else { full.clone() }).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..n).rev() {
            if !reaches[b] || has[b] {
                continue;
            }
            let mut set = full.clone();
            for s in cfg.blocks[b].successors.iter().filter(|s| reaches[s.0 as usize]) {
                for (w, x) in set.iter_mut().zip(&sets[s.0 as usize]) {
                    *w &= x;
                }
            }
            set[b / 64] |= 1 << (b % 64);
            if set != sets[b] {
                sets[b] = set;
                changed = true;
            }
        }
    }
    let count = |s: &Vec<u64>| s.iter().map(|w| w.count_ones()).sum::<u32>();
    (0..n)
        .map(|b| {
            if !reaches[b] || has[b] && cfg.blocks[b].successors.is_empty() {
                return None;
            }
            // After the block's own barrier, the set holds what its successors have in common.
            let mut set = full.clone();
            for s in cfg.blocks[b].successors.iter().filter(|s| reaches[s.0 as usize]) {
                for (w, x) in set.iter_mut().zip(&sets[s.0 as usize]) {
                    *w &= x;
                }
            }
            (0..n)
                .filter(|&c| set[c / 64] >> (c % 64) & 1 == 1 && reaches[c] && sets[c] != full)
                .max_by_key(|&c| count(&sets[c]))
        })
        .collect()
}

/// The iteration of a loop relative to the one in which an interval began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// Outside the loop.
    Out,
    /// The same iteration.
    Same,
    /// The next iteration.
    Next,
    /// A later iteration.
    Later,
    /// The first iteration, after the loop was entered in the interval.
    First,
    /// A later iteration, after the loop was entered in the interval.
    Further,
    /// This many iterations before the one in which the interval began, for a copy that goes on.
    Ago(u32),
    /// A copy was begun at least this many iterations before.
    LongAgo(u32),
    /// The interval began in this iteration, and the copy was made before the loop.
    Entered(u32),
    /// The relation is unknown.
    Lost,
}

impl Phase {
    /// Returns the phase after the step from one block to another.
    pub(crate) fn next(self, shape: &Shape, l: usize, from: BlockId, to: BlockId) -> Phase {
        if !shape.contains(l, to) {
            return Phase::Out;
        }
        let head = shape.loops[l].header == to;
        match (self, head && shape.contains(l, from)) {
            (Phase::Out, _) => Phase::First,
            (p, false) => p,
            (Phase::Same, true) => Phase::Next,
            (Phase::Next | Phase::Later, true) => Phase::Later,
            (Phase::First | Phase::Further, true) => Phase::Further,
            (Phase::Ago(_) | Phase::LongAgo(_) | Phase::Entered(_) | Phase::Lost, true) => Phase::Lost,
        }
    }
}

/// An access with its phase in each loop with barriers.
pub type Reached = (usize, Vec<Phase>);

/// Limits the states of a search.
const MOST: usize = 20_000;

/// Returns the accesses (by index of their instruction, with phases by loop) that can follow `from` (an
/// instruction, or the kernel's beginning) without passing one of `barriers`. Returns `None` if there are too
/// many states.
pub fn interval(
    cfg: &Cfg,
    shape: &Shape,
    barriers: &[usize],
    tracked: &[usize],
    from: Option<usize>,
) -> Option<FxHashSet<Reached>> {
    let mut found = FxHashSet::default();
    if cfg.blocks.is_empty() {
        return Some(found);
    }
    let start_block = from.map_or(BlockId(0), |i| cfg.block_of(i as u32));
    let start = from.map_or(0, |i| i + 1);
    let phases: Vec<Phase> = tracked
        .iter()
        .map(|&l| if from.is_some() && shape.contains(l, start_block) { Phase::Same } else { Phase::Out })
        .collect();
    let mut seen: FxHashSet<(BlockId, Vec<Phase>)> = FxHashSet::default();
    let mut work = vec![(start_block, start, phases)];
    while let Some((b, at, phases)) = work.pop() {
        let block = cfg.block(b);
        let mut stopped = false;
        for i in at..block.end as usize {
            if barriers.binary_search(&i).is_ok() {
                stopped = true;
                break;
            }
            found.insert((i, phases.clone()));
        }
        if stopped {
            continue;
        }
        for &s in &block.successors {
            let next: Vec<Phase> =
                tracked.iter().zip(&phases).map(|(&l, &phase)| phase.next(shape, l, b, s)).collect();
            if seen.insert((s, next.clone())) {
                if seen.len() > MOST {
                    return None;
                }
                work.push((s, cfg.block(s).start as usize, next));
            }
        }
    }
    Some(found)
}
