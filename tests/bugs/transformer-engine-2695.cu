// NVIDIA/TransformerEngine #2695: the copy of the next stage is issued while the last stage's loads lack a proxy fence.
//@ class: proxy
#include "support/bug.h"

template <bool fixed> __global__ void amax(const float* in, float* out, int stages) {
    __shared__ alignas(128) float stage[32];
    __shared__ uint64_t full;
    const unsigned bar = unsigned(__cvta_generic_to_shared(&full)), to = unsigned(__cvta_generic_to_shared(stage));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncwarp();
    float largest = 0;
    for (int s = 0; s < stages; ++s) {
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" ::"r"(bar) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(to), "l"(in + s * 32), "r"(bar) : "memory"); //~ RACE(1)
        }
        unsigned done = 0;
        while (!done)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar), "r"(s & 1) : "memory");
        largest = fmaxf(largest, stage[threadIdx.x]); //~ RACE(1)
        if (fixed) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncwarp();
    }
    out[threadIdx.x] = largest;
}

template <bool fixed> void run() {
    amax<fixed><<<1, 32>>>(zeros<float>(96), zeros<float>(32), 3);
    finish();
}
