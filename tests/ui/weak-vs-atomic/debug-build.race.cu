//@ lens-ptx: race
//@ class: weak-vs-atomic
//@ nvcc: -G
// Blocks count themselves, in a debug build: atomicAdd is a function of a header there, and calls another one.
// The bug: a plain read of the counter. The report names the line that calls atomicAdd.
// The clean twin reads by an atomic.
#include "../support/check.h"

__global__ void count(int *counter, int *seen) {
    atomicAdd(counter, 1); //~ RACE(1)
    int now = *counter; //~ RACE(1)
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
