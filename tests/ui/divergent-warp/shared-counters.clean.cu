//@ lens-ptx: clean
// Threads count into eight bins.
// The bug: several threads of a warp, and of a block, read and write one bin at once, so that counts are lost. The clean
// twin adds atomically.
#include "../support/check.h"

__global__ void count(int *out) {
    __shared__ int bins[8];
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    __syncwarp();
    atomicAdd(&bins[threadIdx.x % 8], 1);
    __syncwarp();
    if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}

__global__ void count_in_block(int *bins) {
    atomicAdd(&bins[threadIdx.x % 32], 1);
}

int main() {
    int *bins;
    CHECK(cudaMalloc(&bins, 32 * sizeof(int)));
    count<<<1, 32>>>(bins);
    CHECK(cudaMemset(bins, 0, 32 * sizeof(int)));
    count_in_block<<<1, 64>>>(bins);
    CHECK(cudaDeviceSynchronize());
}
