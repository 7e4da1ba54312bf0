//@ lens-ptx: race
//@ class: cluster-dsmem
// Each block of a cluster delivers numbers into the shared memory of the other.
// The bug: the receiver waits for its own block only before it reads what was
// delivered. The clean twin waits for the cluster.
#include "../support/check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) deliver(int *out) {
    __shared__ int inbox[64];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();
    int *remote = cluster.map_shared_rank(inbox, rank ^ 1);
    cluster.sync(); // the other block has started
    remote[t] = 1000 * rank + t; //~ RACE(1)
    __syncthreads();
    int received = inbox[63 - t]; //~ RACE(1)
    out[blockIdx.x * 64 + t] = received;
    cluster.sync();
}

int main() {
    const int n = 2 * 64;
    int got[n], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    deliver<<<2, 64>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != (1 - i / 64) * 1000 + 63 - i % 64;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
