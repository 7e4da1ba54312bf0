//@ lens-ptx: clean
// A block writes numbers to its neighbour and arrives at an mbarrier there.
// Clean: arrive and wait have cluster scope.
#include "../support/check.h"
#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;

__device__ uint32_t shared_address(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ uint32_t remote_address(const void *p, int rank) {
    uint32_t remote;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(shared_address(p)), "r"(rank));
    return remote;
}

__device__ void wait_phase(uint64_t *barrier, int parity) {
    int done = 0;
    while (!done)
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
}

__global__ void __cluster_dims__(2, 1, 1) send(int *out) {
    __shared__ int inbox[32];
    __shared__ uint64_t delivered;
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, other = cluster.block_rank() ^ 1;
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(shared_address(&delivered)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster.sync();
    cluster.map_shared_rank(inbox, other)[t] = 100 * other + t;
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote_address(&delivered, other)) : "memory");
    wait_phase(&delivered, 0);
    int received = inbox[31 - t];
    out[blockIdx.x * 32 + t] = received;
    cluster.sync();
}

int main() {
    int got[64], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    send<<<2, 32>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) wrong += got[i] != i / 32 * 100 + 31 - i % 32;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: unseen
