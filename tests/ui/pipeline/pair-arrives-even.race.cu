//@ lens-ptx: race
//@ advice: the scope that is to be wider is not written
//@ class: cluster-dsmem
// Both blocks of a pair store words to the even block's memory and arrive at its mbarrier: its address is that of their own without
// the lowest bit of the rank, as GPUs encode it. The even block waits for both.
// The bug: the arrivals have no scope, so theirs is the block. In the clean twin it is the cluster.
#include "../support/pipeline.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int N = 32;

__global__ void __cluster_dims__(2, 1, 1) gather(int *out) {
    __shared__ int words[2][N];
    __shared__ alignas(8) uint64_t stored;
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();
    if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&stored)), "r"(2 * N) : "memory");
    cluster.sync();
    cluster.map_shared_rank(&words[0][0], 0)[rank * N + t] = rank * N + t; //~ RACE(1)
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(shared_address(&stored) & 0xfeffffff) : "memory");
    if (rank == 0) {
        wait_for(&stored, 0);
        out[t] = words[0][t];
        out[N + t] = words[1][N - 1 - t]; //~ RACE(1)
    }
    cluster.sync();
}

int main() {
    int got[2 * N], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    gather<<<2, N>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += (got[i] != i) + (got[N + i] != 2 * N - 1 - i);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
