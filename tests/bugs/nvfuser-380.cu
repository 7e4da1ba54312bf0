// csarofeen/pytorch #380: generated code fills a tile at the head of a loop without a barrier at its end.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void fused(const float* a, float* out, int tiles) {
    __shared__ float tile[96];
    float sum = 0;
    for (int i = 0; i < tiles; ++i) {
        tile[threadIdx.x] = a[i * 96 + threadIdx.x]; //~ RACE(1)
        __syncthreads();
        sum += tile[95 - threadIdx.x]; //~ RACE(1)
        if (fixed) __syncthreads();
    }
    out[threadIdx.x] = sum;
}

template <bool fixed> void run() {
    fused<fixed><<<1, 96>>>(zeros<float>(288), zeros<float>(96), 3);
    finish();
}
