// NVIDIA/cudf #23897: two reductions over a tile of several warps share their scratch memory without a barrier between.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __device__ int reduce(int* scratch, int value) {
    for (int shift = 16; shift; shift /= 2) value += __shfl_xor_sync(~0u, value, shift);
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value; //~ RACE(1)
    __syncthreads();
    int sum = 0;
    for (unsigned w = 0; w < blockDim.x / 32; ++w) sum += scratch[w]; //~ RACE(1)
    if (fixed) __syncthreads();
    return sum;
}

template <bool fixed> __global__ void count_bits(const unsigned* masks, int* valid, int segments) {
    __shared__ int scratch[4];
    for (int s = 0; s < segments; ++s) {
        const int sum = reduce<fixed>(scratch, __popc(masks[s * blockDim.x + threadIdx.x]));
        if (threadIdx.x == 0) valid[s] = sum;
    }
}

template <bool fixed> void run() {
    count_bits<fixed><<<1, 128>>>(zeros<unsigned>(384), zeros<int>(3), 3);
    finish();
}
