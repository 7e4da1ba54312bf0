//! Kernel attributes and occupancy.

use super::Call;
use super::memory::answer;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::properties as limits;
use crate::abi::types::{FuncAttributes, LaunchConfig};
use crate::backend::Module;
use crate::context::{self, Function, State};
use crate::device::device;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::Arc;

pub(in crate::api) fn find(
    call: &Call,
    state: &mut State,
    function: *const c_void,
) -> CudaResult<(Function, Arc<dyn Module>, usize)> {
    let record = state.function(function as usize)?.clone();
    let module = context::module(call.runtime, state, record.fatbin, call.device)?;
    let index = module.kernel(&record.name).ok_or(CudaError::INVALID_DEVICE_FUNCTION)?;
    Ok((record, module, index))
}

/// `cudaFuncAttribute`
mod attribute {
    pub(super) const MAX_DYNAMIC_SHARED: i32 = 8;
    pub(super) const CARVEOUT: i32 = 9;
    pub(super) const NON_PORTABLE_CLUSTER: i32 = 14;
}

/// What is known of a kernel.
pub(in crate::api) fn attributes(call: &Call, function: *const c_void) -> CudaResult<FuncAttributes> {
    let mut state = call.state()?;
    let (record, module, index) = find(call, &mut state, function)?;
    let kernel = &module.kernels()[index];
    let cluster = kernel.cluster;
    let resources = module.resources(index);
    Ok(FuncAttributes {
        shared_size_bytes: kernel.static_shared as usize,
        local_size_bytes: resources.local_bytes as usize,
        max_threads_per_block: kernel.max_threads as c_int,
        num_regs: resources.registers as c_int,
        // What Thrust and CUB choose their kernels by: the PTX's architecture, not the device's.
        ptx_version: kernel.target as c_int,
        binary_version: device().sm as c_int,
        max_dynamic_shared_size_bytes: record
            .max_dynamic_shared()
            .unwrap_or(limits::SHARED_PER_BLOCK.saturating_sub(kernel.static_shared))
            as c_int,
        preferred_shmem_carveout: record.carveout(),
        cluster_dim_must_be_set: c_int::from(cluster.is_some()),
        required_cluster_width: cluster.map_or(0, |d| d.x as c_int),
        required_cluster_height: cluster.map_or(0, |d| d.y as c_int),
        required_cluster_depth: cluster.map_or(0, |d| d.z as c_int),
        non_portable_cluster_size_allowed: c_int::from(record.non_portable_clusters()),
        ..FuncAttributes::default()
    })
}

/// Sets what a program may choose of a kernel.
pub(in crate::api) fn set_attribute(
    call: &Call,
    function: *const c_void,
    which: c_int,
    value: c_int,
) -> CudaResult {
    let mut state = call.state()?;
    let (_, module, index) = find(call, &mut state, function)?;
    let fixed = module.kernels()[index].static_shared;
    let record = state.function_mut(function as usize)?;
    match which {
        attribute::MAX_DYNAMIC_SHARED => record.allow_dynamic_shared(value, fixed)?,
        attribute::CARVEOUT => record.prefer_carveout(value),
        attribute::NON_PORTABLE_CLUSTER => record.allow_non_portable_clusters(value != 0),
        // Cluster dimensions are given at launch; the scheduling policy is a hint.
        10..=15 => {}
        _ => return Err(CudaError::INVALID_VALUE),
    }
    Ok(())
}

fn occupancy(
    call: &Call,
    blocks: *mut c_int,
    function: *const c_void,
    threads: c_int,
    shared: usize,
) -> CudaResult {
    let mut state = call.state()?;
    let (_, module, index) = find(call, &mut state, function)?;
    if threads <= 0 {
        return Err(CudaError::INVALID_VALUE);
    }
    let shared = u32::try_from(shared).unwrap_or(u32::MAX >> 1);
    let found = module.resident_blocks(index, threads as u32, shared);
    // SAFETY: the program's variable.
    unsafe { answer(blocks, found as c_int) }
}

