// NVIDIA/Fuser #678: warps without work reset the reduction's word before a working warp has read the result.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void reduce_rows(const float* in, float* out, int rows) {
    __shared__ float result;
    for (int row = 0; row < rows; ++row) {
        if (threadIdx.x == 63) result = 0; //~ RACE(1)
        __syncthreads();
        if (threadIdx.x < 4) atomicAdd(&result, in[row * 4 + threadIdx.x]);
        __syncthreads();
        if (threadIdx.x == 0) out[row] = result; //~ RACE(1)
        if (fixed) __syncthreads();
    }
}

template <bool fixed> void run() {
    reduce_rows<fixed><<<1, 64>>>(zeros<float>(16), zeros<float>(4), 4);
    finish();
}
