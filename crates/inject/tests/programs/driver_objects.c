// Functions of the driver's API for contexts, devices, modules, kernels and memory: each is called, and its results are checked.
// argv[1] is a file with PTX of driver_kernels.cu, argv[2] a fatbin of the same.
#include "driver.h"

enum { N = 256 };
static char text[1 << 16];

// Earlier forms, which `cuda.h` of CUDA 13 does not declare.
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *parameters, int count, unsigned flags, CUdevice device);
CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context);
CUresult cuCtxSynchronize_v2(CUcontext context);
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *green);

static void devices(void) {
    CUuuid one, two;
    CUdevprop properties;
    CUmoduleLoadingMode mode;
    size_t bytes, available, total;
    int major, minor, supported;
    const char *words;
    OK(cuDeviceGetUuid_v2(&one, 0));
    OK(cuDeviceGetUuid_v2(&two, 1));
    EXPECT(memcmp(&one, &two, sizeof one));
    OK(cuDeviceTotalMem_v2(&bytes, 0));
    OK(cuMemGetInfo_v2(&available, &total));
    EXPECT(bytes == total && available <= total);
    OK(cuDeviceComputeCapability(&major, &minor, 1));
    EXPECT(major == 9 && minor == 0);
    OK(cuDeviceGetProperties(&properties, 0));
    EXPECT(properties.maxThreadsPerBlock == 1024 && properties.SIMDWidth == 32 && properties.maxThreadsDim[2] == 64);
    OK(cuDeviceGetExecAffinitySupport(&supported, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
    EXPECT(supported == 0);
    FAILS(cuDeviceGetProperties(&properties, 2), CUDA_ERROR_INVALID_DEVICE);
    OK(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &words));
    EXPECT(!strcmp(words, "invalid argument"));
    FAILS(cuGetErrorString(12345, &words), CUDA_ERROR_INVALID_VALUE);
    EXPECT(!words);
    OK(cuModuleGetLoadingMode(&mode));
    EXPECT(mode == CU_MODULE_LAZY_LOADING);
}

static void primary(void) {
    CUcontext context;
    unsigned flags;
    int active;
    OK(cuDevicePrimaryCtxSetFlags_v2(1, CU_CTX_SCHED_BLOCKING_SYNC));
    OK(cuDevicePrimaryCtxGetState(1, &flags, &active));
    EXPECT(flags == CU_CTX_SCHED_BLOCKING_SYNC && !active);
    OK(cuDevicePrimaryCtxRetain(&context, 1));
    OK(cuDevicePrimaryCtxGetState(1, &flags, &active));
    EXPECT(flags == CU_CTX_SCHED_BLOCKING_SYNC && active);
    OK(cuDevicePrimaryCtxRelease_v2(1));
    FAILS(cuDevicePrimaryCtxRelease_v2(1), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxReset_v2(1));
    OK(cuDevicePrimaryCtxGetState(1, &flags, &active));
    EXPECT(!active);
}

static void contexts(CUcontext own) {
    CUcontext one, two, current;
    CUdevice device;
    unsigned version, flags;
    unsigned long long first, second;
    OK(cuCtxCreate_v2(&one, CU_CTX_SCHED_YIELD, 0));
    OK(cuCtxCreate_v3(&two, NULL, 0, 0, 1));
    OK(cuCtxGetDevice(&device));
    EXPECT(device == 1);
    OK(cuCtxGetDevice_v2(&device, one));
    EXPECT(device == 0);
    OK(cuCtxGetId(one, &first));
    OK(cuCtxGetId(NULL, &second));
    EXPECT(first != second);
    OK(cuCtxGetApiVersion(one, &version));
    EXPECT(version >= 3010);
    OK(cuCtxEnablePeerAccess(one, 0));
    FAILS(cuCtxEnablePeerAccess(one, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    FAILS(cuCtxEnablePeerAccess(one, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxDisablePeerAccess(one));
    FAILS(cuCtxDisablePeerAccess(one), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    OK(cuCtxSynchronize_v2(one));
    OK(cuCtxDestroy_v2(two));
    FAILS(cuCtxDestroy_v2(two), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    OK(cuCtxGetCurrent(&current));
    EXPECT(current == one);
    OK(cuCtxGetFlags(&flags));
    EXPECT(flags & CU_CTX_SCHED_YIELD);
    OK(cuCtxPushCurrent_v2(own));
    OK(cuCtxSetFlags(CU_CTX_SCHED_SPIN));
    OK(cuCtxGetFlags(&flags));
    EXPECT(flags & CU_CTX_SCHED_SPIN);
    OK(cuCtxPopCurrent_v2(&current));
    EXPECT(current == own);
    OK(cuCtxDestroy_v2(one));
    OK(cuCtxGetCurrent(&current));
    EXPECT(current == own);
    FAILS(cuCtxPushCurrent_v2(one), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

// Runs `scale` of a module on one number.
static int scaled(CUfunction scale) {
    int value = 5, n = 1;
    CUdeviceptr data;
    void *arguments[] = {&data, &n};
    OK(cuMemAlloc_v2(&data, 4));
    OK(cuMemcpyHtoD_v2(data, &value, 4));
    OK(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    OK(cuMemcpyDtoH_v2(&value, data, 4));
    OK(cuMemFree_v2(data));
    return value;
}

static void modules(const char *ptx, const char *fatbin) {
    CUmodule modules[4], owner;
    CUfunction functions[8], found;
    CUfunctionLoadingState state;
    char log[64] = "before";
    CUjit_option names[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    unsigned count;
    FILE *file = fopen(fatbin, "rb");
    static char image[1 << 20];
    EXPECT(file && fread(image, 1, sizeof image, file) > 0);
    fclose(file);
    OK(cuModuleLoad(&modules[0], ptx));
    OK(cuModuleLoad(&modules[1], fatbin));
    OK(cuModuleLoadDataEx(&modules[2], text, 2, names, values));
    OK(cuModuleLoadFatBinary(&modules[3], image));
    EXPECT(!*log && !values[1]);
    FAILS(cuModuleLoad(&owner, "no such file"), CUDA_ERROR_FILE_NOT_FOUND);
    for (int i = 0; i < 4; i++) {
        OK(cuModuleGetFunctionCount(&count, modules[i]));
        EXPECT(count == 3);
        OK(cuModuleEnumerateFunctions(functions, 3, modules[i]));
        OK(cuModuleGetFunction(&found, modules[i], "scale"));
        EXPECT(found == functions[0] || found == functions[1] || found == functions[2]);
        OK(cuFuncGetModule(&owner, found));
        EXPECT(owner == modules[i]);
        OK(cuFuncLoad(found));
        OK(cuFuncIsLoaded(&state, found));
        EXPECT(state == CU_FUNCTION_LOADING_STATE_LOADED);
        EXPECT(scaled(found) == 15);
        OK(cuModuleUnload(modules[i]));
    }
}

static void kernels(const char *fatbin) {
    CUlibrary library, owner;
    CUkernel all[3], kernel;
    CUfunction function;
    CUmodule module;
    CUdeviceptr factor;
    size_t bytes;
    int value, blocks, threads;
    OK(cuLibraryLoadFromFile(&library, fatbin, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetModule(&module, library));
    OK(cuModuleGetFunction(&function, module, "scale"));
    OK(cuLibraryEnumerateKernels(all, 3, library));
    OK(cuLibraryGetKernel(&kernel, library, "reverse"));
    EXPECT(kernel == all[0] || kernel == all[1] || kernel == all[2]);
    OK(cuKernelGetLibrary(&owner, kernel));
    EXPECT(owner == library);
    OK(cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 0));
    OK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536, kernel, 0));
    OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel, 0));
    EXPECT(value == 65536);
    FAILS(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 1, kernel, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuKernelGetFunction(&function, kernel));
    OK(cuOccupancyMaxPotentialBlockSizeWithFlags(&blocks, &threads, function, NULL, 0, 128, 0));
    EXPECT(threads == 128 && blocks > 0);
    OK(cuLibraryGetGlobal(&factor, &bytes, library, "factor"));
    EXPECT(factor && bytes == 4);
    FAILS(cuLibraryGetManaged(&factor, &bytes, library, "factor"), CUDA_ERROR_NOT_FOUND);
    OK(cuLibraryGetManaged(&factor, &bytes, library, "shared_with_host"));
    EXPECT(*(int *)factor == 11 && bytes == 4);
    OK(cuLibraryUnload(library));
}

static void linked(CUjitInputType kind, const char *file) {
    CUlinkState linker;
    CUmodule module;
    CUfunction scale;
    void *image;
    size_t bytes;
    OK(cuLinkCreate(0, NULL, NULL, &linker));
    OK(cuLinkAddFile_v2(linker, kind, file, 0, NULL, NULL));
    FAILS(cuLinkAddFile_v2(linker, kind, "no such file", 0, NULL, NULL), CUDA_ERROR_FILE_NOT_FOUND);
    OK(cuLinkComplete(linker, &image, &bytes));
    OK(cuModuleLoadData(&module, image));
    OK(cuLinkDestroy(linker));
    OK(cuModuleGetFunction(&scale, module, "scale"));
    EXPECT(scaled(scale) == 15);
}

static void pointers(CUcontext own) {
    CUdeviceptr data, base, device;
    size_t bytes;
    CUmemorytype kind;
    unsigned synchronous = 1;
    OK(cuMemAlloc_v2(&data, 1000));
    OK(cuMemGetAddressRange_v2(&base, &bytes, data + 500));
    EXPECT(base == data && bytes == 1000);
    FAILS(cuMemGetAddressRange_v2(&base, &bytes, 8), CUDA_ERROR_NOT_FOUND);
    CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_POINTER};
    void *values[] = {&kind, &device};
    OK(cuPointerGetAttributes(2, names, values, data + 4));
    EXPECT(kind == CU_MEMORYTYPE_DEVICE && device == data + 4);
    OK(cuPointerGetAttributes(2, names, values, 8));
    EXPECT(kind == 0 && device == 0);
    OK(cuPointerSetAttribute(&synchronous, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, data));
    FAILS(cuPointerSetAttribute(&synchronous, CU_POINTER_ATTRIBUTE_CONTEXT, data), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree_v2(data));
    CUstream stream;
    CUcontext context;
    CUgreenCtx green = (CUgreenCtx)1;
    OK(cuStreamCreate(&stream, 0));
    OK(cuStreamGetCtx_v2(stream, &context, &green));
    EXPECT(context == own && !green);
}

static void physical(void) {
    CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 1}};
    CUmemLocation place = {CU_MEM_LOCATION_TYPE_DEVICE, 1};
    CUmemAccessDesc access = {place, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemAllocationProp found = {0};
    CUmemGenericAllocationHandle handle, again;
    unsigned long long flags;
    CUdeviceptr range;
    size_t grain;
    OK(cuMemGetAllocationGranularity(&grain, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    OK(cuMemAddressReserve(&range, grain, 0, 0, 0));
    OK(cuMemCreate(&handle, grain, &properties, 0));
    OK(cuMemMap(range, grain, 0, handle, 0));
    OK(cuMemSetAccess(range, grain, &access, 1));
    OK(cuMemGetAccess(&flags, &place, range));
    EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    place.id = 0;
    OK(cuMemGetAccess(&flags, &place, range));
    EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
    OK(cuMemRetainAllocationHandle(&again, (void *)(range + 64)));
    EXPECT(again == handle);
    OK(cuMemGetAllocationPropertiesFromHandle(&found, again));
    EXPECT(found.location.id == 1 && found.type == CU_MEM_ALLOCATION_TYPE_PINNED);
    OK(cuMemRelease(again));
    OK(cuMemUnmap(range, grain));
    OK(cuMemRelease(handle));
    OK(cuMemAddressFree(range, grain));
}

int main(int argc, char **argv) {
    CUcontext own;
    EXPECT(argc == 4);
    FILE *file = fopen(argv[1], "r");
    EXPECT(file && fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    OK(cuInit(0));
    primary();
    OK(cuDevicePrimaryCtxRetain(&own, 0));
    OK(cuCtxSetCurrent(own));
    devices();
    contexts(own);
    modules(argv[1], argv[2]);
    kernels(argv[2]);
    linked(CU_JIT_INPUT_PTX, argv[1]);
    linked(CU_JIT_INPUT_LIBRARY, argv[3]);
    pointers(own);
    physical();
    puts("right");
    return 0;
}
