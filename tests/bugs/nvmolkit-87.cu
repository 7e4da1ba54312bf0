// NVIDIA-BioNeMo/nvMolKit #87: a block's overflow flag is zeroed by its first thread while others may raise it already.
#include "support/bug.h"

template <bool fixed> __global__ void match(const int* sizes, unsigned char* overflow) {
    if (threadIdx.x == 0) overflow[blockIdx.x] = 0; //~ RACE(1)
    if (fixed) __syncthreads();
    if (threadIdx.x == 40 && sizes[blockIdx.x] == 0) overflow[blockIdx.x] = 1; //~ RACE(1)
}

template <bool fixed> void run() {
    match<fixed><<<2, 64>>>(zeros<int>(2), zeros<unsigned char>(2));
    finish();
}
