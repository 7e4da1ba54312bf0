// NVIDIA/cuml #6578: the block's row is overwritten for the next column while its first thread still adds it up.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void gemv(const float* matrix, float* out, int rows, int columns) {
    __shared__ float row[64];
    for (int r = 0; r < rows; ++r) {
        row[threadIdx.x] = matrix[r * columns + threadIdx.x]; //~ RACE(1)
        __syncthreads();
        if (threadIdx.x == 0) {
            float sum = 0;
            for (int i = 0; i < columns; ++i) sum += row[i]; //~ RACE(1)
            out[r] = sum;
        }
        if (fixed) __syncthreads();
    }
}

template <bool fixed> void run() {
    gemv<fixed><<<1, 64>>>(zeros<float>(256), zeros<float>(4), 4, 64);
    finish();
}
