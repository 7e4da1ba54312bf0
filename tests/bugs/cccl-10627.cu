// NVIDIA/cccl #10627: a block counts itself as finished while some of its threads still merge their histogram.
#include "support/bug.h"

template <bool fixed> __global__ void top_k(const unsigned* keys, unsigned* histogram, unsigned* finished, unsigned* first) {
    __shared__ bool last;
    atomicAdd(&histogram[keys[blockIdx.x * 64 + threadIdx.x] % 16], 1u); //~ RACE(1)
    if (fixed) {
        __threadfence();
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(finished, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x < 16) first[threadIdx.x] = histogram[threadIdx.x]; //~ RACE(1)
}

template <bool fixed> void run() {
    top_k<fixed><<<2, 64>>>(zeros<unsigned>(128), zeros<unsigned>(16), zeros<unsigned>(1), zeros<unsigned>(16));
    finish();
}
