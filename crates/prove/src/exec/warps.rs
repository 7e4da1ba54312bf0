//! Barriers of warps, for all lanes or some of them.
//!
//! A warp's barrier orders the lanes that its mask names (PTX §9.7.13.2). Supported masks are all lanes,
//! constants, and those of tiles: `((1 << n) - 1) << (lane & ~(n - 1))`, as cooperative groups compute them.
//! Lanes of one group (all lanes, a tile, those of a constant) that pass the same barriers, each of which
//! includes all of them, are ordered by these barriers.

use super::{Exec, State, Val};
use crate::facts::Assumption;
use crate::kernel::access::Access;
use crate::solver::cond::Cond;
use crate::solver::instance::Instance;
use crate::solver::poly::{Poly, Range};
use crate::solver::symbols::{Attr, Info, Kind, Level};
use crate::sync::barriers::of_warps;
use ptx::flat::Arg;
use ptx::op::{Op, ShflMode};
use ptx::sreg::SpecialReg;
use rustc_hash::FxHashSet;

/// Limits the groups of lanes that are distinguished.
const MOST_GROUPS: usize = 5;

/// The lanes of the thread's warp that a mask names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lanes {
    /// The aligned tile of this many lanes that contains the thread's own; 32 means all lanes.
    Tile(u32),
    /// The lanes of a constant mask.
    Some(u32),
    Unknown,
}

/// A group of lanes, and the barriers (by instruction) that they all pass together.
#[derive(Clone, Debug)]
pub struct Together {
    pub lanes: Lanes,
    /// Two threads with equal values are in one tile, or, for a constant, in one warp.
    pub place: Poly,
    /// The thread's lane index.
    pub lane: Poly,
    pub barriers: Vec<usize>,
}

impl Lanes {
    /// Returns the size of the tile whose lanes a constant mask names, if it names a tile.
    fn as_tile(self) -> Option<u32> {
        let Lanes::Some(mask) = self else { return None };
        let n = mask.count_ones();
        let first = mask.trailing_zeros();
        let whole = n.is_power_of_two() && first % n == 0 && (mask >> first).trailing_ones() == n;
        whole.then_some(n)
    }

    /// Returns whether a barrier for these lanes includes all lanes of a group, whichever lane of the group
    /// reaches it.
    fn has_all_of(self, group: Lanes) -> bool {
        match (self, group) {
            (Lanes::Tile(a), Lanes::Tile(b)) => a >= b,
            (Lanes::Some(a), Lanes::Some(b)) => b & !a == 0,
            (Lanes::Tile(n), Lanes::Some(mask)) => {
                mask != 0 && mask.trailing_zeros() / n == (31 - mask.leading_zeros()) / n
            }
            (Lanes::Some(_), Lanes::Tile(_)) | (Lanes::Unknown, _) | (_, Lanes::Unknown) => false,
        }
    }

    /// Returns whether both may be the same mask.
    fn may_be(self, other: Lanes) -> bool {
        match (self, other) {
            (Lanes::Tile(n), some @ Lanes::Some(_)) | (some @ Lanes::Some(_), Lanes::Tile(n)) => {
                some.as_tile() == Some(n)
            }
            (Lanes::Unknown, _) | (_, Lanes::Unknown) => true,
            (a, b) => a == b,
        }
    }

    fn count(self) -> u32 {
        match self {
            Lanes::Tile(n) => n,
            Lanes::Some(mask) => mask.count_ones(),
            Lanes::Unknown => 0,
        }
    }
}

impl Together {
    /// Returns the condition that two threads (1 and 2) of a query are both in the group.
    pub(crate) fn both(&self, question: &mut Instance<'_>) -> Option<Cond> {
        let (p, q) = (question.lowered(&self.place, 1)?, question.lowered(&self.place, 2)?);
        let one = Cond::eq(&p, &q);
        let Lanes::Some(mask) = self.lanes else { return Some(one) };
        let lanes = [question.lowered(&self.lane, 1)?, question.lowered(&self.lane, 2)?];
        Some(lanes.iter().map(|lane| is_in(lane, mask)).fold(one, Cond::and))
    }
}

