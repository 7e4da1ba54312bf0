//@ lens-ptx: clean
// A histogram whose bins are spread over the shared memory of a cluster.
// Clean: cluster.sync() separates counting from the flush.
#include "../support/check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int BINS = 32; // of each block

__global__ void __cluster_dims__(2, 1, 1) histogram(const int *keys, int *counts) {
    __shared__ int bins[BINS];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();
    bins[t] = 0;
    cluster.sync();
    int key = keys[rank * BINS + t];
    int *home = cluster.map_shared_rank(bins, key / BINS);
    atomicAdd(&home[key % BINS], 1);
    cluster.sync();
    int count = bins[t];
    counts[rank * BINS + t] = count;
}

int main() {
    const int n = 2 * BINS;
    int host[n], got[n], *keys, *counts, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = (i + BINS) % n / 2 * 2; // the other block's bins
    CHECK(cudaMalloc(&keys, sizeof host));
    CHECK(cudaMalloc(&counts, sizeof host));
    CHECK(cudaMemcpy(keys, host, sizeof host, cudaMemcpyHostToDevice));
    histogram<<<2, BINS>>>(keys, counts);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, counts, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != (i % 2 ? 0 : 2);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: unseen
