//! Warp-wide exchange: `shfl`, `vote`, `match`, `redux`, `elect` (PTX §9.7.9, §9.7.13), and
//! the waiting for all named lanes that matrix instructions need, too.

use super::row::Lanes;
use super::run::Flow;
use super::{Failed, Run, Stop, Worker};
use crate::num::rmw;
use crate::program::{Collective, CollectiveInst, FILE_32, FILE_64, FILE_MASK, NO_ROW, Row};
use crate::warp::{Frame, Wait};
use events::{LaneMask, Observer};
use ptx::op::{ShflMode, VoteMode};
use smallvec::SmallVec;

/// A group that takes part, with its frame: lanes may come from different calls.
pub(super) type Parts = SmallVec<[(LaneMask, Frame); 2]>;

impl<O: Observer> Worker<'_, O> {
    pub(super) fn collective(
        &mut self,
        run: &mut Run<'_>,
        inst: &CollectiveInst,
        mut mask: LaneMask,
    ) -> Result<Flow, Failed> {
        let member = match inst.member {
            NO_ROW => run.warp.alive,
            row => self.uniform(run, row, false, &mut mask) as u32,
        };
        let need = (member | mask) & run.warp.alive;
        if need & !mask == 0 {
            let frame = run.frame;
            let parts: Parts = SmallVec::from_slice(&[(mask, frame)]);
            self.perform(run, inst, &parts, mask)?;
            return Ok(Flow::Next);
        }
        // Others are still to come, or wait here already.
        let pc = run.pc;
        let here = |g: &crate::warp::Group| {
            g.pc == pc && matches!(g.wait, Wait::Lanes { member: m } if m == member || inst.member == NO_ROW)
        };
        let there = run.warp.groups.iter().filter(|g| here(g)).fold(mask, |lanes, g| lanes | g.mask);
        if need & !there != 0 {
            run.warp.groups[run.group].wait = Wait::Lanes { member };
            return Ok(Flow::Stop(Stop::Wait));
        }
        let mut parts: Parts = SmallVec::from_slice(&[(mask, run.frame)]);
        for group in run.warp.groups.iter().filter(|g| here(g)) {
            parts.push((group.mask, group.frame));
        }
        self.perform(run, inst, &parts, there)?;
        for group in run.warp.groups.iter_mut().filter(|g| here(g)) {
            group.wait = Wait::No;
            group.pc += 1;
        }
        run.pc += 1;
        Ok(Flow::Stop(Stop::Groups))
    }

    fn perform(
        &mut self,
        run: &mut Run<'_>,
        inst: &CollectiveInst,
        parts: &Parts,
        lanes: LaneMask,
    ) -> Result<(), Failed> {
        self.rendezvous(run, lanes);
        match &inst.what {
            Collective::Shfl(mode) => shfl(run, inst, *mode, parts, lanes),
            Collective::Vote(mode) => {
                let mut holds = 0;
                with_frames(run, parts, |run, mask| {
                    holds |= run.predicate(inst.a[0], inst.negated) & mask;
                });
                let value = match mode {
                    VoteMode::All => u32::from(holds == lanes),
                    VoteMode::Any => u32::from(holds != 0),
                    VoteMode::Uni => u32::from(holds == lanes || holds == 0),
                    VoteMode::Ballot => holds,
                };
                scatter(run, parts, inst.d[0], &[value.into(); 32]);
            }
            Collective::Match { all, wide } => {
                let a = gather(run, parts, inst.a[0], *wide);
                let equal = |lane: usize| {
                    Lanes(lanes).filter(|&other| a[other] == a[lane]).fold(0u32, |m, other| m | 1 << other)
                };
                let mut d = [0; 32];
                let mut together = true;
                for lane in Lanes(lanes) {
                    let mask = equal(lane);
                    together &= mask == lanes;
                    d[lane] = mask.into();
                }
                if *all && !together {
                    d = [0; 32];
                }
                scatter(run, parts, inst.d[0], &d);
                scatter(run, parts, inst.p, &[together.into(); 32]);
            }
            Collective::Redux { op, ty, abs, nan } => {
                let a = gather(run, parts, inst.a[0], ty.bits() == 64);
                let values = Lanes(lanes).map(|lane| a[lane] as u32);
                let Some(value) = rmw::redux(*op, *ty, *abs, *nan, values) else {
                    let instruction = format!("redux.sync.{op:?}.{ty:?}").to_lowercase();
                    return Err(self.fail(
                        run,
                        lanes,
                        crate::failure::FailureKind::Unsupported { instruction },
                    ));
                };
                scatter(run, parts, inst.d[0], &[value.into(); 32]);
            }
            Collective::Elect => {
                let leader = lanes.trailing_zeros() as usize & 31;
                scatter(run, parts, inst.d[0], &[leader as u64; 32]);
                let mut p = [0; 32];
                p[leader] = 1;
                scatter(run, parts, inst.p, &p);
            }
            _ => self.matrix(run, inst, parts, lanes)?,
        }
        Ok(())
    }
}

