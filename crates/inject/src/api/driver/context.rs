//! Contexts: a device's primary one, and those that the program creates.

use super::device::device;
use super::{Call, CudaError, CudaResult, answer, current, runtime};
use std::ffi::{c_int, c_uint, c_void};

type Context = *mut c_void;

fn create(call: &Call, out: *mut Context, flags: c_uint, number: c_int) -> CudaResult {
    let number = device(call, number)?;
    let handle = call.runtime.lock().create_context(number, flags);
    current::push(handle, number);
    // SAFETY: the program's variable.
    unsafe { answer(out, handle as Context) }
}

/// The device of a context; a null handle means the current context.
pub(super) fn device_of(call: &Call, context: Context) -> CudaResult<u32> {
    let handle = if context.is_null() { current::context() } else { context as usize };
    call.runtime.lock().device_of_context(handle)
}

fn synchronize(call: &Call, device: u32) -> CudaResult {
    let state = call.runtime.lock();
    state.check(device)?;
    if state.graphs.any_capture() {
        return Err(CudaError::STREAM_CAPTURE_UNSUPPORTED);
    }
    let mut state = call.runtime.wait_device(state, device);
    state.notice(device)
}

driver! {
    fn cuCtxCreate_v2(out: *mut Context, flags: c_uint, number: c_int) = |call| create(call, out, flags, number);
    fn cuCtxCreate_v3(out: *mut Context, _affinity: *mut c_void, _count: c_int, flags: c_uint, number: c_int) = |call| {
        create(call, out, flags, number)
    };
    fn cuCtxCreate_v4(out: *mut Context, _params: *mut c_void, flags: c_uint, number: c_int) = |call| {
        create(call, out, flags, number)
    };
    fn cuCtxDestroy_v2(context: Context) = |call| {
        let number = call.runtime.lock().device_of_context(context as usize)?;
        let mut state = call.runtime.wait_device(call.runtime.lock(), number);
        state.destroy_context(context as usize)?;
        drop(state);
        if current::context() == context as usize {
            pop(call)?;
        }
        Ok(())
    };
    fn cuCtxPushCurrent_v2(context: Context) = |call| {
        let number = call.runtime.lock().device_of_context(context as usize)?;
        current::push(context as usize, number);
        Ok(())
    };
    fn cuCtxPopCurrent_v2(out: *mut Context) = |call| {
        let popped = pop(call)?;
        if !out.is_null() {
            // SAFETY: the program's variable.
            unsafe { out.write(popped as Context) };
        }
        Ok(())
    };
    fn cuCtxSetCurrent(context: Context) = |call| {
        let number = match context.is_null() {
            true => 0,
            false => call.runtime.lock().device_of_context(context as usize)?,
        };
        current::set_context(context as usize, number);
        Ok(())
    };
    fn cuCtxGetCurrent(out: *mut Context) = |_call| {
        // SAFETY: the program's variable.
        unsafe { answer(out, current::context() as Context) }
    };
    fn cuCtxGetDevice(out: *mut c_int) = |call| {
        // SAFETY: the program's variable.
        unsafe { answer(out, call.device as c_int) }
    };
    fn cuCtxGetDevice_v2(out: *mut c_int, context: Context) = |call| {
        let number = device_of(call, context)?;
        // SAFETY: the program's variable.
        unsafe { answer(out, number as c_int) }
    };
    fn cuCtxGetFlags(flags: *mut c_uint) = |call| {
        let found = call.runtime.lock().flags_of_context(current::context())?;
        // SAFETY: the program's variable.
        unsafe { answer(flags, found) }
    };
    fn cuCtxSetFlags(flags: c_uint) = |call| {
        call.runtime.lock().set_device_flags(call.device, flags);
        Ok(())
    };
    fn cuCtxGetId(context: Context, id: *mut u64) = |call| {
        device_of(call, context)?;
        let handle = if context.is_null() { current::context() } else { context as usize };
        // SAFETY: the program's variable.
        unsafe { answer(id, handle as u64) }
    };
    fn cuCtxGetApiVersion(context: Context, version: *mut c_uint) = |call| {
        device_of(call, context)?;
        // SAFETY: the program's variable. The interface of contexts has not changed since CUDA 3.2.
        unsafe { answer(version, 3020) }
    };
    fn cuCtxSynchronize_v2(context: Context) = |call| synchronize(call, device_of(call, context)?);
    fn cuDevicePrimaryCtxRetain(out: *mut Context, number: c_int) = |call| {
        let number = device(call, number)?;
        let handle = call.runtime.lock().retain_primary(number);
        // SAFETY: the program's variable.
        unsafe { answer(out, handle as Context) }
    };
    fn cuDevicePrimaryCtxRelease_v2(number: c_int) = |call| {
        let number = device(call, number)?;
        call.runtime.lock().release_primary(number)
    };
    fn cuDevicePrimaryCtxSetFlags_v2(number: c_int, flags: c_uint) = |call| {
        let number = device(call, number)?;
        call.runtime.lock().set_device_flags(number, flags);
        Ok(())
    };
    fn cuDevicePrimaryCtxGetState(number: c_int, flags: *mut c_uint, active: *mut c_int) = |call| {
        let number = device(call, number)?;
        let state = call.runtime.lock();
        // SAFETY: the program's variables.
        unsafe {
            answer(flags, state.device_flags(number))?;
            answer(active, c_int::from(state.primary_is_active(number)))
        }
    };
    fn cuDevicePrimaryCtxReset_v2(number: c_int) = |call| {
        let number = device(call, number)?;
        call.runtime.reset_device(number)
    };
    fn cuCtxEnablePeerAccess(peer: Context, flags: c_uint) = |call| {
        if flags != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        let peer = device_of(call, peer)?;
        runtime::peer::switch(call, peer as c_int, true)
    };
    fn cuCtxDisablePeerAccess(peer: Context) = |call| {
        let peer = device_of(call, peer)?;
        runtime::peer::switch(call, peer as c_int, false)
    };
}

/// Takes the current context off the thread's stack.
fn pop(call: &Call) -> CudaResult<usize> {
    let state = call.runtime.lock();
    let popped = current::pop(|below| state.device_of_context(below).ok());
    popped.filter(|&context| context != 0).ok_or(CudaError::DEVICE_UNINITIALIZED)
}
