// fla-org/flash-linear-attention #889: all threads of a block add to one shared scalar without an atomic.
#include "support/bug.h"

template <bool fixed> __global__ void chunk_backward(const float* h, float* dg) {
    __shared__ float accumulated;
    if (threadIdx.x == 0) accumulated = 0;
    __syncthreads();
    const float mine = h[threadIdx.x];
    if (fixed) atomicAdd(&accumulated, mine);
    else accumulated += mine; //~ RACE(1) RACE(1)
    __syncthreads();
    if (threadIdx.x == 0) *dg = accumulated;
}

template <bool fixed> void run() {
    chunk_backward<fixed><<<1, 64>>>(zeros<float>(64), zeros<float>(1));
    finish();
}