api! {
    fn cudaFuncGetAttributes(out: *mut FuncAttributes, function: *const c_void) = |call| {
        // SAFETY: the program's variable.
        unsafe { answer(out, attributes(call, function)?) }
    };
    fn cudaFuncSetAttribute, driver cuFuncSetAttribute (function: *const c_void, which: c_int, value: c_int) = |call| {
        set_attribute(call, function, which, value)
    };
    fn cudaFuncSetCacheConfig, driver cuFuncSetCacheConfig (function: *const c_void, _config: c_int) = |call| {
        call.state()?.function(function as usize).map(|_| ())
    };
    fn cudaFuncSetSharedMemConfig, driver cuFuncSetSharedMemConfig (function: *const c_void, _config: c_int) = |call| {
        call.state()?.function(function as usize).map(|_| ())
    };
    fn cudaFuncGetName, driver cuFuncGetName, driver cuKernelGetName (name: *mut *const c_char, function: *const c_void) = |call| {
        let state = call.state()?;
        let record = state.function(function as usize)?;
        let text = std::ffi::CString::new(record.name.clone()).map_err(|_| CudaError::UNKNOWN)?;
        // SAFETY: the program's variable. The name is leaked, since the program may use it as long as the
        // kernel is loaded.
        unsafe { answer(name, text.into_raw().cast_const()) }
    };
    fn cudaFuncGetParamInfo, driver cuFuncGetParamInfo, driver cuKernelGetParamInfo (function: *const c_void, index: usize, offset: *mut usize, bytes: *mut usize) = |call| {
        let mut state = call.state()?;
        let (_, module, kernel) = find(call, &mut state, function)?;
        let param = module.kernels()[kernel].params.get(index).ok_or(CudaError::INVALID_VALUE)?;
        // SAFETY: the program's variables; the second may be null.
        unsafe {
            answer(offset, param.offset as usize)?;
            if !bytes.is_null() {
                bytes.write(param.size as usize);
            }
        }
        Ok(())
    };
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessor, driver cuOccupancyMaxActiveBlocksPerMultiprocessor (
        blocks: *mut c_int,
        function: *const c_void,
        threads: c_int,
        shared: usize,
    ) = |call| occupancy(call, blocks, function, threads, shared);
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, driver cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags (
        blocks: *mut c_int,
        function: *const c_void,
        threads: c_int,
        shared: usize,
        _flags: c_uint,
    ) = |call| occupancy(call, blocks, function, threads, shared);
    fn cudaOccupancyAvailableDynamicSMemPerBlock, driver cuOccupancyAvailableDynamicSMemPerBlock (
        bytes: *mut usize,
        function: *const c_void,
        blocks: c_int,
        threads: c_int,
    ) = |call| {
        let mut state = call.state()?;
        let (_, module, index) = find(call, &mut state, function)?;
        if blocks <= 0 || threads <= 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        let each = device().shared_per_processor / blocks as u32;
        let free = each.saturating_sub(device().shared_reserved + module.kernels()[index].static_shared);
        // SAFETY: the program's variable.
        unsafe { answer(bytes, free.min(device().shared_per_block_optin) as usize) }
    };
    fn cudaOccupancyMaxPotentialClusterSize, driver cuOccupancyMaxPotentialClusterSize (
        size: *mut c_int,
        function: *const c_void,
        _config: *const LaunchConfig,
    ) = |call| {
        let state = call.state()?;
        let most = state.function(function as usize)?.most_blocks_of_a_cluster();
        // SAFETY: the program's variable.
        unsafe { answer(size, most as c_int) }
    };
    fn cudaOccupancyMaxActiveClusters, driver cuOccupancyMaxActiveClusters (
        clusters: *mut c_int,
        function: *const c_void,
        config: *const LaunchConfig,
    ) = |call| {
        let mut state = call.state()?;
        let (_, module, index) = find(call, &mut state, function)?;
        if config.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program's configuration, with as many attributes as it says.
        let (threads, shared, cluster) = unsafe {
            let config = &*config;
            let mut cluster = 1u64;
            for i in 0..config.attribute_count as usize {
                let attribute = &*config.attributes.add(i);
                if attribute.id == 4 {
                    cluster = events::Dim3::from(attribute.value.dim).count();
                }
            }
            (events::Dim3::from(config.block).count() as u32, config.dynamic_shared as u32, cluster.max(1))
        };
        let blocks = u64::from(module.resident_blocks(index, threads, shared));
        let found = blocks * u64::from(device().processors) / cluster;
        // SAFETY: the program's variable.
        unsafe { answer(clusters, found as c_int) }
    };
}