/// Returns the condition that a lane is in a mask.
fn is_in(lane: &Poly, mask: u32) -> Cond {
    let mut runs = Vec::new();
    let mut from = 0;
    while from < 32 {
        if mask >> from & 1 == 0 {
            from += 1;
            continue;
        }
        let n = (mask >> from).trailing_ones();
        let (first, last) = (Poly::constant(i128::from(from)), Poly::constant(i128::from(from + n - 1)));
        runs.push(Cond::le(&first, lane).and(Cond::le(lane, &last)));
        from += n;
    }
    runs.into_iter().fold(Cond::False, Cond::or)
}

impl Exec<'_> {
    /// Returns whether a mask names all lanes, for every thread that reaches it.
    pub(super) fn is_whole_warp(&mut self, state: &State, mask: &Arg<'_>) -> bool {
        self.guard.as_ref().is_none_or(|g| *g == Cond::True)
            && self.int(state, mask, 32).as_constant() == Some(-1)
    }

    /// Executes exchanges of whole warps whose result is known: `elect.sync`, and `shfl.sync.idx` of a
    /// value that all lanes have. Returns false for others.
    pub(super) fn exchange(&mut self, state: &mut State, op: &Op, args: &[Arg<'_>]) -> bool {
        if !args.last().is_some_and(|mask| self.is_whole_warp(state, mask)) {
            return false;
        }
        match (op, args) {
            (Op::Elect, [Arg::Pair(lane, elected), _]) => {
                let Some(number) = self.syms.thread_number.clone() else { return false };
                let (_, nth) = self.syms.divide(&number, &Poly::constant(32));
                self.assumed.insert(Assumption::FirstElected);
                self.define(state, lane, Val::Int(Poly::default()));
                self.define(state, elected, Val::Pred(Cond::Eq(nth)));
                true
            }
            (Op::Shfl { mode: ShflMode::Idx }, [to, from, ..]) => {
                let value = self.value(state, from);
                if self.attr(&value).level > Level::Warp {
                    return false;
                }
                if let Arg::Pair(to, in_range) = to {
                    self.forget(state, in_range, Attr::THREAD);
                    self.define(state, to, value);
                } else {
                    self.define(state, to, value);
                }
                true
            }
            _ => false,
        }
    }

    /// Records a warp barrier.
    pub(super) fn warp_barrier(&mut self, state: &State, mask: &Arg<'_>) {
        let mask = self.int(state, mask, 32);
        let mut lanes = match (mask.as_constant(), mask.as_sym()) {
            (Some(-1), _) => Lanes::Tile(32),
            (Some(c), _) => u32::try_from(c.rem_euclid(1 << 32)).map_or(Lanes::Unknown, Lanes::Some),
            (None, Some(s)) => self.tiles.get(&s).map_or(Lanes::Unknown, |&n| Lanes::Tile(n)),
            _ => Lanes::Unknown,
        };
        if self.guard.as_ref().is_some_and(|g| *g != Cond::True) {
            lanes = Lanes::Unknown;
        }
        let same = |old: &mut Lanes| {
            if *old != lanes {
                *old = Lanes::Unknown;
            }
        };
        self.warp_syncs.entry(self.inst).and_modify(same).or_insert(lanes);
    }

    /// Returns `((1 << n) - 1) << (lane & ~(n - 1))`, the mask of a tile.
    pub(super) fn mask_of_tile(&mut self, ones: &Poly, by: &Poly) -> Option<Poly> {
        let ones = ones.as_constant().filter(|&c| c > 0 && c < 1 << 16 && c & (c + 1) == 0)?;
        let n = (ones + 1).trailing_zeros();
        let Val::Int(lane) = self.special(SpecialReg::Laneid) else { return None };
        let (_, rest) = self.syms.divide(&lane, &Poly::constant(i128::from(n)));
        let begin = lane.minus(&rest);
        let mut question = Instance::new(&self.syms);
        question.assume_all(&self.known, &self.given);
        question.assume(&Cond::eq(by, &begin).not());
        if !n.is_power_of_two() || *by != begin && !question.refuted() {
            return None;
        }
        let mask = self.unknown_in(Attr::THREAD, Range::of(-(1 << 31), (1 << 31) - 1));
        self.tiles.insert(mask.as_sym()?, n);
        Some(mask)
    }

    /// Returns the groups of lanes that have barriers of their own; the first one is all lanes of a warp.
    /// `barriers` are the block's.
    pub(super) fn lanes_together(&mut self, barriers: &[usize]) -> Option<Vec<Together>> {
        let here = |i: usize| self.shape.place[self.cfg.block_of(i as u32).0 as usize].is_some();
        let mut sites: Vec<(usize, Lanes)> =
            self.warp_syncs.iter().map(|(&i, &l)| (i, l)).filter(|s| here(s.0)).collect();
        sites.sort_unstable();
        // An unknown mask may equal any other.
        if sites.is_empty() || sites.iter().any(|s| s.1 == Lanes::Unknown) {
            return None;
        }
        let number = self.syms.thread_number.clone()?;
        let (warp, lane) = self.syms.divide(&number, &Poly::constant(32));
        let mut kinds: Vec<Lanes> = sites.iter().map(|s| s.1).chain([Lanes::Tile(32)]).collect();
        kinds.sort_unstable_by_key(|&l| (std::cmp::Reverse(l.count()), l));
        kinds.dedup();
        // The tile of all lanes comes first.
        kinds.truncate(MOST_GROUPS);
        let mut groups: Vec<Together> = Vec::new();
        let accesses: FxHashSet<usize> = self.accesses.iter().map(|a: &Access| a.inst).collect();
        for lanes in kinds {
            let place = match lanes {
                Lanes::Tile(n) => self.syms.divide(&number, &Poly::constant(i128::from(n))).0,
                _ => warp.clone(),
            };
            let all = |s: &&(usize, Lanes)| s.1.has_all_of(lanes);
            let own: Vec<usize> = sites.iter().filter(all).map(|s| s.0).collect();
            // A barrier with another mask may be reached by lanes that are meant for one of the group's.
            let others: Vec<Lanes> = sites.iter().filter(|s| !all(s)).map(|s| s.1).collect();
            let mixed = sites.iter().filter(all).any(|s| others.iter().any(|o| s.1.may_be(*o)));
            let mut group = Together { lanes, place, lane: lane.clone(), barriers: Vec::new() };
            if !mixed && !own.is_empty() {
                let uniform = |b: usize| self.is_decided_together(b, &group);
                let (cfg, shape) = (&self.cfg, &self.shape);
                group.barriers = of_warps(barriers, &own, cfg, shape, (&self.branches, &uniform), &accesses);
            }
            if lanes == Lanes::Tile(32) && group.barriers.is_empty() {
                group.barriers = barriers.to_vec();
            }
            if lanes == Lanes::Tile(32) || !group.barriers.is_empty() {
                groups.push(group);
            }
        }
        let any = groups.iter().any(|g| g.barriers != barriers);
        any.then_some(groups)
    }

    /// Returns whether all lanes of a group that reach the end of a block of code, in the same iterations of
    /// its loops, continue alike.
    fn is_decided_together(&self, b: usize, group: &Together) -> bool {
        let home = |info: &Info, side: u8| if info.attr.level <= Level::Warp { 0 } else { side };
        let alike = |c: &Cond| {
            let mut question = Instance::of_many(&self.syms, &home);
            self.given.iter().for_each(|c| question.assume(c));
            let Some(both) = group.both(&mut question) else { return false };
            question.assert(&both);
            let path = self.paths.blocks.get(&ptx::cfg::BlockId(b as u32));
            for c in path.into_iter().flatten() {
                question.assume_of(c, 1);
                question.assume_of(c, 2);
            }
            question.assume_of(c, 1);
            question.assume_of(&c.not(), 2);
            question.refuted()
        };
        let known = |c: &Cond| c.syms().iter().all(|&s| !matches!(self.syms.get(s).kind, Kind::Other { .. }));
        self.decided[b].iter().all(|c| known(c) && alike(c))
    }
}
