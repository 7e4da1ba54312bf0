// kokkos/kokkos #4855: lane 0 assigns its value to itself while the other lanes read it.
//@ class: divergent-warp same-instruction
#include "support/bug.h"

template <bool fixed> __global__ void join(float* out) {
    __shared__ float values[32];
    const int lane = threadIdx.x;
    values[lane] = lane;
    __syncwarp();
    for (int delta = 1; delta < 32; delta *= 2) {
        const float other = lane + delta < 32 ? values[lane + delta] : 0;
        __syncwarp();
        values[lane] += other;
        __syncwarp();
    }
    if (!fixed || lane != 0) {
        const float first = values[0]; //~ RACE(1)
        values[lane] = first; //~ RACE(1)
    }
    __syncwarp();
    out[lane] = values[lane];
}

template <bool fixed> void run() {
    join<fixed><<<1, 32>>>(zeros<float>(32));
    finish();
}
