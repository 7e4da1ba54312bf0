// csarofeen/pytorch #2463: the wait for a copy's group stands before the commit, so that it waits for one group less.
//@ class: async-copy
#include "support/bug.h"

template <bool fixed> __global__ void double_buffer(const float* in, float* out, int tiles) {
    __shared__ alignas(16) float buffer[2][64];
    const int t = threadIdx.x;
    const unsigned slot[2] = {unsigned(__cvta_generic_to_shared(&buffer[0][t])), unsigned(__cvta_generic_to_shared(&buffer[1][t]))};
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(slot[0]), "l"(in + t) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    for (int i = 0; i < tiles; ++i) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(slot[(i + 1) & 1]), "l"(in + (i + 1) * 64 + t) : "memory"); //~ RACE(1)
        if (fixed) asm volatile("cp.async.commit_group;" ::: "memory");
        out[i * 64 + t] = buffer[i & 1][t]; //~ RACE(1)
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        if (!fixed) asm volatile("cp.async.commit_group;" ::: "memory");
    }
}

template <bool fixed> void run() {
    double_buffer<fixed><<<1, 64>>>(zeros<float>(256), zeros<float>(192), 3);
    finish();
}
