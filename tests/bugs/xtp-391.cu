// votca/xtp #391: the host reads a product while its asynchronous copy to pinned memory may still be under way.
//@ class: memcpy-async
#include "support/bug.h"

template <bool fixed> __global__ void multiply(float* c) {
    c[threadIdx.x] = threadIdx.x;
}

template <bool fixed> void run() {
    float *c = zeros<float>(64), *result = pinned<float>(64);
    cudaStream_t stream = own_stream();
    multiply<fixed><<<1, 64, 0, stream>>>(c);
    CHECK(cudaMemcpyAsync(result, c, 64 * sizeof(float), cudaMemcpyDeviceToHost, stream)); //~ RACE(1)
    if (fixed) CHECK(cudaStreamSynchronize(stream));
    std::printf("%g\n", result[63]); //~ RACE(1)
    finish();
}
