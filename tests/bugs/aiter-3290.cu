// ROCm/aiter #3290: a GPU signals that its output is ready without a system-wide fence between.
//@ run: --devices 2
//@ fixed: inconclusive
#include "support/bug.h"

template <bool fixed> __global__ void produce(float* data, int* ready) {
    data[threadIdx.x] = threadIdx.x; //~ RACE(1)
    if (fixed) __threadfence_system();
    __syncwarp();
    if (threadIdx.x == 0) {
        if (fixed) __threadfence_system();
        *(volatile int*)ready = 1;
    }
}

static __global__ void reduce_peer(const float* data, const int* ready, float* out) {
    if (threadIdx.x == 0)
        while (*(volatile const int*)ready == 0) {}
    __syncwarp();
    __threadfence_system();
    out[threadIdx.x] = data[threadIdx.x]; //~ RACE(1)
}

template <bool fixed> void run() {
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceEnablePeerAccess(0, 0));
    float* out = zeros<float>(32);
    CHECK(cudaSetDevice(0));
    float* data = zeros<float>(32);
    int* ready = zeros<int>(1);
    produce<fixed><<<1, 32>>>(data, ready);
    CHECK(cudaSetDevice(1));
    reduce_peer<<<1, 32>>>(data, ready, out);
    finish();
    CHECK(cudaSetDevice(0));
    finish();
}
