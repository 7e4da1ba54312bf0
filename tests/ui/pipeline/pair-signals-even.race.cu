//@ lens-ptx: race
//@ class: async-copy
//@ nvcc: -gencode arch=compute_100a,code=compute_100a
// Both blocks of a pair copy a tile by a tensor map, and signal the mbarrier of the pair's even block: its address is that of their
// own without the lowest bit of the rank, as GPUs encode it. The even block's thread waits for both tiles.
// The bug: the odd block reads its tile without waiting for that thread. The clean twin waits for the cluster.
#include "../support/tensor.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int ROWS = 8, COLUMNS = 64;

__global__ void __cluster_dims__(2, 1, 1) load(const __grid_constant__ CUtensorMap map, int *out) {
    __shared__ alignas(128) int tile[ROWS][COLUMNS];
    __shared__ alignas(8) uint64_t ready;
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank(), total = 0;
    if (t == 0) init_barrier(&ready, 1);
    cluster.sync();
    if (t == 0 && rank == 0) expect_bytes(&ready, 2 * sizeof tile);
    if (t == 0)
        asm volatile("cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_pointer(tile)), "l"(&map), "r"(0), "r"(rank * ROWS), "r"(shared_pointer(&ready) & 0xfeffffff) : "memory"); //~ RACE(1)
    if (t == 0 && rank == 0) phase_wait(&ready, 0);
    for (int row = 0; row < ROWS; ++row) total += tile[row][t]; //~ RACE(1)
    out[rank * COLUMNS + t] = total;
    cluster.sync();
}

int main() {
    const int n = 2 * ROWS * COLUMNS;
    static int host[n], got[2 * COLUMNS];
    int *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    load<<<2, COLUMNS>>>(map_of(in, 2 * ROWS, COLUMNS, ROWS, COLUMNS), out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2 * COLUMNS; ++i) {
        int total = 0;
        for (int row = 0; row < ROWS; ++row) total += host[(i / COLUMNS * ROWS + row) * COLUMNS + i % COLUMNS];
        wrong += got[i] != total;
    }
    std::printf("%d wrong\n", wrong);
    return 0;
}
//@ arch: 100
//@ engine-guard: race
