// ggml-org/llama.cpp #13438: attention warps publish their row maxima and read the others' without a barrier.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void row_max(const float* scores, float* out) {
    __shared__ float maxima[4];
    const int warp = threadIdx.y, lane = threadIdx.x;
    float mine = scores[warp * 32 + lane];
    for (int shift = 16; shift; shift /= 2) mine = fmaxf(mine, __shfl_xor_sync(~0u, mine, shift));
    if (lane == 0) maxima[warp] = mine; //~ RACE(1)
    if (fixed) __syncthreads();
    float all = maxima[lane % 4]; //~ RACE(1)
    for (int shift = 2; shift; shift /= 2) all = fmaxf(all, __shfl_xor_sync(~0u, all, shift));
    if (lane == 0) out[warp] = all;
}

template <bool fixed> void run() {
    row_max<fixed><<<1, dim3(32, 4)>>>(zeros<float>(128), zeros<float>(4));
    finish();
}
