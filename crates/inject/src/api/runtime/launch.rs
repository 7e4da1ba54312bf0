//! Kernel launches.

use super::Call;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{Dim3, HostFn, LaunchAttribute, LaunchConfig, Stream, StreamCallback};
use crate::backend::KernelWork;
use crate::context::{HostFunction, State, Work};
use crate::submit::kernel::{self, Configuration};
use crate::submit::submit;
use std::ffi::{c_uint, c_void};

/// Makes a launch ready, with the arguments that the program points to.
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
    kernel::prepare(call.runtime, state, function as usize, device, configuration, |i, into| {
        if args.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the caller's promise: there is a pointer to so many bytes for each parameter.
        unsafe {
            let arg = *args.add(i);
            std::ptr::copy_nonoverlapping(arg.cast::<u8>(), into.as_mut_ptr(), into.len());
        }
        Ok(())
    })
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
    let work = work.inspect_err(|error| kernel::tell_refused(&mut state, function as usize, *error))?;
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
        call.runtime.lock().function(stub as usize)?;
        // SAFETY: the stub's own variable. Stubs serve as handles.
        unsafe { *kernel = stub.cast_mut() };
        Ok(())
    };
    fn cudaGetKernel(kernel: *mut *mut c_void, stub: *const c_void) = |call| {
        call.runtime.lock().function(stub as usize)?;
        // SAFETY: the caller's variable.
        unsafe { *kernel = stub.cast_mut() };
        Ok(())
    };
    fn cudaGetFuncBySymbol(function: *mut *mut c_void, stub: *const c_void) = |call| {
        call.runtime.lock().function(stub as usize)?;
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
