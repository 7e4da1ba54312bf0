//@ lens-ptx: race
//@ class: cluster-dsmem
// The two blocks of a cluster read each other's shared memory.
// The bug: __syncthreads() is a barrier of one block. The clean twin has cluster.sync()
// before the reads; both have it at the end, since remote memory must outlive them.
#include "../support/check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) swap_blocks(const int *in, int *out) {
    __shared__ int slot[32];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    slot[t] = in[i]; //~ RACE(1)
    __syncthreads();
    int *remote = cluster.map_shared_rank(slot, cluster.block_rank() ^ 1);
    int value = remote[t]; //~ RACE(1)
    out[i] = value;
    cluster.sync();
}

int main() {
    const int n = 4 * 32;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    swap_blocks<<<4, 32>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != (i ^ 32);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
