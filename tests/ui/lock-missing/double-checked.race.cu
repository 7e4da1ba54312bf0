//@ lens-ptx: race
//@ class: lock-missing
// The first block to come initialises a table, the others skip that.
// The bug: the check before the lock is a plain read. In the clean twin it is an
// acquire load, and the flag is stored with release.
#include "../support/check.h"
#include <cuda/atomic>

__device__ void lock(int *mutex) {
    while (atomicCAS(mutex, 0, 1) != 0) {}
    __threadfence();
}

__device__ void unlock(int *mutex) {
    __threadfence();
    atomicExch(mutex, 0);
}

__global__ void initialise_once(int *mutex, int *ready, int *times) {
    if (threadIdx.x != 0) return;
    if (*ready == 0) { //~ RACE(1)
        lock(mutex);
        if (*ready == 0) {
            *times += 1;
            *ready = 1; //~ RACE(1)
        }
        unlock(mutex);
    }
}

int main() {
    int got[3], *memory; // mutex, ready, times
    CHECK(cudaMalloc(&memory, sizeof got));
    CHECK(cudaMemset(memory, 0, sizeof got));
    initialise_once<<<4, 32>>>(memory, memory + 1, memory + 2);
    CHECK(cudaMemcpy(got, memory, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("initialised %d time(s)\n", got[2]);
    return got[2] != 1;
}
//@ advice: its clean twin keeps the check outside of the lock, and makes what it reads a flag
//@ engine-guard: race
