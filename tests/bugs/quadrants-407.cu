// Genesis-Embodied-AI/quadrants #407: memory is freed in the legacy stream while a kernel of a non-blocking one still uses it.
#include "support/bug.h"

static __global__ void simulate(int* x) {
    x[threadIdx.x] = threadIdx.x; //~ RACE(1)
}

template <bool fixed> void run() {
    int* x;
    CHECK(cudaMallocAsync(&x, 256, nullptr));
    CHECK(cudaDeviceSynchronize());
    cudaStream_t active = own_stream();
    simulate<<<1, 64, 0, active>>>(x);
    if (fixed) CHECK(cudaStreamSynchronize(active));
    CHECK(cudaFreeAsync(x, nullptr)); //~ RACE(1)
    finish();
}
