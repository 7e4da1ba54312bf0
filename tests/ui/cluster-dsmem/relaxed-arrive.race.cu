//@ lens-ptx: race
//@ class: cluster-dsmem
// The blocks of a cluster meet at a barrier written in PTX.
// The bug: barrier.cluster.arrive.relaxed waits but orders no memory. The clean twin
// arrives with .release.
#include "../support/check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ void cluster_barrier() {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__global__ void __cluster_dims__(2, 1, 1) swap_blocks(int *out) {
    __shared__ int slot[32];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x;
    slot[t] = blockIdx.x * 100 + t; //~ RACE(1)
    cluster_barrier();
    int *remote = cluster.map_shared_rank(slot, cluster.block_rank() ^ 1);
    int value = remote[t]; //~ RACE(1)
    out[blockIdx.x * 32 + t] = value;
    cluster.sync();
}

int main() {
    const int n = 2 * 32;
    int got[n], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    swap_blocks<<<2, 32>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != (1 - i / 32) * 100 + i % 32;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
