//! Barriers of a block: `bar` and `barrier.cta` (PTX §9.7.13.1).

use super::flow::Flow;
use super::generation::Barrier;
use super::{Failed, Run, Stop, Worker};
use crate::alu::row::Lanes;
use crate::exec::warp::{Wait, Warp};
use crate::failure::FailureKind;
use crate::program::{BarInst, Code, FILE_MASK, FILE_PRED, NO_ROW, Program};
use events::{BarrierId, BarrierMembers, LaneMask, Misuse, Observer, Sem, Sync};
use ptx::op::BarKind;

impl<O: Observer> Worker<'_, O> {
    pub(super) fn bar(
        &mut self,
        run: &mut Run<'_>,
        inst: &BarInst,
        mut mask: LaneMask,
    ) -> Result<Flow, Failed> {
        let id = self.uniform(run, inst.id, false, &mut mask);
        if id > 15 {
            let why = format!("barrier {id} of 16");
            return Err(self.fail(run, mask, FailureKind::IllegalInstruction { why }));
        }
        let mut expected = 0;
        if inst.count != NO_ROW {
            let count = self.uniform(run, inst.count, false, &mut mask);
            if count == 0 || !count.is_multiple_of(32) {
                let why = format!("a barrier of {count} threads, not a multiple of 32");
                return Err(self.fail(run, mask, FailureKind::IllegalInstruction { why }));
            }
            expected = count as u32;
        }
        let waits = inst.kind != BarKind::Arrive;
        if self.s.observer.active() {
            let event = Sync::BarrierArrive {
                warp: run.name(self),
                site: self.event_site(run.pc),
                id: BarrierId::Cta(id as u8),
                lanes: mask,
                waits,
                sem: Sem::AcqRel,
            };
            self.s.observer.sync(&event);
        }
        self.s.check |= 1 << id;
        let Some(block) = self.block(run.slot) else { return Ok(Flow::Stop(Stop::Gone)) };
        let barrier = &mut block.barriers[id as usize];
        if expected != 0 {
            barrier.expected = expected;
        }
        let elsewhere = if inst.whole { barrier.meets(run.pc, run.warp.index, mask) } else { None };
        barrier.arrive(run.warp, run.block, mask, waits);
        if inst.predicate != NO_ROW {
            let holds = run.predicate(inst.predicate, inst.negated) & mask;
            barrier.popc += holds.count_ones();
            barrier.any |= holds != 0;
            barrier.not_all |= holds != mask;
        }
        if let Some((pc, by, lane)) = elsewhere {
            let first = self.event_site(pc);
            self.misuse(run, mask, Misuse::OtherBarrier { id: id as u8, first, by, lane });
        }
        if !waits {
            run.pc += 1;
            return Ok(Flow::Stop(Stop::Groups));
        }
        run.warp.groups[run.group].wait = Wait::Barrier(id as u8);
        Ok(Flow::Stop(Stop::Wait))
    }

    /// Completes the barriers of a block that received arrivals and are complete. All of the block's warps
    /// must be in their slots.
    pub(super) fn check_barriers(&mut self, slot: u32) -> bool {
        let mut check = std::mem::take(&mut self.s.check);
        let program = self.ctx.program();
        let task = self.ctx.launch.task;
        let mut any = false;
        while check != 0 {
            let id = check.trailing_zeros() as usize;
            check &= check - 1;
            let Some(block) = self.s.blocks.get_mut(slot as usize).and_then(|b| b.as_deref_mut()) else {
                break;
            };
            if !block.barriers[id].complete(block.alive, &block.warps) {
                continue;
            }
            any = true;
            block.idle = 0;
            let barrier = std::mem::take(&mut block.barriers[id]);
            for member in &barrier.members {
                if let Some(warp) = &mut block.warps[member.warp.0 as usize] {
                    release(warp, id as u8, &barrier, program);
                }
            }
            self.s.stats.barriers += 1;
            if self.s.observer.active() {
                let whole = barrier.expected == 0 && !barrier.partial;
                let members =
                    if whole { BarrierMembers::WholeBlock } else { BarrierMembers::Some(&barrier.members) };
                let event =
                    Sync::BarrierComplete { task, block: block.id, id: BarrierId::Cta(id as u8), members };
                self.s.observer.sync(&event);
            }
        }
        any
    }
}

/// Lets the groups of a warp that wait at the barrier continue.
fn release(warp: &mut Warp, id: u8, barrier: &Barrier, program: &Program) {
    for g in 0..warp.groups.len() {
        let group = &warp.groups[g];
        if !matches!(group.wait, Wait::Barrier(waits) if waits == id) {
            continue;
        }
        let (mask, frame) = (group.mask, group.frame);
        if let Some(Code::Bar(n)) = program.code.get(group.pc as usize).map(|i| &i.code) {
            let inst = &program.bars[*n as usize];
            let value = match inst.kind {
                BarKind::RedPopc => Some(barrier.popc),
                BarKind::RedAnd => Some(u32::from(!barrier.not_all)),
                BarKind::RedOr => Some(u32::from(barrier.any)),
                _ => None,
            };
            if let Some(value) = value
                && inst.d != NO_ROW
            {
                let [r32, _, preds] = warp.bases(&frame);
                let offset = (inst.d & !FILE_MASK) as usize;
                // SAFETY: the destination is a row or predicate of the group's frame.
                unsafe {
                    if inst.d & FILE_MASK == FILE_PRED {
                        let p = preds.add(offset).cast::<u32>();
                        p.write(if value != 0 { p.read() | mask } else { p.read() & !mask });
                    } else {
                        let row = r32.add(offset).cast::<u32>();
                        Lanes(mask).for_each(|lane| row.add(lane).write(value));
                    }
                }
            }
        }
        let group = &mut warp.groups[g];
        group.wait = Wait::No;
        group.pc += 1;
        // Patience is not renewed: a loop that contains a barrier may itself wait for another block.
        group.futile = 0;
    }
    if warp.groups.len() > 1 {
        warp.merge();
    }
}
