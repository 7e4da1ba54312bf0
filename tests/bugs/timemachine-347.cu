// proteneer/timemachine #347: lanes of one warp hand values over in shared memory as if they ran in lockstep.
//@ class: divergent-warp
#include "support/bug.h"

template <bool fixed> __global__ void neighbours(const float* x, int* close) {
    __shared__ float box[32];
    const int lane = threadIdx.x;
    box[lane] = x[lane]; //~ RACE(1)
    if (fixed) __syncwarp();
    const float distance = box[(lane + 1) % 32] - x[lane]; //~ RACE(1)
    close[lane] = distance < 1.0f;
}

template <bool fixed> void run() {
    neighbours<fixed><<<1, 32>>>(zeros<float>(32), zeros<int>(32));
    finish();
}
