//@ lens-ptx: clean
//@ nvcc: -G
// Blocks count themselves, in a debug build: atomicAdd is a function of a header there, and calls another one.
// Clean: the counter is read by an atomic.
#include "../support/check.h"

__global__ void count(int *counter, int *seen) {
    atomicAdd(counter, 1);
    int now = atomicAdd(counter, 0);
    seen[blockIdx.x] = now;
}

int main() {
    const int blocks = 4;
    int got, *counter, *seen;
    CHECK(cudaMalloc(&counter, sizeof *counter));
    CHECK(cudaMalloc(&seen, blocks * sizeof *seen));
    CHECK(cudaMemset(counter, 0, sizeof *counter));
    count<<<blocks, 1>>>(counter, seen);
    CHECK(cudaMemcpy(&got, counter, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != blocks;
}
