//! Asynchronous copies.

use super::{Failed, Run, Worker};
use crate::program::AsyncInst;
use events::{LaneMask, Observer};

#[derive(Debug, Default)]
pub(crate) struct AsyncState {}

impl<O: Observer> Worker<'_, O> {
    pub(super) fn asynchronous(
        &mut self,
        run: &mut Run<'_>,
        inst: &AsyncInst,
        active: LaneMask,
    ) -> Result<(), Failed> {
        let _ = inst;
        Err(self.fail(
            run,
            active,
            crate::failure::FailureKind::Unsupported { instruction: "cp.async".to_owned() },
        ))
    }

    pub(super) fn finish_copies(&mut self, run: &mut Run<'_>, lanes: LaneMask) -> Result<(), Failed> {
        let _ = (run, lanes);
        Ok(())
    }
}
