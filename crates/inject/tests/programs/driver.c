// The driver's API: argv[1] is a file with PTX of driver_kernels.cu, argv[2] names what is done.
#define _GNU_SOURCE
#include "driver.h"
#include <dlfcn.h>

enum { N = 256 };
static char text[1 << 16];
static CUmodule module;
static CUfunction scale, reverse, unordered;

static void load(const char *path) {
    FILE *file = fopen(path, "r");
    EXPECT(file && fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    OK(cuModuleLoadData(&module, text));
    OK(cuModuleGetFunction(&scale, module, "scale"));
    OK(cuModuleGetFunction(&reverse, module, "reverse"));
    OK(cuModuleGetFunction(&unordered, module, "unordered"));
    FAILS(cuModuleGetFunction(&scale, module, "none"), CUDA_ERROR_NOT_FOUND);
    OK(cuModuleGetFunction(&scale, module, "scale"));
}

static void start(void) {
    CUdevice device;
    CUcontext context, current;
    int count, value;
    char name[64];
    FAILS(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    OK(cuInit(0));
    FAILS(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    OK(cuDeviceGetCount(&count));
    OK(cuDeviceGet(&device, 0));
    FAILS(cuDeviceGet(&device, count), CUDA_ERROR_INVALID_DEVICE);
    OK(cuDeviceGetName(name, sizeof name, device));
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    EXPECT(value == 9 && strstr(name, "virtual"));
    CUdeviceptr pointer;
    FAILS(cuMemAlloc(&pointer, 4), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxGetCurrent(&current));
    EXPECT(current == NULL);
    OK(cuCtxCreate(&context, NULL, 0, device));
    OK(cuCtxGetCurrent(&current));
    EXPECT(current == context);
    OK(cuCtxPopCurrent(&current));
    EXPECT(current == context);
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
}

static void entry_points(void) {
    void *found = NULL, *library = dlopen("libcuda.so.1", RTLD_NOW), *other = dlopen("libcuda.so", RTLD_NOW);
    CUdriverProcAddressQueryResult status;
    EXPECT(library && library == other);
    OK(cuGetProcAddress("cuMemAlloc", &found, 13000, 0, &status));
    EXPECT(found == dlsym(library, "cuMemAlloc_v2") && status == CU_GET_PROC_ADDRESS_SUCCESS);
    OK(cuGetProcAddress("cuLaunchKernel", &found, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL));
    EXPECT(found == dlsym(library, "cuLaunchKernel_ptsz"));
    FAILS(cuGetProcAddress("cuNoSuch", &found, 13000, 0, &status), CUDA_ERROR_NOT_FOUND);
    EXPECT(!found && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    FAILS(cuGetProcAddress("cuLibraryLoadData", &found, 11000, 0, &status), CUDA_ERROR_NOT_FOUND);
    EXPECT(!found && status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    // Without NVRTC in the process there is none of its functions, though the library stands before them.
    EXPECT(!dlsym(RTLD_DEFAULT, "nvrtcCreateProgram") && !dlsym(RTLD_DEFAULT, "nvrtcGetCUBIN"));
    const void *table;
    CUuuid id = {{1}};
    FAILS(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_SUPPORTED);
}

static void launches(void) {
    int host[N], value, blocks, threads;
    CUdeviceptr a, b;
    for (int i = 0; i < N; i++) host[i] = i;
    OK(cuMemAlloc(&a, sizeof host));
    OK(cuMemAlloc(&b, sizeof host));
    OK(cuMemcpyHtoD(a, host, sizeof host));
    int n = N;
    void *arguments[] = {&a, &n};
    OK(cuLaunchKernel(scale, 2, 1, 1, N / 2, 1, 1, 0, NULL, arguments, NULL));
    struct { CUdeviceptr in, out; } both = {a, b};
    size_t bytes = sizeof both;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &both, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(reverse, 1, 1, 1, N, 1, 1, sizeof host, NULL, NULL, extra));
    OK(cuMemcpyDtoH(host, b, sizeof host));
    for (int i = 0; i < N; i++) EXPECT(host[i] == 3 * (N - 1 - i));
    CUdeviceptr factor;
    OK(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
    EXPECT(bytes == 4);
    OK(cuMemsetD32(factor, 2, 1));
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = {.cooperative = 1}};
    CUlaunchConfig config = {2, 1, 1, N / 2, 1, 1, 0, NULL, &attribute, 1};
    OK(cuLaunchKernelEx(&config, scale, arguments, NULL));
    OK(cuLaunchCooperativeKernel(scale, 2, 1, 1, N / 2, 1, 1, 0, NULL, arguments));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH(host, a, sizeof host));
    for (int i = 0; i < N; i++) EXPECT(host[i] == 12 * i);
    FAILS(cuLaunchKernel(scale, 1, 1, 1, 2048, 1, 1, 0, NULL, arguments, NULL), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuLaunchKernel((CUfunction)&n, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), CUDA_ERROR_INVALID_HANDLE);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
    EXPECT(value == 1024);
    FAILS(cuFuncSetAttribute(scale, 17, 3), CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetAttribute(scale, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    OK(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, scale, NULL, 0, 0));
    EXPECT(threads > 0 && blocks > 0);
    OK(cuPointerGetAttribute(&factor, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, a + 4));
    EXPECT(factor == a + 4);
    OK(cuMemFree(a));
    OK(cuMemFree(b));
}

static void memory(void) {
    short rows[4][8], back[4][8];
    for (int i = 0; i < 32; i++) rows[i / 8][i % 8] = i;
    CUdeviceptr pitched, managed;
    size_t pitch;
    OK(cuMemAllocPitch(&pitched, &pitch, sizeof rows[0], 4, 4));
    CUDA_MEMCPY2D in = {0};
    in.srcMemoryType = CU_MEMORYTYPE_HOST, in.srcHost = rows, in.srcPitch = sizeof rows[0];
    in.dstMemoryType = CU_MEMORYTYPE_DEVICE, in.dstDevice = pitched, in.dstPitch = pitch;
    in.WidthInBytes = sizeof rows[0], in.Height = 4;
    OK(cuMemcpy2D(&in));
    OK(cuMemsetD2D16(pitched + 2 * pitch, pitch, 77, 2, 2));
    CUDA_MEMCPY3D out = {0};
    out.srcMemoryType = CU_MEMORYTYPE_DEVICE, out.srcDevice = pitched, out.srcPitch = pitch, out.srcY = 1;
    out.dstMemoryType = CU_MEMORYTYPE_HOST, out.dstHost = back, out.dstPitch = sizeof back[0];
    out.WidthInBytes = sizeof rows[0], out.Height = 3, out.Depth = 1;
    OK(cuMemcpy3D(&out));
    EXPECT(back[0][0] == 8 && back[1][0] == 77 && back[1][2] == 18 && back[2][1] == 77);
    OK(cuMemAllocManaged(&managed, 4, CU_MEM_ATTACH_GLOBAL));
    *(int *)managed = 5;
    void *pinned;
    OK(cuMemHostAlloc(&pinned, 4096, 0));
    unsigned kind;
    OK(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)pinned));
    EXPECT(kind == CU_MEMORYTYPE_HOST);
    OK(cuMemFreeHost(pinned));
    OK(cuMemFree(managed));
    OK(cuMemFree(pitched));
}

static void mapped(void) {
    CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    size_t grain;
    CUdeviceptr range;
    CUmemGenericAllocationHandle one, two;
    OK(cuMemGetAllocationGranularity(&grain, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    OK(cuMemAddressReserve(&range, 4 * grain, 0, 0, 0));
    OK(cuMemCreate(&one, grain, &properties, 0));
    OK(cuMemCreate(&two, grain, &properties, 0));
    OK(cuMemMap(range, grain, 0, one, 0));
    OK(cuMemMap(range + grain, grain, 0, two, 0));
    FAILS(cuMemMap(range + grain, grain, 0, two, 0), CUDA_ERROR_NOT_SUPPORTED);
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    OK(cuMemSetAccess(range, 2 * grain, &access, 1));
    OK(cuMemRelease(one));
    // One copy over both, and a kernel at their border.
    CUdeviceptr border = range + grain - sizeof(int) * (N / 2);
    int host[N], n = N;
    OK(cuMemsetD32(border, 7, N));
    void *arguments[] = {&border, &n};
    OK(cuLaunchKernel(scale, 2, 1, 1, N / 2, 1, 1, 0, NULL, arguments, NULL));
    OK(cuMemcpyDtoH(host, border, sizeof host));
    for (int i = 1; i < N; i++) EXPECT(host[i] == host[0] && host[0] != 7);
    OK(cuMemUnmap(range + grain, grain));
    OK(cuMemMap(range + 2 * grain, grain, 0, two, 0));
    OK(cuMemSetAccess(range + 2 * grain, grain, &access, 1));
    OK(cuMemcpyDtoH(&n, range + 2 * grain, 4));
    EXPECT(n == host[0]);
    FAILS(cuMemAddressFree(range, 4 * grain), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemUnmap(range, grain));
    OK(cuMemUnmap(range + 2 * grain, grain));
    OK(cuMemRelease(two));
    OK(cuMemAddressFree(range, 4 * grain));
}

static void CUDA_CB called(void *flag) { *(int *)flag = 1; }

static void streams(void) {
    CUstream one, two;
    CUevent event;
    CUdeviceptr data;
    CUmemoryPool pool;
    int flag = 0, n = N, host[N];
    OK(cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&two, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    OK(cuDeviceGetDefaultMemPool(&pool, 0));
    OK(cuMemAllocFromPoolAsync(&data, sizeof host, pool, one));
    OK(cuMemsetD32Async(data, 4, N, one));
    void *arguments[] = {&data, &n};
    OK(cuLaunchKernel(scale, 2, 1, 1, N / 2, 1, 1, 0, one, arguments, NULL));
    OK(cuEventRecord(event, one));
    OK(cuEventSynchronize(event));
    // Copies and fills alone are done by the time that a program asks: CUDA_ERROR_NOT_READY stays behind in the runtime.
    OK(cuMemsetD32Async(data + 4, 4, 1, one));
    OK(cuEventRecord(event, one));
    OK(cuEventQuery(event));
    OK(cuStreamQuery(one));
    OK(cuStreamWaitEvent(two, event, 0));
    OK(cuMemcpyDtoHAsync(host, data, sizeof host, two));
    OK(cuLaunchHostFunc(two, called, &flag));
    OK(cuStreamSynchronize(two));
    EXPECT(flag == 1 && host[5] == host[6]);
    OK(cuMemFreeAsync(data, two));
    OK(cuStreamSynchronize(two));
    CUcontext context, current;
    OK(cuStreamGetCtx(one, &context));
    OK(cuCtxGetCurrent(&current));
    EXPECT(context == current);
    OK(cuStreamDestroy(one));
    OK(cuEventDestroy(event));
}

static void graphs(void) {
    CUgraph graph;
    CUgraphExec instance;
    CUgraphNode fill, kernel;
    CUdeviceptr data;
    int n = N, host[N];
    OK(cuMemAlloc(&data, sizeof host));
    OK(cuGraphCreate(&graph, 0));
    CUcontext context;
    OK(cuCtxGetCurrent(&context));
    CUDA_MEMSET_NODE_PARAMS filled = {.dst = data, .value = 5, .elementSize = 4, .width = N, .height = 1};
    OK(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &filled, context));
    void *arguments[] = {&data, &n};
    CUDA_KERNEL_NODE_PARAMS launch = {scale, 2, 1, 1, N / 2, 1, 1, 0, arguments, NULL};
    OK(cuGraphAddKernelNode(&kernel, graph, &fill, 1, &launch));
    OK(cuGraphInstantiate(&instance, graph, 0));
    OK(cuGraphLaunch(instance, NULL));
    OK(cuMemcpyDtoH(host, data, sizeof host));
    EXPECT(host[9] == host[0] && host[0] % 5 == 0 && host[0] > 5);
    CUstream stream;
    OK(cuStreamCreate(&stream, 0));
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemsetD32Async(data, 1, N, stream));
    OK(cuLaunchKernel(scale, 2, 1, 1, N / 2, 1, 1, 0, stream, arguments, NULL));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphInstantiate(&instance, graph, 0));
    OK(cuGraphLaunch(instance, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(host, data, sizeof host));
    EXPECT(host[9] == host[0] && host[0] > 1);
    OK(cuMemFree(data));
}

static void libraries(void) {
    CUlibrary library;
    CUkernel kernel, again;
    CUlinkState linker;
    void *image;
    size_t bytes;
    unsigned count;
    int value;
    OK(cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&kernel, library, "reverse"));
    OK(cuLibraryGetKernel(&again, library, "reverse"));
    OK(cuLibraryGetKernelCount(&count, library));
    EXPECT(kernel == again && count == 3);
    OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0));
    const char *name;
    OK(cuKernelGetName(&name, kernel));
    EXPECT(!strcmp(name, "reverse"));
    OK(cuLibraryUnload(library));
    FAILS(cuLibraryGetKernel(&kernel, library, "reverse"), CUDA_ERROR_INVALID_HANDLE);
    OK(cuLinkCreate(0, NULL, NULL, &linker));
    OK(cuLinkAddData(linker, CU_JIT_INPUT_PTX, text, strlen(text) + 1, "a", 0, NULL, NULL));
    OK(cuLinkComplete(linker, &image, &bytes));
    CUmodule linked;
    CUfunction function;
    OK(cuModuleLoadData(&linked, image));
    OK(cuLinkDestroy(linker));
    OK(cuModuleGetFunction(&function, linked, "scale"));
    OK(cuModuleUnload(linked));
    FAILS(cuModuleLoadData(&linked, "no image at all"), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

int main(int argc, char **argv) {
    EXPECT(argc == 3);
    start();
    load(argv[1]);
    if (!strcmp(argv[2], "race")) {
        CUdeviceptr data;
        OK(cuMemAlloc(&data, 4 * N));
        OK(cuMemsetD8(data, 0, 4 * N));
        void *arguments[] = {&data};
        OK(cuLaunchKernel(unordered, 1, 1, 1, N, 1, 1, 0, NULL, arguments, NULL));
        OK(cuCtxSynchronize());
        return 0;
    }
    if (!strcmp(argv[2], "refused")) {
        CUgreenCtx context;
        FAILS(cuGreenCtxCreate(&context, NULL, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
        return 0;
    }
    entry_points();
    launches();
    memory();
    mapped();
    streams();
    graphs();
    libraries();
    puts("right");
    return 0;
}