/// Calls `f` with each part's frame in place.
pub(super) fn with_frames(run: &mut Run<'_>, parts: &Parts, mut f: impl FnMut(&mut Run<'_>, LaneMask)) {
    let saved = run.frame;
    for &(mask, frame) in parts {
        if frame != run.frame {
            run.frame = frame;
            run.refresh();
        }
        f(run, mask);
    }
    if run.frame != saved {
        run.frame = saved;
        run.refresh();
    }
}

/// The lanes' values of a row, each from its own frame.
pub(super) fn gather(run: &mut Run<'_>, parts: &Parts, row: Row, wide: bool) -> [u64; 32] {
    let mut values = [0; 32];
    with_frames(run, parts, |run, mask| {
        if mask == super::FULL && row & FILE_MASK == FILE_32 {
            // SAFETY: the row is one of the frame's.
            values = unsafe { run.row(row).cast::<[u32; 32]>().read() }.map(u64::from);
            return;
        }
        for lane in Lanes(mask) {
            values[lane] = run.get(row, wide, lane);
        }
    });
    values
}

pub(super) fn scatter(run: &mut Run<'_>, parts: &Parts, row: Row, values: &[u64; 32]) {
    if row == NO_ROW {
        return;
    }
    with_frames(run, parts, |run, mask| {
        if mask == super::FULL && row & FILE_MASK == FILE_32 {
            let narrow = values.map(|v| v as u32);
            // SAFETY: the row is one of the frame's.
            unsafe { run.row(row).cast::<[u32; 32]>().write(narrow) };
            return;
        }
        for lane in Lanes(mask) {
            run.set(row, lane, values[lane]);
        }
    });
}

fn shfl(run: &mut Run<'_>, inst: &CollectiveInst, mode: ShflMode, parts: &Parts, lanes: LaneMask) {
    debug_assert!(inst.a[0] & FILE_MASK != FILE_64, "shfl moves 32 bits");
    let a = gather(run, parts, inst.a[0], false);
    let b = gather(run, parts, inst.b[0], false);
    let c = gather(run, parts, inst.c[0], false);
    let mut d = [0; 32];
    let mut p = [0; 32];
    for lane in Lanes(lanes) {
        // PTX §9.7.9.6.
        let l = lane as i64;
        let (bval, cval, seg) = ((b[lane] & 31) as i64, (c[lane] & 31) as i64, (c[lane] >> 8 & 31) as i64);
        let max = (l & seg) | (cval & !seg);
        let min = l & seg;
        let (j, inside) = match mode {
            ShflMode::Up => (l - bval, l - bval >= max),
            ShflMode::Down => (l + bval, l + bval <= max),
            ShflMode::Bfly => (l ^ bval, (l ^ bval) <= max),
            ShflMode::Idx => (min | (bval & !seg), (min | (bval & !seg)) <= max),
        };
        let from = if inside { j as usize & 31 } else { lane };
        // A lane that takes no part has no value to give; its own is as good as any.
        d[lane] = if lanes >> from & 1 != 0 { a[from] } else { a[lane] };
        p[lane] = inside.into();
    }
    scatter(run, parts, inst.d[0], &d);
    scatter(run, parts, inst.p, &p);
}
