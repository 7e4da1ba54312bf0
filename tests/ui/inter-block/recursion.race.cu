//@ lens-ptx: race
//@ class: inter-block
// Blocks insert keys into a binary tree of levels, recursively.
// The bug: the counts of the nodes on the way are incremented without an atomic. The
// clean twin uses atomicAdd().
#include "../support/check.h"

constexpr int LEVELS = 4;

__device__ __noinline__ int insert(int *count, int node, int key, int level) {
    count[node] += 1; //~ RACE(1) RACE(1)
    if (level == LEVELS - 1) return node;
    int next = 2 * node + 1 + (key >> level & 1);
    return 2 * insert(count, next, key, level + 1) + level;
}

__global__ void insert_keys(const int *keys, int *count, int *where) {
    if (threadIdx.x == 0) where[blockIdx.x] = insert(count, 0, keys[blockIdx.x], 0);
}

int main() {
    const int nodes = (1 << LEVELS) - 1, blocks = 4;
    int host[blocks] = {1, 2, 3, 5}, got[nodes], *keys, *count, *where;
    CHECK(cudaMalloc(&keys, sizeof host));
    CHECK(cudaMalloc(&count, sizeof got));
    CHECK(cudaMalloc(&where, sizeof host));
    CHECK(cudaMemcpy(keys, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(count, 0, sizeof got));
    insert_keys<<<blocks, 32>>>(keys, count, where);
    CHECK(cudaMemcpy(got, count, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d at the root\n", got[0]);
    return got[0] != blocks;
}
//@ engine-guard: race
