//! Kernels: attributes, and what the occupancy calculator suggests.

use super::device::device;
use super::module::Handle;
use super::{Call, CudaError, CudaResult, answer, runtime};
use std::ffi::{c_int, c_uint};

/// `CUfunction_attribute`
fn attribute(call: &Call, which: c_int, function: Handle) -> CudaResult<c_int> {
    let found = runtime::function::attributes(call, function)?;
    Ok(match which {
        0 => found.max_threads_per_block,
        1 => found.shared_size_bytes as c_int,
        2 => found.const_size_bytes as c_int,
        3 => found.local_size_bytes as c_int,
        4 => found.num_regs,
        5 => found.ptx_version,
        6 => found.binary_version,
        7 => found.cache_mode_ca,
        8 => found.max_dynamic_shared_size_bytes,
        9 => found.preferred_shmem_carveout,
        10 => found.cluster_dim_must_be_set,
        11 => found.required_cluster_width,
        12 => found.required_cluster_height,
        13 => found.required_cluster_depth,
        14 => found.non_portable_cluster_size_allowed,
        15 => found.cluster_scheduling_policy_preference,
        _ => return Err(CudaError::INVALID_VALUE),
    })
}

/// How much dynamic shared memory a block of so many threads needs.
type SharedOf = Option<unsafe extern "C" fn(c_int) -> usize>;

/// The block size, in whole warps, that has the most threads resident on a multiprocessor, and the blocks of it that
/// the device has room for. Of equal ones the largest.
fn potential(
    call: &Call,
    function: Handle,
    of: SharedOf,
    fixed: usize,
    most: c_int,
) -> CudaResult<(c_int, c_int)> {
    let mut state = call.state()?;
    let (_, module, index) = runtime::function::find(call, &mut state, function)?;
    let bound = module.kernels()[index].max_threads;
    let bound = if most > 0 { bound.min(most as u32) } else { bound };
    let (mut best, mut resident) = (0, 0);
    let mut threads = bound.next_multiple_of(32).min(1024);
    while threads >= 32 {
        let block = threads.min(bound);
        // SAFETY: the program's function, which computes from its argument.
        let shared = of.map_or(fixed, |of| unsafe { of(block as c_int) });
        let blocks = module.resident_blocks(index, block, u32::try_from(shared).unwrap_or(u32::MAX >> 1));
        if blocks * block > best * resident {
            (best, resident) = (block, blocks);
        }
        threads -= 32;
    }
    Ok(((resident * crate::device::device().processors) as c_int, best as c_int))
}

driver! {
    fn cuFuncGetAttribute(value: *mut c_int, which: c_int, function: Handle) = |call| {
        let found = attribute(call, which, function)?;
        // SAFETY: the program's variable.
        unsafe { answer(value, found) }
    };
    fn cuKernelGetAttribute(value: *mut c_int, which: c_int, kernel: Handle, number: c_int) = |call| {
        let of_device = &Call { device: device(call, number)?, ..*call };
        let found = attribute(of_device, which, kernel)?;
        // SAFETY: the program's variable.
        unsafe { answer(value, found) }
    };
    fn cuKernelSetAttribute(which: c_int, value: c_int, kernel: Handle, number: c_int) = |call| {
        let of_device = &Call { device: device(call, number)?, ..*call };
        runtime::function::set_attribute(of_device, kernel, which, value)
    };
    fn cuKernelSetCacheConfig(kernel: Handle, _config: c_int, number: c_int) = |call| {
        device(call, number)?;
        call.state()?.function(kernel as usize).map(|_| ())
    };
    fn cuOccupancyMaxPotentialBlockSize(
        blocks: *mut c_int,
        threads: *mut c_int,
        function: Handle,
        shared_of: SharedOf,
        shared: usize,
        most: c_int,
    ) = |call| {
        let found = potential(call, function, shared_of, shared, most)?;
        // SAFETY: the program's variables.
        unsafe {
            answer(blocks, found.0)?;
            answer(threads, found.1)
        }
    };
    fn cuOccupancyMaxPotentialBlockSizeWithFlags(
        blocks: *mut c_int,
        threads: *mut c_int,
        function: Handle,
        shared_of: SharedOf,
        shared: usize,
        most: c_int,
        _flags: c_uint,
    ) = |call| {
        let found = potential(call, function, shared_of, shared, most)?;
        // SAFETY: the program's variables.
        unsafe {
            answer(blocks, found.0)?;
            answer(threads, found.1)
        }
    };
}
