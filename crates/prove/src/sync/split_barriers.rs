//! Barriers of a block other than `bar`: arrivals at an mbarrier or a cluster barrier, each followed by its
//! wait.
//!
//! An arrival at an mbarrier (PTX §9.7.13.15) and the wait for its phase form a barrier of all threads of the
//! block if
//!
//! * one thread initialised the mbarrier for as many arrivals as the block has threads, and a barrier of the
//!   block lies between that and all its uses;
//! * its only uses are arrivals of one each, and directly after each of them a loop that waits for the
//!   arrival's own phase.
//!
//! No thread then arrives twice in a phase, so a phase ends when all threads have arrived. The phase is the
//! arrival's own if the wait receives the token that the arrival has returned, or if its parity is that of
//! the number of earlier arrivals.
//!
//! Arriving at a cluster barrier with `.release` and waiting at once (PTX §9.7.13.4) is a barrier of all
//! threads of the cluster, and thus of each of its blocks; threads that have ended are not waited for, as at
//! a block's own barrier. Its order between blocks is used for their shared memory only
//! ([`crate::exec::Cluster`]); in global memory they count as unordered.
//!
//! The arrival's instruction stands for the barrier: there is no access between it and the end of the wait.

use crate::kernel::access::{Access, Space};
use crate::kernel::shape::Shape;
use crate::solver::cond::Cond;
use crate::solver::instance::Instance;
use crate::solver::poly::{Poly, Sym};
use crate::solver::symbols::{Axis, Info, Kind, Level, Syms};
use crate::sync::barriers::interval;
use crate::sync::named_barriers::Bars;
use crate::sync::wait_loops::{Waited, of_phases};
use kernels::effects;
use kernels::effects::Control;
use ptx::cfg::{BlockId, Cfg};
use ptx::flat::{Arg, Flat};
use ptx::op::{MbarrierOp, Op, Sem};
use rustc_hash::FxHashMap;

/// The facts about an instruction that uses an mbarrier.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MbarrierUse {
    /// The variable in shared memory, and the offset in it.
    pub(crate) object: Option<(Sym, Poly)>,
    /// The number of expected or made arrivals, or the parity that is waited for.
    pub(crate) number: Option<Poly>,
    pub(crate) path: Vec<Cond>,
}

/// The parts of a kernel that matter for its barriers.
#[derive(Clone, Copy)]
pub(crate) struct BarrierFacts<'a> {
    pub(crate) flat: &'a Flat<'a>,
    pub(crate) cfg: &'a Cfg,
    pub(crate) shape: &'a Shape,
    pub(crate) turns: &'a [Option<Sym>],
    pub(crate) given: &'a [Cond],
    /// The conditions of the branches at the end of each block.
    pub(crate) decided: &'a [Vec<Cond>],
    pub(crate) bars: Bars<'a>,
    pub(crate) accesses: &'a [Access],
    pub(crate) used: &'a FxHashMap<usize, MbarrierUse>,
    /// Barriers of the block by `bar`.
    pub(crate) barriers: &'a [usize],
    /// Returns whether a variable in shared memory overlaps no other variable.
    pub(crate) alone: &'a dyn Fn(&str) -> bool,
}

/// The barriers of a block other than `bar`.
#[derive(Debug, Default)]
pub(crate) struct SplitBarriers {
    /// The arrivals.
    pub(crate) at: Vec<usize>,
    /// Blocks whose branches only decide how often a wait is tried.
    pub(crate) trying: Vec<BlockId>,
}

