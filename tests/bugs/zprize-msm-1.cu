// yelhousni/zprize-GPU-MSM-harness #1: one barrier in a loop does not keep a fast thread from posting its next value too early.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void pippenger(const unsigned* windows, int* unique, int rounds) {
    __shared__ unsigned posted[64];
    for (int r = 0; r < rounds; ++r) {
        const unsigned mine = windows[r * 64 + threadIdx.x];
        posted[threadIdx.x] = mine; //~ RACE(1)
        __syncthreads();
        int same = 0;
        for (int i = 0; i < 64; ++i) same += posted[i] == mine; //~ RACE(1)
        unique[r * 64 + threadIdx.x] = same == 1;
        if (fixed) __syncthreads();
    }
}

template <bool fixed> void run() {
    pippenger<fixed><<<1, 64>>>(zeros<unsigned>(128), zeros<int>(128), 2);
    finish();
}
