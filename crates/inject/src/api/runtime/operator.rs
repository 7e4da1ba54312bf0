//! The functions that `operators.py` calls for operators that the host computes on the virtual GPU's memory.
//!
//! An operator without PTX is computed at once, when its call is made, by the framework's own kernels for the host. Listeners learn of
//! it as of a copy: a task of its stream that reads and writes ranges of memory.

use super::Call;
use super::memory::answer;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::Stream;
use crate::context::Work;
use crate::submit::submit;
use std::collections::HashSet;
use std::ffi::{CStr, c_char};
use std::ops::Range;
use std::sync::{LazyLock, Mutex, PoisonError};

const LIMIT: &str = "operators of PyTorch itself were computed by its kernels for the CPU; their accesses were checked as those of \
                     copies are: whole tensors, in stream order";

/// An access of an operator, as `operators.py` lays it out.
#[repr(C)]
#[derive(Clone, Copy)]
struct Access {
    address: u64,
    bytes: u64,
    /// 1 for a write.
    write: u64,
}

/// A name that lives as long as the process.
fn interned(name: &str) -> &'static str {
    static NAMES: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let known: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(known);
    known
}

/// Submits an operator that has been computed.
fn computed(call: &Call, stream: Stream, accesses: &[Access]) -> CudaResult {
    let mut state = call.state()?;
    let (stream, device) = call.stream(&mut state, stream)?;
    let mut ranges: Vec<(Range<u64>, bool)> = Vec::with_capacity(accesses.len());
    for access in accesses.iter().filter(|access| access.bytes > 0) {
        if state.reach(access.address) < access.bytes {
            return Err(CudaError::INVALID_VALUE);
        }
        ranges.push((access.address..access.address + access.bytes, access.write != 0));
    }
    state.results.limit(LIMIT.into());
    submit(call, &mut state, stream, device, Work::Operator(ranges)).map(|_| ())
}

api! {
    /// Answers where the host finds the memory of a device address, and how many bytes are there.
    fn warprace_operator_memory(address: u64, place: *mut u64, bytes: *mut u64) = |call| {
        let state = call.state()?;
        let memory = state.find(address).ok_or(CudaError::INVALID_VALUE)?;
        let (found, reach) = (memory.engine as u64 + (address - memory.base), state.reach(address));
        // SAFETY: the caller's variables.
        unsafe {
            answer(place, found)?;
            answer(bytes, reach)
        }
    };
    /// Waits until a stream's work is done. The order of the program stays as it is: the host joins no clock.
    fn warprace_operator_wait(stream: Stream) = |call| {
        let mut state = call.state()?;
        let (stream, _) = call.stream(&mut state, stream)?;
        if state.graphs.is_capturing(stream) {
            let what = "an operator of PyTorch itself in a graph that is captured";
            state.results.unsupported(what, call.caller, true);
            return Err(CudaError::STREAM_CAPTURE_UNSUPPORTED);
        }
        let known = state.submitted_to(stream);
        drop(call.runtime.wait_until(state, |state| state.is_complete(&known)));
        Ok(())
    };
    /// Names something that an operator did and that is not checked.
    fn warprace_operator_unchecked(what: *const c_char) = |call| {
        if what.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the caller passes a C string.
        let what = unsafe { CStr::from_ptr(what) }.to_string_lossy().into_owned();
        call.runtime.lock().results.unchecked(what);
        Ok(())
    };
    /// Submits an operator that has been computed: its name, and the ranges that it has read and written.
    fn warprace_operator(stream: Stream, name: *const c_char, accesses: *const Access, count: usize) = |call| {
        if name.is_null() || (accesses.is_null() && count > 0) {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the caller passes a C string and as many accesses as it says.
        let (name, accesses) = unsafe {
            let accesses = if count == 0 { &[] } else { std::slice::from_raw_parts(accesses, count) };
            (CStr::from_ptr(name).to_string_lossy(), accesses)
        };
        computed(&Call { api: interned(&name), ..*call }, stream, accesses)
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_interned_once() {
        let one = interned("aten::add.out");
        assert!(std::ptr::eq(one, interned(&String::from("aten::add.out"))));
        assert_eq!(one, "aten::add.out");
    }
}
