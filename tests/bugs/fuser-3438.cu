// NVIDIA/Fuser #3438: one row of threads copies asynchronously; the barrier that follows does not wait for its copies.
//@ class: async-copy
#include "support/bug.h"

template <bool fixed> __global__ void outer_product(const float* in, float* out) {
    __shared__ alignas(16) float column[32];
    if (threadIdx.y == 0) {
        const unsigned to = unsigned(__cvta_generic_to_shared(&column[threadIdx.x]));
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory"); //~ RACE(1)
        if (fixed) asm volatile("cp.async.wait_all;" ::: "memory");
    }
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = column[threadIdx.x]; //~ RACE(1)
}

template <bool fixed> void run() {
    outer_product<fixed><<<1, dim3(32, 4)>>>(zeros<float>(32), zeros<float>(128));
    finish();
}
