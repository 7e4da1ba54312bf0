// ROCm/rocPRIM #89: a histogram reuses the memory of the sort before it, whose last reads nothing closes off.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void histogram(const unsigned* keys, unsigned* out) {
    __shared__ union { unsigned sorted[64], starts[64]; } storage;
    const int t = threadIdx.x;
    storage.sorted[63 - t] = keys[t];
    __syncthreads();
    const unsigned mine = storage.sorted[t]; //~ RACE(1)
    if (fixed) __syncthreads();
    storage.starts[63 - t] = 64; //~ RACE(1)
    __syncthreads();
    out[t] = mine + storage.starts[t];
}

template <bool fixed> void run() {
    histogram<fixed><<<1, 64>>>(zeros<unsigned>(64), zeros<unsigned>(64));
    finish();
}
