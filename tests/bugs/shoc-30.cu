// vetter/shoc #30: all threads read a scan's seed that the last one of them replaces.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void top_scan(const int* blocks, int* out, int digits) {
    __shared__ int seed;
    if (threadIdx.x == 0) seed = 0;
    __syncthreads();
    for (int d = 0; d < digits; ++d) {
        const int value = blocks[d * 64 + threadIdx.x];
        out[d * 64 + threadIdx.x] = value + seed; //~ RACE(1)
        if (fixed) __syncthreads();
        if (threadIdx.x == 63) seed = value; //~ RACE(1)
        __syncthreads();
    }
}

template <bool fixed> void run() {
    top_scan<fixed><<<1, 64>>>(zeros<int>(128), zeros<int>(128), 2);
    finish();
}
