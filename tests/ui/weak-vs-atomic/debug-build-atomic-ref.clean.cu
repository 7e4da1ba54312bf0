//@ lens-ptx: clean
//@ nvcc: -G -std=c++17
// Blocks count themselves, by a cuda::atomic_ref in a debug build: many functions of headers lie between the
// kernel and the atomic.
// Clean: the counter is read by an atomic.
#include "../support/check.h"
#include <cuda/atomic>

__global__ void count(int *counter, int *seen) {
    cuda::atomic_ref<int, cuda::thread_scope_device>(*counter).fetch_add(1);
    int now = cuda::atomic_ref<int, cuda::thread_scope_device>(*counter).load();
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
