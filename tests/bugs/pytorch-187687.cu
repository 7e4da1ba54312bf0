// pytorch/pytorch #187687: a batch of indices is replaced while slow warps still go through the last one.
//@ class: missing-barrier
#include "support/bug.h"

template <bool fixed> __global__ void embedding_backward(const int* indices, float* weight, int batches) {
    __shared__ int batch[64];
    for (int b = 0; b < batches; ++b) {
        batch[threadIdx.x] = indices[b * 64 + threadIdx.x]; //~ RACE(1)
        __syncthreads();
        int hits = 0;
        for (int i = 0; i < 64; ++i) hits += batch[i] == int(threadIdx.x); //~ RACE(1)
        weight[threadIdx.x] += hits;
        if (fixed) __syncthreads();
    }
}

template <bool fixed> void run() {
    embedding_backward<fixed><<<1, 64>>>(zeros<int>(192), zeros<float>(64), 3);
    finish();
}
