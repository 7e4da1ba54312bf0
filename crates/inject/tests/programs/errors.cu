// The error state as CUDA keeps it.
#include "check.h"

__global__ void store(int *p, int at) { p[at] = 1; }
__global__ void big() { __shared__ char all[1024]; all[threadIdx.x] = 0; }

int main() {
    int count = 0, *p;
    OK(cudaGetDeviceCount(&count));
    EXPECT(count == 1);
    FAILS(cudaSetDevice(1), cudaErrorInvalidDevice);
    // Remembered until asked for, once.
    FAILS(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    FAILS(cudaGetLastError(), cudaErrorInvalidDevice);
    OK(cudaGetLastError());
    // A success does not clear it.
    FAILS(cudaFree((void *)0x1234), cudaErrorInvalidValue);
    OK(cudaMalloc(&p, 64));
    FAILS(cudaGetLastError(), cudaErrorInvalidValue);
    FAILS(cudaMalloc(&p, size_t(1) << 50), cudaErrorMemoryAllocation);
    cudaGetLastError();
    OK(cudaMalloc(&p, 64));
    // Launches that are refused.
    store<<<1, 2048>>>(p, 0);
    FAILS(cudaGetLastError(), cudaErrorInvalidConfiguration);
    store<<<0, 1>>>(p, 0);
    FAILS(cudaGetLastError(), cudaErrorInvalidConfiguration);
    big<<<1, 32, 64 << 10>>>();
    FAILS(cudaGetLastError(), cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
    big<<<1, 32, 64 << 10>>>();
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    // Copies.
    int h[16] = {};
    FAILS(cudaMemcpy(p, h, 65, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(h, p, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(h, p, 4, (cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
    cudaGetLastError();
    EXPECT(std::strcmp(cudaGetErrorName(cudaErrorNotReady), "cudaErrorNotReady") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
    // A fault is seen at the next synchronisation and stays.
    store<<<1, 1>>>(p, 1 << 16);
    OK(cudaGetLastError());
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    FAILS(cudaGetLastError(), cudaErrorIllegalAddress);
    FAILS(cudaGetLastError(), cudaErrorIllegalAddress);
    FAILS(cudaMalloc(&p, 64), cudaErrorIllegalAddress);
    store<<<1, 1>>>(p, 0);
    FAILS(cudaGetLastError(), cudaErrorIllegalAddress);
    std::puts("ok");
}
