//! Named barriers (`bar` and `barrier.cta`, PTX §9.7.13.1): which barrier an instruction names, and for how many threads.

use crate::kernel::shape::Shape;
use crate::solver::cond::Cond;
use crate::solver::poly::Poly;
use ptx::cfg::Cfg;
use ptx::flat::{Arg, Flat};
use ptx::op::{BarKind, Op};
use rustc_hash::FxHashMap;

/// The number of a block's barriers.
pub(crate) const BARRIERS: i128 = 16;

/// The facts about an instruction that uses a named barrier.
#[derive(Clone, Debug)]
pub(crate) struct BarUse {
    /// The barrier's number, and the least and the greatest value that it may have.
    pub(crate) id: Poly,
    pub(crate) range: Option<(i128, i128)>,
    /// The number of threads; `None` for all threads of the block.
    pub(crate) count: Option<Poly>,
    pub(crate) path: Vec<Cond>,
}

/// A kernel's uses of named barriers, by their instructions.
#[derive(Clone, Copy)]
pub(crate) struct Bars<'a> {
    pub(crate) flat: &'a Flat<'a>,
    pub(crate) used: &'a FxHashMap<usize, BarUse>,
    /// The block's size, if it is known.
    pub(crate) threads: Option<u32>,
}

/// The meaning of one use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// All threads of the block wait for each other; `counted` if the instruction says how many they are.
    Whole { id: i128, counted: bool },
    /// Threads use one of these barriers otherwise.
    Some { first: i128, last: i128 },
    /// Threads may use any barrier.
    Any,
}

impl Bars<'_> {
    /// Returns the uses that control can reach.
    pub(crate) fn reachable(&self, cfg: &Cfg, shape: &Shape) -> Vec<(usize, Meaning)> {
        let here = |i: usize| shape.place[cfg.block_of(i as u32).0 as usize].is_some();
        let all = 0..self.flat.instructions.len();
        all.filter(|&i| here(i)).filter_map(|i| Some((i, self.meaning(i)?))).collect()
    }

    /// Returns the meaning of an instruction, if it uses a named barrier.
    fn meaning(&self, i: usize) -> Option<Meaning> {
        let inst = &self.flat.instructions[i];
        let Ok(Op::Bar { kind, .. }) = &inst.op else { return None };
        let results = usize::from(!matches!(kind, BarKind::Sync | BarKind::Arrive));
        let Some(used) = self.used.get(&i) else {
            // It is not executed.
            return Some(match inst.args.get(results) {
                Some(Arg::Int(id)) => Meaning::Some { first: *id, last: *id },
                _ => Meaning::Any,
            });
        };
        let Some((first, last)) = used.range else { return Some(Meaning::Any) };
        let counted = used.count.is_some();
        let all = match (kind, &used.count) {
            (BarKind::Arrive, _) => false,
            (_, None) => true,
            // The hardware counts whole warps.
            (BarKind::Sync, Some(count)) => {
                self.threads.is_some_and(|t| count.as_constant() == Some(i128::from(t.next_multiple_of(32))))
            }
            _ => false,
        };
        Some(match all && first == last && inst.guard.is_none() {
            true => Meaning::Whole { id: first, counted },
            false => Meaning::Some { first, last },
        })
    }
}
