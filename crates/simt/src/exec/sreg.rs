//! Special registers (PTX §10).

use super::copies::{splat32, splat64};
use super::{Run, Worker};
use crate::alu::row::{Lanes, blend32};
use crate::program::{FILE_32, FILE_64, FILE_MASK, Row};
use events::{Dim3, LaneMask, Observer};
use ptx::sreg::SpecialReg as S;

/// The cycles that reading a clock takes.
const CLOCK_READ: u64 = 36;

impl<O: Observer> Worker<'_, O> {
    /// Reads a special register. `spent` is the number of instructions that the group has run and the block's
    /// clock does not include yet.
    pub(super) fn sreg(&mut self, run: &mut Run<'_>, d: Row, which: S, active: LaneMask, spent: u64) {
        let launch = &self.ctx.launch;
        let (grid, dims, cluster) = (launch.grid, launch.block, launch.cluster);
        let axis = match which {
            S::TidX => Some(0),
            S::TidY => Some(1),
            S::TidZ => Some(2),
            _ => None,
        };
        if let Some(axis) = axis {
            let row = &run.warp.tid[axis];
            if d & FILE_MASK == FILE_32 {
                // SAFETY: the row is one of the frame's; registers do not overlap the coordinates.
                return unsafe { blend32(run.row(d), row.as_ptr().cast(), active) };
            }
            let row = *row;
            return Lanes(active).for_each(|lane| run.set(d, lane, row[lane].into()));
        }
        let Some(block) = self.s.blocks.get_mut(run.slot as usize).and_then(|b| b.as_deref_mut()) else {
            return;
        };
        let at = block.at;
        let part = |whole: Dim3| Dim3::new(whole.x / cluster.x, whole.y / cluster.y, whole.z / cluster.z);
        let inside = || Dim3::new(at.x % cluster.x, at.y % cluster.y, at.z % cluster.z);
        let u = u64::from;
        let value = match which {
            S::TidX | S::TidY | S::TidZ => return,
            S::Laneid => {
                Lanes(active).for_each(|lane| run.set(d, lane, lane as u64));
                return;
            }
            S::LanemaskEq | S::LanemaskLe | S::LanemaskLt | S::LanemaskGe | S::LanemaskGt => {
                for lane in Lanes(active) {
                    let eq = 1u32 << lane;
                    let lt = eq - 1;
                    let mask = match which {
                        S::LanemaskEq => eq,
                        S::LanemaskLt => lt,
                        S::LanemaskLe => lt | eq,
                        S::LanemaskGe => !lt,
                        _ => !(lt | eq),
                    };
                    run.set(d, lane, mask.into());
                }
                return;
            }
            S::NtidX => u(dims.x),
            S::NtidY => u(dims.y),
            S::NtidZ => u(dims.z),
            S::CtaidX => u(at.x),
            S::CtaidY => u(at.y),
            S::CtaidZ => u(at.z),
            S::NctaidX => u(grid.x),
            S::NctaidY => u(grid.y),
            S::NctaidZ => u(grid.z),
            S::Warpid => run.warp.index.into(),
            S::Nwarpid => 64,
            S::Smid => u(run.block.0 % self.ctx.options.device.processors),
            S::Nsmid => u(self.ctx.options.device.processors),
            S::Gridid => u(launch.task.0),
            S::IsExplicitCluster => u64::from(cluster != Dim3::ONE),
            S::ClusteridX => u(at.x / cluster.x),
            S::ClusteridY => u(at.y / cluster.y),
            S::ClusteridZ => u(at.z / cluster.z),
            S::NclusteridX => u(part(grid).x),
            S::NclusteridY => u(part(grid).y),
            S::NclusteridZ => u(part(grid).z),
            S::ClusterCtaidX => u(inside().x),
            S::ClusterCtaidY => u(inside().y),
            S::ClusterCtaidZ => u(inside().z),
            S::ClusterNctaidX => u(cluster.x),
            S::ClusterNctaidY => u(cluster.y),
            S::ClusterNctaidZ => u(cluster.z),
            S::ClusterCtarank => u(block.rank),
            S::ClusterNctarank => cluster.count(),
            S::Clock | S::Clock64 | S::ClockHi | S::Globaltimer | S::GlobaltimerLo | S::GlobaltimerHi => {
                block.clock += CLOCK_READ;
                block.clock += run.pause.read(block.clock + spent);
                let clock = block.clock + spent;
                if let Some(watch) = &mut self.s.watch {
                    watch.timed = true;
                }
                match which {
                    S::Clock => clock & 0xffff_ffff,
                    S::Clock64 => clock,
                    S::ClockHi => clock >> 32,
                    _ => {
                        let ns = self.ctx.host.global_timer_ns().wrapping_add(clock);
                        match which {
                            S::Globaltimer => ns,
                            S::GlobaltimerLo => ns & 0xffff_ffff,
                            _ => ns >> 32,
                        }
                    }
                }
            }
            S::TotalSmemSize | S::AggrSmemSize => u(self.ctx.shared_bytes),
            S::DynamicSmemSize => u(launch.dynamic_shared),
            // The address of a cooperative launch's grid workspace, in two halves.
            S::EnvReg(1) => self.ctx.workspace >> 32,
            S::EnvReg(2) => self.ctx.workspace & 0xffff_ffff,
            S::ReservedSmemOffset(_) | S::ReservedSmemOffsetBegin => u(self.ctx.reserved_base),
            S::ReservedSmemOffsetEnd | S::ReservedSmemOffsetCap => u(self.ctx.shared_bytes),
            S::EnvReg(_) | S::Pm(_) | S::Pm64(_) | S::CurrentGraphExec => 0,
        };
        let p = run.row(d);
        // SAFETY: the row is one of the frame's.
        unsafe {
            match d & FILE_MASK {
                FILE_32 => return splat32(p, value as u32, active),
                FILE_64 => return splat64(p, value, active),
                _ => {}
            }
        }
        Lanes(active).for_each(|lane| run.set(d, lane, value));
    }
}
