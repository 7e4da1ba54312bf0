// alpaka-group/alpaka #850: a blocking copy in the legacy stream is taken to wait for kernels of non-blocking streams.
//@ class: memcpy-async
#include "support/bug.h"

template <bool fixed> __global__ void scale(float* x) {
    x[threadIdx.x] = 2.0f * threadIdx.x; //~ RACE(1)
}

template <bool fixed> void run() {
    float* x = zeros<float>(64);
    float host[64];
    cudaStream_t queue = own_stream();
    scale<fixed><<<1, 64, 0, queue>>>(x);
    if (fixed) CHECK(cudaStreamSynchronize(queue));
    CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost)); //~ RACE(1)
    finish();
}
