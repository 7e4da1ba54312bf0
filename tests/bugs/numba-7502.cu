// numba/numba #7502: a checkerboard update of a whole grid is separated by a barrier of the block alone.
//@ class: inter-block
#include "support/bug.h"

template <bool fixed> __global__ void sweep(const int* white, int* black, int* white_out, int half) {
    const int i = blockIdx.x * 32 + threadIdx.x;
    if (half == 0 || !fixed) black[i] = white[i] + 1; //~ RACE(1)
    __syncthreads();
    if (half == 1 || !fixed) white_out[i] = black[(i + 16) % 64]; //~ RACE(1)
}

template <bool fixed> void run() {
    int *white = zeros<int>(64), *black = zeros<int>(64), *out = zeros<int>(64);
    for (int half = 0; half < (fixed ? 2 : 1); ++half) sweep<fixed><<<2, 32>>>(white, black, out, half);
    finish();
}
