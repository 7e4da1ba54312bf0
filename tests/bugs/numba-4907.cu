// numba/numba #4907: threads add to a shared number in three steps, load, add and store, as if that were one.
#include "support/bug.h"

template <bool fixed> __global__ void add(int* out) {
    __shared__ int sum[1];
    if (threadIdx.x == 0) sum[0] = 0;
    __syncthreads();
    if (fixed) atomicAdd(&sum[0], 1);
    else sum[0] += 1; //~ RACE(1) RACE(1)
    __syncthreads();
    if (threadIdx.x == 0) *out = sum[0];
}

template <bool fixed> void run() {
    add<fixed><<<1, 64>>>(zeros<int>(1));
    finish();
}
