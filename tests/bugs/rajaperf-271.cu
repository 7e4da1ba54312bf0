// LLNL/RAJAPerf #271: the first minimum of each block is compared with, and stored to, one result in memory.
//@ class: inter-block
#include "support/bug.h"

struct Minimum {
    float value;
    int index;
};

template <bool fixed> __global__ void first_min(const float* x, Minimum* out) {
    float mine = x[blockIdx.x * 32 + threadIdx.x];
    for (int shift = 16; shift; shift /= 2) mine = fminf(mine, __shfl_xor_sync(~0u, mine, shift));
    if (threadIdx.x == 0) {
        Minimum* result = fixed ? out + blockIdx.x : out;
        result->value = fminf(result->value, mine); //~ RACE(1) RACE(1) RACE(2) RACE(2)
    }
}

template <bool fixed> void run() {
    first_min<fixed><<<2, 32>>>(zeros<float>(64), zeros<Minimum>(2));
    finish();
}
