//! Threads that access an mbarrier before its initialisation.

use super::mbarrier::Place;
use super::turns::rouse;
use super::{Failed, Run, Worker};
use crate::alu::row::Lanes;
use crate::exec::warp::Wait;
use crate::failure::{Failure, FailureKind};
use crate::program::{Address, NO_ROW, Row, Signals, window};
use events::{LaneMask, Observer};
use smallvec::SmallVec;

impl<O: Observer> Worker<'_, O> {
    /// Suspends the group if a lane's address has no initialised object. An operation there is undefined (PTX
    /// §9.7.14.15); with the initialisation first, detectors receive the events of both. If the
    /// initialisation never happens, the kernel [fails](Worker::without_object). A multicast needs the object of each block that
    /// the row of its mask names.
    pub(super) fn waits_for_object(
        &mut self,
        run: &mut Run<'_>,
        (address, multicast, signals): (&Address, Row, Signals),
        mask: LaneMask,
    ) -> Result<bool, Failed> {
        let addresses = self.addresses(run, address, mask, 8);
        let mut known = None;
        for lane in Lanes(mask) {
            if multicast == NO_ROW && known.replace(addresses[lane]) == Some(addresses[lane]) {
                continue;
            }
            for place in self.objects(run, (address, multicast, signals), lane)? {
                let Place { slot, offset, .. } = place;
                if !self.has_object(slot, offset) {
                    self.touch_object(run, place, 1 << lane, None);
                    run.warp.groups[run.group].wait = Wait::Object { slot, offset };
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Returns the objects that a lane's operation signals, one for each destination.
    pub(super) fn objects(
        &mut self,
        run: &Run<'_>,
        (address, multicast, signals): (&Address, Row, Signals),
        lane: usize,
    ) -> Result<SmallVec<[Place; 2]>, Failed> {
        if multicast == NO_ROW && !matches!(signals, Signals::Even | Signals::Cluster) {
            return Ok(SmallVec::from_iter([self.mbarrier_place(run, address, lane)?]));
        }
        let signal = self.shared_address(run, address, lane);
        let own = self.block(run.slot).map_or(0, |block| u64::from(block.rank));
        let addressed = (signal >> window::RANK_SHIFT).checked_sub(1);
        if signals == Signals::Even && addressed.is_some() {
            let instruction = "an mbarrier at another block's address without its lowest bit";
            let kind = FailureKind::Unsupported { instruction: instruction.to_owned() };
            return Err(self.fail(run, 1 << lane, kind));
        }
        let size = self.ctx.launch.cluster.count();
        let signalled = |rank: u64| match signals {
            Signals::Destination | Signals::Cluster => rank,
            Signals::Addressed => rank & !1 | addressed.unwrap_or(own) & 1,
            Signals::Even => rank & !1,
        };
        let offset = signal & window::SHARED_OFFSET;
        let mut place =
            |rank: u64| self.shared_place(run, (signalled(rank) + 1) << window::RANK_SHIFT | offset, 8, lane);
        if signals == Signals::Cluster {
            return (0..size).map(place).collect();
        }
        if multicast == NO_ROW {
            return Ok(SmallVec::from_iter([place(own)?]));
        }
        Lanes(run.get(multicast, false, lane) as u32 & 0xffff).map(|rank| place(rank as u64)).collect()
    }

    /// Wakes the groups of a warp whose objects have been initialised.
    pub(super) fn wake_at_objects(&mut self, slot: u32, w: usize) {
        let warp = self.block(slot).and_then(|b| b.warps.get_mut(w)).and_then(Option::take);
        let Some(mut warp) = warp else { return };
        for group in &mut warp.groups {
            if let Wait::Object { slot, offset } = group.wait
                && self.has_object(slot, offset)
            {
                rouse(group);
            }
        }
        if let Some(block) = self.block(slot) {
            block.warps[w] = Some(warp);
        }
    }

    /// Returns the failure of a group that waits for an object when nothing else can run.
    pub(super) fn without_object(&self) -> Option<Failed> {
        self.groups().find_map(|(block, warp, group)| {
            let Wait::Object { offset, .. } = group.wait else { return None };
            let [x, y, z] = warp.tid.map(|t| t[group.mask.trailing_zeros() as usize & 31]);
            let why = format!("no mbarrier was initialised at shared address {offset:#x}");
            Some(Box::new(Failure {
                kind: FailureKind::IllegalInstruction { why },
                site: self.site(group.pc),
                block: Some(block.at),
                thread: Some(events::Dim3::new(x, y, z)),
            }))
        })
    }
}
