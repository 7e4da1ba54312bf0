//! Waits of a stream for a value in memory, and writes of one (CUDA Driver API, "Stream Memory Operations").
//!
//! Each is a kernel of one thread, so that its access is checked as any thread's. A wait acquires at system
//! scope; a write is behind a fence of system scope, unless the program waives it.

use super::kernel::{Configuration, prepare};
use super::submit;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::Stream;
use crate::call::Call;
use crate::context::{State, Work};

const TEXT: &str = include_str!("memory_operations.ptx");

/// An operation on one word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryOperation {
    pub(crate) kind: Kind,
    pub(crate) is_wide: bool,
    pub(crate) address: u64,
    pub(crate) value: u64,
    /// How a wait compares, or whether a write waives its fence.
    pub(crate) how: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Wait,
    Write,
}

impl MemoryOperation {
    fn kernel(self) -> &'static str {
        match (self.kind, self.is_wide) {
            (Kind::Wait, false) => "cuStreamWaitValue32",
            (Kind::Wait, true) => "cuStreamWaitValue64",
            (Kind::Write, false) => "cuStreamWriteValue32",
            (Kind::Write, true) => "cuStreamWriteValue64",
        }
    }

    /// Returns an error if the word is not aligned, or not in memory that kernels may access.
    fn check(self, state: &State) -> CudaResult {
        let bytes = if self.is_wide { 8 } else { 4 };
        let ways = if self.kind == Kind::Wait { 4 } else { 2 };
        let fits = self.address.is_multiple_of(bytes) && self.how < ways;
        let is_there = state.find(self.address).is_some() && state.reach(self.address) >= bytes;
        if fits && is_there { Ok(()) } else { Err(CudaError::INVALID_VALUE) }
    }
}

/// Submits operations to a stream, one after the other, or none of them if one is wrong.
pub(crate) fn perform(call: &Call, stream: Stream, operations: &[MemoryOperation]) -> CudaResult {
    let mut state = call.state()?;
    let (stream, device) = call.stream(&mut state, stream)?;
    operations.iter().try_for_each(|operation| operation.check(&state))?;
    let module = state.memory_operations(TEXT);
    for operation in operations {
        let one = events::Dim3::ONE;
        let configuration = Configuration {
            grid: one,
            block: one,
            cluster: None,
            shared: 0,
            cooperative: false,
            programmatic: false,
        };
        let arguments = [operation.address, operation.value, operation.how.into()].map(u64::to_le_bytes);
        let function = state.named_function(module, operation.kernel());
        let work = prepare(call.runtime, &mut state, function, device, configuration, |i, into| {
            into.copy_from_slice(&arguments[i][..into.len()]);
            Ok(())
        })?;
        submit(call, &mut state, stream, device, Work::Kernel(Box::new(work)))?;
    }
    Ok(())
}
