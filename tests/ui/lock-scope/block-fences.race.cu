//@ lens-ptx: race
//@ class: lock-scope
// One thread of each block adds to an account under a spin lock.
// The bug: the lock's fences are __threadfence_block(), so the next holder in another
// block need not see the update. The clean twin uses __threadfence().
#include "../support/check.h"

__device__ void lock(int *mutex) {
    while (atomicCAS(mutex, 0, 1) != 0) {}
    __threadfence_block();
}

__device__ void unlock(int *mutex) {
    __threadfence_block();
    atomicExch(mutex, 0);
}

__global__ void deposit(int *mutex, int *account) {
    if (threadIdx.x == 0) {
        lock(mutex);
        *account += 10; //~ RACE(1) RACE(1)
        unlock(mutex);
    }
}

int main() {
    const int blocks = 4;
    int got, *memory; // mutex, account
    CHECK(cudaMalloc(&memory, 2 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 2 * sizeof(int)));
    deposit<<<blocks, 32>>>(memory, memory + 1);
    CHECK(cudaMemcpy(&got, memory + 1, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 10 * blocks;
}
//@ engine-guard: race
