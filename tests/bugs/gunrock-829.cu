// gunrock/gunrock #829: a candidate's count is read by an ordinary load while other threads lower it atomically.
//@ class: weak-vs-atomic
#include "support/bug.h"

template <bool fixed> __global__ void filter(int* counts, const int* edges, int* valid) {
    const int source = blockIdx.x * 32 + threadIdx.x;
    const int count = fixed ? atomicAdd(&counts[source], 0)
                            : counts[source]; //~ RACE(1)
    if (count < 3) {
        valid[source] = 0;
        atomicAdd(&counts[(source + 32 + edges[source]) % 64], -1); //~ RACE(1)
    }
}

template <bool fixed> void run() {
    filter<fixed><<<2, 32>>>(zeros<int>(64), zeros<int>(64), zeros<int>(64));
    finish();
}
