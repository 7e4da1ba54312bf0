// NVIDIA/cudnn-frontend #426: all lanes of a loader warp store, one lane arrives at the mbarrier for them.
#include "support/bug.h"
#include <cuda/barrier>

template <bool fixed> __global__ void weigh(const float* weights, float* out) {
    __shared__ float loaded[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) init(&ready, 33);
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int i = lane; i < 64; i += 32) loaded[i] = weights[i]; //~ RACE(1)
        if (fixed) __syncwarp();
        if (lane == 0) (void)ready.arrive();
    } else {
        ready.arrive_and_wait();
        out[lane] = loaded[2 * lane]; //~ RACE(1)
    }
}

template <bool fixed> void run() {
    weigh<fixed><<<1, 64>>>(zeros<float>(64), zeros<float>(32));
    finish();
}
