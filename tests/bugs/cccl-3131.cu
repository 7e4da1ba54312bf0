// NVIDIA/cccl #3131: a dependent kernel waits, but the one behind it reads what its grandparent writes and does not.
//@ class: inter-kernel
#include "support/bug.h"

static __global__ void block_sort(int* keys) {
    asm volatile("griddepcontrol.launch_dependents;");
    keys[threadIdx.x] = 63 - threadIdx.x; //~ RACE(1)
}

template <bool fixed> __global__ void merge_keys(const int* keys, int* merged) {
    if (fixed) asm volatile("griddepcontrol.wait;" ::: "memory");
    merged[threadIdx.x] = keys[63 - threadIdx.x]; //~ RACE(1)
    if (!fixed) asm volatile("griddepcontrol.wait;" ::: "memory");
}

template <bool fixed> void run() {
    int *keys = zeros<int>(64), *merged = zeros<int>(64);
    cudaStream_t stream = own_stream();
    block_sort<<<1, 64, 0, stream>>>(keys);
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 64;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, merge_keys<fixed>, (const int*)keys, merged));
    finish();
}
