//@ lens-ptx: race
//@ class: lock-wrong
// Two blocks add to a sum, one under a lock in a variable, one under the third of an array of locks.
// The bug: these are two locks. The report names both. In the clean twin both take the same.
#include "../support/check.h"

__device__ int gate;
__device__ int gates[8];
__device__ int sum;

__device__ void add(int *lock, int value) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    sum += value; //~ RACE(1) RACE(1)
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void both() { add(blockIdx.x == 0 ? &gate : &gates[2], blockIdx.x + 1); }

int main() {
    int got;
    both<<<2, 1>>>();
    CHECK(cudaMemcpyFromSymbol(&got, sum, sizeof got));
    std::printf("%d\n", got);
    return got != 3;
}
//@ engine-guard: race
//@ engine-collide: race