impl BarrierFacts<'_> {
    /// Returns all such barriers, or the unsupported use.
    pub(crate) fn of_blocks(&self, syms: &mut Syms) -> Result<SplitBarriers, &'static str> {
        let mut found = self.of_clusters()?;
        let of_mbarriers = self.of_mbarriers(syms)?;
        found.at.extend(of_mbarriers.at);
        found.trying = of_mbarriers.trying;
        found.at.sort_unstable();
        Ok(found)
    }

    fn reachable(&self) -> impl Iterator<Item = (usize, &Op, &[Arg<'_>])> {
        let here = |i: usize| self.shape.place[self.cfg.block_of(i as u32).0 as usize].is_some();
        let all = self.flat.instructions.iter().enumerate().filter(move |(i, _)| here(*i));
        all.filter_map(|(i, inst)| Some((i, inst.op.as_ref().ok()?, inst.args.as_slice())))
    }

    fn always(&self, i: usize) -> bool {
        self.flat.instructions[i].guard.is_none()
    }

    /// Returns whether a range of instructions contains arithmetic only.
    fn only_computes(&self, code: std::ops::Range<usize>) -> bool {
        self.flat.instructions[code].iter().all(|inst| {
            let Ok(op) = &inst.op else { return false };
            let effects = effects(op, &inst.args);
            effects.touches.is_empty()
                && effects.order.is_none()
                && matches!(effects.control, Control::Next | Control::Branch)
        })
    }

    pub(crate) fn of_clusters(&self) -> Result<SplitBarriers, &'static str> {
        const OTHER: &str =
            "it has clusters that do something between arriving and waiting, not modelled yet";
        let mut found = SplitBarriers::default();
        let mut waits = 0;
        for (i, op, _) in self.reachable() {
            match op {
                Op::ClusterArrive { sem: Sem::Release, .. } if self.always(i) => {
                    let end = self.cfg.block(self.cfg.block_of(i as u32)).end as usize;
                    let is_wait = |j: &usize| {
                        matches!(self.flat.instructions[*j].op, Ok(Op::ClusterWait { .. })) && self.always(*j)
                    };
                    let wait = (i + 1..end).find(is_wait).ok_or(OTHER)?;
                    if !self.only_computes(i + 1..wait) {
                        return Err(OTHER);
                    }
                    found.at.push(i);
                }
                Op::ClusterArrive { .. } => return Err(OTHER),
                Op::ClusterWait { .. } => waits += 1,
                _ => {}
            }
        }
        if waits == found.at.len() { Ok(found) } else { Err(OTHER) }
    }

    fn of_mbarriers(&self, syms: &mut Syms) -> Result<SplitBarriers, &'static str> {
        let mut objects: Vec<(Sym, i128)> = Vec::new();
        let mut all: Vec<(usize, MbarrierOp, usize)> = Vec::new();
        for (i, op, _) in self.reachable() {
            let Op::Mbarrier { op, sem, .. } = op else { continue };
            let used = self.used.get(&i).ok_or("it has an mbarrier that is not followed")?;
            let place = used.object.as_ref().and_then(|(base, at)| Some((*base, at.as_constant()?)));
            let object =
                place.ok_or("it has mbarriers of which it is not known which they are, not modelled yet")?;
            let fits = match op {
                MbarrierOp::Init => true,
                MbarrierOp::Arrive { drop: false, no_complete: false, expect_tx: false } => {
                    *sem == Sem::Release
                        && self.always(i)
                        && used.number.as_ref().is_none_or(|n| n.as_constant() == Some(1))
                }
                MbarrierOp::Wait { .. } => *sem == Sem::Acquire && self.always(i),
                _ => false,
            };
            if !fits {
                return Err("it has mbarriers at which not just each thread arrives, not modelled yet");
            }
            let at = objects.iter().position(|o| *o == object).unwrap_or_else(|| {
                objects.push(object);
                objects.len() - 1
            });
            all.push((i, *op, at));
        }
        let mut found = SplitBarriers::default();
        if all.is_empty() {
            return Ok(found);
        }
        self.are_untouched(syms, &objects)?;
        let waited = of_phases(self.flat, self.cfg);
        let mut tested: Vec<usize> = Vec::new();
        for at in 0..objects.len() {
            let of = |wanted: fn(&MbarrierOp) -> bool| {
                all.iter().filter(|a| a.2 == at && wanted(&a.1)).map(|a| a.0).collect::<Vec<_>>()
            };
            let inits = of(|op| matches!(op, MbarrierOp::Init));
            let arrivals = of(|op| matches!(op, MbarrierOp::Arrive { .. }));
            let waits = of(|op| matches!(op, MbarrierOp::Wait { .. }));
            self.is_set_up(syms, &inits, &[&arrivals[..], &waits].concat())?;
            let mut parities = Vec::new();
            for &arrival in &arrivals {
                let waited = waited.iter().find(|w| waits.contains(&w.wait) && self.is_behind(arrival, w));
                let waited = waited.ok_or(
                    "it has mbarriers that are not waited for where threads arrive, not modelled yet",
                )?;
                if !self.by_token(arrival, waited.wait) {
                    parities.push((arrival, waited.wait));
                }
                let region = waited.region.iter().enumerate().filter(|r| *r.1).map(|r| BlockId(r.0 as u32));
                found.trying.extend(region.chain([waited.block]));
                tested.push(waited.wait);
                let inside = |&&i: &&usize| waited.region[self.cfg.block_of(i as u32).0 as usize];
                tested.extend(waits.iter().filter(inside));
            }
            if !parities.is_empty() {
                self.have_parities(syms, &arrivals, &parities)?;
            }
            if !waits.iter().all(|w| tested.contains(w)) {
                return Err("it waits for phases of mbarriers without arriving, not modelled yet");
            }
            found.at.extend(arrivals);
        }
        Ok(found)
    }

    /// Fails if another access touches the mbarriers.
    fn are_untouched(&self, syms: &Syms, objects: &[(Sym, i128)]) -> Result<(), &'static str> {
        let apart = |a: &Access, (base, at): &(Sym, i128)| match (a.space, a.base) {
            (Space::Global, _) => true,
            (_, Some(b)) if b != *base => true,
            (_, Some(_)) => {
                a.offset.as_constant().is_some_and(|o| o + i128::from(a.bytes) <= *at || o >= at + 8)
            }
            (_, None) => false,
        };
        let named = objects.iter().all(|(base, at)| {
            let own = matches!(&syms.get(*base).kind, Kind::Shared(name) if (self.alone)(name));
            own && at % 8 == 0
        });
        if named && self.accesses.iter().all(|a| objects.iter().all(|o| apart(a, o))) {
            return Ok(());
        }
        Err("it has mbarriers in memory that may be used otherwise, not modelled yet")
    }

    /// Fails unless the mbarrier is initialised once, for all threads of the block, before its use.
    fn is_set_up(&self, syms: &mut Syms, inits: &[usize], uses: &[usize]) -> Result<(), &'static str> {
        const OTHER: &str =
            "it has mbarriers that are not set up once, before all else, for all threads, not modelled yet";
        let &[init] = inits else { return Err(OTHER) };
        let block = self.cfg.block_of(init as u32);
        if self.shape.around(block).next().is_some() {
            return Err(OTHER);
        }
        let [x, y, z] = Axis::ALL.map(|a| extent(syms, a));
        let threads = x.zip(y).and_then(|(x, y)| x.times(&y)).zip(z).and_then(|(xy, z)| xy.times(&z));
        let (Some(threads), Some(used)) = (threads, self.used.get(&init)) else { return Err(OTHER) };
        let Some(count) = &used.number else { return Err(OTHER) };
        let mut question = Instance::new(syms);
        question.assume_all(&used.path, self.given);
        question.assume(&Cond::eq(count, &threads).not());
        if *count != threads && !question.refuted() {
            return Err(OTHER);
        }
        if !self.by_one_thread(syms, used, used) {
            return Err(OTHER);
        }
        // The use follows a barrier, and never precedes it.
        let at_once = interval(self.cfg, self.shape, self.barriers, &[], Some(init)).ok_or(OTHER)?;
        let before = |&u: &usize| {
            let from = self.cfg.block_of(u as u32);
            from == block && u < init || from != block && self.leads(from, block)
        };
        if uses.iter().any(|u| at_once.iter().any(|(i, _)| i == u) || before(u)) {
            return Err(OTHER);
        }
        Ok(())
    }

    /// Returns whether two threads of a block never make these uses of one mbarrier.
    pub(crate) fn by_one_thread(&self, syms: &Syms, a: &MbarrierUse, b: &MbarrierUse) -> bool {
        let home = |info: &Info, side: u8| {
            let is_shared = info.attr.level <= Level::Block && info.attr.loops == 0;
            if is_shared { 0 } else { side }
        };
        let mut question = Instance::of_many(syms, &home);
        self.given.iter().for_each(|c| question.assume(c));
        for (used, side) in [(a, 1), (b, 2)] {
            used.path.iter().for_each(|c| question.assume_of(c, side));
        }
        let place = |used: &MbarrierUse| used.object.as_ref().map(|(_, at)| at.clone());
        let (Some(p), Some(q)) = (place(a), place(b)) else { return false };
        let (Some(p), Some(q)) = (question.lowered(&p, 1), question.lowered(&q, 2)) else { return false };
        question.assert(&Cond::eq(&p, &q));
        let mut differ = Vec::new();
        for (s, _) in syms.all().filter(|(_, info)| matches!(info.kind, Kind::Tid(_))) {
            let (p, q) = (question.variable(s, 1), question.variable(s, 2));
            differ.push(Cond::Ne(Poly::sym(p).minus(&Poly::sym(q))));
        }
        let bounds = question.bounds().to_vec();
        question.assert(&Cond::Or(differ.clone()).simplified(&|s: Sym| bounds[s.0 as usize]));
        differ.len() == Axis::ALL.len() && question.refuted()
    }

    fn leads(&self, from: BlockId, to: BlockId) -> bool {
        let mut seen = vec![false; self.cfg.blocks.len()];
        let mut work = vec![from];
        while let Some(b) = work.pop() {
            for &s in &self.cfg.block(b).successors {
                if s == to {
                    return true;
                }
                if !std::mem::replace(&mut seen[s.0 as usize], true) {
                    work.push(s);
                }
            }
        }
        false
    }

    /// Returns whether every thread that arrives reaches that wait directly, and no other thread does.
    fn is_behind(&self, arrival: usize, waited: &Waited) -> bool {
        let b = self.cfg.block_of(arrival as u32);
        let (own, test) = (self.cfg.block(b), self.cfg.block(waited.block));
        if b == waited.block {
            return arrival < waited.wait && self.only_computes(arrival + 1..waited.wait);
        }
        let enters = |p: &BlockId| *p == b || waited.region[p.0 as usize];
        own.successors == [waited.block]
            && self.only_computes(arrival + 1..own.end as usize)
            && self.only_computes(test.start as usize..waited.wait)
            && test.predecessors.iter().all(enters)
    }

    /// Returns whether the wait uses the token that the arrival has returned.
    pub(crate) fn by_token(&self, arrival: usize, wait: usize) -> bool {
        let (arrival, wait) = (&self.flat.instructions[arrival], &self.flat.instructions[wait]);
        if matches!(wait.op, Ok(Op::Mbarrier { op: MbarrierOp::Wait { parity: true, .. }, .. })) {
            return false;
        }
        let (Some(Arg::Reg(token)), Some(Arg::Reg(given))) = (arrival.args.first(), wait.args.get(2)) else {
            return false;
        };
        let mut written = 0;
        for inst in &self.flat.instructions {
            kernels::registers::visit(inst, |place, writes| {
                written += u32::from(writes && crate::kernel::instructions::number(place) == Some(token.0));
            });
        }
        token == given && written == 1
    }

    /// Returns whether the parity of each wait is that of the number of earlier arrivals. Either all of them
    /// are in one outermost loop, once in each iteration, or none is in a loop.
    fn have_parities(
        &self,
        syms: &mut Syms,
        arrivals: &[usize],
        waits: &[(usize, usize)],
    ) -> Result<(), &'static str> {
        const OTHER: &str =
            "it waits for other phases of mbarriers than those in which it arrives, not modelled yet";
        let block = |i: usize| self.cfg.block_of(i as u32);
        let around: Vec<Vec<usize>> =
            arrivals.iter().map(|&i| self.shape.around(block(i)).collect()).collect();
        if around.iter().any(|a| *a != around[0] || a.len() > 1) {
            return Err(OTHER);
        }
        let before = |a: usize, b: usize| self.shape.precedes(self.cfg, a, b);
        if arrivals.iter().any(|&a| arrivals.iter().any(|&b| a != b && !before(a, b) && !before(b, a))) {
            return Err(OTHER);
        }
        let begun = match around[0].first() {
            None => Poly::default(),
            Some(&l) => {
                let head = self.shape.loops[l].header;
                let back = self.cfg.block(head).predecessors.iter().filter(|p| self.shape.contains(l, **p));
                let each_turn = |p: &BlockId| arrivals.iter().all(|&a| self.shape.dominates(block(a), *p));
                let turn = self.turns[l].ok_or(OTHER)?;
                if !back.into_iter().all(each_turn) {
                    return Err(OTHER);
                }
                Poly::mono(&[turn], arrivals.len() as i128)
            }
        };
        for &(arrival, wait) in waits {
            let nth = arrivals.iter().filter(|&&a| a != arrival && before(a, arrival)).count();
            let (_, parity) = syms.divide(&begun.plus_constant(nth as i128), &Poly::constant(2));
            let used = self.used.get(&wait).ok_or(OTHER)?;
            let is_parity = matches!(
                self.flat.instructions[wait].op,
                Ok(Op::Mbarrier { op: MbarrierOp::Wait { parity: true, .. }, .. })
            );
            let Some(given) = used.number.as_ref().filter(|_| is_parity) else { return Err(OTHER) };
            let mut question = Instance::new(syms);
            question.assume_all(&used.path, self.given);
            question.assume(&Cond::eq(given, &parity).not());
            if *given != parity && !question.refuted() {
                return Err(OTHER);
            }
        }
        Ok(())
    }
}

/// Returns a block's extent along an axis.
pub(crate) fn extent(syms: &Syms, axis: Axis) -> Option<Poly> {
    let s = syms.find(&Kind::Ntid(axis))?;
    let range = syms.get(s).range;
    Some(match range.lo.zip(range.hi) {
        Some((lo, hi)) if lo == hi => Poly::constant(lo),
        _ => Poly::sym(s),
    })
}
