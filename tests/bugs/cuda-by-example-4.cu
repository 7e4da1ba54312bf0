// CodedK/CUDA-by-Example #4: blocks add their sums under a lock that is given back without a fence.
#include "support/bug.h"

template <bool fixed> __global__ void dot(const float* a, float* result, int* mutex) {
    float mine = a[blockIdx.x * 32 + threadIdx.x];
    for (int shift = 16; shift; shift /= 2) mine += __shfl_xor_sync(~0u, mine, shift);
    if (threadIdx.x == 0) {
        while (atomicCAS(mutex, 0, 1) != 0) {}
        __threadfence();
        *result += mine; //~ RACE(1) RACE(1) RACE(2) RACE(2)
        if (fixed) __threadfence();
        atomicExch(mutex, 0);
    }
}

template <bool fixed> void run() {
    dot<fixed><<<2, 32>>>(zeros<float>(64), zeros<float>(1), zeros<int>(1));
    finish();
}
