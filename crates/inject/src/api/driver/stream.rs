//! Streams: what the driver alone says of them.

use super::{answer, current};
use crate::abi::types::Stream;
use std::ffi::c_void;

driver! {
    fn cuStreamGetCtx | cuStreamGetCtx_ptsz (stream: Stream, context: *mut *mut c_void) = |call| {
        let (_, device) = call.stream(&mut *call.state()?, stream)?;
        // SAFETY: the program's variable.
        unsafe { answer(context, context_of(device, call.device) as *mut c_void) }
    };
    fn cuStreamGetCtx_v2 | cuStreamGetCtx_v2_ptsz (
        stream: Stream,
        context: *mut *mut c_void,
        green: *mut *mut c_void,
    ) = |call| {
        let (_, device) = call.stream(&mut *call.state()?, stream)?;
        // SAFETY: the program's variables; the second may be null.
        unsafe {
            if !green.is_null() {
                green.write(std::ptr::null_mut());
            }
            answer(context, context_of(device, call.device) as *mut c_void)
        }
    };
}

/// The context that a stream of a device is of: the current one, or another device's primary one.
fn context_of(device: u32, current_device: u32) -> usize {
    if device == current_device { current::context() } else { crate::context::primary(device) }
}
