// arrayfire/arrayfire #633: the last step of a reduction reads what other warps store in the step before it.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void reduce_first(const int* in, int* out) {
    __shared__ int part[128];
    const int t = threadIdx.x;
    part[t] = in[t];
    __syncthreads();
    if (t < 64) part[t] += part[t + 64]; //~ RACE(1)
    if (fixed) __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int i = 0; i < 64; ++i) sum += part[i]; //~ RACE(1)
        *out = sum;
    }
}

template <bool fixed> void run() {
    reduce_first<fixed><<<1, 128>>>(zeros<int>(128), zeros<int>(1));
    finish();
}
