// risc0/risc0 #3522: a kernel divides a polynomial while its upload in another stream may still be under way.
//@ class: memcpy-async
#include "support/bug.h"

static __global__ void divide(unsigned* polynomial) {
    polynomial[threadIdx.x] /= 3; //~ RACE(1) RACE(2)
}

template <bool fixed> void run() {
    unsigned *polynomial = zeros<unsigned>(64), *host = pinned<unsigned>(64);
    cudaStream_t upload = own_stream(), compute = own_stream();
    CHECK(cudaMemcpyAsync(polynomial, host, 256, cudaMemcpyHostToDevice, upload)); //~ RACE(1) RACE(2)
    if (fixed) CHECK(cudaStreamSynchronize(upload));
    divide<<<1, 64, 0, compute>>>(polynomial);
    finish();
}
