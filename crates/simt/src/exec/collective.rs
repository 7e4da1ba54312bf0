//! Warp-wide exchange: `shfl`, `vote`, `match`, `redux`, `elect` (PTX §9.7.9, §9.7.13), and the rendezvous of
//! all named lanes that matrix instructions also require.

use super::copies::splat32;
use super::flow::Flow;
use super::lanes::equal64;
use super::shuffle::shuffle;
use super::{Failed, Run, Stop, Worker};
use crate::alu::row::Lanes;
use crate::exec::frame::{Frame, Parts};
use crate::exec::warp::{Group, Wait, Warp};
use crate::num::rmw;
use crate::program::{
    Code, Collective, CollectiveInst, FILE_32, FILE_64, FILE_MASK, FILE_PRED, NO_ROW, Program, Row,
};
use events::{LaneMask, Misuse, Observer};
use ptx::op::{ShflMode, VoteMode};
use smallvec::SmallVec;

/// A participating group with its instruction: lanes may come from different branches.
struct Party<'p> {
    mask: LaneMask,
    frame: Frame,
    inst: &'p CollectiveInst,
}

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
        if let Collective::WgmmaWait { keep } = inst.what
            && let Some(groups) = self.waits_for_warpgroup(run, keep)
        {
            run.warp.groups[run.group].wait = Wait::Warpgroup { groups };
            return Ok(Flow::Stop(Stop::Wait));
        }
        let need = (member | mask) & run.warp.alive;
        let (program, pc) = (self.ctx.program(), run.pc);
        let is_whole = need & !mask == 0;
        // Otherwise named lanes are missing or already wait, here or at the same operation elsewhere.
        let there = if is_whole { mask } else { present(program, run.warp, pc, member) | mask };
        if need & !there != 0 {
            run.warp.groups[run.group].wait = Wait::Lanes { member };
            return Ok(Flow::Stop(Stop::Wait));
        }
        if self.waits_for_tensor_memory(run, inst)? {
            return Ok(Flow::Stop(Stop::Wait));
        }
        let own = Party { mask, frame: run.frame, inst };
        if is_whole {
            if mask & !member != 0 {
                self.misuse(run, mask & !member, Misuse::NotMember { member });
            }
            self.perform(run, &[own], mask)?;
            return Ok(Flow::Next);
        }
        let mut parties: SmallVec<[Party<'_>; 2]> = SmallVec::new();
        parties.push(own);
        for group in run.warp.groups.iter().filter(|g| takes_part(program, g, pc, member)) {
            if let Some(inst) = collective_at(program, group.pc) {
                parties.push(Party { mask: group.mask, frame: group.frame, inst });
            }
        }
        if there & !member != 0 {
            self.misuse(run, there & !member, Misuse::NotMember { member });
        }
        self.perform(run, &parties, there)?;
        for group in run.warp.groups.iter_mut().filter(|g| takes_part(program, g, pc, member)) {
            group.wait = Wait::No;
            group.pc += 1;
        }
        run.pc += 1;
        Ok(Flow::Stop(Stop::Groups))
    }

    fn perform(&mut self, run: &mut Run<'_>, parties: &[Party<'_>], lanes: LaneMask) -> Result<(), Failed> {
        self.rendezvous(run, lanes);
        let Some(first) = parties.first() else { return Ok(()) };
        match &first.inst.what {
            Collective::Shfl(mode) => match parties {
                [only] if shuffle(run, *mode, only.inst, lanes) => {}
                _ => shfl(run, *mode, parties, lanes),
            },
            Collective::Vote(mode) => {
                let mut holds = 0;
                if let [only] = parties {
                    holds = run.predicate(only.inst.a[0], only.inst.negated) & only.mask;
                } else {
                    for party in parties {
                        let parts: Parts = SmallVec::from_slice(&[(party.mask, party.frame)]);
                        with_frames(run, &parts, |run, mask| {
                            holds |= run.predicate(party.inst.a[0], party.inst.negated) & mask;
                        });
                    }
                }
                let value = match mode {
                    VoteMode::All => u32::from(holds == lanes),
                    VoteMode::Any => u32::from(holds != 0),
                    VoteMode::Uni => u32::from(holds == lanes || holds == 0),
                    VoteMode::Ballot => holds,
                };
                give_all(run, parties, |inst| inst.d[0], value);
            }
            Collective::Match { all, wide } => {
                let a = take(run, parties, |inst| inst.a[0], *wide);
                let mut d = [0; 32];
                let (mut together, mut left) = (true, lanes);
                while left != 0 {
                    let mask = equal64(&a, a[left.trailing_zeros() as usize & 31]) & lanes;
                    together &= mask == lanes;
                    Lanes(mask).for_each(|lane| d[lane] = mask.into());
                    left &= !mask;
                }
                if *all && !together {
                    d = [0; 32];
                }
                give(run, parties, |inst| inst.d[0], &d);
                give_all(run, parties, |inst| inst.p, together.into());
            }
            Collective::Redux { op, ty, abs, nan } => {
                let a = take(run, parties, |inst| inst.a[0], ty.bits() == 64);
                let values = Lanes(lanes).map(|lane| a[lane] as u32);
                let Some(value) = rmw::redux(*op, *ty, *abs, *nan, values) else {
                    let instruction = "redux.sync of this operation and type".to_owned();
                    return Err(self.fail(
                        run,
                        lanes,
                        crate::failure::FailureKind::Unsupported { instruction },
                    ));
                };
                give_all(run, parties, |inst| inst.d[0], value);
            }
            Collective::Elect => {
                let leader = lanes.trailing_zeros() as usize & 31;
                give_all(run, parties, |inst| inst.d[0], leader as u32);
                let mut p = [0; 32];
                p[leader] = 1;
                give(run, parties, |inst| inst.p, &p);
            }
            _ => {
                let parts: Parts = parties.iter().map(|party| (party.mask, party.frame)).collect();
                self.matrix(run, first.inst, &parts, lanes)?;
            }
        }
        Ok(())
    }
}

