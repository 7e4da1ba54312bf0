//@ lens-ptx: race
//@ class: cluster-dsmem
// A split cluster barrier hides work between arriving and waiting.
// The bug: the remote read has slipped between the two, where nothing is ordered yet.
// In the clean twin only local work is there.
#include "../support/check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) swap_blocks(int *out) {
    __shared__ int slot[32];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x;
    int *remote = cluster.map_shared_rank(slot, cluster.block_rank() ^ 1);
    slot[t] = 7 * t; //~ RACE(1)
    auto token = cluster.barrier_arrive();
    int value = remote[31 - t]; //~ RACE(1)
    int local = t % 3;
    cluster.barrier_wait(std::move(token));
    out[blockIdx.x * 32 + t] = value + local;
    cluster.sync();
}

int main() {
    const int n = 2 * 32;
    int got[n], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    swap_blocks<<<2, 32>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != 7 * (31 - i % 32) + i % 32 % 3;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
