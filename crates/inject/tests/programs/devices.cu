// Two devices: memory of one is the other's only with peer access.
#include "check.h"

__device__ int mine;

__global__ void add(int *p) { *p += 1; }
__global__ void store(int value) { mine = value; }

int main() {
    int count, can, h = 40, got[2];
    OK(cudaGetDeviceCount(&count));
    EXPECT(count == 2);
    cudaDeviceProp properties;
    OK(cudaGetDeviceProperties(&properties, 1));
    EXPECT(properties.major == 9 && properties.warpSize == 32 && properties.maxThreadsPerBlock == 1024);
    EXPECT(properties.multiProcessorCount > 0 && properties.cooperativeLaunch && properties.concurrentKernels);
    int processors;
    OK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 1));
    EXPECT(processors == properties.multiProcessorCount);
    int *a, *b;
    OK(cudaMalloc(&a, 4));
    OK(cudaMemcpy(a, &h, 4, cudaMemcpyHostToDevice));
    OK(cudaSetDevice(1));
    OK(cudaMalloc(&b, 4));
    OK(cudaMemcpyPeer(b, 1, a, 0, 4));
    add<<<1, 1>>>(b);
    OK(cudaDeviceCanAccessPeer(&can, 1, 0));
    EXPECT(can);
    OK(cudaDeviceEnablePeerAccess(0, 0));
    FAILS(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessAlreadyEnabled);
    cudaGetLastError();
    add<<<1, 1>>>(a);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&got[0], a, 4, cudaMemcpyDefault));
    OK(cudaMemcpy(&got[1], b, 4, cudaMemcpyDefault));
    EXPECT(got[0] == 41 && got[1] == 41);
    // Each device has its own variables.
    store<<<1, 1>>>(1);
    OK(cudaSetDevice(0));
    store<<<1, 1>>>(2);
    OK(cudaMemcpyFromSymbol(&h, mine, 4));
    EXPECT(h == 2);
    OK(cudaSetDevice(1));
    OK(cudaMemcpyFromSymbol(&h, mine, 4));
    EXPECT(h == 1);
    // Without peer access the same store faults, on the device that made it only.
    OK(cudaSetDevice(0));
    add<<<1, 1>>>(b);
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaSetDevice(1));
    OK(cudaDeviceSynchronize());
    std::puts("ok");
}
