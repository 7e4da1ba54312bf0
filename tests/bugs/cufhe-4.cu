// vernamlab/cuFHE #4: a number-theoretic transform reads its buffer by another pattern than it has written it by.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void transform(const uint64_t* in, uint64_t* out) {
    __shared__ uint64_t buffer[128];
    const int t = threadIdx.x;
    buffer[t] = in[t] * 7; //~ RACE(1)
    if (fixed) __syncthreads();
    const int transposed = (t & 7) * 16 + (t >> 3);
    out[t] = buffer[transposed] + 1; //~ RACE(1)
}

template <bool fixed> void run() {
    transform<fixed><<<1, 128>>>(zeros<uint64_t>(128), zeros<uint64_t>(128));
    finish();
}
