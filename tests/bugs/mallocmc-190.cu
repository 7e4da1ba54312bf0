// alpaka-group/mallocMC #190: the count of waiting threads is not cleared before they count themselves.
//@ class: weak-vs-atomic missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void scatter(int* out) {
    __shared__ int waiting;
    if (threadIdx.x == 0) waiting = 0; //~ RACE(1)
    if (fixed) __syncthreads();
    if (threadIdx.x % 32 == 1) atomicAdd(&waiting, 1); //~ RACE(1)
    __syncthreads();
    if (threadIdx.x == 0) *out = waiting;
}

template <bool fixed> void run() {
    scatter<fixed><<<1, 64>>>(zeros<int>(1));
    finish();
}
