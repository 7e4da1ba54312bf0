//@ lens-ptx: race
//@ class: lock-wrong
// Blocks add to one sum, under a lock.
// The bug: each block takes a lock of its own. In the clean twin all take the same.
#include "../support/check.h"

__device__ void lock(int *mutex) {
    while (atomicCAS(mutex, 0, 1) != 0) {}
    __threadfence();
}

__device__ void unlock(int *mutex) {
    __threadfence();
    atomicExch(mutex, 0);
}

__global__ void add(int *mutexes, int *sum) {
    int *mutex = &mutexes[blockIdx.x];
    if (threadIdx.x == 0) {
        lock(mutex);
        *sum += blockIdx.x + 1; //~ RACE(1) RACE(1)
        unlock(mutex);
    }
}

int main() {
    const int blocks = 3;
    int got, *mutexes, *sum;
    CHECK(cudaMalloc(&mutexes, blocks * sizeof(int)));
    CHECK(cudaMalloc(&sum, sizeof(int)));
    CHECK(cudaMemset(mutexes, 0, blocks * sizeof(int)));
    CHECK(cudaMemset(sum, 0, sizeof(int)));
    add<<<blocks, 32>>>(mutexes, sum);
    CHECK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got);
    return got != 6;
}

//@ engine-guard: race
//@ engine-collide: race
