//@ lens-ptx: clean
//@ nvcc: -gencode arch=compute_100a,code=compute_100a
// All threads of a pair arrive at an mbarrier of the first block when they have loaded, and its first warp answers the second block,
// with the scope of the cluster.
#include "../support/tcgen05.h"

static __device__ __forceinline__ uint32_t remote_address(const void *p, int rank) {
    uint32_t remote;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(shared_address(p)), "r"(rank));
    return remote;
}
static __device__ __forceinline__ void arrive_at(uint64_t *barrier, int rank) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote_address(barrier, rank)) : "memory");
}
static __device__ __forceinline__ void await_peer(uint64_t *barrier) {
    asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0; @!p bra AGAIN; }" ::"r"(shared_address(barrier)) : "memory");
}

__global__ void __cluster_dims__(2) load(uint32_t *out) {
    __shared__ uint32_t place;
    __shared__ uint64_t loaded, answered;
    int t = threadIdx.x, rank = blockIdx.x;
    if (t < 32) ALLOCATE_PAIR(&place);
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&loaded)), "r"(2 * THREADS) : "memory");
        init_barrier(&answered);
    }
    __syncthreads();
    uint32_t address = place, value;
    STORE(own_lanes(address), ROWS * rank + t);
    WAIT_STORE();
    MEET_CLUSTER();
    LOAD(value, own_lanes(address));
    WAIT_LOAD();
    out[ROWS * rank + t] = value;
    arrive_at(&loaded, 0);
    if (t < 32) {
        if (rank == 0) {
            await_peer(&loaded);
            if (t == 0) arrive_at(&answered, 1);
        } else {
            await_peer(&answered);
        }
        DEALLOCATE_PAIR(address);
    }
    MEET_CLUSTER();
}

int main() {
    static uint32_t got[2 * ROWS];
    uint32_t *out;
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(out, 0, sizeof got));
    load<<<2, THREADS>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int row = 0; row < 2 * ROWS; ++row) wrong += got[row] != uint32_t(row);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 100
