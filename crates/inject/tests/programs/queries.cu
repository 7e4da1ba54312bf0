// What a program asks of devices, streams, kernels and pools, and settings that it reads back. Two devices.
#include "check.h"

__device__ int table[4];
__global__ void fill(int *p, double, char) { p[threadIdx.x] = threadIdx.x; }

void devices() {
    int count = 0, device = -1, value = -1, version = 0;
    OK(cudaGetDeviceCount(&count));
    EXPECT(count == 2);
    OK(cudaInitDevice(0, 0, 0));
    int both[2] = {0, 1};
    OK(cudaSetValidDevices(both, 2));
    cudaDeviceProp properties = {};
    OK(cudaGetDeviceProperties(&properties, 0));
    OK(cudaChooseDevice(&device, &properties));
    EXPECT(device == 0 || device == 1);
    OK(cudaSetDevice(1));
    OK(cudaGetDevice(&device));
    EXPECT(device == 1);
    OK(cudaSetDevice(0));
    FAILS(cudaSetDevice(2), cudaErrorInvalidDevice);
    cudaGetLastError();
    char name[32], other[32], small[4];
    OK(cudaDeviceGetPCIBusId(name, sizeof name, 0));
    OK(cudaDeviceGetPCIBusId(other, sizeof other, 1));
    EXPECT(std::strcmp(name, other) != 0);
    FAILS(cudaDeviceGetPCIBusId(small, sizeof small, 0), cudaErrorInvalidValue);
    OK(cudaDeviceGetByPCIBusId(&device, other));
    EXPECT(device == 1);
    OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1));
    EXPECT(value == 1);
    FAILS(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0), cudaErrorInvalidDevice);
    cudaGetLastError();
    OK(cudaRuntimeGetVersion(&version));
    EXPECT(version == CUDART_VERSION);
    OK(cudaDriverGetVersion(&version));
    EXPECT(version >= CUDART_VERSION);
    OK(cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                          cudaFlushGPUDirectRDMAWritesToOwner));
    OK(cudaCtxResetPersistingL2Cache());
}

void settings() {
    unsigned flags = 0;
    OK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    OK(cudaGetDeviceFlags(&flags));
    EXPECT((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleBlockingSync);
    cudaFuncCache cache;
    OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
    OK(cudaDeviceGetCacheConfig(&cache));
    EXPECT(cache == cudaFuncCachePreferShared);
    cudaSharedMemConfig banks;
    OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    OK(cudaDeviceGetSharedMemConfig(&banks));
    EXPECT(banks == cudaSharedMemBankSizeFourByte);
    size_t bytes = 0;
    OK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 16));
    OK(cudaDeviceGetLimit(&bytes, cudaLimitPrintfFifoSize));
    EXPECT(bytes == 1 << 16);
    FAILS(cudaDeviceGetLimit(&bytes, (cudaLimit)99), cudaErrorUnsupportedLimit);
    cudaGetLastError();
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    EXPECT(mode == cudaStreamCaptureModeGlobal);
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    EXPECT(mode == cudaStreamCaptureModeRelaxed);
}

void streams() {
    cudaStream_t s, t;
    int least, greatest, priority = 1, device = -1;
    unsigned long long a = 0, b = 0;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    OK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, greatest));
    OK(cudaStreamCreate(&t));
    OK(cudaStreamGetPriority(s, &priority));
    EXPECT(priority == greatest);
    OK(cudaStreamGetPriority(t, &priority));
    EXPECT(priority == 0);
    OK(cudaStreamGetDevice(s, &device));
    EXPECT(device == 0);
    OK(cudaStreamGetId(s, &a));
    OK(cudaStreamGetId(t, &b));
    EXPECT(a != b);
    cudaStreamAttrValue value = {};
    value.syncPolicy = cudaSyncPolicySpin;
    OK(cudaStreamSetAttribute(s, cudaStreamAttributeSynchronizationPolicy, &value));
    OK(cudaStreamCopyAttributes(t, s));
    cudaEvent_t event;
    OK(cudaEventCreate(&event));
    OK(cudaEventRecordWithFlags(event, s, cudaEventRecordDefault));
    FAILS(cudaEventRecordWithFlags(event, s, 7), cudaErrorInvalidValue);
    cudaGetLastError();
    OK(cudaEventSynchronize(event));
    OK(cudaEventDestroy(event));
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
}

