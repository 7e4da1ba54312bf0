//@ lens-ptx: clean
//@ output: varies
// Entries of a table are guarded by a few striped locks.
// Clean: one function says which stripe guards an entry.
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
        table[entry] += 5;
        unlock(mutex);
    } else {
        int *mutex = &mutexes[stripe(entry)];
        lock(mutex);
        table[entry] *= 2;
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
