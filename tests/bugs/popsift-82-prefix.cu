// alicevision/popsift #82: the running total of a prefix sum is raised while other warps still read it.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void prefix(const int* in, int* out, int rounds) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int r = 0; r < rounds; ++r) {
        const int i = r * 64 + threadIdx.x;
        out[i] = total + in[i]; //~ RACE(1)
        if (fixed) __syncthreads();
        if (threadIdx.x == 63) total = out[i]; //~ RACE(1)
        __syncthreads();
    }
}

template <bool fixed> void run() {
    prefix<fixed><<<1, 64>>>(zeros<int>(256), zeros<int>(256), 4);
    finish();
}
