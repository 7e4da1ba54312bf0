//@ lens-ptx: race
//@ class: lock-wrong
// Entries of a table are guarded by a few striped locks.
// The bug: two functions compute the stripe differently for the same entry. In the
// clean twin both use one function.
#include "../support/check.h"

constexpr int STRIPES = 4;

__device__ int stripe(int entry) { return entry % STRIPES; }

__device__ void lock(int *mutex) {
    while (atomicCAS(mutex, 0, 1) != 0) {}
    __threadfence();
}

__device__ void unlock(int *mutex) {
    __threadfence();
    atomicExch(mutex, 0);
}

__global__ void update(int *mutexes, int *table, int entry) {
    if (blockIdx.x == 0) {
        int *mutex = &mutexes[stripe(entry)];
        lock(mutex);
        table[entry] += 5; //~ RACE(1)
        unlock(mutex);
    } else {
        int *mutex = &mutexes[entry / STRIPES];
        lock(mutex);
        table[entry] *= 2; //~ RACE(1)
        unlock(mutex);
    }
}

int main() {
    const int entries = 16;
    int got[entries], *mutexes, *table;
    CHECK(cudaMalloc(&mutexes, STRIPES * sizeof(int)));
    CHECK(cudaMalloc(&table, sizeof got));
    CHECK(cudaMemset(mutexes, 0, STRIPES * sizeof(int)));
    CHECK(cudaMemset(table, 0, sizeof got));
    update<<<2, 1>>>(mutexes, table, 6);
    CHECK(cudaMemcpy(got, table, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d\n", got[6]);
    return got[6] != 5 && got[6] != 10;
}
//@ engine-guard: race
//@ engine-collide: race
