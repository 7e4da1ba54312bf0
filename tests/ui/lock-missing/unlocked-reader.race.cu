//@ lens-ptx: race
//@ class: lock-missing
// Blocks push to a stack under a lock; another block looks at its height.
// The bug: the reader takes no lock, "it only reads". The clean twin takes it.
#include "../support/check.h"

__device__ void lock(int *mutex) {
    while (atomicCAS(mutex, 0, 1) != 0) {}
    __threadfence();
}

__device__ void unlock(int *mutex) {
    __threadfence();
    atomicExch(mutex, 0);
}

__global__ void stack(int *mutex, int *height, int *items, int *seen) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        lock(mutex);
        items[0] = 8;
        *height = 1; //~ RACE(1)
        unlock(mutex);
    } else {
        int now = *height; //~ RACE(1)
        *seen = now;
    }
}

int main() {
    int got[3], *memory; // mutex, height, seen, items
    CHECK(cudaMalloc(&memory, 4 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 4 * sizeof(int)));
    stack<<<2, 32>>>(memory, memory + 1, memory + 3, memory + 2);
    CHECK(cudaMemcpy(got, memory, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("height %d\n", got[1]);
    return got[1] != 1 || got[2] > 1;
}
//@ engine-guard: race
//@ engine-collide: race
