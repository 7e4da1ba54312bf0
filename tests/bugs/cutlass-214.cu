// NVIDIA/cutlass #214: the workspace is cleared in the default stream, the kernel that uses it runs in another.
//@ class: memcpy-async
#include "support/bug.h"

static __global__ void gemm(int* workspace) {
    atomicAdd(&workspace[threadIdx.x], 1); //~ RACE(1)
}

template <bool fixed> void run() {
    int* workspace = zeros<int>(32);
    cudaStream_t stream = own_stream();
    CHECK(cudaMemsetAsync(workspace, 0, 128, fixed ? stream : nullptr)); //~ RACE(1)
    gemm<<<1, 32, 0, stream>>>(workspace);
    finish();
}
