//! Wrappers of the driver's functions.
//!
//! Each wrapper calls the real function once with the caller's arguments, unless its definition says
//! otherwise. No wrapper holds the state's lock while the driver works.
//!
//! **Size:** a few lines for each function of the driver.

mod copy3d;
mod function;
mod graph;
mod image;
mod launch;
mod memory;
mod module;
mod node;
mod order;

use crate::hooks::stand_before;
use crate::{graphs, images, lookup, session, stack, streams};

use std::ffi::{c_char, c_int, c_uint, c_void};

/// A handle of the driver, or a pointer to data that only the driver reads.
pub(crate) type Handle = *mut c_void;

stand_before! {
    fn cuGetProcAddress("cuGetProcAddress", false, 11030)(
        symbol: *const c_char, function: *mut Handle, version: c_int, flags: u64,
    ) => (lookup::get_proc_address);
    fn cuGetProcAddress_v2("cuGetProcAddress", false, 12000)(
        symbol: *const c_char, function: *mut Handle, version: c_int, flags: u64, status: *mut c_int,
    ) => (lookup::get_proc_address_v2);

    fn cuInit("cuInit", false, 2000)(flags: c_uint) => (module::init);
    fn cuModuleLoad("cuModuleLoad", false, 2000)(module: *mut Handle, file: *const c_char) => (module::load_file);
    fn cuModuleLoadData("cuModuleLoadData", false, 2000)(module: *mut Handle, image: *const c_void) => (module::load);
    fn cuModuleLoadFatBinary("cuModuleLoadFatBinary", false, 2000)(
        module: *mut Handle, image: *const c_void,
    ) => (module::load);
    fn cuModuleLoadDataEx("cuModuleLoadDataEx", false, 2010)(
        module: *mut Handle, image: *const c_void, options: c_uint, names: *mut c_int, values: *mut Handle,
    ) => (module::load_ex);
    fn cuLibraryLoadData("cuLibraryLoadData", false, 12000)(
        library: *mut Handle, image: *const c_void,
        jit_names: *mut c_int, jit_values: *mut Handle, jit_options: c_uint,
        names: *mut c_int, values: *mut Handle, options: c_uint,
    ) => (module::load_library);
    fn cuLibraryLoadFromFile("cuLibraryLoadFromFile", false, 12000)(
        library: *mut Handle, file: *const c_char,
        jit_names: *mut c_int, jit_values: *mut Handle, jit_options: c_uint,
        names: *mut c_int, values: *mut Handle, options: c_uint,
    ) => (module::load_library_file);
    fn cuLinkAddData_v2("cuLinkAddData", false, 6050)(
        state: Handle, kind: c_int, data: *mut c_void, bytes: usize, name: *const c_char,
        options: c_uint, names: *mut c_int, values: *mut Handle,
    ) => (module::link);
    fn cuModuleGetFunction("cuModuleGetFunction", false, 2000)(
        function: *mut Handle, module: Handle, name: *const c_char,
    ) => (module::function);
    fn cuLibraryGetKernel("cuLibraryGetKernel", false, 12000)(
        kernel: *mut Handle, library: Handle, name: *const c_char,
    ) => (module::function);
    fn cuLibraryGetModule("cuLibraryGetModule", false, 12000)(
        module: *mut Handle, library: Handle,
    ) => (module::module_of_library);
    fn cuKernelGetFunction("cuKernelGetFunction", false, 12000)(
        function: *mut Handle, kernel: Handle,
    ) => (module::function_of_kernel);

    fn cuLaunchKernel("cuLaunchKernel", false, 4000)(
        function: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint,
        shared: c_uint, stream: Handle, parameters: *mut Handle, extra: *mut Handle,
    ) => (launch::kernel);
    fn cuLaunchKernel_ptsz("cuLaunchKernel", true, 7000)(
        function: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint,
        shared: c_uint, stream: Handle, parameters: *mut Handle, extra: *mut Handle,
    ) => (launch::kernel_per_thread);
    fn cuLaunchKernelEx("cuLaunchKernelEx", false, 11060)(
        config: *const launch::Config, function: Handle, parameters: *mut Handle, extra: *mut Handle,
    ) => (launch::extended);
    fn cuLaunchKernelEx_ptsz("cuLaunchKernelEx", true, 11060)(
        config: *const launch::Config, function: Handle, parameters: *mut Handle, extra: *mut Handle,
    ) => (launch::extended_per_thread);
    fn cuLaunchCooperativeKernel("cuLaunchCooperativeKernel", false, 9000)(
        function: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint,
        shared: c_uint, stream: Handle, parameters: *mut Handle,
    ) => (launch::cooperative);
    fn cuLaunchCooperativeKernel_ptsz("cuLaunchCooperativeKernel", true, 9000)(
        function: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint,
        shared: c_uint, stream: Handle, parameters: *mut Handle,
    ) => (launch::cooperative_per_thread);
    fn cuLaunchCooperativeKernelMultiDevice("cuLaunchCooperativeKernelMultiDevice", false, 9000)(
        all: *mut launch::OnDevice, number: c_uint, flags: c_uint,
    ) => (launch::several);
    fn cuGraphAddKernelNode_v2("cuGraphAddKernelNode", false, 12000)(
        node: *mut Handle, graph: Handle, after: *const Handle, number: usize, node_of: *const graphs::Params,
    ) => (node::node);

    fn cuGraphAddKernelNode("cuGraphAddKernelNode", false, 10000)(
        node: *mut Handle, graph: Handle, after: *const Handle, number: usize, node_of: *const graphs::OldParams,
    ) => (node::old_node);
    fn cuGraphAddNode("cuGraphAddNode", false, 12020)(
        node: *mut Handle, graph: Handle, after: *const Handle, number: usize, how: *const node::AnyParams,
    ) => (node::any_node);
    fn cuGraphAddNode_v2("cuGraphAddNode", false, 12030)(
        node: *mut Handle, graph: Handle, after: *const Handle, data: Handle, number: usize, how: *const node::AnyParams,
    ) => (node::any_node_with_data);
    fn cuGraphNodeSetParams("cuGraphNodeSetParams", false, 12020)(
        node: Handle, how: *const node::AnyParams,
    ) => (as real { node::with_any_node(how, |how| real(node, how)) });
    fn cuGraphExecNodeSetParams("cuGraphExecNodeSetParams", false, 12020)(
        made: Handle, node: Handle, how: *const node::AnyParams,
    ) => (as real { node::with_any_node(how, |how| node::changed_any(real(made, node, how), made, node, how)) });
    fn cuGraphKernelNodeSetParams("cuGraphKernelNodeSetParams", false, 10000)(
        node: Handle, how: *const graphs::OldParams,
    ) => (as real { node::with_old_node(how, |how| real(node, how)) });
    fn cuGraphKernelNodeSetParams_v2("cuGraphKernelNodeSetParams", false, 12000)(
        node: Handle, how: *const graphs::Params,
    ) => (as real { node::with_node(how, |how| real(node, how)) });
    fn cuGraphExecKernelNodeSetParams("cuGraphExecKernelNodeSetParams", false, 10010)(
        made: Handle, node: Handle, how: *const graphs::OldParams,
    ) => (as real { node::with_old_node(how, |how| node::changed_old(real(made, node, how), made, node, how)) });
    fn cuGraphExecKernelNodeSetParams_v2("cuGraphExecKernelNodeSetParams", false, 12000)(
        made: Handle, node: Handle, how: *const graphs::Params,
    ) => (as real { node::with_node(how, |how| node::changed(real(made, node, how), made, node, how)) });
    fn cuFuncGetParamInfo("cuFuncGetParamInfo", false, 12040)(
        function: Handle, which: usize, offset: *mut usize, bytes: *mut usize,
    ) => (launch::parameter);
    fn cuKernelGetParamInfo("cuKernelGetParamInfo", false, 12040)(
        function: Handle, which: usize, offset: *mut usize, bytes: *mut usize,
    ) => (launch::parameter);

    fn cuGraphLaunch("cuGraphLaunch", false, 10000)(graph: Handle, stream: Handle) => (graph::launch);
    fn cuGraphLaunch_ptsz("cuGraphLaunch", true, 10000)(
        graph: Handle, stream: Handle,
    ) => (as real { graph::launch(real, graph, streams::own(stream)) });
    fn cuGraphConditionalHandleCreate("cuGraphConditionalHandleCreate", false, 12030)(
        handle: *mut u64, graph: Handle, context: Handle, value: c_uint, flags: c_uint,
    ) => (graph::conditional);
    fn cuGraphInstantiate("cuGraphInstantiate", false, 10000)(
        made: *mut Handle, graph: Handle, node: *mut Handle, log: *mut c_char, bytes: usize,
    ) => (as real { graph::made(real(made, graph, node, log, bytes), made, graph, 0) });
    fn cuGraphInstantiate_v2("cuGraphInstantiate", false, 11000)(
        made: *mut Handle, graph: Handle, node: *mut Handle, log: *mut c_char, bytes: usize,
    ) => (as real { graph::made(real(made, graph, node, log, bytes), made, graph, 0) });
    fn cuGraphInstantiateWithFlags("cuGraphInstantiateWithFlags", false, 11040)(
        made: *mut Handle, graph: Handle, flags: u64,
    ) => (graph::instantiate);
    fn cuGraphInstantiateWithParams("cuGraphInstantiateWithParams", false, 12000)(
        made: *mut Handle, graph: Handle, how: *mut u64,
    ) => (graph::instantiate_as);
    fn cuGraphInstantiateWithParams_ptsz("cuGraphInstantiateWithParams", true, 12000)(
        made: *mut Handle, graph: Handle, how: *mut u64,
    ) => (graph::instantiate_as);
    fn cuGraphExecUpdate("cuGraphExecUpdate", false, 10020)(
        made: Handle, graph: Handle, node: *mut Handle, result: *mut c_int,
    ) => (as real { graph::updated(real(made, graph, node, result), made, graph) });
    fn cuGraphExecUpdate_v2("cuGraphExecUpdate", false, 12000)(
        made: Handle, graph: Handle, result: Handle,
    ) => (as real { graph::updated(real(made, graph, result), made, graph) });
    fn cuGraphDestroyNode("cuGraphDestroyNode", false, 10000)(
        node: Handle,
    ) => (as real { graph::node_gone(node); real(node) });
    fn cuGraphDestroy("cuGraphDestroy", false, 10000)(graph: Handle) => (graph::destroy);
    fn cuGraphExecDestroy("cuGraphExecDestroy", false, 10000)(
        made: Handle,
    ) => (as real { graph::gone(real(made), made) });

    fn cuTexObjectCreate("cuTexObjectCreate", false, 5000)(
        made: *mut u64, resource: *const images::Resource, sampling: *const images::Sampling, view: Handle,
    ) => (as real { image::texture(real(made, resource, sampling, view), made, resource, sampling, view) });
    fn cuTexObjectDestroy("cuTexObjectDestroy", false, 5000)(
        handle: u64,
    ) => (as real { image::gone(handle); real(handle) });
    fn cuSurfObjectCreate("cuSurfObjectCreate", false, 5000)(
        made: *mut u64, resource: *const images::Resource,
    ) => (as real { image::surface(real(made, resource), made, resource) });
    fn cuSurfObjectDestroy("cuSurfObjectDestroy", false, 5000)(
        handle: u64,
    ) => (as real { image::gone(handle); real(handle) });

    fn cuMemAlloc_v2("cuMemAlloc", false, 3020)(address: *mut u64, bytes: usize) => (memory::alloc);
    fn cuMemAllocPitch_v2("cuMemAllocPitch", false, 3020)(
        address: *mut u64, pitch: *mut usize, width: usize, height: usize, element: c_uint,
    ) => (memory::alloc_pitch);
    fn cuMemAllocManaged("cuMemAllocManaged", false, 6000)(
        address: *mut u64, bytes: usize, flags: c_uint,
    ) => (memory::alloc_managed);
    fn cuMemAllocAsync("cuMemAllocAsync", false, 11020)(
        address: *mut u64, bytes: usize, stream: Handle,
    ) => (memory::alloc_async);
    fn cuMemAllocAsync_ptsz("cuMemAllocAsync", true, 11020)(
        address: *mut u64, bytes: usize, stream: Handle,
    ) => (as real { memory::alloc_async(real, address, bytes, streams::own(stream)) });
    fn cuMemAllocFromPoolAsync("cuMemAllocFromPoolAsync", false, 11020)(
        address: *mut u64, bytes: usize, pool: Handle, stream: Handle,
    ) => (memory::alloc_from_pool);
    fn cuMemAllocFromPoolAsync_ptsz("cuMemAllocFromPoolAsync", true, 11020)(
        address: *mut u64, bytes: usize, pool: Handle, stream: Handle,
    ) => (as real { memory::alloc_from_pool(real, address, bytes, pool, streams::own(stream)) });
    fn cuModuleGetGlobal_v2("cuModuleGetGlobal", false, 3020)(
        address: *mut u64, bytes: *mut usize, module: Handle, name: *const c_char,
    ) => (memory::variable);
    fn cuLibraryGetGlobal("cuLibraryGetGlobal", false, 12000)(
        address: *mut u64, bytes: *mut usize, library: Handle, name: *const c_char,
    ) => (memory::library_variable);
    fn cuLibraryGetManaged("cuLibraryGetManaged", false, 12000)(
        address: *mut u64, bytes: *mut usize, library: Handle, name: *const c_char,
    ) => (memory::library_variable);
    fn cuMemHostAlloc("cuMemHostAlloc", false, 2020)(
        address: *mut Handle, bytes: usize, flags: c_uint,
    ) => (memory::host_alloc);
    fn cuMemAllocHost_v2("cuMemAllocHost", false, 3020)(address: *mut Handle, bytes: usize) => (memory::alloc_host);

    fn cuMemFree_v2("cuMemFree", false, 3020)(address: u64) => (memory::free);
    fn cuMemFreeAsync("cuMemFreeAsync", false, 11020)(address: u64, stream: Handle) => (memory::free_async);
    fn cuMemFreeAsync_ptsz("cuMemFreeAsync", true, 11020)(
        address: u64, stream: Handle,
    ) => (as real { memory::free_async(real, address, streams::own(stream)) });
    fn cuMemFreeHost("cuMemFreeHost", false, 2000)(address: Handle) => (memory::free_host);

    fn cuDevicePrimaryCtxReset_v2("cuDevicePrimaryCtxReset", false, 11000)(device: c_int) => (memory::device_gone);
    fn cuDevicePrimaryCtxRelease_v2("cuDevicePrimaryCtxRelease", false, 11000)(device: c_int) => (memory::device_gone);
    fn cuCtxDestroy_v2("cuCtxDestroy", false, 4000)(context: Handle) => (memory::context_gone);

    fn cuCtxGetLimit("cuCtxGetLimit", false, 3010)(value: *mut usize, limit: c_int) => (stack::get);
    fn cuCtxSetLimit("cuCtxSetLimit", false, 3010)(limit: c_int, value: usize) => (stack::set);

    fn cuStreamSynchronize("cuStreamSynchronize", false, 2000)(
        stream: Handle,
    ) => (as real { order::synchronized(real(stream), stream) });
    fn cuStreamSynchronize_ptsz("cuStreamSynchronize", true, 7000)(
        stream: Handle,
    ) => (as real { order::synchronized(real(stream), streams::own(stream)) });
    fn cuStreamQuery("cuStreamQuery", false, 2000)(
        stream: Handle,
    ) => (as real { order::synchronized(real(stream), stream) });
    fn cuStreamQuery_ptsz("cuStreamQuery", true, 7000)(
        stream: Handle,
    ) => (as real { order::synchronized(real(stream), streams::own(stream)) });
    fn cuStreamWaitEvent("cuStreamWaitEvent", false, 3020)(
        stream: Handle, event: Handle, flags: c_uint,
    ) => (as real { order::waits(real(stream, event, flags), stream, event) });
    fn cuStreamWaitEvent_ptsz("cuStreamWaitEvent", true, 7000)(
        stream: Handle, event: Handle, flags: c_uint,
    ) => (as real { order::waits(real(stream, event, flags), streams::own(stream), event) });
    fn cuEventRecord("cuEventRecord", false, 2000)(
        event: Handle, stream: Handle,
    ) => (as real { order::recorded(real(event, stream), event, stream) });
    fn cuEventRecord_ptsz("cuEventRecord", true, 7000)(
        event: Handle, stream: Handle,
    ) => (as real { order::recorded(real(event, stream), event, streams::own(stream)) });
    fn cuEventRecordWithFlags("cuEventRecordWithFlags", false, 11010)(
        event: Handle, stream: Handle, flags: c_uint,
    ) => (as real { order::recorded(real(event, stream, flags), event, stream) });
    fn cuEventRecordWithFlags_ptsz("cuEventRecordWithFlags", true, 11010)(
        event: Handle, stream: Handle, flags: c_uint,
    ) => (as real { order::recorded(real(event, stream, flags), event, streams::own(stream)) });
    fn cuStreamCreate("cuStreamCreate", false, 2000)(
        stream: *mut Handle, flags: c_uint,
    ) => (as real { order::made(real(stream, flags), stream, flags) });
    fn cuStreamCreateWithPriority("cuStreamCreateWithPriority", false, 5050)(
        stream: *mut Handle, flags: c_uint, priority: c_int,
    ) => (as real { order::made(real(stream, flags, priority), stream, flags) });
    fn cuStreamDestroy_v2("cuStreamDestroy", false, 4000)(
        stream: Handle,
    ) => (as real { order::destroyed(stream); real(stream) });
    fn cuCtxSynchronize("cuCtxSynchronize", false, 2000)() => (as real { order::waited_all(real()) });
    fn cuCtxSynchronize_v2("cuCtxSynchronize", false, 13000)(
        context: Handle,
    ) => (as real { order::waited_for(real(context), context) });
    fn cuEventSynchronize("cuEventSynchronize", false, 2000)(
        event: Handle,
    ) => (as real { order::reached(real(event), event) });
    fn cuEventQuery("cuEventQuery", false, 2000)(
        event: Handle,
    ) => (as real { order::reached(real(event), event) });
    fn cuEventElapsedTime("cuEventElapsedTime", false, 2000)(
        time: *mut f32, begun: Handle, ended: Handle,
    ) => (as real { order::reached(order::reached(real(time, begun, ended), begun), ended) });
    fn cuEventElapsedTime_v2("cuEventElapsedTime", false, 12080)(
        time: *mut f32, begun: Handle, ended: Handle,
    ) => (as real { order::reached(order::reached(real(time, begun, ended), begun), ended) });
    fn cuEventDestroy_v2("cuEventDestroy", false, 4000)(
        event: Handle,
    ) => (as real { order::event_destroyed(event); real(event) });
    fn cuIpcOpenEventHandle("cuIpcOpenEventHandle", false, 4010)(
        event: *mut Handle, handle: order::IpcHandle,
    ) => (as real { order::imported(real(event, handle), event) });
    fn cuCtxWaitEvent("cuCtxWaitEvent", false, 12050)(
        context: Handle, event: Handle,
    ) => (as real { order::context_waits(real(context, event), event) });
    fn cuGreenCtxWaitEvent("cuGreenCtxWaitEvent", false, 12050)(
        context: Handle, event: Handle,
    ) => (as real { order::context_waits(real(context, event), event) });
    fn cuCtxRecordEvent("cuCtxRecordEvent", false, 12050)(
        context: Handle, event: Handle,
    ) => (as real { order::recorded_all(real(context, event), event) });
    fn cuGreenCtxRecordEvent("cuGreenCtxRecordEvent", false, 12050)(
        context: Handle, event: Handle,
    ) => (as real { order::recorded_all(real(context, event), event) });
    fn cuLaunchHostFunc("cuLaunchHostFunc", false, 10000)(
        stream: Handle, function: Handle, data: Handle,
    ) => (as real { function::launch(real, stream, stream, (function, data)) });
    fn cuLaunchHostFunc_ptsz("cuLaunchHostFunc", true, 10000)(
        stream: Handle, function: Handle, data: Handle,
    ) => (as real { function::launch(real, stream, streams::own(stream), (function, data)) });
    fn cuStreamAddCallback("cuStreamAddCallback", false, 5000)(
        stream: Handle, function: Handle, data: Handle, flags: c_uint,
    ) => (as real { function::add(real, stream, stream, (function, data), flags) });
    fn cuStreamAddCallback_ptsz("cuStreamAddCallback", true, 7000)(
        stream: Handle, function: Handle, data: Handle, flags: c_uint,
    ) => (as real { function::add(real, stream, streams::own(stream), (function, data), flags) });
    fn cuStreamWaitValue32("cuStreamWaitValue32", false, 8000)(
        stream: Handle, address: u64, value: c_uint, flags: c_uint,
    ) => (as real { order::passes(stream); real(stream, address, value, flags) });
    fn cuStreamWaitValue32_ptsz("cuStreamWaitValue32", true, 8000)(
        stream: Handle, address: u64, value: c_uint, flags: c_uint,
    ) => (as real { order::passes(streams::own(stream)); real(stream, address, value, flags) });
    fn cuStreamWaitValue32_v2("cuStreamWaitValue32", false, 11070)(
        stream: Handle, address: u64, value: c_uint, flags: c_uint,
    ) => (as real { order::passes(stream); real(stream, address, value, flags) });
    fn cuStreamWaitValue32_v2_ptsz("cuStreamWaitValue32", true, 11070)(
        stream: Handle, address: u64, value: c_uint, flags: c_uint,
    ) => (as real { order::passes(streams::own(stream)); real(stream, address, value, flags) });
    fn cuStreamWriteValue32("cuStreamWriteValue32", false, 8000)(
        stream: Handle, address: u64, value: c_uint, flags: c_uint,
    ) => (as real { order::passes(stream); real(stream, address, value, flags) });
    fn cuStreamWriteValue32_ptsz("cuStreamWriteValue32", true, 8000)(
        stream: Handle, address: u64, value: c_uint, flags: c_uint,
    ) => (as real { order::passes(streams::own(stream)); real(stream, address, value, flags) });
    fn cuStreamWriteValue32_v2("cuStreamWriteValue32", false, 11070)(
        stream: Handle, address: u64, value: c_uint, flags: c_uint,
    ) => (as real { order::passes(stream); real(stream, address, value, flags) });
    fn cuStreamWriteValue32_v2_ptsz("cuStreamWriteValue32", true, 11070)(
        stream: Handle, address: u64, value: c_uint, flags: c_uint,
    ) => (as real { order::passes(streams::own(stream)); real(stream, address, value, flags) });
    fn cuStreamWaitValue64("cuStreamWaitValue64", false, 9000)(
        stream: Handle, address: u64, value: u64, flags: c_uint,
    ) => (as real { order::passes(stream); real(stream, address, value, flags) });
    fn cuStreamWaitValue64_ptsz("cuStreamWaitValue64", true, 9000)(
        stream: Handle, address: u64, value: u64, flags: c_uint,
    ) => (as real { order::passes(streams::own(stream)); real(stream, address, value, flags) });
    fn cuStreamWaitValue64_v2("cuStreamWaitValue64", false, 11070)(
        stream: Handle, address: u64, value: u64, flags: c_uint,
    ) => (as real { order::passes(stream); real(stream, address, value, flags) });
    fn cuStreamWaitValue64_v2_ptsz("cuStreamWaitValue64", true, 11070)(
        stream: Handle, address: u64, value: u64, flags: c_uint,
    ) => (as real { order::passes(streams::own(stream)); real(stream, address, value, flags) });
    fn cuStreamWriteValue64("cuStreamWriteValue64", false, 9000)(
        stream: Handle, address: u64, value: u64, flags: c_uint,
    ) => (as real { order::passes(stream); real(stream, address, value, flags) });
    fn cuStreamWriteValue64_ptsz("cuStreamWriteValue64", true, 9000)(
        stream: Handle, address: u64, value: u64, flags: c_uint,
    ) => (as real { order::passes(streams::own(stream)); real(stream, address, value, flags) });
    fn cuStreamWriteValue64_v2("cuStreamWriteValue64", false, 11070)(
        stream: Handle, address: u64, value: u64, flags: c_uint,
    ) => (as real { order::passes(stream); real(stream, address, value, flags) });
    fn cuStreamWriteValue64_v2_ptsz("cuStreamWriteValue64", true, 11070)(
        stream: Handle, address: u64, value: u64, flags: c_uint,
    ) => (as real { order::passes(streams::own(stream)); real(stream, address, value, flags) });
    fn cuStreamBatchMemOp("cuStreamBatchMemOp", false, 8000)(
        stream: Handle, number: c_uint, all: Handle, flags: c_uint,
    ) => (as real { order::passes(stream); real(stream, number, all, flags) });
    fn cuStreamBatchMemOp_ptsz("cuStreamBatchMemOp", true, 8000)(
        stream: Handle, number: c_uint, all: Handle, flags: c_uint,
    ) => (as real { order::passes(streams::own(stream)); real(stream, number, all, flags) });
    fn cuStreamBatchMemOp_v2("cuStreamBatchMemOp", false, 11070)(
        stream: Handle, number: c_uint, all: Handle, flags: c_uint,
    ) => (as real { order::passes(stream); real(stream, number, all, flags) });
    fn cuStreamBatchMemOp_v2_ptsz("cuStreamBatchMemOp", true, 11070)(
        stream: Handle, number: c_uint, all: Handle, flags: c_uint,
    ) => (as real { order::passes(streams::own(stream)); real(stream, number, all, flags) });
    fn cuWaitExternalSemaphoresAsync("cuWaitExternalSemaphoresAsync", false, 10000)(
        semaphores: Handle, parameters: Handle, number: c_uint, stream: Handle,
    ) => (as real { order::passes(stream); real(semaphores, parameters, number, stream) });
    fn cuWaitExternalSemaphoresAsync_ptsz("cuWaitExternalSemaphoresAsync", true, 10000)(
        semaphores: Handle, parameters: Handle, number: c_uint, stream: Handle,
    ) => (as real { order::passes(streams::own(stream)); real(semaphores, parameters, number, stream) });
    fn cuSignalExternalSemaphoresAsync("cuSignalExternalSemaphoresAsync", false, 10000)(
        semaphores: Handle, parameters: Handle, number: c_uint, stream: Handle,
    ) => (as real { order::passes(stream); real(semaphores, parameters, number, stream) });
    fn cuSignalExternalSemaphoresAsync_ptsz("cuSignalExternalSemaphoresAsync", true, 10000)(
        semaphores: Handle, parameters: Handle, number: c_uint, stream: Handle,
    ) => (as real { order::passes(streams::own(stream)); real(semaphores, parameters, number, stream) });
    fn cuStreamBeginCapture("cuStreamBeginCapture", false, 10000)(
        stream: Handle,
    ) => (as real { streams::captures(); real(stream) });
    fn cuStreamBeginCapture_ptsz("cuStreamBeginCapture", true, 10000)(
        stream: Handle,
    ) => (as real { streams::captures(); real(stream) });
    fn cuStreamBeginCapture_v2("cuStreamBeginCapture", false, 10010)(
        stream: Handle, mode: c_int,
    ) => (as real { streams::captures(); real(stream, mode) });
    fn cuStreamBeginCapture_v2_ptsz("cuStreamBeginCapture", true, 10010)(
        stream: Handle, mode: c_int,
    ) => (as real { streams::captures(); real(stream, mode) });
    fn cuStreamBeginCaptureToGraph("cuStreamBeginCaptureToGraph", false, 12030)(
        stream: Handle, graph: Handle, after: Handle, data: Handle, number: usize, mode: c_int,
    ) => (as real { streams::captures(); real(stream, graph, after, data, number, mode) });
    fn cuStreamBeginCaptureToGraph_ptsz("cuStreamBeginCaptureToGraph", true, 12030)(
        stream: Handle, graph: Handle, after: Handle, data: Handle, number: usize, mode: c_int,
    ) => (as real { streams::captures(); real(stream, graph, after, data, number, mode) });
    fn cuGraphAddHostNode("cuGraphAddHostNode", false, 10000)(
        node: *mut Handle, graph: Handle, after: *const Handle, number: usize, how: *const function::Node,
    ) => (as real { function::with_node(how, |how| real(node, graph, after, number, how)) });
    fn cuGraphHostNodeSetParams("cuGraphHostNodeSetParams", false, 10000)(
        node: Handle, how: *const function::Node,
    ) => (as real { function::with_node(how, |how| real(node, how)) });
    fn cuGraphExecHostNodeSetParams("cuGraphExecHostNodeSetParams", false, 10020)(
        made: Handle, node: Handle, how: *const function::Node,
    ) => (as real { graph::node_changed("cuGraphExecHostNodeSetParams", real(made, node, how), made, node) });
    fn cuGraphExecMemcpyNodeSetParams("cuGraphExecMemcpyNodeSetParams", false, 10020)(
        made: Handle, node: Handle, how: Handle, context: Handle,
    ) => (as real { graph::node_changed("cuGraphExecMemcpyNodeSetParams", real(made, node, how, context), made, node) });
    fn cuGraphExecMemsetNodeSetParams("cuGraphExecMemsetNodeSetParams", false, 10020)(
        made: Handle, node: Handle, how: Handle, context: Handle,
    ) => (as real { graph::node_changed("cuGraphExecMemsetNodeSetParams", real(made, node, how, context), made, node) });
    fn cuGraphExecChildGraphNodeSetParams("cuGraphExecChildGraphNodeSetParams", false, 11010)(
        made: Handle, node: Handle, child: Handle,
    ) => (as real { graph::node_changed("cuGraphExecChildGraphNodeSetParams", real(made, node, child), made, node) });
    fn cuGraphExecEventWaitNodeSetEvent("cuGraphExecEventWaitNodeSetEvent", false, 11010)(
        made: Handle, node: Handle, event: Handle,
    ) => (as real { graph::node_changed("cuGraphExecEventWaitNodeSetEvent", real(made, node, event), made, node) });
    fn cuGraphNodeSetEnabled("cuGraphNodeSetEnabled", false, 11060)(
        made: Handle, node: Handle, on: c_uint,
    ) => (as real { graph::node_switched(real(made, node, on), made, node, on != 0) });
    fn cuArrayDestroy("cuArrayDestroy", false, 2000)(
        array: Handle,
    ) => (as real { session::array_gone(array); real(array) });
    fn cuMemHostRegister_v2("cuMemHostRegister", false, 6050)(
        address: Handle, bytes: usize, flags: c_uint,
    ) => (as real { memory::registered(real(address, bytes, flags), address, bytes) });
    fn cuCtxEnablePeerAccess("cuCtxEnablePeerAccess", false, 4000)(
        context: Handle, flags: c_uint,
    ) => (as real { memory::peer(real(context, flags), context, true) });
    fn cuCtxDisablePeerAccess("cuCtxDisablePeerAccess", false, 4000)(
        context: Handle,
    ) => (as real { memory::peer(real(context), context, false) });
    fn cuGraphAddEventRecordNode("cuGraphAddEventRecordNode", false, 11010)(
        node: Handle, graph: Handle, after: Handle, number: usize, event: Handle,
    ) => (as real { order::graphs_record(); real(node, graph, after, number, event) });
    fn cuGraphEventRecordNodeSetEvent("cuGraphEventRecordNodeSetEvent", false, 11010)(
        node: Handle, event: Handle,
    ) => (as real { order::graphs_record(); real(node, event) });
    fn cuGraphExecEventRecordNodeSetEvent("cuGraphExecEventRecordNodeSetEvent", false, 11010)(
        made: Handle, node: Handle, event: Handle,
    ) => (as real { order::graphs_record(); real(made, node, event) });
    fn cuMemcpy("cuMemcpy", false, 4000)(
        to: u64, from: u64, bytes: usize,
    ) => (as real {
        order::looks("cuMemcpy", std::ptr::null_mut(), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::waited(real(to, from, bytes), std::ptr::null_mut())
    });
    fn cuMemcpy_ptds("cuMemcpy", true, 7000)(
        to: u64, from: u64, bytes: usize,
    ) => (as real {
        order::looks("cuMemcpy", streams::own(std::ptr::null_mut()), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::waited(real(to, from, bytes), streams::own(std::ptr::null_mut()))
    });
    fn cuMemcpyPeer("cuMemcpyPeer", false, 4000)(
        to: u64, there: Handle, from: u64, here: Handle, bytes: usize,
    ) => (as real {
        order::looks("cuMemcpyPeer", std::ptr::null_mut(), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::waited(real(to, there, from, here, bytes), std::ptr::null_mut())
    });
    fn cuMemcpyPeer_ptds("cuMemcpyPeer", true, 7000)(
        to: u64, there: Handle, from: u64, here: Handle, bytes: usize,
    ) => (as real {
        order::looks("cuMemcpyPeer", streams::own(std::ptr::null_mut()), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::waited(real(to, there, from, here, bytes), streams::own(std::ptr::null_mut()))
    });
    fn cuMemcpyHtoD_v2("cuMemcpyHtoD", false, 3020)(
        to: u64, from: u64, bytes: usize,
    ) => (as real {
        order::looks("cuMemcpyHtoD", std::ptr::null_mut(), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::waited(real(to, from, bytes), std::ptr::null_mut())
    });
    fn cuMemcpyHtoD_v2_ptds("cuMemcpyHtoD", true, 7000)(
        to: u64, from: u64, bytes: usize,
    ) => (as real {
        order::looks("cuMemcpyHtoD", streams::own(std::ptr::null_mut()), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::waited(real(to, from, bytes), streams::own(std::ptr::null_mut()))
    });
    fn cuMemcpyDtoH_v2("cuMemcpyDtoH", false, 3020)(
        to: u64, from: u64, bytes: usize,
    ) => (as real {
        order::looks("cuMemcpyDtoH", std::ptr::null_mut(), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::waited(real(to, from, bytes), std::ptr::null_mut())
    });
    fn cuMemcpyDtoH_v2_ptds("cuMemcpyDtoH", true, 7000)(
        to: u64, from: u64, bytes: usize,
    ) => (as real {
        order::looks("cuMemcpyDtoH", streams::own(std::ptr::null_mut()), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::waited(real(to, from, bytes), streams::own(std::ptr::null_mut()))
    });
    fn cuMemcpyDtoD_v2("cuMemcpyDtoD", false, 3020)(
        to: u64, from: u64, bytes: usize,
    ) => (as real {
        order::looks("cuMemcpyDtoD", std::ptr::null_mut(), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::waited(real(to, from, bytes), std::ptr::null_mut())
    });
    fn cuMemcpyDtoD_v2_ptds("cuMemcpyDtoD", true, 7000)(
        to: u64, from: u64, bytes: usize,
    ) => (as real {
        order::looks("cuMemcpyDtoD", streams::own(std::ptr::null_mut()), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::waited(real(to, from, bytes), streams::own(std::ptr::null_mut()))
    });
    fn cuMemcpyDtoA_v2("cuMemcpyDtoA", false, 3020)(
        to: Handle, at: usize, from: u64, bytes: usize,
    ) => (as real {
        order::looks_array("cuMemcpyDtoA", std::ptr::null_mut(), order::in_array(to as u64, at), order::at_device(from as u64), bytes);
        order::waited(real(to, at, from, bytes), std::ptr::null_mut())
    });
    fn cuMemcpyDtoA_v2_ptds("cuMemcpyDtoA", true, 7000)(
        to: Handle, at: usize, from: u64, bytes: usize,
    ) => (as real {
        order::looks_array("cuMemcpyDtoA", streams::own(std::ptr::null_mut()), order::in_array(to as u64, at), order::at_device(from as u64), bytes);
        order::waited(real(to, at, from, bytes), streams::own(std::ptr::null_mut()))
    });
    fn cuMemcpyAtoD_v2("cuMemcpyAtoD", false, 3020)(
        to: u64, from: Handle, at: usize, bytes: usize,
    ) => (as real {
        order::looks_array("cuMemcpyAtoD", std::ptr::null_mut(), order::at_device(to as u64), order::in_array(from as u64, at), bytes);
        order::waited(real(to, from, at, bytes), std::ptr::null_mut())
    });
    fn cuMemcpyAtoD_v2_ptds("cuMemcpyAtoD", true, 7000)(
        to: u64, from: Handle, at: usize, bytes: usize,
    ) => (as real {
        order::looks_array("cuMemcpyAtoD", streams::own(std::ptr::null_mut()), order::at_device(to as u64), order::in_array(from as u64, at), bytes);
        order::waited(real(to, from, at, bytes), streams::own(std::ptr::null_mut()))
    });
    fn cuMemcpyHtoA_v2("cuMemcpyHtoA", false, 3020)(
        to: Handle, at: usize, from: Handle, bytes: usize,
    ) => (as real {
        order::looks_array("cuMemcpyHtoA", std::ptr::null_mut(), order::in_array(to as u64, at), order::at_host(from as u64), bytes);
        order::waited(real(to, at, from, bytes), std::ptr::null_mut())
    });
    fn cuMemcpyHtoA_v2_ptds("cuMemcpyHtoA", true, 7000)(
        to: Handle, at: usize, from: Handle, bytes: usize,
    ) => (as real {
        order::looks_array("cuMemcpyHtoA", streams::own(std::ptr::null_mut()), order::in_array(to as u64, at), order::at_host(from as u64), bytes);
        order::waited(real(to, at, from, bytes), streams::own(std::ptr::null_mut()))
    });
    fn cuMemcpyAtoH_v2("cuMemcpyAtoH", false, 3020)(
        to: Handle, from: Handle, at: usize, bytes: usize,
    ) => (as real {
        order::looks_array("cuMemcpyAtoH", std::ptr::null_mut(), order::at_host(to as u64), order::in_array(from as u64, at), bytes);
        order::waited(real(to, from, at, bytes), std::ptr::null_mut())
    });
    fn cuMemcpyAtoH_v2_ptds("cuMemcpyAtoH", true, 7000)(
        to: Handle, from: Handle, at: usize, bytes: usize,
    ) => (as real {
        order::looks_array("cuMemcpyAtoH", streams::own(std::ptr::null_mut()), order::at_host(to as u64), order::in_array(from as u64, at), bytes);
        order::waited(real(to, from, at, bytes), streams::own(std::ptr::null_mut()))
    });
    fn cuMemcpyAtoA_v2("cuMemcpyAtoA", false, 3020)(
        to: Handle, at: usize, from: Handle, there: usize, bytes: usize,
    ) => (as real {
        order::looks_array("cuMemcpyAtoA", std::ptr::null_mut(), order::in_array(to as u64, at), order::in_array(from as u64, there), bytes);
        order::waited(real(to, at, from, there, bytes), std::ptr::null_mut())
    });
    fn cuMemcpyAtoA_v2_ptds("cuMemcpyAtoA", true, 7000)(
        to: Handle, at: usize, from: Handle, there: usize, bytes: usize,
    ) => (as real {
        order::looks_array("cuMemcpyAtoA", streams::own(std::ptr::null_mut()), order::in_array(to as u64, at), order::in_array(from as u64, there), bytes);
        order::waited(real(to, at, from, there, bytes), streams::own(std::ptr::null_mut()))
    });
    fn cuMemcpy2D_v2("cuMemcpy2D", false, 3020)(
        how: Handle,
    ) => (as real {
        order::looks_2d("cuMemcpy2D", std::ptr::null_mut(), how);
        order::waited(real(how), std::ptr::null_mut())
    });
    fn cuMemcpy2D_v2_ptds("cuMemcpy2D", true, 7000)(
        how: Handle,
    ) => (as real {
        order::looks_2d("cuMemcpy2D", streams::own(std::ptr::null_mut()), how);
        order::waited(real(how), streams::own(std::ptr::null_mut()))
    });
    fn cuMemcpy2DUnaligned_v2("cuMemcpy2DUnaligned", false, 3020)(
        how: Handle,
    ) => (as real {
        order::looks_2d("cuMemcpy2DUnaligned", std::ptr::null_mut(), how);
        order::waited(real(how), std::ptr::null_mut())
    });
    fn cuMemcpy2DUnaligned_v2_ptds("cuMemcpy2DUnaligned", true, 7000)(
        how: Handle,
    ) => (as real {
        order::looks_2d("cuMemcpy2DUnaligned", streams::own(std::ptr::null_mut()), how);
        order::waited(real(how), streams::own(std::ptr::null_mut()))
    });
    fn cuMemcpy3D_v2("cuMemcpy3D", false, 3020)(
        how: Handle,
    ) => (as real {
        copy3d::looks("cuMemcpy3D", std::ptr::null_mut(), how);
        order::waited(real(how), std::ptr::null_mut())
    });
    fn cuMemcpy3D_v2_ptds("cuMemcpy3D", true, 7000)(
        how: Handle,
    ) => (as real {
        copy3d::looks("cuMemcpy3D", streams::own(std::ptr::null_mut()), how);
        order::waited(real(how), streams::own(std::ptr::null_mut()))
    });
    fn cuMemcpy3DPeer("cuMemcpy3DPeer", false, 4000)(
        how: Handle,
    ) => (as real {
        session::unseen("a copy by `cuMemcpy3DPeer`");
        order::waited(real(how), std::ptr::null_mut())
    });
    fn cuMemcpy3DPeer_ptds("cuMemcpy3DPeer", true, 7000)(
        how: Handle,
    ) => (as real {
        session::unseen("a copy by `cuMemcpy3DPeer`");
        order::waited(real(how), streams::own(std::ptr::null_mut()))
    });
    fn cuMemcpyHtoDAsync_v2("cuMemcpyHtoDAsync", false, 3020)(
        to: u64, from: u64, bytes: usize, stream: Handle,
    ) => (as real {
        order::looks("cuMemcpyHtoDAsync", stream, &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::copied(real(to, from, bytes, stream), stream, &[to, from])
    });
    fn cuMemcpyHtoDAsync_v2_ptsz("cuMemcpyHtoDAsync", true, 7000)(
        to: u64, from: u64, bytes: usize, stream: Handle,
    ) => (as real {
        order::looks("cuMemcpyHtoDAsync", streams::own(stream), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::copied(real(to, from, bytes, stream), streams::own(stream), &[to, from])
    });
    fn cuMemcpyDtoHAsync_v2("cuMemcpyDtoHAsync", false, 3020)(
        to: u64, from: u64, bytes: usize, stream: Handle,
    ) => (as real {
        order::looks("cuMemcpyDtoHAsync", stream, &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::copied(real(to, from, bytes, stream), stream, &[to, from])
    });
    fn cuMemcpyDtoHAsync_v2_ptsz("cuMemcpyDtoHAsync", true, 7000)(
        to: u64, from: u64, bytes: usize, stream: Handle,
    ) => (as real {
        order::looks("cuMemcpyDtoHAsync", streams::own(stream), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::copied(real(to, from, bytes, stream), streams::own(stream), &[to, from])
    });
    fn cuMemcpyDtoDAsync_v2("cuMemcpyDtoDAsync", false, 3020)(
        to: u64, from: u64, bytes: usize, stream: Handle,
    ) => (as real {
        order::looks("cuMemcpyDtoDAsync", stream, &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::copied(real(to, from, bytes, stream), stream, &[to, from])
    });
    fn cuMemcpyDtoDAsync_v2_ptsz("cuMemcpyDtoDAsync", true, 7000)(
        to: u64, from: u64, bytes: usize, stream: Handle,
    ) => (as real {
        order::looks("cuMemcpyDtoDAsync", streams::own(stream), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::copied(real(to, from, bytes, stream), streams::own(stream), &[to, from])
    });
    fn cuMemcpyAsync("cuMemcpyAsync", false, 4000)(
        to: u64, from: u64, bytes: usize, stream: Handle,
    ) => (as real {
        order::looks("cuMemcpyAsync", stream, &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::copied(real(to, from, bytes, stream), stream, &[to, from])
    });
    fn cuMemcpyAsync_ptsz("cuMemcpyAsync", true, 7000)(
        to: u64, from: u64, bytes: usize, stream: Handle,
    ) => (as real {
        order::looks("cuMemcpyAsync", streams::own(stream), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::copied(real(to, from, bytes, stream), streams::own(stream), &[to, from])
    });
    fn cuMemcpyPeerAsync("cuMemcpyPeerAsync", false, 4000)(
        to: u64, there: Handle, from: u64, here: Handle, bytes: usize, stream: Handle,
    ) => (as real {
        order::looks("cuMemcpyPeerAsync", stream, &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::copied(real(to, there, from, here, bytes, stream), stream, &[to, from])
    });
    fn cuMemcpyPeerAsync_ptsz("cuMemcpyPeerAsync", true, 7000)(
        to: u64, there: Handle, from: u64, here: Handle, bytes: usize, stream: Handle,
    ) => (as real {
        order::looks("cuMemcpyPeerAsync", streams::own(stream), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::copied(real(to, there, from, here, bytes, stream), streams::own(stream), &[to, from])
    });
    fn cuMemcpyHtoAAsync_v2("cuMemcpyHtoAAsync", false, 3020)(
        to: Handle, at: usize, from: u64, bytes: usize, stream: Handle,
    ) => (as real {
        order::looks_array("cuMemcpyHtoAAsync", stream, order::in_array(to as u64, at), order::at_host(from), bytes);
        order::copied(real(to, at, from, bytes, stream), stream, &[from])
    });
    fn cuMemcpyHtoAAsync_v2_ptsz("cuMemcpyHtoAAsync", true, 7000)(
        to: Handle, at: usize, from: u64, bytes: usize, stream: Handle,
    ) => (as real {
        order::looks_array("cuMemcpyHtoAAsync", streams::own(stream), order::in_array(to as u64, at), order::at_host(from), bytes);
        order::copied(real(to, at, from, bytes, stream), streams::own(stream), &[from])
    });
    fn cuMemcpyAtoHAsync_v2("cuMemcpyAtoHAsync", false, 3020)(
        to: u64, from: Handle, at: usize, bytes: usize, stream: Handle,
    ) => (as real {
        order::looks_array("cuMemcpyAtoHAsync", stream, order::at_host(to), order::in_array(from as u64, at), bytes);
        order::copied(real(to, from, at, bytes, stream), stream, &[to])
    });
    fn cuMemcpyAtoHAsync_v2_ptsz("cuMemcpyAtoHAsync", true, 7000)(
        to: u64, from: Handle, at: usize, bytes: usize, stream: Handle,
    ) => (as real {
        order::looks_array("cuMemcpyAtoHAsync", streams::own(stream), order::at_host(to), order::in_array(from as u64, at), bytes);
        order::copied(real(to, from, at, bytes, stream), streams::own(stream), &[to])
    });
    fn cuMemcpy2DAsync_v2("cuMemcpy2DAsync", false, 3020)(
        how: Handle, stream: Handle,
    ) => (as real {
        order::looks_2d("cuMemcpy2DAsync", stream, how);
        order::copied(real(how, stream), stream, &order::sides(how))
    });
    fn cuMemcpy2DAsync_v2_ptsz("cuMemcpy2DAsync", true, 7000)(
        how: Handle, stream: Handle,
    ) => (as real {
        order::looks_2d("cuMemcpy2DAsync", streams::own(stream), how);
        order::copied(real(how, stream), streams::own(stream), &order::sides(how))
    });
    fn cuMemcpy3DAsync_v2("cuMemcpy3DAsync", false, 3020)(
        how: Handle, stream: Handle,
    ) => (as real {
        copy3d::looks("cuMemcpy3DAsync", stream, how);
        order::copied(real(how, stream), stream, &copy3d::sides(how))
    });
    fn cuMemcpy3DAsync_v2_ptsz("cuMemcpy3DAsync", true, 7000)(
        how: Handle, stream: Handle,
    ) => (as real {
        copy3d::looks("cuMemcpy3DAsync", streams::own(stream), how);
        order::copied(real(how, stream), streams::own(stream), &copy3d::sides(how))
    });
    fn cuMemcpy3DPeerAsync("cuMemcpy3DPeerAsync", false, 4000)(
        how: Handle, stream: Handle,
    ) => (as real {
        session::unseen("a copy by `cuMemcpy3DPeerAsync`");
        order::copied(real(how, stream), stream, &[0])
    });
    fn cuMemcpy3DPeerAsync_ptsz("cuMemcpy3DPeerAsync", true, 7000)(
        how: Handle, stream: Handle,
    ) => (as real {
        session::unseen("a copy by `cuMemcpy3DPeerAsync`");
        order::copied(real(how, stream), streams::own(stream), &[0])
    });
    fn cuMemcpyBatchAsync_v2("cuMemcpyBatchAsync", false, 13000)(
        to: Handle, from: Handle, bytes: Handle, number: usize, how: Handle, indices: Handle, hows: usize,
        stream: Handle,
    ) => (as real {
        session::unseen("a copy by `cuMemcpyBatchAsync`");
        order::copied(real(to, from, bytes, number, how, indices, hows, stream), stream, &[0])
    });
    fn cuMemcpyBatchAsync_v2_ptsz("cuMemcpyBatchAsync", true, 13000)(
        to: Handle, from: Handle, bytes: Handle, number: usize, how: Handle, indices: Handle, hows: usize,
        stream: Handle,
    ) => (as real {
        session::unseen("a copy by `cuMemcpyBatchAsync`");
        order::copied(real(to, from, bytes, number, how, indices, hows, stream), streams::own(stream), &[0])
    });
    fn cuMemcpy3DBatchAsync_v2("cuMemcpy3DBatchAsync", false, 13000)(
        number: usize, all: Handle, flags: u64, stream: Handle,
    ) => (as real {
        session::unseen("a copy by `cuMemcpy3DBatchAsync`");
        order::copied(real(number, all, flags, stream), stream, &[0])
    });
    fn cuMemcpy3DBatchAsync_v2_ptsz("cuMemcpy3DBatchAsync", true, 13000)(
        number: usize, all: Handle, flags: u64, stream: Handle,
    ) => (as real {
        session::unseen("a copy by `cuMemcpy3DBatchAsync`");
        order::copied(real(number, all, flags, stream), streams::own(stream), &[0])
    });
    fn cuMemHostUnregister("cuMemHostUnregister", false, 4000)(
        address: Handle,
    ) => (as real { session::freed("cuMemHostUnregister", address as u64, None); order::may_have_waited(real(address)) });
    fn cuMemMap("cuMemMap", false, 10020)(
        at: u64, bytes: usize, offset: usize, handle: u64, flags: u64,
    ) => (as real {
        session::unseen("memory of `cuMemMap`");
        order::may_have_waited(real(at, bytes, offset, handle, flags))
    });
    fn cuMemUnmap("cuMemUnmap", false, 10020)(
        at: u64, bytes: usize,
    ) => (as real { order::may_have_waited(real(at, bytes)) });
    fn cuMemcpyBatchAsync("cuMemcpyBatchAsync", false, 12080)(
        to: Handle, from: Handle, bytes: Handle, number: usize, how: Handle, indices: Handle, hows: usize,
        failed: Handle, stream: Handle,
    ) => (as real {
        session::unseen("a copy by `cuMemcpyBatchAsync`");
        order::copied(real(to, from, bytes, number, how, indices, hows, failed, stream), stream, &[0])
    });
    fn cuMemcpyBatchAsync_ptsz("cuMemcpyBatchAsync", true, 12080)(
        to: Handle, from: Handle, bytes: Handle, number: usize, how: Handle, indices: Handle, hows: usize,
        failed: Handle, stream: Handle,
    ) => (as real {
        session::unseen("a copy by `cuMemcpyBatchAsync`");
        order::copied(real(to, from, bytes, number, how, indices, hows, failed, stream), streams::own(stream), &[0])
    });
    fn cuMemcpy3DBatchAsync("cuMemcpy3DBatchAsync", false, 12080)(
        number: usize, all: Handle, failed: Handle, flags: u64, stream: Handle,
    ) => (as real {
        session::unseen("a copy by `cuMemcpy3DBatchAsync`");
        order::copied(real(number, all, failed, flags, stream), stream, &[0])
    });
    fn cuMemcpy3DBatchAsync_ptsz("cuMemcpy3DBatchAsync", true, 12080)(
        number: usize, all: Handle, failed: Handle, flags: u64, stream: Handle,
    ) => (as real {
        session::unseen("a copy by `cuMemcpy3DBatchAsync`");
        order::copied(real(number, all, failed, flags, stream), streams::own(stream), &[0])
    });
    fn cuMemsetD8Async("cuMemsetD8Async", false, 3020)(
        at: u64, value: u8, number: usize, stream: Handle,
    ) => (as real {
        order::looks("cuMemsetD8Async", stream, &[(at, number as u64, true)]);
        session::filled("cuMemsetD8Async", stream, (at, 0), (value.into(), 1), (number, 1));
        order::copied(real(at, value, number, stream), stream, &[])
    });
    fn cuMemsetD8Async_ptsz("cuMemsetD8Async", true, 7000)(
        at: u64, value: u8, number: usize, stream: Handle,
    ) => (as real {
        order::looks("cuMemsetD8Async", streams::own(stream), &[(at, number as u64, true)]);
        session::filled("cuMemsetD8Async", streams::own(stream), (at, 0), (value.into(), 1), (number, 1));
        order::copied(real(at, value, number, stream), streams::own(stream), &[])
    });
    fn cuMemsetD8_v2("cuMemsetD8", false, 3020)(
        at: u64, value: u8, number: usize,
    ) => (as real {
        order::looks("cuMemsetD8", std::ptr::null_mut(), &[(at, number as u64, true)]);
        session::filled("cuMemsetD8", std::ptr::null_mut(), (at, 0), (value.into(), 1), (number, 1));
        order::copied(real(at, value, number), std::ptr::null_mut(), &[])
    });
    fn cuMemsetD8_v2_ptds("cuMemsetD8", true, 7000)(
        at: u64, value: u8, number: usize,
    ) => (as real {
        order::looks("cuMemsetD8", streams::own(std::ptr::null_mut()), &[(at, number as u64, true)]);
        session::filled("cuMemsetD8", streams::own(std::ptr::null_mut()), (at, 0), (value.into(), 1), (number, 1));
        order::copied(real(at, value, number), streams::own(std::ptr::null_mut()), &[])
    });
    fn cuMemsetD16Async("cuMemsetD16Async", false, 3020)(
        at: u64, value: u16, number: usize, stream: Handle,
    ) => (as real {
        order::looks("cuMemsetD16Async", stream, &[(at, 2 * number as u64, true)]);
        session::filled("cuMemsetD16Async", stream, (at, 0), (value.into(), 2), (number, 1));
        order::copied(real(at, value, number, stream), stream, &[])
    });
    fn cuMemsetD16Async_ptsz("cuMemsetD16Async", true, 7000)(
        at: u64, value: u16, number: usize, stream: Handle,
    ) => (as real {
        order::looks("cuMemsetD16Async", streams::own(stream), &[(at, 2 * number as u64, true)]);
        session::filled("cuMemsetD16Async", streams::own(stream), (at, 0), (value.into(), 2), (number, 1));
        order::copied(real(at, value, number, stream), streams::own(stream), &[])
    });
    fn cuMemsetD16_v2("cuMemsetD16", false, 3020)(
        at: u64, value: u16, number: usize,
    ) => (as real {
        order::looks("cuMemsetD16", std::ptr::null_mut(), &[(at, 2 * number as u64, true)]);
        session::filled("cuMemsetD16", std::ptr::null_mut(), (at, 0), (value.into(), 2), (number, 1));
        order::copied(real(at, value, number), std::ptr::null_mut(), &[])
    });
    fn cuMemsetD16_v2_ptds("cuMemsetD16", true, 7000)(
        at: u64, value: u16, number: usize,
    ) => (as real {
        order::looks("cuMemsetD16", streams::own(std::ptr::null_mut()), &[(at, 2 * number as u64, true)]);
        session::filled("cuMemsetD16", streams::own(std::ptr::null_mut()), (at, 0), (value.into(), 2), (number, 1));
        order::copied(real(at, value, number), streams::own(std::ptr::null_mut()), &[])
    });
    fn cuMemsetD32Async("cuMemsetD32Async", false, 3020)(
        at: u64, value: c_uint, number: usize, stream: Handle,
    ) => (as real {
        order::looks("cuMemsetD32Async", stream, &[(at, 4 * number as u64, true)]);
        session::filled("cuMemsetD32Async", stream, (at, 0), (value, 4), (number, 1));
        order::copied(real(at, value, number, stream), stream, &[])
    });
    fn cuMemsetD32Async_ptsz("cuMemsetD32Async", true, 7000)(
        at: u64, value: c_uint, number: usize, stream: Handle,
    ) => (as real {
        order::looks("cuMemsetD32Async", streams::own(stream), &[(at, 4 * number as u64, true)]);
        session::filled("cuMemsetD32Async", streams::own(stream), (at, 0), (value, 4), (number, 1));
        order::copied(real(at, value, number, stream), streams::own(stream), &[])
    });
    fn cuMemsetD32_v2("cuMemsetD32", false, 3020)(
        at: u64, value: c_uint, number: usize,
    ) => (as real {
        order::looks("cuMemsetD32", std::ptr::null_mut(), &[(at, 4 * number as u64, true)]);
        session::filled("cuMemsetD32", std::ptr::null_mut(), (at, 0), (value, 4), (number, 1));
        order::copied(real(at, value, number), std::ptr::null_mut(), &[])
    });
    fn cuMemsetD32_v2_ptds("cuMemsetD32", true, 7000)(
        at: u64, value: c_uint, number: usize,
    ) => (as real {
        order::looks("cuMemsetD32", streams::own(std::ptr::null_mut()), &[(at, 4 * number as u64, true)]);
        session::filled("cuMemsetD32", streams::own(std::ptr::null_mut()), (at, 0), (value, 4), (number, 1));
        order::copied(real(at, value, number), streams::own(std::ptr::null_mut()), &[])
    });
    fn cuMemsetD2D8_v2("cuMemsetD2D8", false, 3020)(
        at: u64, pitch: usize, value: u8, width: usize, height: usize,
    ) => (as real {
        order::looks_rows("cuMemsetD2D8", std::ptr::null_mut(), (at, pitch), (value.into(), 1), (width, height));
        order::copied(real(at, pitch, value, width, height), std::ptr::null_mut(), &[])
    });
    fn cuMemsetD2D8_v2_ptds("cuMemsetD2D8", true, 7000)(
        at: u64, pitch: usize, value: u8, width: usize, height: usize,
    ) => (as real {
        order::looks_rows("cuMemsetD2D8", streams::own(std::ptr::null_mut()), (at, pitch), (value.into(), 1), (width, height));
        order::copied(real(at, pitch, value, width, height), streams::own(std::ptr::null_mut()), &[])
    });
    fn cuMemsetD2D8Async("cuMemsetD2D8Async", false, 3020)(
        at: u64, pitch: usize, value: u8, width: usize, height: usize, stream: Handle,
    ) => (as real {
        order::looks_rows("cuMemsetD2D8Async", stream, (at, pitch), (value.into(), 1), (width, height));
        order::copied(real(at, pitch, value, width, height, stream), stream, &[])
    });
    fn cuMemsetD2D8Async_ptsz("cuMemsetD2D8Async", true, 7000)(
        at: u64, pitch: usize, value: u8, width: usize, height: usize, stream: Handle,
    ) => (as real {
        order::looks_rows("cuMemsetD2D8Async", streams::own(stream), (at, pitch), (value.into(), 1), (width, height));
        order::copied(real(at, pitch, value, width, height, stream), streams::own(stream), &[])
    });
    fn cuMemsetD2D16_v2("cuMemsetD2D16", false, 3020)(
        at: u64, pitch: usize, value: u16, width: usize, height: usize,
    ) => (as real {
        order::looks_rows("cuMemsetD2D16", std::ptr::null_mut(), (at, pitch), (value.into(), 2), (width, height));
        order::copied(real(at, pitch, value, width, height), std::ptr::null_mut(), &[])
    });
    fn cuMemsetD2D16_v2_ptds("cuMemsetD2D16", true, 7000)(
        at: u64, pitch: usize, value: u16, width: usize, height: usize,
    ) => (as real {
        order::looks_rows("cuMemsetD2D16", streams::own(std::ptr::null_mut()), (at, pitch), (value.into(), 2), (width, height));
        order::copied(real(at, pitch, value, width, height), streams::own(std::ptr::null_mut()), &[])
    });
    fn cuMemsetD2D16Async("cuMemsetD2D16Async", false, 3020)(
        at: u64, pitch: usize, value: u16, width: usize, height: usize, stream: Handle,
    ) => (as real {
        order::looks_rows("cuMemsetD2D16Async", stream, (at, pitch), (value.into(), 2), (width, height));
        order::copied(real(at, pitch, value, width, height, stream), stream, &[])
    });
    fn cuMemsetD2D16Async_ptsz("cuMemsetD2D16Async", true, 7000)(
        at: u64, pitch: usize, value: u16, width: usize, height: usize, stream: Handle,
    ) => (as real {
        order::looks_rows("cuMemsetD2D16Async", streams::own(stream), (at, pitch), (value.into(), 2), (width, height));
        order::copied(real(at, pitch, value, width, height, stream), streams::own(stream), &[])
    });
    fn cuMemsetD2D32_v2("cuMemsetD2D32", false, 3020)(
        at: u64, pitch: usize, value: c_uint, width: usize, height: usize,
    ) => (as real {
        order::looks_rows("cuMemsetD2D32", std::ptr::null_mut(), (at, pitch), (value, 4), (width, height));
        order::copied(real(at, pitch, value, width, height), std::ptr::null_mut(), &[])
    });
    fn cuMemsetD2D32_v2_ptds("cuMemsetD2D32", true, 7000)(
        at: u64, pitch: usize, value: c_uint, width: usize, height: usize,
    ) => (as real {
        order::looks_rows("cuMemsetD2D32", streams::own(std::ptr::null_mut()), (at, pitch), (value, 4), (width, height));
        order::copied(real(at, pitch, value, width, height), streams::own(std::ptr::null_mut()), &[])
    });
    fn cuMemsetD2D32Async("cuMemsetD2D32Async", false, 3020)(
        at: u64, pitch: usize, value: c_uint, width: usize, height: usize, stream: Handle,
    ) => (as real {
        order::looks_rows("cuMemsetD2D32Async", stream, (at, pitch), (value, 4), (width, height));
        order::copied(real(at, pitch, value, width, height, stream), stream, &[])
    });
    fn cuMemsetD2D32Async_ptsz("cuMemsetD2D32Async", true, 7000)(
        at: u64, pitch: usize, value: c_uint, width: usize, height: usize, stream: Handle,
    ) => (as real {
        order::looks_rows("cuMemsetD2D32Async", streams::own(stream), (at, pitch), (value, 4), (width, height));
        order::copied(real(at, pitch, value, width, height, stream), streams::own(stream), &[])
    });
}
