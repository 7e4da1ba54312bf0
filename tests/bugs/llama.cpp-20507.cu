// ggml-org/llama.cpp #20507: a copy through a tile starts to load the next matrix while slow warps still store the last one.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void transpose(const float* in, float* out, int matrices) {
    __shared__ float tile[16][17];
    for (int m = 0; m < matrices; ++m) {
        tile[threadIdx.y][threadIdx.x] = in[m * 256 + threadIdx.y * 16 + threadIdx.x]; //~ RACE(1)
        __syncthreads();
        out[m * 256 + threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; //~ RACE(1)
        if (fixed) __syncthreads();
    }
}

template <bool fixed> void run() {
    transpose<fixed><<<1, dim3(16, 16)>>>(zeros<float>(768), zeros<float>(768), 3);
    finish();
}
