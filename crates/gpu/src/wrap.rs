//! The functions that stand before the driver's.
//!
//! Each calls the real one, once, with the caller's arguments; what it changes is said at its definition. The state
//! is never locked while the driver works.

mod graph;
mod launch;
mod memory;
mod module;

use crate::hooks::stand_before;
use crate::lookup;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// A pointer of the driver's, or to what only the driver reads.
pub(crate) type Handle = *mut c_void;

stand_before! {
    fn cuGetProcAddress("cuGetProcAddress", false, 11030)(
        symbol: *const c_char, function: *mut Handle, version: c_int, flags: u64,
    ) => lookup::get_proc_address;
    fn cuGetProcAddress_v2("cuGetProcAddress", false, 12000)(
        symbol: *const c_char, function: *mut Handle, version: c_int, flags: u64, status: *mut c_int,
    ) => lookup::get_proc_address_v2;

    fn cuInit("cuInit", false, 2000)(flags: c_uint) => module::init;
    fn cuModuleLoad("cuModuleLoad", false, 2000)(module: *mut Handle, file: *const c_char) => module::load_file;
    fn cuModuleLoadData("cuModuleLoadData", false, 2000)(module: *mut Handle, image: *const c_void) => module::load;
    fn cuModuleLoadFatBinary("cuModuleLoadFatBinary", false, 2000)(
        module: *mut Handle, image: *const c_void,
    ) => module::load;
    fn cuModuleLoadDataEx("cuModuleLoadDataEx", false, 2010)(
        module: *mut Handle, image: *const c_void, options: c_uint, names: *mut c_int, values: *mut Handle,
    ) => module::load_ex;
    fn cuLibraryLoadData("cuLibraryLoadData", false, 12000)(
        library: *mut Handle, image: *const c_void,
        jit_names: *mut c_int, jit_values: *mut Handle, jit_options: c_uint,
        names: *mut c_int, values: *mut Handle, options: c_uint,
    ) => module::load_library;
    fn cuLibraryLoadFromFile("cuLibraryLoadFromFile", false, 12000)(
        library: *mut Handle, file: *const c_char,
        jit_names: *mut c_int, jit_values: *mut Handle, jit_options: c_uint,
        names: *mut c_int, values: *mut Handle, options: c_uint,
    ) => module::load_library_file;
    fn cuLinkAddData_v2("cuLinkAddData", false, 6050)(
        state: Handle, kind: c_int, data: *mut c_void, bytes: usize, name: *const c_char,
        options: c_uint, names: *mut c_int, values: *mut Handle,
    ) => module::link;
    fn cuModuleGetFunction("cuModuleGetFunction", false, 2000)(
        function: *mut Handle, module: Handle, name: *const c_char,
    ) => module::function;
    fn cuLibraryGetKernel("cuLibraryGetKernel", false, 12000)(
        kernel: *mut Handle, library: Handle, name: *const c_char,
    ) => module::function;
    fn cuLibraryGetModule("cuLibraryGetModule", false, 12000)(
        module: *mut Handle, library: Handle,
    ) => module::module_of_library;
    fn cuKernelGetFunction("cuKernelGetFunction", false, 12000)(
        function: *mut Handle, kernel: Handle,
    ) => module::function_of_kernel;

    fn cuLaunchKernel("cuLaunchKernel", false, 4000)(
        function: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint,
        shared: c_uint, stream: Handle, parameters: *mut Handle, extra: *mut Handle,
    ) => launch::kernel;
    fn cuLaunchKernel_ptsz("cuLaunchKernel", true, 7000)(
        function: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint,
        shared: c_uint, stream: Handle, parameters: *mut Handle, extra: *mut Handle,
    ) => launch::kernel;
    fn cuLaunchKernelEx("cuLaunchKernelEx", false, 11060)(
        config: *const launch::Config, function: Handle, parameters: *mut Handle, extra: *mut Handle,
    ) => launch::extended;
    fn cuLaunchKernelEx_ptsz("cuLaunchKernelEx", true, 11060)(
        config: *const launch::Config, function: Handle, parameters: *mut Handle, extra: *mut Handle,
    ) => launch::extended;
    fn cuLaunchCooperativeKernel("cuLaunchCooperativeKernel", false, 9000)(
        function: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint,
        shared: c_uint, stream: Handle, parameters: *mut Handle,
    ) => launch::cooperative;
    fn cuLaunchCooperativeKernel_ptsz("cuLaunchCooperativeKernel", true, 9000)(
        function: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint,
        shared: c_uint, stream: Handle, parameters: *mut Handle,
    ) => launch::cooperative;
    fn cuGraphAddKernelNode_v2("cuGraphAddKernelNode", false, 12000)(
        node: *mut Handle, graph: Handle, after: *const Handle, number: usize, node_of: *const launch::Node,
    ) => launch::node;

    fn cuGraphLaunch("cuGraphLaunch", false, 10000)(graph: Handle, stream: Handle) => graph::launch;
    fn cuGraphLaunch_ptsz("cuGraphLaunch", true, 10000)(graph: Handle, stream: Handle) => graph::launch;
    fn cuGraphConditionalHandleCreate("cuGraphConditionalHandleCreate", false, 12030)(
        handle: *mut u64, graph: Handle, context: Handle, value: c_uint, flags: c_uint,
    ) => graph::conditional;
    fn cuGraphInstantiateWithFlags("cuGraphInstantiateWithFlags", false, 11040)(
        made: *mut Handle, graph: Handle, flags: u64,
    ) => graph::instantiate;
    fn cuGraphInstantiateWithParams("cuGraphInstantiateWithParams", false, 12000)(
        made: *mut Handle, graph: Handle, how: *mut u64,
    ) => graph::instantiate_as;

    fn cuMemAlloc_v2("cuMemAlloc", false, 3020)(address: *mut u64, bytes: usize) => memory::alloc;
    fn cuMemAllocPitch_v2("cuMemAllocPitch", false, 3020)(
        address: *mut u64, pitch: *mut usize, width: usize, height: usize, element: c_uint,
    ) => memory::alloc_pitch;
    fn cuMemAllocManaged("cuMemAllocManaged", false, 6000)(
        address: *mut u64, bytes: usize, flags: c_uint,
    ) => memory::alloc_managed;
    fn cuMemAllocAsync("cuMemAllocAsync", false, 11020)(
        address: *mut u64, bytes: usize, stream: Handle,
    ) => memory::alloc_async;
    fn cuMemAllocAsync_ptsz("cuMemAllocAsync", true, 11020)(
        address: *mut u64, bytes: usize, stream: Handle,
    ) => memory::alloc_async;
    fn cuMemAllocFromPoolAsync("cuMemAllocFromPoolAsync", false, 11020)(
        address: *mut u64, bytes: usize, pool: Handle, stream: Handle,
    ) => memory::alloc_from_pool;
    fn cuMemAllocFromPoolAsync_ptsz("cuMemAllocFromPoolAsync", true, 11020)(
        address: *mut u64, bytes: usize, pool: Handle, stream: Handle,
    ) => memory::alloc_from_pool;
    fn cuMemHostAlloc("cuMemHostAlloc", false, 2020)(
        address: *mut Handle, bytes: usize, flags: c_uint,
    ) => memory::host_alloc;
    fn cuMemAllocHost_v2("cuMemAllocHost", false, 3020)(address: *mut Handle, bytes: usize) => memory::alloc_host;

    fn cuMemFree_v2("cuMemFree", false, 3020)(address: u64) => memory::free;
    fn cuMemFreeAsync("cuMemFreeAsync", false, 11020)(address: u64, stream: Handle) => memory::free_async;
    fn cuMemFreeAsync_ptsz("cuMemFreeAsync", true, 11020)(address: u64, stream: Handle) => memory::free_async;
    fn cuMemFreeHost("cuMemFreeHost", false, 2000)(address: Handle) => memory::free_host;

    fn cuDevicePrimaryCtxReset_v2("cuDevicePrimaryCtxReset", false, 11000)(device: c_int) => memory::device_gone;
    fn cuDevicePrimaryCtxRelease_v2("cuDevicePrimaryCtxRelease", false, 11000)(device: c_int) => memory::device_gone;
    fn cuCtxDestroy_v2("cuCtxDestroy", false, 4000)(context: Handle) => memory::context_gone;
}
