//! Kernel launches.

use super::Call;
use crate::abi::error::{CudaError, CudaResult};
use crate::abi::types::{Dim3, HostFn, LaunchAttribute, LaunchConfig, Stream, StreamCallback};
use crate::backend::KernelWork;
use crate::context::{HostFunction, State, Work};
use crate::submit::kernel::{self, Configuration};
use crate::submit::submit;
use std::ffi::{c_int, c_uint, c_void};

/// Prepares a launch with the arguments to which the program points.
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
        // SAFETY: the caller's promise: each parameter has a pointer to as many bytes as the parameter has.
        unsafe {
            let arg = *args.add(i);
            std::ptr::copy_nonoverlapping(arg.cast::<u8>(), into.as_mut_ptr(), into.len());
        }
        Ok(())
    })
}

/// Launches a kernel.
///
/// # Safety
/// The conditions of [`prepare`].
unsafe fn launch(
    call: &Call,
    function: *const c_void,
    configuration: Configuration,
    args: *mut *mut c_void,
    stream: Stream,
) -> CudaResult {
    // The compiler's host stub makes this call; the program's own line is that of `<<<…>>>`.
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

/// The treatment of each `cudaLaunchAttributeID`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attribute {
    Cooperative,
    ClusterDimension,
    ProgrammaticStreamSerialization,
    /// Affects performance only, and no event that a detector receives.
    Hint,
    /// Affects the order or the execution of work, and is unsupported.
    Refused(&'static str),
    /// An id that CUDA 13.0 does not define.
    Unknown,
}

impl Attribute {
    fn of(id: c_int) -> Attribute {
        match id {
            2 => Attribute::Cooperative,
            4 => Attribute::ClusterDimension,
            6 => Attribute::ProgrammaticStreamSerialization,
            // These are ignore, access policy, synchronisation policy, cluster scheduling policy, priority,
            // preferred cluster, shared memory carve-out, and NVLink scheduling.
            0 | 1 | 3 | 5 | 8 | 11 | 14 | 16 => Attribute::Hint,
            7 => Attribute::Refused("cudaLaunchAttributeProgrammaticEvent"),
            9 => Attribute::Refused("cudaLaunchAttributeMemSyncDomainMap"),
            10 => Attribute::Refused("cudaLaunchAttributeMemSyncDomain"),
            12 => Attribute::Refused("cudaLaunchAttributeLaunchCompletionEvent"),
            13 => Attribute::Refused("cudaLaunchAttributeDeviceUpdatableKernelNode"),
            _ => Attribute::Unknown,
        }
    }
}

/// The name of a stream's attribute that is not served, unless its value is the default.
pub(super) fn refused_of_stream(id: c_int, value: c_int) -> Option<&'static str> {
    match Attribute::of(id) {
        Attribute::Refused("cudaLaunchAttributeMemSyncDomain") if value == 0 => None,
        Attribute::Refused(what) => Some(what),
        Attribute::Cooperative
        | Attribute::ClusterDimension
        | Attribute::ProgrammaticStreamSerialization
        | Attribute::Hint
        | Attribute::Unknown => None,
    }
}

/// Applies launch attributes to the configuration.
///
/// # Safety
/// `attributes` points to `count` attributes.
pub(in crate::api) unsafe fn apply(
    call: &Call,
    attributes: *const LaunchAttribute,
    count: usize,
    configuration: &mut Configuration,
) -> CudaResult {
    if count > 0 && attributes.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    let refuse = |what: &str, error| {
        call.runtime.lock().results.unsupported(&format!("{}: {what}", call.api), call.caller, true);
        Err(error)
    };
    for i in 0..count {
        // SAFETY: the caller's promise; every member of the union is plain data.
        let (id, int, dim) = unsafe {
            let it = &*attributes.add(i);
            (it.id, it.value.int, it.value.dim)
        };
        match Attribute::of(id) {
            Attribute::Cooperative => configuration.cooperative = int != 0,
            Attribute::ClusterDimension => configuration.cluster = Some(dim.into()),
            Attribute::ProgrammaticStreamSerialization => configuration.programmatic = int != 0,
            Attribute::Hint => {}
            // The default domain and the identity map have no effect.
            Attribute::Refused("cudaLaunchAttributeMemSyncDomain") if int == 0 => {}
            Attribute::Refused(what) => return refuse(what, CudaError::NOT_SUPPORTED),
            Attribute::Unknown => return refuse(&format!("attribute {id}"), CudaError::INVALID_VALUE),
        }
    }
    Ok(())
}

api! {
    /// Returns the handle of the kernel behind a host stub.
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
    fn cudaLaunchHostFunc | cudaLaunchHostFunc_ptsz, driver cuLaunchHostFunc | cuLaunchHostFunc_ptsz (stream: Stream, function: HostFn, data: *mut c_void) = |call| {
        if function.is_none() {
            return Err(CudaError::INVALID_VALUE);
        }
        let mut state = call.state()?;
        let (stream, device) = call.stream(&mut state, stream)?;
        let host = HostFunction::Function { function, data: data as usize };
        submit(call, &mut state, stream, device, Work::HostFunction(host))?;
        Ok(())
    };
    fn cudaStreamAddCallback | cudaStreamAddCallback_ptsz, driver cuStreamAddCallback | cuStreamAddCallback_ptsz (
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
