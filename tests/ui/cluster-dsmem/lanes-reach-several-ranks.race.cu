//@ lens-ptx: race
//@ class: cluster-dsmem
//@ arch: 90
// The lanes of one load reach into several blocks of their cluster.
// The bug: __syncthreads() waits for one block only. The clean twin has cluster.sync().
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;
constexpr int RANKS = 4;

__global__ void __cluster_dims__(RANKS, 1, 1) gather(int *out) {
    __shared__ int slot[32];
    cg::cluster_group cluster = cg::this_cluster();
    int lane = threadIdx.x;
    slot[lane] = blockIdx.x * 100 + lane;      //~ RACE(1)
    __syncthreads();
    // One load of a warp reads from the shared memory of all four blocks.
    const int *there = cluster.map_shared_rank(slot, lane % RANKS);
    out[blockIdx.x * 32 + lane] = there[lane];     //~ RACE(1)
    cluster.sync();
}

int main() {
    int *out, host[RANKS * 32];
    cudaMalloc(&out, sizeof host);
    gather<<<RANKS, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < RANKS * 32; i++)
        if (host[i] != i % RANKS * 100 + i % 32) {
            printf("%d: %d\n", i, host[i]);
            return 1;
        }
    return 0;
}
//@ engine-guard: race
