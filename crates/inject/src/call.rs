//! An API call in progress, of any façade.

use crate::abi::error::CudaResult;
use crate::abi::types::Stream;
use crate::caller::{Caller, thread_number};
use crate::context::{Runtime, State};
use crate::order::StreamKey;
use events::task::HostCall;
use std::sync::MutexGuard;

/// A call in progress.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    /// The C name.
    pub(crate) api: &'static str,
    /// The call site.
    pub(crate) caller: Caller,
    /// Whether the null stream denotes the thread's own (`_ptsz` and `_ptds` names).
    pub(crate) per_thread: bool,
    pub(crate) runtime: &'static Runtime,
    pub(crate) device: u32,
}

impl Call {
    /// Locks the state; fails if the current device's context is lost.
    pub(crate) fn state(&self) -> CudaResult<MutexGuard<'static, State>> {
        surroundings::ask();
        let state = self.runtime.lock();
        state.check(self.device)?;
        Ok(state)
    }

    /// Returns the error of a lost context.
    pub(crate) fn check(&self) -> CudaResult {
        self.state().map(drop)
    }

    /// Returns this call in the form of a report.
    pub(crate) fn site(&self, state: &mut State) -> HostCall {
        state.results.call_site(self.api, self.caller)
    }

    /// Returns the stream that a handle denotes, and its device.
    pub(crate) fn stream(&self, state: &mut State, handle: Stream) -> CudaResult<(StreamKey, u32)> {
        const LEGACY: usize = 1;
        const PER_THREAD: usize = 2;
        match handle as usize {
            0 if !self.per_thread => Ok((self.legacy(state), self.device)),
            LEGACY => Ok((self.legacy(state), self.device)),
            0 | PER_THREAD => Ok((state.thread_stream(thread_number(), self.device), self.device)),
            other => state.stream(other).map(|record| (record.key, record.device)),
        }
    }

    fn legacy(&self, state: &State) -> StreamKey {
        state.legacy_stream(self.device)
    }
}
