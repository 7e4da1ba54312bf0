// deepseek-ai/DeepEP #642: a bulk copy loads into memory that ordinary loads have read, without a fence between the proxies.
//@ class: proxy
#include "support/bug.h"

__device__ unsigned shared_address(const void* p) { return unsigned(__cvta_generic_to_shared(p)); }

__device__ void load(float* to, const float* from, uint64_t* full) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(shared_address(full)) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(shared_address(to)), "l"(from), "r"(shared_address(full)) : "memory"); //~ RACE(1)
}

__device__ void wait(uint64_t* full, int phase) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(shared_address(full)), "r"(phase) : "memory");
}

template <bool fixed> __global__ void combine(const float* in, float* out) {
    __shared__ alignas(128) float stage[64];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&full)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 2; ++k) {
        if (threadIdx.x == 0) load(stage, in + k * 64, &full);
        wait(&full, k);
        sum += stage[threadIdx.x]; //~ RACE(1)
        if (fixed) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

template <bool fixed> void run() {
    combine<fixed><<<1, 64>>>(zeros<float>(128), zeros<float>(64));
    finish();
}
