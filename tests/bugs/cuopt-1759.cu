// NVIDIA/cuopt #1759: the staging buffer of an asynchronous copy is written anew for the next route too early.
//@ class: memcpy-async
#include "support/bug.h"

static __global__ void cost(const int* views, int* out) {
    out[threadIdx.x] = views[threadIdx.x];
}

template <bool fixed> void run() {
    int *views = zeros<int>(128), *out = zeros<int>(128), *staging = pinned<int>(64);
    cudaStream_t stream = own_stream();
    for (int route = 0; route < 2; ++route) {
        if (fixed) CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < 64; ++i) staging[i] = route; //~ RACE(1)
        CHECK(cudaMemcpyAsync(views + route * 64, staging, 64 * sizeof(int), cudaMemcpyHostToDevice, stream)); //~ RACE(1)
    }
    cost<<<1, 128, 0, stream>>>(views, out);
    finish();
}
