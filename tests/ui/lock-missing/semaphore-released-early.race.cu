//@ lens-ptx: race
//@ class: lock-missing
// A binary semaphore of libcu++ guards a counter.
// The bug: it is given back before the counter is changed. The clean twin gives it back
// afterwards.
#include "../support/check.h"
#include <cuda/semaphore>

using Semaphore = cuda::binary_semaphore<cuda::thread_scope_device>;

__global__ void construct(Semaphore *guard) { new (guard) Semaphore(1); }

__global__ void count(Semaphore *guard, int *counter) {
    if (threadIdx.x != 0) return;
    guard->acquire();
    guard->release();
    *counter += 1; //~ RACE(1) RACE(1)
}

int main() {
    const int blocks = 3;
    int got, *counter;
    Semaphore *guard;
    CHECK(cudaMalloc(&guard, sizeof *guard));
    CHECK(cudaMalloc(&counter, sizeof(int)));
    CHECK(cudaMemset(counter, 0, sizeof(int)));
    construct<<<1, 1>>>(guard);
    count<<<blocks, 32>>>(guard, counter);
    CHECK(cudaMemcpy(&got, counter, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != blocks;
}
//@ engine-guard: race
