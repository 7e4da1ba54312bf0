// Atomic-bound: a histogram in global memory.
#include "timed.h"

#ifndef TURNS
#define TURNS 2000
#endif

__global__ void histogram(unsigned *bins, unsigned seed, int rounds) {
    unsigned x = seed + blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < rounds; i++) {
        x = x * 1664525u + 1013904223u;
        atomicAdd(&bins[x >> 20], 1u);
    }
}

int main() {
    unsigned *bins;
    cudaMalloc(&bins, 4096 * sizeof *bins);
    cudaMemset(bins, 0, 4096 * sizeof *bins);
    {
        Timed timed;
        histogram<<<64, 256>>>(bins, 1, TURNS);
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
