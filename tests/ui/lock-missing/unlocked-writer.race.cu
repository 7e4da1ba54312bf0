//@ lens-ptx: race
//@ class: lock-missing
// Two blocks change a balance, which a lock guards.
// The bug: the second block forgets to take the lock. In the clean twin both take it.
#include "../support/check.h"

__device__ void lock(int *mutex) {
    while (atomicCAS(mutex, 0, 1) != 0) {}
    __threadfence();
}

__device__ void unlock(int *mutex) {
    __threadfence();
    atomicExch(mutex, 0);
}

__global__ void bank(int *mutex, int *balance) {
    if (blockIdx.x == 0) {
        lock(mutex);
        *balance += 100; //~ RACE(1)
        unlock(mutex);
    } else {
        *balance -= 30; //~ RACE(1)
    }
}

int main() {
    int got, *memory; // mutex, balance
    CHECK(cudaMalloc(&memory, 2 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 2 * sizeof(int)));
    bank<<<2, 1>>>(memory, memory + 1);
    CHECK(cudaMemcpy(&got, memory + 1, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 70;
}

//@ engine-guard: race
//@ engine-collide: race
