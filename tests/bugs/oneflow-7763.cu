// Oneflow-Inc/oneflow #7763: a loss is zeroed by a call that takes no stream, and summed in a stream of its own.
//@ class: memcpy-async
#include "support/bug.h"

static __global__ void entropy(const float* x, float* y) {
    if (x[threadIdx.x] == 0) y[threadIdx.x] = 1.0f; //~ RACE(1)
}

template <bool fixed> void run() {
    float *x = zeros<float>(64), *y = zeros<float>(64);
    cudaStream_t stream = own_stream();
    if (fixed) CHECK(cudaMemsetAsync(y, 0, 256, stream));
    else CHECK(cudaMemset(y, 0, 256)); //~ RACE(1)
    entropy<<<1, 64, 0, stream>>>(x, y);
    finish();
}
