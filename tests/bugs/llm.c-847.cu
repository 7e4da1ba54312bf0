// karpathy/llm.c #847: lanes of the first warp clear the sums that the leaders of other warps already store.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void softmax_backward(const float* gradient, float* out) {
    __shared__ float sums[32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 0) sums[lane] = 0; //~ RACE(1)
    if (fixed) __syncthreads();
    float local = gradient[threadIdx.x];
    for (int shift = 16; shift; shift /= 2) local += __shfl_xor_sync(~0u, local, shift);
    if (lane == 0 && warp > 0) sums[warp] = local; //~ RACE(1)
    __syncthreads();
    out[threadIdx.x] = sums[lane];
}

template <bool fixed> void run() {
    softmax_backward<fixed><<<1, 128>>>(zeros<float>(128), zeros<float>(128));
    finish();
}
