//@ lens-ptx: race
//@ class: missing-fence
// A spin lock guards a sum that one thread of each block adds to.
// The bug: lock() has no fence after the compare-and-swap. The clean twin has one.
#include "../support/check.h"

__device__ void lock(int *mutex) {
    while (atomicCAS(mutex, 0, 1) != 0) {}
}

__device__ void unlock(int *mutex) {
    __threadfence();
    atomicExch(mutex, 0);
}

__global__ void add(int *mutex, int *sum) {
    if (threadIdx.x == 0) {
        lock(mutex);
        *sum += blockIdx.x; //~ RACE(1) RACE(1)
        unlock(mutex);
    }
}

int main() {
    const int blocks = 5;
    int got, *memory; // mutex, sum
    CHECK(cudaMalloc(&memory, 2 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 2 * sizeof(int)));
    add<<<blocks, 32>>>(memory, memory + 1);
    CHECK(cudaMemcpy(&got, memory + 1, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != blocks * (blocks - 1) / 2;
}
//@ engine-guard: race
