// NVIDIA/cudf #22321: a pinned vector is filled for something else while an asynchronous copy may still read it.
//@ class: memcpy-async
#include "support/bug.h"

static __global__ void use(const int* view, int* out) {
    out[threadIdx.x] = view[threadIdx.x];
}

template <bool fixed> void run() {
    int *view = zeros<int>(32), *out = zeros<int>(32), *staging = pinned<int>(32);
    cudaStream_t stream = own_stream();
    CHECK(cudaMemcpyAsync(view, staging, 32 * sizeof(int), cudaMemcpyHostToDevice, stream)); //~ RACE(1)
    use<<<1, 32, 0, stream>>>(view, out);
    if (fixed) CHECK(cudaStreamSynchronize(stream));
    staging[0] = -1; //~ RACE(1)
    finish();
}
