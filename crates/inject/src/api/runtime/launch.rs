//! Kernel launches.

use super::Call;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::properties as limits;
use crate::abi::types::{Dim3, HostFn, LaunchAttribute, LaunchConfig, Stream, StreamCallback};
use crate::backend::KernelWork;
use crate::context::{self, HostFunction, State, Work};
use crate::submit::submit;
use std::ffi::{c_uint, c_void};

/// Everything but the arguments.
#[derive(Clone, Copy)]
pub(super) struct Configuration {
    pub(super) grid: events::Dim3,
    pub(super) block: events::Dim3,
    pub(super) cluster: Option<events::Dim3>,
    pub(super) shared: usize,
    pub(super) cooperative: bool,
    /// Programmatic stream serialisation was allowed.
    pub(super) programmatic: bool,
}

/// Makes a launch ready: loads its module, checks what CUDA checks, copies the arguments.
///
/// # Safety
/// `args` points to a pointer for each of the kernel's parameters, or is null if it has none.
pub(super) unsafe fn prepare(
    call: &Call,
    state: &mut State,
    function: *const c_void,
    device: u32,
    configuration: Configuration,
    args: *mut *mut c_void,
) -> CudaResult<KernelWork> {
    let Configuration { grid, block, cluster, shared, cooperative, programmatic } = configuration;
    let record = state.registry.function(function as usize)?.clone();
    let module = context::module(call.runtime, state, record.fatbin, device)?;
    let index = module.kernel(&record.name).ok_or(CudaError::INVALID_DEVICE_FUNCTION)?;
    let kernel = &module.kernels()[index];

    let threads = block.count();
    let within =
        |d: events::Dim3, max: [u32; 3]| d.count() > 0 && d.x <= max[0] && d.y <= max[1] && d.z <= max[2];
    if !within(grid, limits::MAX_GRID)
        || !within(block, limits::MAX_BLOCK)
        || threads > u64::from(limits::MAX_THREADS_PER_BLOCK)
    {
        return Err(CudaError::INVALID_CONFIGURATION);
    }
    if threads > u64::from(kernel.max_threads) {
        return Err(CudaError::INVALID_VALUE);
    }
    if kernel.required_threads.is_some_and(|required| required != block) {
        return Err(CudaError::INVALID_VALUE);
    }
    let allowed = record.max_dynamic_shared.unwrap_or(0);
    let allowed = allowed.max(limits::SHARED_PER_BLOCK.saturating_sub(kernel.static_shared));
    if shared > allowed as usize {
        return Err(CudaError::INVALID_VALUE);
    }
    let cluster = cluster.or(kernel.cluster).unwrap_or(events::Dim3::ONE);
    if cluster.count() == 0 || cluster.count() > if record.non_portable_clusters { 16 } else { 8 } {
        return Err(CudaError::INVALID_CLUSTER_SIZE);
    }
    if !grid.x.is_multiple_of(cluster.x)
        || !grid.y.is_multiple_of(cluster.y)
        || !grid.z.is_multiple_of(cluster.z)
    {
        return Err(CudaError::INVALID_CONFIGURATION);
    }
    if cooperative {
        let resident = module.resident_blocks(index, threads as u32, shared as u32);
        if grid.count() > u64::from(resident) * u64::from(limits::PROCESSORS) {
            return Err(CudaError::COOPERATIVE_LAUNCH_TOO_LARGE);
        }
    }
    let mut params = vec![0u8; kernel.param_bytes as usize];
    for (i, param) in kernel.params.iter().enumerate() {
        if args.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let (offset, size) = (param.offset as usize, param.size as usize);
        // SAFETY: the caller's promise: there is a pointer to `size` bytes for each parameter.
        unsafe {
            let arg = *args.add(i);
            std::ptr::copy_nonoverlapping(arg.cast::<u8>(), params[offset..offset + size].as_mut_ptr(), size);
        }
    }
    // Older architectures have neither the instruction to wait nor the one to let the next kernel begin.
    let overlaps = programmatic && !(1..90).contains(&kernel.target);
    Ok(KernelWork {
        overlaps,
        module,
        kernel: index,
        grid,
        block,
        cluster,
        dynamic_shared: shared as u32,
        cooperative,
        params,
        checked: true,
    })
}

/// Programs often do not ask how a launch went, and take what did not run for clean.
fn tell_refused(state: &mut State, function: *const c_void, error: CudaError) {
    if let Ok(record) = state.registry.function(function as usize) {
        let kernel = protocol::names::short(&record.name);
        let name = error.name().to_string_lossy();
        state.results.limit(format!("a launch of `{kernel}` was refused with `{name}` and did not run"));
    }
}

/// # Safety
/// As for [`prepare`].
unsafe fn launch(
    call: &Call,
    function: *const c_void,
    configuration: Configuration,
    args: *mut *mut c_void,
    stream: Stream,
) -> CudaResult {
    // The stub that the compiler made calls us; the program's own line is where `<<<…>>>` is.
    let call = &Call { caller: super::register::take_launch_caller().unwrap_or(call.caller), ..*call };
    let mut state = call.state()?;
    let (stream, device) = call.stream(&mut state, stream)?;
    // SAFETY: the caller's promise.
    let work = unsafe { prepare(call, &mut state, function, device, configuration, args) };
    let work = work.inspect_err(|error| tell_refused(&mut state, function, *error))?;
    submit(call, &mut state, stream, device, Work::Kernel(Box::new(work)))?;
    Ok(())
}

fn plain(grid: Dim3, block: Dim3, shared: usize) -> Configuration {
    Configuration {
        grid: grid.into(),
        block: block.into(),
        cluster: None,
        shared,
        cooperative: false,
        programmatic: false,
    }
}

