// ggml-org/llama.cpp #13469: half of the warps meets at one more barrier than the rest, so that halves meet at different ones.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void combine(const float* in, float* out) {
    __shared__ float half[128];
    const int t = threadIdx.x;
    const bool upper = t >= 64;
    if (fixed || !upper) __syncthreads();
    if (!upper) half[t] = in[t] + 1; //~ RACE(1)
    __syncthreads();
    if (upper) out[t] = half[t - 64]; //~ RACE(1)
    if (!fixed && upper) __syncthreads();
}

template <bool fixed> void run() {
    combine<fixed><<<1, 128>>>(zeros<float>(128), zeros<float>(128));
    finish();
}
