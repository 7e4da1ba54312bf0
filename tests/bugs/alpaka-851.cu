// alpaka-group/alpaka #851: a memset in the legacy stream returns before it is done; a non-blocking stream uses the memory.
//@ class: memcpy-async
#include "support/bug.h"

template <bool fixed> __global__ void accumulate(float* x) {
    x[threadIdx.x] += 1.0f; //~ RACE(1) RACE(2)
}

template <bool fixed> void run() {
    float* x = zeros<float>(64);
    cudaStream_t queue = own_stream();
    CHECK(cudaMemset(x, 0, 64 * sizeof(float))); //~ RACE(1) RACE(2)
    if (fixed) CHECK(cudaDeviceSynchronize());
    accumulate<fixed><<<1, 64, 0, queue>>>(x);
    finish();
}