void kernels() {
    const char *name = nullptr;
    OK(cudaFuncGetName(&name, (void *)fill));
    EXPECT(std::strstr(name, "fill") != nullptr);
    cudaFuncAttributes attributes = {};
    OK(cudaFuncGetAttributes(&attributes, fill));
    EXPECT(attributes.maxThreadsPerBlock == 1024 && attributes.sharedSizeBytes == 0 && attributes.numRegs > 0);
    size_t offset = 0, bytes = 0;
    OK(cudaFuncGetParamInfo((void *)fill, 1, &offset, &bytes));
    EXPECT(offset == 8 && bytes == 8);
    OK(cudaFuncGetParamInfo((void *)fill, 2, &offset, &bytes));
    EXPECT(offset == 16 && bytes == 1);
    FAILS(cudaFuncGetParamInfo((void *)fill, 3, &offset, &bytes), cudaErrorInvalidValue);
    cudaGetLastError();
    OK(cudaFuncSetCacheConfig((void *)fill, cudaFuncCachePreferL1));
    OK(cudaFuncSetSharedMemConfig((void *)fill, cudaSharedMemBankSizeFourByte));
    cudaFunction_t function = nullptr;
    OK(cudaGetFuncBySymbol(&function, (void *)fill));
    EXPECT(function != nullptr);
    int blocks = 0, flagged = 0, size = 0, clusters = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 256, 0));
    EXPECT(blocks >= 1 && blocks <= 8);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&flagged, fill, 256, 0, cudaOccupancyDefault));
    EXPECT(flagged == blocks);
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, fill, 2, 256));
    EXPECT(bytes > 0 && bytes <= 227 * 1024);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(16);
    config.blockDim = dim3(256);
    OK(cudaOccupancyMaxPotentialClusterSize(&size, fill, &config));
    EXPECT(size == 8);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {2, 1, 1};
    config.attrs = &attribute;
    config.numAttrs = 1;
    OK(cudaOccupancyMaxActiveClusters(&clusters, fill, &config));
    EXPECT(clusters > 0);
    // A launch without the compiler's stub, by the handle that the runtime gives for it.
    cudaKernel_t kernel = nullptr;
    OK(cudaGetKernel(&kernel, (void *)fill));
    int *p, got[4] = {};
    OK(cudaMalloc(&p, sizeof got));
    double d = 0;
    char c = 0;
    void *args[] = {&p, &d, &c};
    OK(cudaLaunchKernel((void *)kernel, dim3(1), dim3(4), args, 0, nullptr));
    OK(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got[0] == 0 && got[3] == 3);
    OK(cudaMemset(p, 0, sizeof got));
    config.numAttrs = 0;
    config.gridDim = dim3(1);
    config.blockDim = dim3(4);
    OK(cudaLaunchKernelExC(&config, (void *)fill, args));
    OK(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got[3] == 3);
    OK(cudaLaunchCooperativeKernel((void *)fill, dim3(1), dim3(4), args, 0, nullptr));
    OK(cudaDeviceSynchronize());
    OK(cudaFree(p));
}

