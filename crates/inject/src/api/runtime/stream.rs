//! Streams.

use super::Call;
use super::launch::refused_of_stream;
use super::memory::answer;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::Stream;
use std::ffi::{c_int, c_uint, c_void};

fn create(call: &Call, stream: *mut Stream, flags: u32, priority: c_int) -> CudaResult {
    let mut state = call.state()?;
    let handle = state.create_stream(call.device, flags, priority)?;
    // SAFETY: the program's variable.
    unsafe { answer(stream, handle as Stream) }
}

/// Returns the flags, priority, id and device of a stream, including default streams.
fn describe(call: &Call, stream: Stream) -> CudaResult<(u32, c_int, u64, u32)> {
    let mut state = call.state()?;
    match state.stream(stream as usize) {
        Ok(record) => Ok((record.flags, record.priority, record.id, record.device)),
        Err(_) => {
            let (key, device) = call.stream(&mut state, stream)?;
            Ok((0, 0, u64::from(key.0), device))
        }
    }
}

api! {
    fn cudaStreamCreate(stream: *mut Stream) = |call| create(call, stream, 0, 0);
    fn cudaStreamCreateWithFlags, driver cuStreamCreate (stream: *mut Stream, flags: c_uint) = |call| create(call, stream, flags, 0);
    fn cudaStreamCreateWithPriority, driver cuStreamCreateWithPriority (stream: *mut Stream, flags: c_uint, priority: c_int) = |call| {
        create(call, stream, flags, priority)
    };
    fn cudaStreamDestroy, driver cuStreamDestroy_v2 (stream: Stream) = |call| {
        call.state()?.destroy_stream(stream as usize)
    };
    fn cudaStreamSynchronize | cudaStreamSynchronize_ptsz, driver cuStreamSynchronize | cuStreamSynchronize_ptsz (stream: Stream) = |call| {
        let mut state = call.state()?;
        let (stream, device) = call.stream(&mut state, stream)?;
        if state.graphs.is_capturing(stream) {
            return Err(CudaError::STREAM_CAPTURE_UNSUPPORTED);
        }
        let known = state.submitted_to(stream);
        let mut state = call.runtime.wait(state, &known);
        state.notice(device)
    };
    fn cudaStreamQuery | cudaStreamQuery_ptsz, driver cuStreamQuery | cuStreamQuery_ptsz (stream: Stream) = |call| {
        let mut state = call.state()?;
        let (stream, device) = call.stream(&mut state, stream)?;
        if state.graphs.is_capturing(stream) {
            return Err(CudaError::STREAM_CAPTURE_UNSUPPORTED);
        }
        let known = state.submitted_to(stream);
        let mut state = call.runtime.settle(state, &known);
        if !state.is_complete(&known) {
            drop(state);
            std::thread::yield_now();
            return Err(CudaError::NOT_READY);
        }
        state.host_learns(&known);
        state.notice(device)
    };
    fn cudaStreamGetFlags | cudaStreamGetFlags_ptsz, driver cuStreamGetFlags | cuStreamGetFlags_ptsz (stream: Stream, flags: *mut c_uint) = |call| {
        // SAFETY: the program's variable.
        unsafe { answer(flags, describe(call, stream)?.0) }
    };
    fn cudaStreamGetPriority | cudaStreamGetPriority_ptsz, driver cuStreamGetPriority | cuStreamGetPriority_ptsz (stream: Stream, priority: *mut c_int) = |call| {
        // SAFETY: the program's variable.
        unsafe { answer(priority, describe(call, stream)?.1) }
    };
    fn cudaStreamGetId | cudaStreamGetId_ptsz, driver cuStreamGetId | cuStreamGetId_ptsz (stream: Stream, id: *mut u64) = |call| {
        // SAFETY: the program's variable.
        unsafe { answer(id, describe(call, stream)?.2) }
    };
    fn cudaStreamGetDevice | cudaStreamGetDevice_ptsz, driver cuStreamGetDevice | cuStreamGetDevice_ptsz (stream: Stream, device: *mut c_int) = |call| {
        // SAFETY: the program's variable.
        unsafe { answer(device, describe(call, stream)?.3 as c_int) }
    };
    fn cudaStreamCopyAttributes | cudaStreamCopyAttributes_ptsz, driver cuStreamCopyAttributes | cuStreamCopyAttributes_ptsz (to: Stream, from: Stream) = |call| {
        describe(call, to)?;
        describe(call, from).map(|_| ())
    };
    fn cudaStreamSetAttribute | cudaStreamSetAttribute_ptsz, driver cuStreamSetAttribute | cuStreamSetAttribute_ptsz (stream: Stream, attribute: c_int, value: *const c_void) = |call| {
        describe(call, stream)?;
        // SAFETY: the program's union, each of whose members has so many bytes.
        let int = unsafe { value.cast::<c_int>().as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        // Access policies and the like are hints about performance.
        match refused_of_stream(attribute, *int) {
            None => Ok(()),
            Some(what) => {
                let what = format!("{}: {what}", call.api);
                call.runtime.lock().results.unsupported(&what, call.caller, true);
                Err(CudaError::NOT_SUPPORTED)
            }
        }
    };
}
