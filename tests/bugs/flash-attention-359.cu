// Dao-AILab/flash-attention #359: a gradient tile is stored over queries that other warps may still multiply.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void backward(const float* q, float* dq) {
    __shared__ float tile[128];
    const int t = threadIdx.x;
    tile[t] = q[t];
    __syncthreads();
    const float product = tile[t] * tile[127 - t]; //~ RACE(1)
    if (fixed) __syncthreads();
    tile[t] = product; //~ RACE(1)
    __syncthreads();
    dq[t] = tile[(t + 64) % 128];
}

template <bool fixed> void run() {
    backward<fixed><<<1, 128>>>(zeros<float>(128), zeros<float>(128));
    finish();
}
