//@ lens-ptx: race
//@ class: weak-vs-atomic
//@ nvcc: -G -std=c++17
// Blocks count themselves, by a cuda::atomic_ref in a debug build: many functions of headers lie between the
// kernel and the atomic.
// The bug: a plain read of the counter. The report names the kernel's line.
// The clean twin reads by an atomic.
#include "../support/check.h"
#include <cuda/atomic>

__global__ void count(int *counter, int *seen) {
    cuda::atomic_ref<int, cuda::thread_scope_device>(*counter).fetch_add(1); //~ RACE(1)
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
