// MoonshotAI/FlashKDA #24: ordinary stores to shared memory are copied out in bulk behind a barrier, but no proxy fence.
//@ class: proxy
#include "support/bug.h"

template <bool fixed> __global__ void store_state(float* out) {
    __shared__ alignas(128) float state[64];
    state[threadIdx.x] = threadIdx.x; //~ RACE(1)
    if (fixed) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned from = unsigned(__cvta_generic_to_shared(state));
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out), "r"(from) : "memory"); //~ RACE(1)
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

template <bool fixed> void run() {
    store_state<fixed><<<1, 64>>>(zeros<float>(64));
    finish();
}
