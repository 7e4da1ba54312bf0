//@ lens-ptx: clean
// One thread of each block adds to an account under a spin lock.
// Clean: the lock's fences are __threadfence(), the scope of all its users.
#include "../support/check.h"

__device__ void lock(int *mutex) {
    while (atomicCAS(mutex, 0, 1) != 0) {}
    __threadfence();
}

__device__ void unlock(int *mutex) {
    __threadfence();
    atomicExch(mutex, 0);
}

__global__ void deposit(int *mutex, int *account) {
    if (threadIdx.x == 0) {
        lock(mutex);
        *account += 10;
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