/// `cudaLaunchAttributeID`
mod attribute {
    pub(super) const COOPERATIVE: i32 = 2;
    pub(super) const CLUSTER_DIMENSION: i32 = 4;
    pub(super) const PROGRAMMATIC_STREAM_SERIALIZATION: i32 = 6;
    pub(super) const PROGRAMMATIC_EVENT: i32 = 7;
    pub(super) const LAUNCH_COMPLETION_EVENT: i32 = 12;
}

/// # Safety
/// `attributes` points to `count` attributes.
unsafe fn apply(
    call: &Call,
    attributes: *const LaunchAttribute,
    count: usize,
    configuration: &mut Configuration,
) -> CudaResult {
    if count > 0 && attributes.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    for i in 0..count {
        // SAFETY: the caller's promise; every member of the union is plain data.
        unsafe {
            let it = &*attributes.add(i);
            match it.id {
                attribute::COOPERATIVE => configuration.cooperative = it.value.int != 0,
                attribute::CLUSTER_DIMENSION => configuration.cluster = Some(it.value.dim.into()),
                attribute::PROGRAMMATIC_STREAM_SERIALIZATION if it.value.int != 0 => {
                    configuration.programmatic = true;
                }
                attribute::PROGRAMMATIC_EVENT | attribute::LAUNCH_COMPLETION_EVENT => {
                    call.runtime.lock().results.unsupported(
                        "cudaLaunchKernelExC: event attributes",
                        call.caller,
                        true,
                    );
                    return Err(CudaError::NOT_SUPPORTED);
                }
                // The rest are hints about performance.
                _ => {}
            }
        }
    }
    Ok(())
}

api! {
    /// Finds the handle of the kernel behind a host stub.
    fn __cudaGetKernel(kernel: *mut *mut c_void, stub: *const c_void) = |call| {
        call.runtime.lock().registry.function(stub as usize)?;
        // SAFETY: the stub's own variable. Stubs serve as handles.
        unsafe { *kernel = stub.cast_mut() };
        Ok(())
    };
    fn cudaGetKernel(kernel: *mut *mut c_void, stub: *const c_void) = |call| {
        call.runtime.lock().registry.function(stub as usize)?;
        // SAFETY: the caller's variable.
        unsafe { *kernel = stub.cast_mut() };
        Ok(())
    };
    fn cudaGetFuncBySymbol(function: *mut *mut c_void, stub: *const c_void) = |call| {
        call.runtime.lock().registry.function(stub as usize)?;
        // SAFETY: the caller's variable.
        unsafe { *function = stub.cast_mut() };
        Ok(())
    };
    fn __cudaLaunchKernel | __cudaLaunchKernel_ptsz (
        kernel: *const c_void,
        grid: Dim3,
        block: Dim3,
        args: *mut *mut c_void,
        shared: usize,
        stream: Stream,
    ) = |call| {
        // SAFETY: the stub passes a pointer for each parameter.
        unsafe { launch(call, kernel, plain(grid, block, shared), args, stream) }
    };
    fn cudaLaunchKernel | cudaLaunchKernel_ptsz (
        kernel: *const c_void,
        grid: Dim3,
        block: Dim3,
        args: *mut *mut c_void,
        shared: usize,
        stream: Stream,
    ) = |call| {
        // SAFETY: the program promises a pointer for each parameter.
        unsafe { launch(call, kernel, plain(grid, block, shared), args, stream) }
    };
    fn cudaLaunchCooperativeKernel | cudaLaunchCooperativeKernel_ptsz (
        kernel: *const c_void,
        grid: Dim3,
        block: Dim3,
        args: *mut *mut c_void,
        shared: usize,
        stream: Stream,
    ) = |call| {
        let configuration = Configuration { cooperative: true, ..plain(grid, block, shared) };
        // SAFETY: the program promises a pointer for each parameter.
        unsafe { launch(call, kernel, configuration, args, stream) }
    };
    fn cudaLaunchKernelExC | cudaLaunchKernelExC_ptsz (
        config: *const LaunchConfig,
        kernel: *const c_void,
        args: *mut *mut c_void,
    ) = |call| {
        if config.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program passes a configuration with as many attributes as it says, and a
        // pointer for each parameter.
        unsafe {
            let config = &*config;
            let mut configuration = plain(config.grid, config.block, config.dynamic_shared);
            apply(call, config.attributes, config.attribute_count as usize, &mut configuration)?;
            launch(call, kernel, configuration, args, config.stream)
        }
    };
    fn cudaLaunchHostFunc | cudaLaunchHostFunc_ptsz (stream: Stream, function: HostFn, data: *mut c_void) = |call| {
        if function.is_none() {
            return Err(CudaError::INVALID_VALUE);
        }
        let mut state = call.state()?;
        let (stream, device) = call.stream(&mut state, stream)?;
        let host = HostFunction::Function { function, data: data as usize };
        submit(call, &mut state, stream, device, Work::HostFunction(host))?;
        Ok(())
    };
    fn cudaStreamAddCallback | cudaStreamAddCallback_ptsz (
        stream: Stream,
        function: StreamCallback,
        data: *mut c_void,
        flags: c_uint,
    ) = |call| {
        if function.is_none() || flags != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        let mut state = call.state()?;
        let handle = stream as usize;
        let (stream, device) = call.stream(&mut state, stream)?;
        let host = HostFunction::Callback { function, stream: handle, data: data as usize };
        submit(call, &mut state, stream, device, Work::HostFunction(host))?;
        Ok(())
    };
}