fn collective_at(program: &Program, pc: u32) -> Option<&CollectiveInst> {
    match program.code.get(pc as usize)?.code {
        Code::Collective(n) => program.collectives.get(n as usize),
        _ => None,
    }
}

/// Returns whether a waiting group participates in the instruction at `pc` with this mask. PTX requires the
/// same instruction with the same qualifiers and mask of all lanes, not the same place in the program;
/// `.aligned` instructions require the same place as well (PTX §9.7.9.6, §9.7.14.5).
fn takes_part(program: &Program, group: &Group, pc: u32, member: LaneMask) -> bool {
    let Wait::Lanes { member: waits } = group.wait else { return false };
    let (Some(own), Some(other)) = (collective_at(program, pc), collective_at(program, group.pc)) else {
        return false;
    };
    match own.member {
        NO_ROW => group.pc == pc,
        _ => waits == member && (group.pc == pc || exchanges(&own.what, &other.what)),
    }
}

/// Returns the lanes that wait to participate in the instruction at `pc` with this mask.
pub(super) fn present(program: &Program, warp: &Warp, pc: u32, member: LaneMask) -> LaneMask {
    let groups = warp.groups.iter().filter(|g| takes_part(program, g, pc, member));
    groups.fold(0, |lanes, g| lanes | g.mask)
}

/// Returns whether two instructions at different places are the same exchange of registers.
fn exchanges(a: &Collective, b: &Collective) -> bool {
    match (a, b) {
        (Collective::Shfl(a), Collective::Shfl(b)) => a == b,
        (Collective::Vote(a), Collective::Vote(b)) => a == b,
        (Collective::Match { all, wide }, Collective::Match { all: all_b, wide: wide_b }) => {
            (all, wide) == (all_b, wide_b)
        }
        (
            Collective::Redux { op, ty, abs, nan },
            Collective::Redux { op: op_b, ty: ty_b, abs: abs_b, nan: nan_b },
        ) => (op, ty, abs, nan) == (op_b, ty_b, abs_b, nan_b),
        (Collective::Elect, Collective::Elect) => true,
        _ => false,
    }
}

/// Reads an operand of all lanes, each from its own instruction and frame.
fn take(
    run: &mut Run<'_>,
    parties: &[Party<'_>],
    operand: impl Fn(&CollectiveInst) -> Row,
    wide: bool,
) -> [u64; 32] {
    if let [only] = parties {
        return gather(run, &SmallVec::from_slice(&[(only.mask, only.frame)]), operand(only.inst), wide);
    }
    let mut values = [0; 32];
    for party in parties {
        let parts: Parts = SmallVec::from_slice(&[(party.mask, party.frame)]);
        let own = gather(run, &parts, operand(party.inst), wide);
        Lanes(party.mask).for_each(|lane| values[lane] = own[lane]);
    }
    values
}

/// Writes a result of all lanes, each by its own instruction into its own frame.
fn give(
    run: &mut Run<'_>,
    parties: &[Party<'_>],
    result: impl Fn(&CollectiveInst) -> Row,
    values: &[u64; 32],
) {
    for party in parties {
        let parts: Parts = SmallVec::from_slice(&[(party.mask, party.frame)]);
        scatter(run, &parts, result(party.inst), values);
    }
}

/// Writes one value (a word or a predicate) to a result of all lanes.
fn give_all(run: &mut Run<'_>, parties: &[Party<'_>], result: impl Fn(&CollectiveInst) -> Row, value: u32) {
    if let [only] = parties {
        let (row, mask) = (result(only.inst), only.mask);
        let p = run.row(row);
        // SAFETY: the row is one of the frame's, or a predicate of it.
        unsafe {
            match row & FILE_MASK {
                _ if row == NO_ROW => return,
                FILE_32 => return splat32(p, value, mask),
                FILE_PRED => {
                    let p = p.cast::<u32>();
                    return p.write(p.read() & !mask | if value & 1 != 0 { mask } else { 0 });
                }
                _ => {}
            }
        }
    }
    give(run, parties, result, &[value.into(); 32]);
}

/// Calls `f` for each part with its frame as the current one.
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

/// Reads a row of all lanes, each from its own frame.
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

fn shfl(run: &mut Run<'_>, mode: ShflMode, parties: &[Party<'_>], lanes: LaneMask) {
    debug_assert!(parties.iter().all(|p| p.inst.a[0] & FILE_MASK != FILE_64), "shfl moves 32 bits");
    let a = take(run, parties, |inst| inst.a[0], false);
    let b = take(run, parties, |inst| inst.b[0], false);
    let c = take(run, parties, |inst| inst.c[0], false);
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
        // A non-participating source lane has no defined value; the lane's own value is used.
        d[lane] = if lanes >> from & 1 != 0 { a[from] } else { a[lane] };
        p[lane] = inside.into();
    }
    give(run, parties, |inst| inst.d[0], &d);
    give(run, parties, |inst| inst.p, &p);
}
