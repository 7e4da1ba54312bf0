//! Threads that access an mbarrier before its initialisation.

use super::mbarrier::Place;
use super::turns::rouse;
use super::{Failed, Run, Worker};
use crate::alu::row::Lanes;
use crate::exec::warp::Wait;
use crate::failure::{Failure, FailureKind};
use crate::program::Address;
use events::{LaneMask, Observer};

impl<O: Observer> Worker<'_, O> {
    /// Suspends the group if a lane's address has no initialised object. An operation there is undefined (PTX
    /// §9.7.14.15); with the initialisation first, detectors receive the events of both. If the
    /// initialisation never happens, the kernel [fails](Worker::without_object).
    pub(super) fn waits_for_object(
        &mut self,
        run: &mut Run<'_>,
        address: &Address,
        mask: LaneMask,
    ) -> Result<bool, Failed> {
        let addresses = self.addresses(run, address, mask, 8);
        let mut known = None;
        for lane in Lanes(mask) {
            if known.replace(addresses[lane]) == Some(addresses[lane]) {
                continue;
            }
            let place = self.mbarrier_place(run, address, lane)?;
            let Place { slot, offset, .. } = place;
            if !self.has_object(slot, offset) {
                self.touch_object(run, place, 1 << lane, None);
                run.warp.groups[run.group].wait = Wait::Object { slot, offset };
                return Ok(true);
            }
        }
        Ok(false)
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
