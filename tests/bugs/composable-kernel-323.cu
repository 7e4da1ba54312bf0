// ROCm/composable_kernel #323: block-wise reductions of one row after another write their buffer before the last is read.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void softmax_rows(const float* in, float* out, int rows) {
    __shared__ float work[128];
    for (int row = 0; row < rows; ++row) {
        work[threadIdx.x] = in[row * 128 + threadIdx.x]; //~ RACE(1)
        __syncthreads();
        float sum = 0;
        for (int i = threadIdx.x % 4; i < 128; i += 4) sum += work[i]; //~ RACE(1)
        out[row * 128 + threadIdx.x] = sum;
        if (fixed) __syncthreads();
    }
}

template <bool fixed> void run() {
    softmax_rows<fixed><<<1, 128>>>(zeros<float>(256), zeros<float>(256), 2);
    finish();
}
