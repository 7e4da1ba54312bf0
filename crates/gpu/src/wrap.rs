//! Wrappers of the driver's functions.
//!
//! Each wrapper calls the real function once with the caller's arguments, unless its definition says
//! otherwise. No wrapper holds the state's lock while the driver works.
//!
//! **Size:** a few lines for each function of the driver.

mod copy2d;
mod copy3d;
mod function;
mod graph;
mod image;
mod launch;
mod memory;
mod module;
mod node;
mod order;
mod repeated;
mod tensor_map;

use crate::hooks::stand_before;
use crate::{graphs, images, lookup, parts, session, stack, streams};

use std::ffi::{c_char, c_int, c_uint, c_void};

/// A handle of the driver, or a pointer to data that only the driver reads.
pub(crate) type Handle = *mut c_void;

/// The default stream.
const NULL: Handle = std::ptr::null_mut();

stand_before! {
    fn cuGetProcAddress("cuGetProcAddress", 11030)(
        symbol: *const c_char, function: *mut Handle, version: c_int, flags: u64,
    ) => (lookup::get_proc_address);
    fn cuGetProcAddress_v2("cuGetProcAddress", 12000)(
        symbol: *const c_char, function: *mut Handle, version: c_int, flags: u64, status: *mut c_int,
    ) => (lookup::get_proc_address_v2);

    fn cuInit("cuInit", 2000)(flags: c_uint) => (module::init);
    fn cuModuleLoad("cuModuleLoad", 2000)(module: *mut Handle, file: *const c_char) => (module::load_file);
    fn cuModuleLoadData("cuModuleLoadData", 2000)(module: *mut Handle, image: *const c_void) => (module::load);
    fn cuModuleLoadFatBinary("cuModuleLoadFatBinary", 2000)(
        module: *mut Handle, image: *const c_void,
    ) => (module::load);
    fn cuModuleLoadDataEx("cuModuleLoadDataEx", 2010)(
        module: *mut Handle, image: *const c_void, options: c_uint, names: *mut c_int, values: *mut Handle,
    ) => (module::load_ex);
    fn cuLibraryLoadData("cuLibraryLoadData", 12000)(
        library: *mut Handle, image: *const c_void,
        jit_names: *mut c_int, jit_values: *mut Handle, jit_options: c_uint,
        names: *mut c_int, values: *mut Handle, options: c_uint,
    ) => (module::load_library);
    fn cuLibraryLoadFromFile("cuLibraryLoadFromFile", 12000)(
        library: *mut Handle, file: *const c_char,
        jit_names: *mut c_int, jit_values: *mut Handle, jit_options: c_uint,
        names: *mut c_int, values: *mut Handle, options: c_uint,
    ) => (module::load_library_file);
    fn cuLinkAddData_v2("cuLinkAddData", 6050)(
        state: Handle, kind: c_int, data: *mut c_void, bytes: usize, name: *const c_char,
        options: c_uint, names: *mut c_int, values: *mut Handle,
    ) => (module::link);
    fn cuModuleGetFunction("cuModuleGetFunction", 2000)(
        function: *mut Handle, module: Handle, name: *const c_char,
    ) => (module::function);
    fn cuLibraryGetKernel("cuLibraryGetKernel", 12000)(
        kernel: *mut Handle, library: Handle, name: *const c_char,
    ) => (module::function);
    fn cuLibraryGetModule("cuLibraryGetModule", 12000)(
        module: *mut Handle, library: Handle,
    ) => (module::module_of_library);
    fn cuKernelGetFunction("cuKernelGetFunction", 12000)(
        function: *mut Handle, kernel: Handle,
    ) => (module::function_of_kernel);

    fn cuLaunchKernel / cuLaunchKernel_ptsz("cuLaunchKernel", 4000 / 7000)(
        function: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint,
        shared: c_uint, stream: Handle, parameters: *mut Handle, extra: *mut Handle,
    ) => (as real, on { launch::kernel(real, function, gx, gy, gz, bx, by, bz, shared, on(stream), parameters, extra) });
    fn cuLaunchKernelEx / cuLaunchKernelEx_ptsz("cuLaunchKernelEx", 11060 / 11060)(
        config: *const launch::Config, function: Handle, parameters: *mut Handle, extra: *mut Handle,
    ) => (as real, on { launch::extended(real, on, config, function, parameters, extra) });
    fn cuLaunchCooperativeKernel / cuLaunchCooperativeKernel_ptsz("cuLaunchCooperativeKernel", 9000 / 9000)(
        function: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint,
        shared: c_uint, stream: Handle, parameters: *mut Handle,
    ) => (as real, on { launch::cooperative(real, function, gx, gy, gz, bx, by, bz, shared, on(stream), parameters) });
    fn cuLaunchCooperativeKernelMultiDevice("cuLaunchCooperativeKernelMultiDevice", 9000)(
        all: *mut launch::OnDevice, number: c_uint, flags: c_uint,
    ) => (launch::several);
    fn cuGraphAddKernelNode_v2("cuGraphAddKernelNode", 12000)(
        node: *mut Handle, graph: Handle, after: *const Handle, number: usize, node_of: *const graphs::Params,
    ) => (node::node);

    fn cuGraphAddKernelNode("cuGraphAddKernelNode", 10000)(
        node: *mut Handle, graph: Handle, after: *const Handle, number: usize, node_of: *const graphs::OldParams,
    ) => (node::old_node);
    fn cuGraphAddNode("cuGraphAddNode", 12020)(
        node: *mut Handle, graph: Handle, after: *const Handle, number: usize, how: *const node::AnyParams,
    ) => (node::any_node);
    fn cuGraphAddNode_v2("cuGraphAddNode", 12030)(
        node: *mut Handle, graph: Handle, after: *const Handle, data: Handle, number: usize, how: *const node::AnyParams,
    ) => (node::any_node_with_data);
    fn cuGraphNodeSetParams("cuGraphNodeSetParams", 12020)(
        node: Handle, how: *const node::AnyParams,
    ) => (as real { node::with_any_node(how, |how| real(node, how)) });
    fn cuGraphExecNodeSetParams("cuGraphExecNodeSetParams", 12020)(
        made: Handle, node: Handle, how: *const node::AnyParams,
    ) => (as real { node::with_any_node(how, |how| node::changed_any(real(made, node, how), made, node, how)) });
    fn cuGraphKernelNodeSetParams("cuGraphKernelNodeSetParams", 10000)(
        node: Handle, how: *const graphs::OldParams,
    ) => (as real { node::with_old_node(how, |how| real(node, how)) });
    fn cuGraphKernelNodeSetParams_v2("cuGraphKernelNodeSetParams", 12000)(
        node: Handle, how: *const graphs::Params,
    ) => (as real { node::with_node(how, |how| real(node, how)) });
    fn cuGraphExecKernelNodeSetParams("cuGraphExecKernelNodeSetParams", 10010)(
        made: Handle, node: Handle, how: *const graphs::OldParams,
    ) => (as real { node::with_old_node(how, |how| node::changed_old(real(made, node, how), made, node, how)) });
    fn cuGraphExecKernelNodeSetParams_v2("cuGraphExecKernelNodeSetParams", 12000)(
        made: Handle, node: Handle, how: *const graphs::Params,
    ) => (as real { node::with_node(how, |how| node::changed(real(made, node, how), made, node, how)) });
    fn cuFuncGetAttribute("cuFuncGetAttribute", 2020)(
        value: *mut c_int, which: c_int, function: Handle,
    ) => (as real { real(value, which, parts::checked(function)) });
    fn cuFuncSetAttribute("cuFuncSetAttribute", 9000)(
        function: Handle, which: c_int, value: c_int,
    ) => (as real { real(parts::checked(function), which, value) });
    fn cuFuncSetCacheConfig("cuFuncSetCacheConfig", 3000)(
        function: Handle, how: c_int,
    ) => (as real { real(parts::checked(function), how) });
    fn cuKernelGetAttribute("cuKernelGetAttribute", 12000)(
        value: *mut c_int, which: c_int, kernel: Handle, device: c_int,
    ) => (as real { real(value, which, parts::checked(kernel), device) });
    fn cuKernelSetAttribute("cuKernelSetAttribute", 12000)(
        which: c_int, value: c_int, kernel: Handle, device: c_int,
    ) => (as real { real(which, value, parts::checked(kernel), device) });
    fn cuKernelSetCacheConfig("cuKernelSetCacheConfig", 12000)(
        kernel: Handle, how: c_int, device: c_int,
    ) => (as real { real(parts::checked(kernel), how, device) });
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor("cuOccupancyMaxActiveBlocksPerMultiprocessor", 6050)(
        blocks: *mut c_int, function: Handle, threads: c_int, shared: usize,
    ) => (as real { real(blocks, parts::checked(function), threads, shared) });
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", 7000
    )(
        blocks: *mut c_int, function: Handle, threads: c_int, shared: usize, flags: c_uint,
    ) => (as real { real(blocks, parts::checked(function), threads, shared, flags) });
    fn cuOccupancyMaxPotentialBlockSize("cuOccupancyMaxPotentialBlockSize", 6050)(
        blocks: *mut c_int, threads: *mut c_int, function: Handle, shared_of: Handle, shared: usize, most: c_int,
    ) => (as real { real(blocks, threads, parts::checked(function), shared_of, shared, most) });
    fn cuOccupancyMaxPotentialBlockSizeWithFlags("cuOccupancyMaxPotentialBlockSizeWithFlags", 7000)(
        blocks: *mut c_int, threads: *mut c_int, function: Handle, shared_of: Handle, shared: usize, most: c_int,
        flags: c_uint,
    ) => (as real { real(blocks, threads, parts::checked(function), shared_of, shared, most, flags) });
    fn cuOccupancyAvailableDynamicSMemPerBlock("cuOccupancyAvailableDynamicSMemPerBlock", 10020)(
        bytes: *mut usize, function: Handle, blocks: c_int, threads: c_int,
    ) => (as real { real(bytes, parts::checked(function), blocks, threads) });
    fn cuOccupancyMaxPotentialClusterSize("cuOccupancyMaxPotentialClusterSize", 11070)(
        size: *mut c_int, function: Handle, config: *const launch::Config,
    ) => (as real { real(size, parts::checked(function), config) });
    fn cuOccupancyMaxActiveClusters("cuOccupancyMaxActiveClusters", 11070)(
        clusters: *mut c_int, function: Handle, config: *const launch::Config,
    ) => (as real { real(clusters, parts::checked(function), config) });
    fn cuFuncGetParamInfo("cuFuncGetParamInfo", 12040)(
        function: Handle, which: usize, offset: *mut usize, bytes: *mut usize,
    ) => (launch::parameter);
    fn cuKernelGetParamInfo("cuKernelGetParamInfo", 12040)(
        function: Handle, which: usize, offset: *mut usize, bytes: *mut usize,
    ) => (launch::parameter);

    fn cuGraphLaunch / cuGraphLaunch_ptsz("cuGraphLaunch", 10000 / 10000)(
        graph: Handle, stream: Handle,
    ) => (as real, on { graph::launch(real, graph, on(stream)) });
    fn cuGraphConditionalHandleCreate("cuGraphConditionalHandleCreate", 12030)(
        handle: *mut u64, graph: Handle, context: Handle, value: c_uint, flags: c_uint,
    ) => (graph::conditional);
    fn cuGraphInstantiate("cuGraphInstantiate", 10000)(
        made: *mut Handle, graph: Handle, node: *mut Handle, log: *mut c_char, bytes: usize,
    ) => (as real {
        let code = graph::marked(graph, 0, || real(made, graph, node, log, bytes));
        graph::made(code, made, graph, 0)
    });
    fn cuGraphInstantiate_v2("cuGraphInstantiate", 11000)(
        made: *mut Handle, graph: Handle, node: *mut Handle, log: *mut c_char, bytes: usize,
    ) => (as real {
        let code = graph::marked(graph, 0, || real(made, graph, node, log, bytes));
        graph::made(code, made, graph, 0)
    });
    fn cuGraphInstantiateWithFlags("cuGraphInstantiateWithFlags", 11040)(
        made: *mut Handle, graph: Handle, flags: u64,
    ) => (graph::instantiate);
    fn cuGraphInstantiateWithParams / cuGraphInstantiateWithParams_ptsz("cuGraphInstantiateWithParams", 12000 / 12000)(
        made: *mut Handle, graph: Handle, how: *mut u64,
    ) => (graph::instantiate_as);
    fn cuGraphExecUpdate("cuGraphExecUpdate", 10020)(
        made: Handle, graph: Handle, node: *mut Handle, result: *mut c_int,
    ) => (as real { graph::updated(graph::marked(graph, 0, || real(made, graph, node, result)), made, graph) });
    fn cuGraphExecUpdate_v2("cuGraphExecUpdate", 12000)(
        made: Handle, graph: Handle, result: Handle,
    ) => (as real { graph::updated(graph::marked(graph, 0, || real(made, graph, result)), made, graph) });
    fn cuGraphDestroyNode("cuGraphDestroyNode", 10000)(
        node: Handle,
    ) => (as real { graph::node_gone(node); real(node) });
    fn cuGraphDestroy("cuGraphDestroy", 10000)(graph: Handle) => (graph::destroy);
    fn cuGraphExecDestroy("cuGraphExecDestroy", 10000)(
        made: Handle,
    ) => (as real { graph::gone(real(made), made) });

    fn cuTexObjectCreate("cuTexObjectCreate", 5000)(
        made: *mut u64, resource: *const images::Resource, sampling: *const images::Sampling, view: Handle,
    ) => (as real { image::texture(real(made, resource, sampling, view), made, resource, sampling, view) });
    fn cuTexObjectDestroy("cuTexObjectDestroy", 5000)(
        handle: u64,
    ) => (as real { image::gone(handle, false); real(handle) });
    fn cuSurfObjectCreate("cuSurfObjectCreate", 5000)(
        made: *mut u64, resource: *const images::Resource,
    ) => (as real { image::surface(real(made, resource), made, resource) });
    fn cuSurfObjectDestroy("cuSurfObjectDestroy", 5000)(
        handle: u64,
    ) => (as real { image::gone(handle, true); real(handle) });

    fn cuMemAlloc_v2("cuMemAlloc", 3020)(address: *mut u64, bytes: usize) => (memory::alloc);
    fn cuMemAllocPitch_v2("cuMemAllocPitch", 3020)(
        address: *mut u64, pitch: *mut usize, width: usize, height: usize, element: c_uint,
    ) => (memory::alloc_pitch);
    fn cuMemAllocManaged("cuMemAllocManaged", 6000)(
        address: *mut u64, bytes: usize, flags: c_uint,
    ) => (memory::alloc_managed);
    fn cuMemAllocAsync / cuMemAllocAsync_ptsz("cuMemAllocAsync", 11020 / 11020)(
        address: *mut u64, bytes: usize, stream: Handle,
    ) => (as real, on { memory::alloc_async(real, address, bytes, on(stream)) });
    fn cuMemAllocFromPoolAsync / cuMemAllocFromPoolAsync_ptsz("cuMemAllocFromPoolAsync", 11020 / 11020)(
        address: *mut u64, bytes: usize, pool: Handle, stream: Handle,
    ) => (as real, on { memory::alloc_from_pool(real, address, bytes, pool, on(stream)) });
    fn cuModuleGetGlobal_v2("cuModuleGetGlobal", 3020)(
        address: *mut u64, bytes: *mut usize, module: Handle, name: *const c_char,
    ) => (memory::variable);
    fn cuLibraryGetGlobal("cuLibraryGetGlobal", 12000)(
        address: *mut u64, bytes: *mut usize, library: Handle, name: *const c_char,
    ) => (memory::library_variable);
    fn cuLibraryGetManaged("cuLibraryGetManaged", 12000)(
        address: *mut u64, bytes: *mut usize, library: Handle, name: *const c_char,
    ) => (memory::library_variable);
    fn cuMemHostAlloc("cuMemHostAlloc", 2020)(
        address: *mut Handle, bytes: usize, flags: c_uint,
    ) => (memory::host_alloc);
    fn cuMemAllocHost_v2("cuMemAllocHost", 3020)(address: *mut Handle, bytes: usize) => (memory::alloc_host);

    fn cuMemFree_v2("cuMemFree", 3020)(address: u64) => (memory::free);
    fn cuMemFreeAsync / cuMemFreeAsync_ptsz("cuMemFreeAsync", 11020 / 11020)(
        address: u64, stream: Handle,
    ) => (as real, on { memory::free_async(real, address, on(stream)) });
    fn cuMemFreeHost("cuMemFreeHost", 2000)(address: Handle) => (memory::free_host);

    fn cuDevicePrimaryCtxReset_v2("cuDevicePrimaryCtxReset", 11000)(device: c_int) => (memory::device_gone);
    fn cuDevicePrimaryCtxRelease_v2("cuDevicePrimaryCtxRelease", 11000)(device: c_int) => (memory::device_gone);
    fn cuCtxDestroy_v2("cuCtxDestroy", 4000)(context: Handle) => (memory::context_gone);

    fn cuCtxGetLimit("cuCtxGetLimit", 3010)(value: *mut usize, limit: c_int) => (stack::get);
    fn cuCtxSetLimit("cuCtxSetLimit", 3010)(limit: c_int, value: usize) => (stack::set);

    fn cuStreamSynchronize / cuStreamSynchronize_ptsz("cuStreamSynchronize", 2000 / 7000)(
        stream: Handle,
    ) => (as real, on { order::synchronized(real(stream), on(stream)) });
    fn cuStreamQuery / cuStreamQuery_ptsz("cuStreamQuery", 2000 / 7000)(
        stream: Handle,
    ) => (as real, on { order::synchronized(real(stream), on(stream)) });
    fn cuStreamWaitEvent / cuStreamWaitEvent_ptsz("cuStreamWaitEvent", 3020 / 7000)(
        stream: Handle, event: Handle, flags: c_uint,
    ) => (as real, on { order::waits(real(stream, event, flags), on(stream), event) });
    fn cuEventRecord / cuEventRecord_ptsz("cuEventRecord", 2000 / 7000)(
        event: Handle, stream: Handle,
    ) => (as real, on { order::recorded(real(event, stream), event, on(stream)) });
    fn cuEventRecordWithFlags / cuEventRecordWithFlags_ptsz("cuEventRecordWithFlags", 11010 / 11010)(
        event: Handle, stream: Handle, flags: c_uint,
    ) => (as real, on { order::recorded(real(event, stream, flags), event, on(stream)) });
    fn cuStreamCreate("cuStreamCreate", 2000)(
        stream: *mut Handle, flags: c_uint,
    ) => (as real { order::made(real(stream, flags), stream, flags) });
    fn cuStreamCreateWithPriority("cuStreamCreateWithPriority", 5050)(
        stream: *mut Handle, flags: c_uint, priority: c_int,
    ) => (as real { order::made(real(stream, flags, priority), stream, flags) });
    fn cuStreamDestroy_v2("cuStreamDestroy", 4000)(
        stream: Handle,
    ) => (as real { order::destroyed(stream); real(stream) });
    fn cuCtxSynchronize("cuCtxSynchronize", 2000)() => (as real { order::waited_all(real()) });
    fn cuCtxSynchronize_v2("cuCtxSynchronize", 13000)(
        context: Handle,
    ) => (as real { order::waited_for(real(context), context) });
    fn cuEventSynchronize("cuEventSynchronize", 2000)(
        event: Handle,
    ) => (as real { order::reached(real(event), event) });
    fn cuEventQuery("cuEventQuery", 2000)(
        event: Handle,
    ) => (as real { order::reached(real(event), event) });
    fn cuEventElapsedTime("cuEventElapsedTime", 2000)(
        time: *mut f32, begun: Handle, ended: Handle,
    ) => (as real { order::reached(order::reached(real(time, begun, ended), begun), ended) });
    fn cuEventElapsedTime_v2("cuEventElapsedTime", 12080)(
        time: *mut f32, begun: Handle, ended: Handle,
    ) => (as real { order::reached(order::reached(real(time, begun, ended), begun), ended) });
    fn cuEventDestroy_v2("cuEventDestroy", 4000)(
        event: Handle,
    ) => (as real { order::event_destroyed(event); real(event) });
    fn cuIpcOpenEventHandle("cuIpcOpenEventHandle", 4010)(
        event: *mut Handle, handle: order::IpcHandle,
    ) => (as real { order::imported(real(event, handle), event) });
    fn cuCtxWaitEvent("cuCtxWaitEvent", 12050)(
        context: Handle, event: Handle,
    ) => (as real { order::context_waits(real(context, event), event) });
    fn cuGreenCtxWaitEvent("cuGreenCtxWaitEvent", 12050)(
        context: Handle, event: Handle,
    ) => (as real { order::context_waits(real(context, event), event) });
    fn cuCtxRecordEvent("cuCtxRecordEvent", 12050)(
        context: Handle, event: Handle,
    ) => (as real { order::recorded_all(real(context, event), event) });
    fn cuGreenCtxRecordEvent("cuGreenCtxRecordEvent", 12050)(
        context: Handle, event: Handle,
    ) => (as real { order::recorded_all(real(context, event), event) });
    fn cuLaunchHostFunc / cuLaunchHostFunc_ptsz("cuLaunchHostFunc", 10000 / 10000)(
        stream: Handle, function: Handle, data: Handle,
    ) => (as real, on { function::launch(real, stream, on(stream), (function, data)) });
    fn cuStreamAddCallback / cuStreamAddCallback_ptsz("cuStreamAddCallback", 5000 / 7000)(
        stream: Handle, function: Handle, data: Handle, flags: c_uint,
    ) => (as real, on { function::add(real, stream, on(stream), (function, data), flags) });
    fn cuStreamWaitValue32 / cuStreamWaitValue32_ptsz("cuStreamWaitValue32", 8000 / 8000)(
        stream: Handle, address: u64, value: c_uint, flags: c_uint,
    ) => (as real, on { order::passes(on(stream)); real(stream, address, value, flags) });
    fn cuStreamWaitValue32_v2 / cuStreamWaitValue32_v2_ptsz("cuStreamWaitValue32", 11070 / 11070)(
        stream: Handle, address: u64, value: c_uint, flags: c_uint,
    ) => (as real, on { order::passes(on(stream)); real(stream, address, value, flags) });
    fn cuStreamWriteValue32 / cuStreamWriteValue32_ptsz("cuStreamWriteValue32", 8000 / 8000)(
        stream: Handle, address: u64, value: c_uint, flags: c_uint,
    ) => (as real, on { order::passes(on(stream)); real(stream, address, value, flags) });
    fn cuStreamWriteValue32_v2 / cuStreamWriteValue32_v2_ptsz("cuStreamWriteValue32", 11070 / 11070)(
        stream: Handle, address: u64, value: c_uint, flags: c_uint,
    ) => (as real, on { order::passes(on(stream)); real(stream, address, value, flags) });
    fn cuStreamWaitValue64 / cuStreamWaitValue64_ptsz("cuStreamWaitValue64", 9000 / 9000)(
        stream: Handle, address: u64, value: u64, flags: c_uint,
    ) => (as real, on { order::passes(on(stream)); real(stream, address, value, flags) });
    fn cuStreamWaitValue64_v2 / cuStreamWaitValue64_v2_ptsz("cuStreamWaitValue64", 11070 / 11070)(
        stream: Handle, address: u64, value: u64, flags: c_uint,
    ) => (as real, on { order::passes(on(stream)); real(stream, address, value, flags) });
    fn cuStreamWriteValue64 / cuStreamWriteValue64_ptsz("cuStreamWriteValue64", 9000 / 9000)(
        stream: Handle, address: u64, value: u64, flags: c_uint,
    ) => (as real, on { order::passes(on(stream)); real(stream, address, value, flags) });
    fn cuStreamWriteValue64_v2 / cuStreamWriteValue64_v2_ptsz("cuStreamWriteValue64", 11070 / 11070)(
        stream: Handle, address: u64, value: u64, flags: c_uint,
    ) => (as real, on { order::passes(on(stream)); real(stream, address, value, flags) });
    fn cuStreamBatchMemOp / cuStreamBatchMemOp_ptsz("cuStreamBatchMemOp", 8000 / 8000)(
        stream: Handle, number: c_uint, all: Handle, flags: c_uint,
    ) => (as real, on { order::passes(on(stream)); real(stream, number, all, flags) });
    fn cuStreamBatchMemOp_v2 / cuStreamBatchMemOp_v2_ptsz("cuStreamBatchMemOp", 11070 / 11070)(
        stream: Handle, number: c_uint, all: Handle, flags: c_uint,
    ) => (as real, on { order::passes(on(stream)); real(stream, number, all, flags) });
    fn cuWaitExternalSemaphoresAsync / cuWaitExternalSemaphoresAsync_ptsz("cuWaitExternalSemaphoresAsync", 10000 / 10000)(
        semaphores: Handle, parameters: Handle, number: c_uint, stream: Handle,
    ) => (as real, on { order::passes(on(stream)); real(semaphores, parameters, number, stream) });
    fn cuSignalExternalSemaphoresAsync / cuSignalExternalSemaphoresAsync_ptsz("cuSignalExternalSemaphoresAsync", 10000 / 10000)(
        semaphores: Handle, parameters: Handle, number: c_uint, stream: Handle,
    ) => (as real, on { order::passes(on(stream)); real(semaphores, parameters, number, stream) });
    fn cuStreamBeginCapture / cuStreamBeginCapture_ptsz("cuStreamBeginCapture", 10000 / 10000)(
        stream: Handle,
    ) => (as real { streams::captures(); real(stream) });
    fn cuStreamBeginCapture_v2 / cuStreamBeginCapture_v2_ptsz("cuStreamBeginCapture", 10010 / 10010)(
        stream: Handle, mode: c_int,
    ) => (as real { streams::captures(); real(stream, mode) });
    fn cuStreamBeginCaptureToGraph / cuStreamBeginCaptureToGraph_ptsz("cuStreamBeginCaptureToGraph", 12030 / 12030)(
        stream: Handle, graph: Handle, after: Handle, data: Handle, number: usize, mode: c_int,
    ) => (as real { streams::captures(); real(stream, graph, after, data, number, mode) });
    fn cuGraphAddHostNode("cuGraphAddHostNode", 10000)(
        node: *mut Handle, graph: Handle, after: *const Handle, number: usize, how: *const function::Node,
    ) => (as real { function::with_node(how, |how| real(node, graph, after, number, how)) });
    fn cuGraphHostNodeSetParams("cuGraphHostNodeSetParams", 10000)(
        node: Handle, how: *const function::Node,
    ) => (as real { function::with_node(how, |how| real(node, how)) });
    fn cuGraphExecHostNodeSetParams("cuGraphExecHostNodeSetParams", 10020)(
        made: Handle, node: Handle, how: *const function::Node,
    ) => (as real { graph::node_changed("cuGraphExecHostNodeSetParams", real(made, node, how), made, node) });
    fn cuGraphExecMemcpyNodeSetParams("cuGraphExecMemcpyNodeSetParams", 10020)(
        made: Handle, node: Handle, how: Handle, context: Handle,
    ) => (as real { graph::node_changed("cuGraphExecMemcpyNodeSetParams", real(made, node, how, context), made, node) });
    fn cuGraphExecMemsetNodeSetParams("cuGraphExecMemsetNodeSetParams", 10020)(
        made: Handle, node: Handle, how: Handle, context: Handle,
    ) => (as real { graph::node_changed("cuGraphExecMemsetNodeSetParams", real(made, node, how, context), made, node) });
    fn cuGraphExecChildGraphNodeSetParams("cuGraphExecChildGraphNodeSetParams", 11010)(
        made: Handle, node: Handle, child: Handle,
    ) => (as real { graph::node_changed("cuGraphExecChildGraphNodeSetParams", real(made, node, child), made, node) });
    fn cuGraphExecEventWaitNodeSetEvent("cuGraphExecEventWaitNodeSetEvent", 11010)(
        made: Handle, node: Handle, event: Handle,
    ) => (as real { graph::node_changed("cuGraphExecEventWaitNodeSetEvent", real(made, node, event), made, node) });
    fn cuGraphNodeSetEnabled("cuGraphNodeSetEnabled", 11060)(
        made: Handle, node: Handle, on: c_uint,
    ) => (as real { graph::node_switched(real(made, node, on), made, node, on != 0) });
    fn cuTensorMapEncodeTiled("cuTensorMapEncodeTiled", 12000)(
        out: *mut tensor_map::Map, element: c_int, rank: c_uint, address: Handle, sizes: *const u64, strides: *const u64,
        boxed: *const c_uint, steps: *const c_uint, interleave: c_int, swizzle: c_int, promotion: c_int, fill: c_int,
    ) => (tensor_map::tiled);
    fn cuTensorMapEncodeIm2col("cuTensorMapEncodeIm2col", 12000)(
        out: *mut tensor_map::Map, element: c_int, rank: c_uint, address: Handle, sizes: *const u64, strides: *const u64,
        lower: *const c_int, upper: *const c_int, channels: c_uint, pixels: c_uint, steps: *const c_uint,
        interleave: c_int, swizzle: c_int, promotion: c_int, fill: c_int,
    ) => (tensor_map::im2col);
    fn cuTensorMapReplaceAddress("cuTensorMapReplaceAddress", 12000)(
        map: *mut tensor_map::Map, address: Handle,
    ) => (tensor_map::moved);
    fn cuArrayDestroy("cuArrayDestroy", 2000)(
        array: Handle,
    ) => (as real { image::array_gone(array); real(array) });
    fn cuMemHostRegister_v2("cuMemHostRegister", 6050)(
        address: Handle, bytes: usize, flags: c_uint,
    ) => (as real { memory::registered(real(address, bytes, flags), address, bytes) });
    fn cuCtxEnablePeerAccess("cuCtxEnablePeerAccess", 4000)(
        context: Handle, flags: c_uint,
    ) => (as real { memory::peer(real(context, flags), context, true) });
    fn cuMemSetAccess("cuMemSetAccess", 10020)(
        address: u64, bytes: usize, access: Handle, number: usize,
    ) => (as real { memory::met(real(address, bytes, access, number)) });
    fn cuMemPoolSetAccess("cuMemPoolSetAccess", 11020)(
        pool: Handle, access: Handle, number: usize,
    ) => (as real { memory::met(real(pool, access, number)) });
    fn cuCtxDisablePeerAccess("cuCtxDisablePeerAccess", 4000)(
        context: Handle,
    ) => (as real { memory::peer(real(context), context, false) });
    fn cuGraphAddEventRecordNode("cuGraphAddEventRecordNode", 11010)(
        node: Handle, graph: Handle, after: Handle, number: usize, event: Handle,
    ) => (as real { order::graphs_record(); real(node, graph, after, number, event) });
    fn cuGraphEventRecordNodeSetEvent("cuGraphEventRecordNodeSetEvent", 11010)(
        node: Handle, event: Handle,
    ) => (as real { order::graphs_record(); real(node, event) });
    fn cuGraphExecEventRecordNodeSetEvent("cuGraphExecEventRecordNodeSetEvent", 11010)(
        made: Handle, node: Handle, event: Handle,
    ) => (as real { order::graphs_record(); real(made, node, event) });
    fn cuMemcpy / cuMemcpy_ptds("cuMemcpy", 4000 / 7000)(
        to: u64, from: u64, bytes: usize,
    ) => (as real, on {
        order::looks("cuMemcpy", on(NULL), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::waited(real(to, from, bytes), on(NULL))
    });
    fn cuMemcpyPeer / cuMemcpyPeer_ptds("cuMemcpyPeer", 4000 / 7000)(
        to: u64, there: Handle, from: u64, here: Handle, bytes: usize,
    ) => (as real, on {
        order::looks("cuMemcpyPeer", on(NULL), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::waited(real(to, there, from, here, bytes), on(NULL))
    });
    fn cuMemcpyHtoD_v2 / cuMemcpyHtoD_v2_ptds("cuMemcpyHtoD", 3020 / 7000)(
        to: u64, from: u64, bytes: usize,
    ) => (as real, on {
        order::looks("cuMemcpyHtoD", on(NULL), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::waited(real(to, from, bytes), on(NULL))
    });
    fn cuMemcpyDtoH_v2 / cuMemcpyDtoH_v2_ptds("cuMemcpyDtoH", 3020 / 7000)(
        to: u64, from: u64, bytes: usize,
    ) => (as real, on {
        order::looks("cuMemcpyDtoH", on(NULL), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::waited(real(to, from, bytes), on(NULL))
    });
    fn cuMemcpyDtoD_v2 / cuMemcpyDtoD_v2_ptds("cuMemcpyDtoD", 3020 / 7000)(
        to: u64, from: u64, bytes: usize,
    ) => (as real, on {
        order::looks("cuMemcpyDtoD", on(NULL), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::waited(real(to, from, bytes), on(NULL))
    });
    fn cuMemcpyDtoA_v2 / cuMemcpyDtoA_v2_ptds("cuMemcpyDtoA", 3020 / 7000)(
        to: Handle, at: usize, from: u64, bytes: usize,
    ) => (as real, on {
        copy2d::looks_array("cuMemcpyDtoA", on(NULL), copy2d::in_array(to as u64, at), copy2d::at_device(from as u64), bytes);
        order::waited(real(to, at, from, bytes), on(NULL))
    });
    fn cuMemcpyAtoD_v2 / cuMemcpyAtoD_v2_ptds("cuMemcpyAtoD", 3020 / 7000)(
        to: u64, from: Handle, at: usize, bytes: usize,
    ) => (as real, on {
        copy2d::looks_array("cuMemcpyAtoD", on(NULL), copy2d::at_device(to as u64), copy2d::in_array(from as u64, at), bytes);
        order::waited(real(to, from, at, bytes), on(NULL))
    });
    fn cuMemcpyHtoA_v2 / cuMemcpyHtoA_v2_ptds("cuMemcpyHtoA", 3020 / 7000)(
        to: Handle, at: usize, from: Handle, bytes: usize,
    ) => (as real, on {
        copy2d::looks_array("cuMemcpyHtoA", on(NULL), copy2d::in_array(to as u64, at), copy2d::at_host(from as u64), bytes);
        order::waited(real(to, at, from, bytes), on(NULL))
    });
    fn cuMemcpyAtoH_v2 / cuMemcpyAtoH_v2_ptds("cuMemcpyAtoH", 3020 / 7000)(
        to: Handle, from: Handle, at: usize, bytes: usize,
    ) => (as real, on {
        copy2d::looks_array("cuMemcpyAtoH", on(NULL), copy2d::at_host(to as u64), copy2d::in_array(from as u64, at), bytes);
        order::waited(real(to, from, at, bytes), on(NULL))
    });
    fn cuMemcpyAtoA_v2 / cuMemcpyAtoA_v2_ptds("cuMemcpyAtoA", 3020 / 7000)(
        to: Handle, at: usize, from: Handle, there: usize, bytes: usize,
    ) => (as real, on {
        copy2d::looks_array("cuMemcpyAtoA", on(NULL), copy2d::in_array(to as u64, at), copy2d::in_array(from as u64, there), bytes);
        order::waited(real(to, at, from, there, bytes), on(NULL))
    });
    fn cuMemcpy2D_v2 / cuMemcpy2D_v2_ptds("cuMemcpy2D", 3020 / 7000)(
        how: Handle,
    ) => (as real, on {
        copy2d::looks_2d("cuMemcpy2D", on(NULL), how);
        order::waited(real(how), on(NULL))
    });
    fn cuMemcpy2DUnaligned_v2 / cuMemcpy2DUnaligned_v2_ptds("cuMemcpy2DUnaligned", 3020 / 7000)(
        how: Handle,
    ) => (as real, on {
        copy2d::looks_2d("cuMemcpy2DUnaligned", on(NULL), how);
        order::waited(real(how), on(NULL))
    });
    fn cuMemcpy3D_v2 / cuMemcpy3D_v2_ptds("cuMemcpy3D", 3020 / 7000)(
        how: Handle,
    ) => (as real, on {
        copy3d::looks("cuMemcpy3D", on(NULL), how);
        order::waited(real(how), on(NULL))
    });
    fn cuMemcpy3DPeer / cuMemcpy3DPeer_ptds("cuMemcpy3DPeer", 4000 / 7000)(
        how: Handle,
    ) => (as real, on {
        session::unseen("a copy by `cuMemcpy3DPeer`");
        order::waited(real(how), on(NULL))
    });
    fn cuMemcpyHtoDAsync_v2 / cuMemcpyHtoDAsync_v2_ptsz("cuMemcpyHtoDAsync", 3020 / 7000)(
        to: u64, from: u64, bytes: usize, stream: Handle,
    ) => (as real, on {
        order::looks("cuMemcpyHtoDAsync", on(stream), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::copied(real(to, from, bytes, stream), on(stream), &[to, from])
    });
    fn cuMemcpyDtoHAsync_v2 / cuMemcpyDtoHAsync_v2_ptsz("cuMemcpyDtoHAsync", 3020 / 7000)(
        to: u64, from: u64, bytes: usize, stream: Handle,
    ) => (as real, on {
        order::looks("cuMemcpyDtoHAsync", on(stream), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::copied(real(to, from, bytes, stream), on(stream), &[to, from])
    });
    fn cuMemcpyDtoDAsync_v2 / cuMemcpyDtoDAsync_v2_ptsz("cuMemcpyDtoDAsync", 3020 / 7000)(
        to: u64, from: u64, bytes: usize, stream: Handle,
    ) => (as real, on {
        order::looks("cuMemcpyDtoDAsync", on(stream), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::copied(real(to, from, bytes, stream), on(stream), &[to, from])
    });
    fn cuMemcpyAsync / cuMemcpyAsync_ptsz("cuMemcpyAsync", 4000 / 7000)(
        to: u64, from: u64, bytes: usize, stream: Handle,
    ) => (as real, on {
        order::looks("cuMemcpyAsync", on(stream), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::copied(real(to, from, bytes, stream), on(stream), &[to, from])
    });
    fn cuMemcpyPeerAsync / cuMemcpyPeerAsync_ptsz("cuMemcpyPeerAsync", 4000 / 7000)(
        to: u64, there: Handle, from: u64, here: Handle, bytes: usize, stream: Handle,
    ) => (as real, on {
        order::looks("cuMemcpyPeerAsync", on(stream), &[(to, bytes as u64, true), (from, bytes as u64, false)]);
        order::copied(real(to, there, from, here, bytes, stream), on(stream), &[to, from])
    });
    fn cuMemcpyHtoAAsync_v2 / cuMemcpyHtoAAsync_v2_ptsz("cuMemcpyHtoAAsync", 3020 / 7000)(
        to: Handle, at: usize, from: u64, bytes: usize, stream: Handle,
    ) => (as real, on {
        copy2d::looks_array("cuMemcpyHtoAAsync", on(stream), copy2d::in_array(to as u64, at), copy2d::at_host(from), bytes);
        order::copied(real(to, at, from, bytes, stream), on(stream), &[from])
    });
    fn cuMemcpyAtoHAsync_v2 / cuMemcpyAtoHAsync_v2_ptsz("cuMemcpyAtoHAsync", 3020 / 7000)(
        to: u64, from: Handle, at: usize, bytes: usize, stream: Handle,
    ) => (as real, on {
        copy2d::looks_array("cuMemcpyAtoHAsync", on(stream), copy2d::at_host(to), copy2d::in_array(from as u64, at), bytes);
        order::copied(real(to, from, at, bytes, stream), on(stream), &[to])
    });
    fn cuMemcpy2DAsync_v2 / cuMemcpy2DAsync_v2_ptsz("cuMemcpy2DAsync", 3020 / 7000)(
        how: Handle, stream: Handle,
    ) => (as real, on {
        copy2d::looks_2d("cuMemcpy2DAsync", on(stream), how);
        order::copied(real(how, stream), on(stream), &copy2d::sides(how))
    });
    fn cuMemcpy3DAsync_v2 / cuMemcpy3DAsync_v2_ptsz("cuMemcpy3DAsync", 3020 / 7000)(
        how: Handle, stream: Handle,
    ) => (as real, on {
        copy3d::looks("cuMemcpy3DAsync", on(stream), how);
        order::copied(real(how, stream), on(stream), &copy3d::sides(how))
    });
    fn cuMemcpy3DPeerAsync / cuMemcpy3DPeerAsync_ptsz("cuMemcpy3DPeerAsync", 4000 / 7000)(
        how: Handle, stream: Handle,
    ) => (as real, on {
        session::unseen("a copy by `cuMemcpy3DPeerAsync`");
        order::copied(real(how, stream), on(stream), &[0])
    });
    fn cuMemcpyBatchAsync_v2 / cuMemcpyBatchAsync_v2_ptsz("cuMemcpyBatchAsync", 13000 / 13000)(
        to: Handle, from: Handle, bytes: Handle, number: usize, how: Handle, indices: Handle, hows: usize,
        stream: Handle,
    ) => (as real, on {
        session::unseen("a copy by `cuMemcpyBatchAsync`");
        order::copied(real(to, from, bytes, number, how, indices, hows, stream), on(stream), &[0])
    });
    fn cuMemcpy3DBatchAsync_v2 / cuMemcpy3DBatchAsync_v2_ptsz("cuMemcpy3DBatchAsync", 13000 / 13000)(
        number: usize, all: Handle, flags: u64, stream: Handle,
    ) => (as real, on {
        session::unseen("a copy by `cuMemcpy3DBatchAsync`");
        order::copied(real(number, all, flags, stream), on(stream), &[0])
    });
    fn cuMemHostUnregister("cuMemHostUnregister", 4000)(
        address: Handle,
    ) => (as real { session::freed("cuMemHostUnregister", address as u64, None); order::may_have_waited(real(address)) });
    fn cuMemMap("cuMemMap", 10020)(
        at: u64, bytes: usize, offset: usize, handle: u64, flags: u64,
    ) => (as real {
        session::unseen("memory of `cuMemMap`");
        memory::mapped(real(at, bytes, offset, handle, flags), at, bytes)
    });
    fn cuMemUnmap("cuMemUnmap", 10020)(
        at: u64, bytes: usize,
    ) => (as real { memory::unmapped(order::may_have_waited(real(at, bytes)), at, bytes) });
    fn cuMemcpyBatchAsync / cuMemcpyBatchAsync_ptsz("cuMemcpyBatchAsync", 12080 / 12080)(
        to: Handle, from: Handle, bytes: Handle, number: usize, how: Handle, indices: Handle, hows: usize,
        failed: Handle, stream: Handle,
    ) => (as real, on {
        session::unseen("a copy by `cuMemcpyBatchAsync`");
        order::copied(real(to, from, bytes, number, how, indices, hows, failed, stream), on(stream), &[0])
    });
    fn cuMemcpy3DBatchAsync / cuMemcpy3DBatchAsync_ptsz("cuMemcpy3DBatchAsync", 12080 / 12080)(
        number: usize, all: Handle, failed: Handle, flags: u64, stream: Handle,
    ) => (as real, on {
        session::unseen("a copy by `cuMemcpy3DBatchAsync`");
        order::copied(real(number, all, failed, flags, stream), on(stream), &[0])
    });
    fn cuMemsetD8Async / cuMemsetD8Async_ptsz("cuMemsetD8Async", 3020 / 7000)(
        at: u64, value: u8, number: usize, stream: Handle,
    ) => (as real, on {
        order::looks("cuMemsetD8Async", on(stream), &[(at, number as u64, true)]);
        session::filled("cuMemsetD8Async", on(stream), (at, 0), (value.into(), 1), (number, 1));
        order::copied(real(at, value, number, stream), on(stream), &[])
    });
    fn cuMemsetD8_v2 / cuMemsetD8_v2_ptds("cuMemsetD8", 3020 / 7000)(
        at: u64, value: u8, number: usize,
    ) => (as real, on {
        order::looks("cuMemsetD8", on(NULL), &[(at, number as u64, true)]);
        session::filled("cuMemsetD8", on(NULL), (at, 0), (value.into(), 1), (number, 1));
        order::copied(real(at, value, number), on(NULL), &[])
    });
    fn cuMemsetD16Async / cuMemsetD16Async_ptsz("cuMemsetD16Async", 3020 / 7000)(
        at: u64, value: u16, number: usize, stream: Handle,
    ) => (as real, on {
        order::looks("cuMemsetD16Async", on(stream), &[(at, 2 * number as u64, true)]);
        session::filled("cuMemsetD16Async", on(stream), (at, 0), (value.into(), 2), (number, 1));
        order::copied(real(at, value, number, stream), on(stream), &[])
    });
    fn cuMemsetD16_v2 / cuMemsetD16_v2_ptds("cuMemsetD16", 3020 / 7000)(
        at: u64, value: u16, number: usize,
    ) => (as real, on {
        order::looks("cuMemsetD16", on(NULL), &[(at, 2 * number as u64, true)]);
        session::filled("cuMemsetD16", on(NULL), (at, 0), (value.into(), 2), (number, 1));
        order::copied(real(at, value, number), on(NULL), &[])
    });
    fn cuMemsetD32Async / cuMemsetD32Async_ptsz("cuMemsetD32Async", 3020 / 7000)(
        at: u64, value: c_uint, number: usize, stream: Handle,
    ) => (as real, on {
        order::looks("cuMemsetD32Async", on(stream), &[(at, 4 * number as u64, true)]);
        session::filled("cuMemsetD32Async", on(stream), (at, 0), (value, 4), (number, 1));
        order::copied(real(at, value, number, stream), on(stream), &[])
    });
    fn cuMemsetD32_v2 / cuMemsetD32_v2_ptds("cuMemsetD32", 3020 / 7000)(
        at: u64, value: c_uint, number: usize,
    ) => (as real, on {
        order::looks("cuMemsetD32", on(NULL), &[(at, 4 * number as u64, true)]);
        session::filled("cuMemsetD32", on(NULL), (at, 0), (value, 4), (number, 1));
        order::copied(real(at, value, number), on(NULL), &[])
    });
    fn cuMemsetD2D8_v2 / cuMemsetD2D8_v2_ptds("cuMemsetD2D8", 3020 / 7000)(
        at: u64, pitch: usize, value: u8, width: usize, height: usize,
    ) => (as real, on {
        order::looks_rows("cuMemsetD2D8", on(NULL), (at, pitch), (value.into(), 1), (width, height));
        order::copied(real(at, pitch, value, width, height), on(NULL), &[])
    });
    fn cuMemsetD2D8Async / cuMemsetD2D8Async_ptsz("cuMemsetD2D8Async", 3020 / 7000)(
        at: u64, pitch: usize, value: u8, width: usize, height: usize, stream: Handle,
    ) => (as real, on {
        order::looks_rows("cuMemsetD2D8Async", on(stream), (at, pitch), (value.into(), 1), (width, height));
        order::copied(real(at, pitch, value, width, height, stream), on(stream), &[])
    });
    fn cuMemsetD2D16_v2 / cuMemsetD2D16_v2_ptds("cuMemsetD2D16", 3020 / 7000)(
        at: u64, pitch: usize, value: u16, width: usize, height: usize,
    ) => (as real, on {
        order::looks_rows("cuMemsetD2D16", on(NULL), (at, pitch), (value.into(), 2), (width, height));
        order::copied(real(at, pitch, value, width, height), on(NULL), &[])
    });
    fn cuMemsetD2D16Async / cuMemsetD2D16Async_ptsz("cuMemsetD2D16Async", 3020 / 7000)(
        at: u64, pitch: usize, value: u16, width: usize, height: usize, stream: Handle,
    ) => (as real, on {
        order::looks_rows("cuMemsetD2D16Async", on(stream), (at, pitch), (value.into(), 2), (width, height));
        order::copied(real(at, pitch, value, width, height, stream), on(stream), &[])
    });
    fn cuMemsetD2D32_v2 / cuMemsetD2D32_v2_ptds("cuMemsetD2D32", 3020 / 7000)(
        at: u64, pitch: usize, value: c_uint, width: usize, height: usize,
    ) => (as real, on {
        order::looks_rows("cuMemsetD2D32", on(NULL), (at, pitch), (value, 4), (width, height));
        order::copied(real(at, pitch, value, width, height), on(NULL), &[])
    });
    fn cuMemsetD2D32Async / cuMemsetD2D32Async_ptsz("cuMemsetD2D32Async", 3020 / 7000)(
        at: u64, pitch: usize, value: c_uint, width: usize, height: usize, stream: Handle,
    ) => (as real, on {
        order::looks_rows("cuMemsetD2D32Async", on(stream), (at, pitch), (value, 4), (width, height));
        order::copied(real(at, pitch, value, width, height, stream), on(stream), &[])
    });
}
