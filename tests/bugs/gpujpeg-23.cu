// CESNET/GPUJPEG #23: one thread reserves room for the block's output; the other warps use the offset at once.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void encode(unsigned* total, unsigned char* out) {
    __shared__ unsigned offset;
    if (threadIdx.x == 32) offset = atomicAdd(total, 64u); //~ RACE(1)
    __syncwarp();
    if (fixed) __syncthreads();
    out[offset + threadIdx.x] = 1; //~ RACE(1)
}

template <bool fixed> void run() {
    encode<fixed><<<1, 64>>>(zeros<unsigned>(1), zeros<unsigned char>(64));
    finish();
}
