//! Kernel launches.

use super::module::Handle;
use super::{Call, CudaError, CudaResult, runtime};
use crate::abi::driver_types::LaunchConfig;
use crate::abi::types::{Dim3, Stream};
use crate::backend::KernelWork;
use crate::context::{State, Work};
use crate::submit::kernel::{self, Configuration};
use crate::submit::submit;
use std::ffi::{c_uint, c_void};

/// Where a program has the arguments of a launch.
#[derive(Clone, Copy)]
pub(super) struct Arguments {
    /// A pointer to each one, or null.
    pub(super) pointers: *mut *mut c_void,
    /// A list of names and values that describe a buffer with all of them, or null.
    pub(super) extra: *mut *mut c_void,
}

/// A buffer with all arguments of a launch.
#[derive(Clone, Copy)]
struct Buffer {
    at: *const u8,
    bytes: usize,
}

impl Buffer {
    /// Reads `extra`.
    ///
    /// # Safety
    /// A list as the driver's reference describes it.
    unsafe fn read(extra: *mut *mut c_void) -> CudaResult<Buffer> {
        /// `CU_LAUNCH_PARAM_END`, `_BUFFER_POINTER`, `_BUFFER_SIZE`
        const END: usize = 0;
        const POINTER: usize = 1;
        const SIZE: usize = 2;
        let mut out = Buffer { at: std::ptr::null(), bytes: 0 };
        for i in (0..).step_by(2) {
            // SAFETY: the caller's promise: the list ends with `END`.
            unsafe {
                match *extra.add(i) as usize {
                    END => break,
                    POINTER => out.at = (*extra.add(i + 1)).cast::<u8>().cast_const(),
                    SIZE => out.bytes = *(*extra.add(i + 1)).cast::<usize>(),
                    _ => return Err(CudaError::INVALID_VALUE),
                }
            }
        }
        Ok(out)
    }

    /// The argument at an offset.
    ///
    /// # Safety
    /// The buffer has as many bytes as it says.
    unsafe fn copy(self, offset: usize, into: &mut [u8]) -> CudaResult {
        if self.at.is_null() || offset + into.len() > self.bytes {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: inside the buffer.
        unsafe { std::ptr::copy_nonoverlapping(self.at.add(offset), into.as_mut_ptr(), into.len()) };
        Ok(())
    }
}

/// Makes a launch ready.
///
/// # Safety
/// `arguments` are those of the kernel.
pub(super) unsafe fn prepare(
    call: &Call,
    state: &mut State,
    function: Handle,
    device: u32,
    configuration: Configuration,
    arguments: Arguments,
) -> CudaResult<KernelWork> {
    let of_device = &Call { device, ..*call };
    let (_, module, index) = runtime::function::find(of_device, state, function)?;
    let offsets: Vec<usize> = module.kernels()[index].params.iter().map(|p| p.offset as usize).collect();
    let buffer = match arguments.pointers.is_null() && !arguments.extra.is_null() {
        // SAFETY: the caller's promise.
        true => Some(unsafe { Buffer::read(arguments.extra)? }),
        false => None,
    };
    kernel::prepare(call.runtime, state, function as usize, device, configuration, |i, into| {
        if let Some(buffer) = buffer {
            // SAFETY: the caller's promise.
            return unsafe { buffer.copy(offsets[i], into) };
        }
        if arguments.pointers.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the caller's promise: there is a pointer to so many bytes for each parameter.
        unsafe {
            let argument = *arguments.pointers.add(i);
            if argument.is_null() {
                return Err(CudaError::INVALID_VALUE);
            }
            std::ptr::copy_nonoverlapping(argument.cast::<u8>(), into.as_mut_ptr(), into.len());
        }
        Ok(())
    })
}

/// # Safety
/// As for [`prepare`].
unsafe fn launch(
    call: &Call,
    function: Handle,
    configuration: Configuration,
    arguments: Arguments,
    stream: Stream,
) -> CudaResult {
    let mut state = call.state()?;
    let (stream, device) = call.stream(&mut state, stream)?;
    // SAFETY: the caller's promise.
    let work = unsafe { prepare(call, &mut state, function, device, configuration, arguments) };
    let work = work.inspect_err(|error| kernel::tell_refused(&mut state, function as usize, *error))?;
    submit(call, &mut state, stream, device, Work::Kernel(Box::new(work)))?;
    Ok(())
}

pub(super) fn plain(grid: Dim3, block: Dim3, shared: c_uint) -> Configuration {
    Configuration {
        grid: grid.into(),
        block: block.into(),
        cluster: None,
        shared: shared as usize,
        cooperative: false,
        programmatic: false,
    }
}

driver! {
    fn cuLaunchKernel | cuLaunchKernel_ptsz (
        function: Handle,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        stream: Stream,
        pointers: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) = |call| {
        let (grid, block) = (Dim3 { x: grid_x, y: grid_y, z: grid_z }, Dim3 { x: block_x, y: block_y, z: block_z });
        // SAFETY: the program's arguments.
        unsafe { launch(call, function, plain(grid, block, shared), Arguments { pointers, extra }, stream) }
    };
    fn cuLaunchCooperativeKernel | cuLaunchCooperativeKernel_ptsz (
        function: Handle,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        stream: Stream,
        pointers: *mut *mut c_void,
    ) = |call| {
        let (grid, block) = (Dim3 { x: grid_x, y: grid_y, z: grid_z }, Dim3 { x: block_x, y: block_y, z: block_z });
        let configuration = Configuration { cooperative: true, ..plain(grid, block, shared) };
        let arguments = Arguments { pointers, extra: std::ptr::null_mut() };
        // SAFETY: the program's arguments.
        unsafe { launch(call, function, configuration, arguments, stream) }
    };
    fn cuLaunchKernelEx | cuLaunchKernelEx_ptsz (
        config: *const LaunchConfig,
        function: Handle,
        pointers: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) = |call| {
        // SAFETY: the program's structure, or null, with as many attributes as it says, and its arguments.
        unsafe {
            let config = config.as_ref().ok_or(CudaError::INVALID_VALUE)?;
            let mut configuration = plain(config.grid, config.block, config.shared);
            let count = config.attribute_count as usize;
            runtime::launch::apply(call, config.attributes, count, &mut configuration)?;
            launch(call, function, configuration, Arguments { pointers, extra }, config.stream)
        }
    };
}
