//@ lens-ptx: race
//@ class: lock-wrong
// A binary semaphore guards a counter.
// The bug: there are two, and the blocks take them by turns. The clean twin has one.
#include "../support/check.h"
#include <cuda/semaphore>

using Semaphore = cuda::binary_semaphore<cuda::thread_scope_device>;

__global__ void construct(Semaphore *locks) { new (locks + threadIdx.x) Semaphore(1); }

__global__ void count(Semaphore *locks, int *counter) {
    if (threadIdx.x != 0) return;
    Semaphore &lock = locks[blockIdx.x % 2];
    lock.acquire();
    *counter += 1; //~ RACE(1) RACE(1)
    lock.release();
}

int main() {
    const int blocks = 6;
    int got, *counter;
    Semaphore *locks;
    CHECK(cudaMalloc(&locks, 2 * sizeof *locks));
    CHECK(cudaMalloc(&counter, sizeof(int)));
    CHECK(cudaMemset(counter, 0, sizeof(int)));
    construct<<<1, 2>>>(locks);
    count<<<blocks, 32>>>(locks, counter);
    CHECK(cudaMemcpy(&got, counter, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != blocks;
}
