// NVIDIA/cuopt #805: of two residuals that are reset for the next round, one is reset in the wrong stream.
//@ class: memcpy-async
#include "support/bug.h"

static __global__ void remaining(const double* primal, const double* dual, double* out) {
    out[threadIdx.x] = primal[threadIdx.x] + dual[threadIdx.x]; //~ RACE(1)
}

template <bool fixed> void run() {
    double *primal = zeros<double>(32), *dual = zeros<double>(32), *out = zeros<double>(32);
    cudaStream_t view = own_stream();
    remaining<<<1, 32, 0, view>>>(primal, dual, out);
    CHECK(cudaMemsetAsync(primal, 0, 256, view));
    CHECK(cudaMemsetAsync(dual, 0, 256, fixed ? view : nullptr)); //~ RACE(1)
    finish();
}
