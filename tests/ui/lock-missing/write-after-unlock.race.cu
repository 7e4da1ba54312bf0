//@ lens-ptx: race
//@ class: lock-missing
// Each block notes itself as the last visitor, under a lock.
// The bug: the note is written after the lock was given back. The clean twin writes it
// before.
#include "../support/check.h"

__device__ void lock(int *mutex) {
    while (atomicCAS(mutex, 0, 1) != 0) {}
    __threadfence();
}

__device__ void unlock(int *mutex) {
    __threadfence();
    atomicExch(mutex, 0);
}

__global__ void visit(int *mutex, int *visits, int *last) {
    if (threadIdx.x != 0) return;
    lock(mutex);
    *visits += 1;
    unlock(mutex);
    *last = blockIdx.x; //~ RACE(1) RACE(1)
}

int main() {
    int got[3], *memory; // mutex, visits, last
    CHECK(cudaMalloc(&memory, sizeof got));
    CHECK(cudaMemset(memory, 0, sizeof got));
    visit<<<4, 32>>>(memory, memory + 1, memory + 2);
    CHECK(cudaMemcpy(got, memory, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d visits\n", got[1]);
    return got[1] != 4;
}
