// dmlc/xgboost #3293: a block reduction in a loop uses its temporary memory again without a barrier between the calls.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void best_splits(const float* gain, float* best, int features) {
    __shared__ float storage[64];
    for (int f = 0; f < features; ++f) {
        storage[threadIdx.x] = gain[f * 64 + threadIdx.x]; //~ RACE(1)
        __syncthreads();
        if (threadIdx.x < 32) {
            float mine = fmaxf(storage[threadIdx.x], storage[threadIdx.x + 32]); //~ RACE(1)
            for (int shift = 16; shift; shift /= 2) mine = fmaxf(mine, __shfl_down_sync(~0u, mine, shift));
            if (threadIdx.x == 0) best[f] = mine;
        }
        if (fixed) __syncthreads();
    }
}

template <bool fixed> void run() {
    best_splits<fixed><<<1, 64>>>(zeros<float>(192), zeros<float>(3), 3);
    finish();
}
