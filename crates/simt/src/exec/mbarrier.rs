//! mbarrier objects (PTX §9.7.13.15).

use super::run::Flow;
use super::{Failed, Run, Worker};
use crate::program::MbarrierInst;
use events::{LaneMask, Observer};

/// The state of an object in shared memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mbarrier {
    pub phase: u64,
}

impl<O: Observer> Worker<'_, O> {
    pub(super) fn mbarrier(
        &mut self,
        run: &mut Run<'_>,
        inst: &MbarrierInst,
        mask: LaneMask,
    ) -> Result<Flow, Failed> {
        let _ = inst;
        Err(self.fail(
            run,
            mask,
            crate::failure::FailureKind::Unsupported { instruction: "mbarrier".to_owned() },
        ))
    }

    pub(super) fn phase_over(&mut self, slot: u32, address: u32, phase: u64) -> bool {
        self.block(slot).and_then(|b| b.mbarriers.get(&address)).is_none_or(|m| m.phase > phase)
    }
}
