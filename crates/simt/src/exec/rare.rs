//! Rarely executed instructions.

use super::{Failed, Run, Worker};
use crate::alu::row::Lanes;
use crate::failure::FailureKind;
use crate::program::{RareInst, Target, window};
use events::{LaneMask, Observer, Sync};
use ptx::op::MemSpace;

impl<O: Observer> Worker<'_, O> {
    pub(super) fn rare(
        &mut self,
        run: &mut Run<'_>,
        inst: &RareInst,
        active: LaneMask,
    ) -> Result<(), Failed> {
        match *inst {
            RareInst::Discard { ref address } => self.discard(run, address, active)?,
            RareInst::Isspacep { d, a, target } => {
                for lane in Lanes(active) {
                    let tag = run.get(a, true, lane) >> window::SHIFT;
                    let offset = run.get(a, true, lane) & window::OFFSET;
                    let is = match target {
                        MemSpace::Global | MemSpace::Generic => tag == 0,
                        MemSpace::SharedCta => tag == 1 && offset >> window::RANK_SHIFT == 0,
                        MemSpace::SharedCluster => tag == 1,
                        MemSpace::Local => tag == 2,
                        MemSpace::Param | MemSpace::ParamFunc => tag == 3,
                        MemSpace::Const => tag == 0 && self.is_constant(offset),
                    };
                    run.set(d, lane, is.into());
                }
            }
            RareInst::Cvta { d, a, wide, to, target } => {
                let tag = match target {
                    Target::Shared => window::SHARED,
                    Target::Local => window::LOCAL,
                    Target::Param => window::PARAM,
                    Target::Global | Target::Generic => 0,
                };
                for lane in Lanes(active) {
                    let a = run.get(a, wide, lane);
                    let value = match (to, a) {
                        (true, a) => a & window::OFFSET,
                        (false, a) => a | tag,
                    };
                    run.set(d, lane, value);
                }
            }
            RareInst::Mapa { d, a, wide, generic, rank, local, dynamic } => {
                let size = self.ctx.launch.cluster.count();
                let base = if dynamic { u64::from(self.ctx.dynamic_base) } else { 0 };
                for lane in Lanes(active) {
                    let rank = run.get(rank, false, lane);
                    if rank >= size {
                        let why = format!("rank {rank} in a cluster of {size}");
                        return Err(self.fail(run, 1 << lane, FailureKind::IllegalInstruction { why }));
                    }
                    let address = match local {
                        Some(offset) => base.wrapping_add(offset as u64),
                        None => run.get(a, wide, lane),
                    };
                    let tag = if generic { window::SHARED } else { 0 };
                    let value = tag | (rank + 1) << window::RANK_SHIFT | address & window::SHARED_OFFSET;
                    run.set(d, lane, value);
                }
            }
            RareInst::Getctarank { d, a, wide, generic } => {
                let own = self.block(run.slot).map_or(0, |b| b.rank);
                for lane in Lanes(active) {
                    let mut address = run.get(a, wide, lane);
                    if generic {
                        address &= window::OFFSET;
                    }
                    let rank = match address >> window::RANK_SHIFT {
                        0 => own.into(),
                        rank => rank - 1,
                    };
                    run.set(d, lane, rank);
                }
            }
            RareInst::GridDependency { wait } => {
                if self.s.observer.active() {
                    let site = self.event_site(run.pc);
                    let event = Sync::GridDependency { warp: run.name(self), site, lanes: active, wait };
                    self.s.observer.sync(&event);
                }
            }
            RareInst::Alloca { d, size, size_wide, align } => {
                let bytes = Lanes(active).map(|lane| run.get(size, size_wide, lane)).max().unwrap_or(0);
                let at = run.frame.local_top.next_multiple_of(align);
                let limit = u64::from(self.ctx.options.stack_limit);
                let end = u64::from(at).saturating_add(bytes);
                if end > limit {
                    return Err(self.fail(run, active, FailureKind::StackOverflow { bytes: end }));
                }
                run.frame.local_top = end as u32;
                run.warp.groups[run.group].frame = run.frame;
                run.warp.reserve_local(end as u32);
                run.refresh();
                Lanes(active).for_each(|lane| run.set(d, lane, at.into()));
            }
            RareInst::Tex(ref inst) => self.tex(run, inst, active)?,
            RareInst::Surface(ref inst) => self.surface(run, inst, active)?,
            RareInst::Suq { d, handle, query } => self.suq(run, d, handle, query, active)?,
            RareInst::Touch(ref touches) => self.touch_registers(run, touches, active),
            RareInst::QueryCancel { query, ref d, a } => self.query_cancel(run, query, (d, a), active)?,
            RareInst::StackSave { d } => {
                let top = run.frame.local_top;
                Lanes(active).for_each(|lane| run.set(d, lane, top.into()));
            }
            RareInst::StackRestore { a } => {
                let top = Lanes(active).map(|lane| run.get(a, true, lane)).max().unwrap_or(0);
                if top <= u64::from(run.frame.local_top) {
                    run.frame.local_top = top as u32;
                    run.warp.groups[run.group].frame = run.frame;
                }
            }
        }
        Ok(())
    }

    fn is_constant(&self, address: u64) -> bool {
        self.ctx.launch.module.variables().any(|(_, v)| {
            v.space == kernels::VariableSpace::Const && address.wrapping_sub(v.address) < v.bytes
        })
    }
}
