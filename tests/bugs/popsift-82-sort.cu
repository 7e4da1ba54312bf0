// alicevision/popsift #82: one warp sorts values before the other has stored its half of them.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void sort_peaks(const float* peaks, float* best) {
    __shared__ float value[64];
    value[threadIdx.x] = peaks[threadIdx.x]; //~ RACE(1)
    if (fixed) __syncthreads();
    if (threadIdx.x < 32) {
        float mine = fmaxf(value[threadIdx.x], value[threadIdx.x + 32]); //~ RACE(1)
        for (int shift = 16; shift; shift /= 2) mine = fmaxf(mine, __shfl_xor_sync(~0u, mine, shift));
        if (threadIdx.x == 0) *best = mine;
    }
}

template <bool fixed> void run() {
    sort_peaks<fixed><<<1, 64>>>(zeros<float>(64), zeros<float>(1));
    finish();
}
