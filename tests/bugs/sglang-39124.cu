// sgl-project/sglang #39124: one warp widens a tile with ordinary stores, another hands it to the asynchronous engine.
//@ class: proxy
#include "support/bug.h"

template <bool fixed> __global__ void widen(const short* in, int* out) {
    __shared__ alignas(128) int tile[32];
    if (threadIdx.x < 32) tile[threadIdx.x] = in[threadIdx.x]; //~ RACE(1)
    if (fixed && threadIdx.x < 32) asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 32) {
        const unsigned from = unsigned(__cvta_generic_to_shared(tile));
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(out), "r"(from) : "memory"); //~ RACE(1)
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

template <bool fixed> void run() {
    widen<fixed><<<1, 64>>>(zeros<short>(32), zeros<int>(32));
    finish();
}
