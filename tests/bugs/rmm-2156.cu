// rapidsai/rmm #2156: memory of a stream's pool is used in another stream before the allocation has happened.
#include "support/bug.h"

static __global__ void touch(int* x) {
    x[threadIdx.x] = 1; //~ RACE(1)
}

template <bool fixed> void run() {
    int* x;
    cudaStream_t allocating = own_stream(), using_it = own_stream();
    CHECK(cudaMallocAsync(&x, 256, allocating)); //~ RACE(1)
    if (fixed) CHECK(cudaStreamSynchronize(allocating));
    touch<<<1, 64, 0, using_it>>>(x);
    finish();
}
