//@ lens-ptx: race
//@ class: cluster-dsmem
// A block arrives at an mbarrier of its peer.
// The bug: __syncthreads() does not make it wait for the peer, which may not have initialised the object yet. The clean twin
// publishes the object by its own fence and a relaxed barrier of
// the cluster.
//@ advice: a whole cluster barrier mends it, too; the twin shows that the fence of mbarriers needs none
#include "../support/check.h"
#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;

__device__ uint32_t shared_address(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

constexpr int N = 2;

__global__ void __cluster_dims__(2, 1, 1) signal(int *out) {
    __shared__ uint64_t ready;
    uint32_t mine = shared_address(&ready), peers;
    int rank = cg::this_cluster().block_rank(), done = 0;
    if (rank == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(mine) : "memory"); //~ RACE(1)
    __syncthreads();
    if (rank == 1) {
        asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(peers) : "r"(mine));
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(peers) : "memory"); //~ RACE(1)
        done = 1;
    }
    while (!done)
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(done) : "r"(mine) : "memory");
    out[blockIdx.x] = done;
}

int main() {
    int got[N], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    signal<<<N, 1>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) wrong += got[i] != 1;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
