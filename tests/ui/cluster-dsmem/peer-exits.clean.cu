//@ lens-ptx: clean
// One block of a cluster reads the shared memory of the other one.
// Clean: cluster.sync() at the end keeps the other block there until it has been read.
#include "../support/check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int N = 32;

__global__ void __cluster_dims__(2, 1, 1) ask(int *out) {
    __shared__ int slot[N];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x;
    slot[t] = cluster.block_rank() * 100 + t;
    cluster.sync();
    if (cluster.block_rank() == 1)
        out[t] = cluster.map_shared_rank(slot, 0)[N - 1 - t];
    cluster.sync();
}

int main() {
    int got[N], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    ask<<<2, N>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != N - 1 - i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
