// gunrock/gunrock #845: a cooperative scan reads its neighbours' sums and stores its own in one step.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void scan(const int* in, int* out) {
    __shared__ int sums[64];
    const int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    const int before = t >= 32 ? sums[t - 32] : 0; //~ RACE(1)
    if (fixed) __syncthreads();
    sums[t] += before; //~ RACE(1)
    __syncthreads();
    out[t] = sums[t];
}

template <bool fixed> void run() {
    scan<fixed><<<1, 64>>>(zeros<int>(64), zeros<int>(64));
    finish();
}
