// NVIDIA/cudf #9916: a decoder's warp reads a run length that one lane stores in shared memory, a shuffle between them.
//@ class: divergent-warp
#include "support/bug.h"

template <bool fixed> __global__ void decode_runs(const int* stream, int* out) {
    __shared__ int length;
    const int lane = threadIdx.x;
    if (lane == 0) length = stream[0] + 1; //~ RACE(1)
    const int position = __shfl_sync(~0u, lane, 0);
    if (fixed) __syncwarp();
    out[lane] = length + position; //~ RACE(1)
}

template <bool fixed> void run() {
    decode_runs<fixed><<<1, 32>>>(zeros<int>(1), zeros<int>(32));
    finish();
}
