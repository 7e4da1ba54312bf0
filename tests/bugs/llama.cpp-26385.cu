// ggml-org/llama.cpp #26385: a maximum and a sum over the block are reduced through the same shared words, back to back.
//@ class: missing-barrier
#include "support/bug.h"

__device__ float exchange(float* words, float value) {
    if (threadIdx.x % 32 == 0) words[threadIdx.x / 32] = value; //~ RACE(1)
    __syncthreads();
    return words[threadIdx.x % 4]; //~ RACE(1)
}

template <bool fixed> __global__ void soft_max(const float* in, float* out) {
    __shared__ float words[2][4];
    const float largest = exchange(words[0], in[threadIdx.x]);
    out[threadIdx.x] = exchange(words[fixed ? 1 : 0], in[threadIdx.x] - largest);
}

template <bool fixed> void run() {
    soft_max<fixed><<<1, 128>>>(zeros<float>(128), zeros<float>(128));
    finish();
}