void memory() {
    int *pinned, *managed;
    unsigned flags = 0;
    OK(cudaHostAlloc(&pinned, 64, cudaHostAllocWriteCombined));
    OK(cudaHostGetFlags(&flags, pinned));
    EXPECT((flags & cudaHostAllocWriteCombined) && (flags & cudaHostAllocMapped));
    FAILS(cudaHostGetFlags(&flags, &flags), cudaErrorInvalidValue);
    cudaGetLastError();
    OK(cudaMallocManaged(&managed, 64));
    cudaMemLocation here = {};
    here.type = cudaMemLocationTypeDevice;
    OK(cudaMemPrefetchAsync(managed, 64, here, 0, nullptr));
    OK(cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, here));
    FAILS(cudaMemAdvise(&flags, 4, cudaMemAdviseSetReadMostly, here), cudaErrorInvalidValue);
    cudaGetLastError();
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamAttachMemAsync(s, managed, 0, cudaMemAttachGlobal));
    OK(cudaStreamSynchronize(s));
    managed[0] = 1;
    OK(cudaFree(managed));
    OK(cudaFreeHost(pinned));
    OK(cudaMallocHost((void **)&pinned, 64));
    pinned[0] = 1;
    OK(cudaFreeHost(pinned));
    OK(cudaStreamDestroy(s));
}

void pools() {
    cudaMemPool_t initial, current, own;
    OK(cudaDeviceGetDefaultMemPool(&initial, 0));
    OK(cudaDeviceGetMemPool(&current, 0));
    EXPECT(initial == current);
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    OK(cudaMemPoolCreate(&own, &properties));
    unsigned long long keep = 1 << 20, got = 0;
    OK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &keep));
    OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &got));
    EXPECT(got == keep);
    cudaMemAccessDesc peer = {};
    peer.location.type = cudaMemLocationTypeDevice;
    peer.location.id = 1;
    peer.flags = cudaMemAccessFlagsProtReadWrite;
    OK(cudaMemPoolSetAccess(own, &peer, 1));
    cudaMemAccessFlags access;
    OK(cudaMemPoolGetAccess(&access, own, &peer.location));
    EXPECT(access == cudaMemAccessFlagsProtReadWrite);
    OK(cudaDeviceSetMemPool(0, own));
    OK(cudaDeviceGetMemPool(&current, 0));
    EXPECT(current == own);
    OK(cudaDeviceSetMemPool(0, initial));
    int *p, value = 0;
    OK(cudaMallocFromPoolAsync(&p, sizeof(int) * 4, own, nullptr));
    fill<<<1, 4>>>(p, 0, 0);
    OK(cudaMemcpy(&value, p + 3, sizeof value, cudaMemcpyDeviceToHost));
    EXPECT(value == 3);
    // Access for a peer holds for what the pool hands out later, too.
    OK(cudaSetDevice(1));
    fill<<<1, 4>>>(p, 0, 0);
    OK(cudaDeviceSynchronize());
    OK(cudaSetDevice(0));
    peer.flags = cudaMemAccessFlagsProtNone;
    OK(cudaMemPoolSetAccess(own, &peer, 1));
    OK(cudaMemPoolGetAccess(&access, own, &peer.location));
    EXPECT(access == cudaMemAccessFlagsProtNone);
    OK(cudaFreeAsync(p, nullptr));
    OK(cudaStreamSynchronize(nullptr));
    OK(cudaMemPoolTrimTo(own, 0));
    OK(cudaMemPoolDestroy(own));
    unsigned long long used = 1;
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    EXPECT(used == 0);
    used = 0;
    OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &used));
    OK(cudaDeviceGraphMemTrim(0));
}

void entries() {
    void *address = &address;
    cudaDriverEntryPointQueryResult status;
    OK(cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &address, 12000, cudaEnableDefault, &status));
    EXPECT(address == nullptr && status == cudaDriverEntryPointSymbolNotFound);
    address = &address;
    OK(cudaGetDriverEntryPoint("cuNoSuchFunction", &address, cudaEnableDefault, &status));
    EXPECT(address == nullptr && status == cudaDriverEntryPointSymbolNotFound);
}

int main() {
    devices();
    settings();
    streams();
    kernels();
    memory();
    pools();
    entries();
    int can = 0;
    OK(cudaDeviceEnablePeerAccess(1, 0));
    OK(cudaDeviceDisablePeerAccess(1));
    FAILS(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    EXPECT(can);
    int *p, value;
    OK(cudaMalloc(&p, 4));
    OK(cudaDeviceReset());
    FAILS(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    std::puts("ok");
}
