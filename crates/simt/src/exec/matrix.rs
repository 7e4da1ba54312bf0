//! Matrix instructions.

use super::{Failed, Run, Worker};
use crate::program::CollectiveInst;
use crate::warp::Frame;
use events::{LaneMask, Observer};
use smallvec::SmallVec;

impl<O: Observer> Worker<'_, O> {
    pub(super) fn matrix(
        &mut self,
        run: &mut Run<'_>,
        inst: &CollectiveInst,
        parts: &SmallVec<[(LaneMask, Frame); 2]>,
        lanes: LaneMask,
    ) -> Result<(), Failed> {
        let _ = parts;
        let instruction = format!("{:?}", inst.what);
        Err(self.fail(run, lanes, crate::failure::FailureKind::Unsupported { instruction }))
    }
}
