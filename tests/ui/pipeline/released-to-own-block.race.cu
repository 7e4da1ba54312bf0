//@ advice: the scope that is to be wider is not written
//@ lens-ptx: race
//@ class: async-copy
// Two blocks fill each other's ring of tiles: each copies a half of every tile to both by a multicast, behind
// arrivals of both blocks' readers at its mbarrier.
// The bug: the arrivals have the scope that they have if none is written, of one block. The clean twin writes the cluster's.
#include "../support/pipeline.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int N = 64, STAGES = 2, ROUNDS = 6;

__device__ uint32_t remote_address(const void *p, int rank) {
    uint32_t remote;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(shared_address(p)), "r"(rank));
    return remote;
}

__global__ void __cluster_dims__(2, 1, 1) spread(const int *in, int *out) {
    __shared__ alignas(128) int tile[STAGES][N];
    __shared__ alignas(8) uint64_t full[STAGES], empty[STAGES];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, total = 0, rank = cluster.block_rank();
    if (t == 0) {
        for (int stage = 0; stage < STAGES; ++stage) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[stage])) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(shared_address(&empty[stage])) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster.sync();
    for (int round = 0; t == 0 && round < ROUNDS; ++round) {
        int stage = round % STAGES, half = rank * N / 2;
        if (round >= STAGES) wait_for(&empty[stage], round / STAGES % 2 ^ 1);
        expect_bytes(&full[stage], sizeof tile[stage]);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(shared_address(&tile[stage][half])), "l"(in + round * N + half), "r"(int(sizeof tile[stage] / 2)), "r"(shared_address(&full[stage])), "h"(uint16_t(3)) : "memory"); //~ RACE(1) RACE(2) RACE(2)
    }
    for (int round = 0; t >= 32 && round < ROUNDS; ++round) {
        int stage = round % STAGES;
        wait_for(&full[stage], round / STAGES % 2);
        total += tile[stage][t - 32] + tile[stage][t]; //~ RACE(1)
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncwarp();
        if (t - 32 < 2)
            asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(remote_address(&empty[stage], t - 32)) : "memory");
    }
    if (t >= 32) out[blockIdx.x * 32 + t - 32] = total;
    cluster.sync();
}

int main() {
    int numbers[ROUNDS * N], got[64], *in, *out, wrong = 0;
    for (int i = 0; i < ROUNDS * N; ++i) numbers[i] = i;
    CHECK(cudaMalloc(&in, sizeof numbers));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    spread<<<2, 64>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) {
        int total = 0;
        for (int round = 0; round < ROUNDS; ++round) total += 2 * round * N + 2 * (i % 32) + 32;
        wrong += got[i] != total;
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
