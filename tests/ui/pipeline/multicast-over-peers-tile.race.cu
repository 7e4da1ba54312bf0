//@ lens-ptx: race
//@ class: async-copy
// A block copies a tile to itself and to its peer by one multicast, twice.
// The bug: the second one waits for the own block only, and the peer may still read the first tile. The clean twin waits for the
// cluster.
//@ advice: the barrier of the cluster, which threads of both blocks pass behind their waits, is the wait of the copying thread, too
#include "../support/pipeline.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int N = 32, ROUNDS = 2;

__global__ void __cluster_dims__(2, 1, 1) spread(const int *in, int *out) {
    __shared__ alignas(128) int tile[N];
    __shared__ alignas(8) uint64_t ready;
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, total = 0;
    if (t == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&ready)) : "memory");
    cluster.sync();
    for (int round = 0; round < ROUNDS; ++round) {
        if (t == 0) expect_bytes(&ready, sizeof tile);
        if (t == 0 && cluster.block_rank() == 0)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(shared_address(tile)), "l"(in + round * N), "r"(int(sizeof tile)), "r"(shared_address(&ready)), "h"(uint16_t(3)) : "memory"); //~ RACE(1) RACE(2) RACE(2)
        wait_for(&ready, round % 2);
        total += tile[t]; //~ RACE(1)
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
    }
    out[blockIdx.x * N + t] = total;
    cluster.sync();
}

int main() {
    int numbers[ROUNDS * N], got[2 * N], *in, *out, wrong = 0;
    for (int i = 0; i < ROUNDS * N; ++i) numbers[i] = i;
    CHECK(cudaMalloc(&in, sizeof numbers));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    spread<<<2, N>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2 * N; ++i) {
        int total = 0;
        for (int round = 0; round < ROUNDS; ++round) total += round * N + i % N;
        wrong += got[i] != total;
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: unseen
