//! Access of one device to another's memory.

use super::Call;
use super::memory::answer;
use crate::abi::error::{CudaError, CudaResult};
use std::ffi::{c_int, c_uint};

fn pair(call: &Call, a: c_int, b: c_int) -> CudaResult<(u32, u32)> {
    let count = call.runtime.lock().devices.len() as c_int;
    if !(0..count).contains(&a) || !(0..count).contains(&b) {
        return Err(CudaError::INVALID_DEVICE);
    }
    Ok((a as u32, b as u32))
}

/// Switches the current device's access to `peer`'s memory.
fn switch(call: &Call, peer: c_int, on: bool) -> CudaResult {
    let (me, peer) = pair(call, call.device as c_int, peer)?;
    let mut state = call.state()?;
    if me == peer {
        return Err(CudaError::INVALID_DEVICE);
    }
    let bit = 1u64 << peer;
    let record = &mut state.devices[me as usize];
    match (on, record.peers & bit != 0) {
        (true, true) => return Err(CudaError::PEER_ACCESS_ALREADY_ENABLED),
        (false, false) => return Err(CudaError::PEER_ACCESS_NOT_ENABLED),
        _ => record.peers ^= bit,
    }
    let mask = state.accessible_from(peer);
    for memory in state.memory.values() {
        if memory.device == peer && !memory.kind.host_accessible() {
            call.runtime.backend.set_access(memory.base, mask);
        }
    }
    Ok(())
}

api! {
    fn cudaDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) = |call| {
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
    fn cudaDeviceGetP2PAttribute(value: *mut c_int, attribute: c_int, device: c_int, peer: c_int) = |call| {
        let (a, b) = pair(call, device, peer)?;
        if a == b {
            return Err(CudaError::INVALID_DEVICE);
        }
        let found = match attribute {
            // Performance rank; access; native atomics; arrays.
            1 => 0,
            2 | 3 => 1,
            4 => 0,
            _ => return Err(CudaError::INVALID_VALUE),
        };
        // SAFETY: the program's variable.
        unsafe { answer(value, found) }
    };
}
