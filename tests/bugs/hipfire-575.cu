// warpfront/hipfire #575: a second use of a block's scratch memory begins while the first one's sums are still being read.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void prepare(const float* q, float* out) {
    __shared__ float scratch[2];
    const int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) scratch[warp] = q[warp];
    __syncthreads();
    const float norm = scratch[0] + scratch[1]; //~ RACE(1)
    if (fixed) __syncthreads();
    if (threadIdx.x % 32 == 1) scratch[warp] = q[2 + warp]; //~ RACE(1)
    __syncthreads();
    out[threadIdx.x] = norm + scratch[0];
}

template <bool fixed> void run() {
    prepare<fixed><<<1, 64>>>(zeros<float>(4), zeros<float>(64));
    finish();
}
