//@ lens-ptx: clean
// A block arrives at an mbarrier of its peer.
// Clean: the peer publishes the object by fence.mbarrier_init, and both meet at a barrier of the cluster, which may be relaxed.
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
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(mine) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (rank == 1) {
        asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(peers) : "r"(mine));
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(peers) : "memory");
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
