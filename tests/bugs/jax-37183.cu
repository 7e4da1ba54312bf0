// jax-ml/jax #37183: all blocks of a grid store their accumulator to one cell.
//@ class: inter-block
#include "support/bug.h"

template <bool fixed> __global__ void while_loop(const int* x, int* r) {
    int sum = 0, i = blockIdx.x * 1024;
    while (sum < 1024) sum += i++ + x[0];
    if (threadIdx.x == 0 && (!fixed || blockIdx.x == 0)) r[0] = sum; //~ RACE(1) RACE(1)
}

template <bool fixed> void run() {
    while_loop<fixed><<<4, 32>>>(zeros<int>(1), zeros<int>(1));
    finish();
}
