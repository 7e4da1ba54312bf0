// alicevision/popsift #82: threads count into a histogram that one warp has not cleared yet.
//@ class: weak-vs-atomic missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void orientations(const int* angle, float* out) {
    __shared__ float histogram[36];
    for (int i = threadIdx.x; i < 36; i += 32)
        if (threadIdx.y == 0) histogram[i] = 0; //~ RACE(1)
    if (fixed) __syncthreads();
    atomicAdd(&histogram[angle[threadIdx.y * 32 + threadIdx.x] % 36], 1.0f); //~ RACE(1)
    __syncthreads();
    if (threadIdx.y == 0) out[threadIdx.x] = histogram[threadIdx.x];
}

template <bool fixed> void run() {
    orientations<fixed><<<1, dim3(32, 2)>>>(zeros<int>(64), zeros<float>(32));
    finish();
}
