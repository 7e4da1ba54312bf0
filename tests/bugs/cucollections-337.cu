// NVIDIA/cuCollections #337: a group's counter is reset by one lane; only a vote lies between that and the others' use.
//@ class: divergent-warp weak-vs-atomic
#include "support/bug.h"

template <bool fixed> __global__ void retrieve(const int* keys, int* out) {
    __shared__ int found;
    const int lane = threadIdx.x;
    if (lane == 0) found = 0; //~ RACE(1)
    if (fixed) __syncwarp();
    const unsigned matches = __ballot_sync(~0u, keys[lane] == 0);
    if (matches >> lane & 1) out[atomicAdd(&found, 1)] = lane; //~ RACE(1)
}

template <bool fixed> void run() {
    retrieve<fixed><<<1, 32>>>(zeros<int>(32), zeros<int>(32));
    finish();
}
