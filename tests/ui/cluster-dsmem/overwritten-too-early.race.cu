//@ lens-ptx: race
//@ class: cluster-dsmem
// Blocks of a cluster read a neighbour's numbers, then put new ones in their own.
// The bug: a block overwrites its numbers while the neighbour may still read them. The
// clean twin has a second cluster.sync() between.
#include "../support/check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4, 1, 1) rotate_twice(int *out) {
    __shared__ int slot[32];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();
    int *next = cluster.map_shared_rank(slot, (rank + 1) % 4);
    slot[t] = 10 * rank;
    cluster.sync();
    int value = next[t]; //~ RACE(1)
    slot[t] = value + 1; //~ RACE(1)
    cluster.sync();
    out[blockIdx.x * 32 + t] = next[t];
    cluster.sync();
}

int main() {
    const int n = 4 * 32;
    int got[n], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    rotate_twice<<<4, 32>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != (i / 32 + 2) % 4 * 10 + 1;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
