//@ lens-ptx: race
//@ class: proxy
// A tile is cleared with ordinary stores, then its first half is loaded with a bulk copy.
// The bug: no proxy fence between the stores and the copy, which writes the same bytes
// through the async proxy. The clean twin has it.
#include "../support/check.h"
#include <cstdint>

constexpr int TILE = 64;

__device__ uint32_t shared_address(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ void wait_phase(uint64_t *barrier, int parity) {
    int done = 0;
    while (!done)
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
}

__global__ void pad(const int *in, int *out) {
    __shared__ alignas(16) int tile[TILE];
    __shared__ uint64_t loaded;
    int t = threadIdx.x;
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&loaded)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    tile[t] = 0; //~ RACE(1)
    __syncthreads();
    if (t == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&loaded)), "n"(TILE * 2) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(tile)), "l"(in), "n"(TILE * 2), "r"(shared_address(&loaded)) : "memory"); //~ RACE(1)
    }
    wait_phase(&loaded, 0);
    out[blockIdx.x * TILE + t] = tile[t];
}

int main() {
    int host[TILE / 2], got[2 * TILE], *in, *out, wrong = 0;
    for (int i = 0; i < TILE / 2; ++i) host[i] = i + 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    pad<<<2, TILE>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2 * TILE; ++i) {
        int at = i % TILE;
        wrong += got[i] != (at < TILE / 2 ? at + 1 : 0);
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
