// torch/cutorch #739: the last warp of a block-wide reduction goes on without synchronising its lanes.
//@ class: divergent-warp
#include "support/bug.h"

template <bool fixed> __global__ void reduce(const float* in, float* out) {
    __shared__ float part[64];
    const int t = threadIdx.x;
    part[t] = in[t];
    __syncthreads();
    for (int width = 32; width; width /= 2) {
        if (t < width) {
            const float other = part[t + width]; //~ RACE(1)
            part[t] += other; //~ RACE(1)
        }
        if (fixed) __syncthreads();
    }
    if (t == 0) *out = part[0];
}

template <bool fixed> void run() {
    reduce<fixed><<<1, 64>>>(zeros<float>(64), zeros<float>(1));
    finish();
}
