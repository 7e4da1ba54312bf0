//! Launches beside streams that are not ordered with theirs, which repeat a launch with checks
//! ([`instrument::guard::repeats`]).

use super::State;
use crate::capture::Call;
use crate::order::Repeated;
use crate::{driver, streams};
use std::ffi::c_void;

impl State {
    /// Returns whether launches of a kernel may repeat each other: their accesses depend on the launch alone, and they
    /// synchronise with others by launch and end only.
    pub(super) fn may_repeat(&mut self, function: *mut c_void, name: &str) -> bool {
        if !self.tells() || !self.proofs.outcomes.are_fixed(name) {
            return false;
        }
        let launched = self.modules.launch_parameter(function as usize, |at| driver::parameter(function, at));
        launched.is_some_and(|launched| !launched.acquires && !launched.tells && !launched.publishes)
    }

    /// Returns whether a launch repeats one that has made its checks of global memory.
    pub(super) fn is_repeat(&mut self, call: &Call, repeated: &Repeated) -> bool {
        let stream = streams::seen(&mut self.order, call.stream);
        !self.ended && self.order.is_repeat(stream, repeated)
    }

    /// Records that a launch in a stream leaves accesses in the table: of these allocations, or of any memory.
    pub(crate) fn leaves(&mut self, stream: *mut c_void, memory: Option<&[u64]>) {
        let stream = streams::seen(&mut self.order, stream);
        self.order.leaves(stream, memory);
    }

    /// Records that the last launch in a stream makes its checks of global memory.
    pub(crate) fn checked(&mut self, stream: *mut c_void, repeated: Repeated) {
        let stream = streams::seen(&mut self.order, stream);
        self.order.checked(stream, repeated);
    }
}
