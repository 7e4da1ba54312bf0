// kokkos/kokkos #8648: a fence of the block stands where a barrier is needed: a fence alone orders no two threads.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void scan_range(const int* in, int* out) {
    __shared__ int total;
    if (threadIdx.x == 64) total = in[64]; //~ RACE(1)
    if (fixed) __syncthreads();
    else __threadfence_block();
    out[threadIdx.x] = in[threadIdx.x] + total; //~ RACE(1)
}

template <bool fixed> void run() {
    scan_range<fixed><<<1, 96>>>(zeros<int>(96), zeros<int>(96));
    finish();
}
