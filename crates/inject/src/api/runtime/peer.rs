//! Peer access of devices.

use super::Call;
use super::memory::answer;
use crate::abi::error::{CudaError, CudaResult};
use std::ffi::{c_int, c_uint};

fn pair(call: &Call, a: c_int, b: c_int) -> CudaResult<(u32, u32)> {
    let state = call.runtime.lock();
    Ok((state.device(a)?, state.device(b)?))
}

/// Switches the current device's access to `peer`'s memory.
pub(in crate::api) fn switch(call: &Call, peer: c_int, on: bool) -> CudaResult {
    let peer = call.runtime.lock().device(peer)?;
    let mut state = call.state()?;
    call.runtime.switch_peer(&mut state, call.device, peer, on)
}

api! {
    fn cudaDeviceCanAccessPeer, driver cuDeviceCanAccessPeer (can: *mut c_int, device: c_int, peer: c_int) = |call| {
        let (a, b) = pair(call, device, peer)?;
        // SAFETY: the program's variable.
        unsafe { answer(can, c_int::from(a != b)) }
    };
    fn cudaDeviceEnablePeerAccess(peer: c_int, flags: c_uint) = |call| {
        if flags != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        switch(call, peer, true)
    };
    fn cudaDeviceDisablePeerAccess(peer: c_int) = |call| switch(call, peer, false);
    fn cudaDeviceGetP2PAttribute, driver cuDeviceGetP2PAttribute (value: *mut c_int, attribute: c_int, device: c_int, peer: c_int) = |call| {
        let (a, b) = pair(call, device, peer)?;
        if a == b {
            return Err(CudaError::INVALID_DEVICE);
        }
        let found = match attribute {
            // The attributes are performance rank, access, native atomics, and arrays.
            1 => 0,
            2 | 3 => 1,
            4 => 0,
            _ => return Err(CudaError::INVALID_VALUE),
        };
        // SAFETY: the program's variable.
        unsafe { answer(value, found) }
    };
}
