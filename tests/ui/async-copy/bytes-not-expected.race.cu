//@ lens-ptx: race
//@ class: async-copy
// One thread fetches a tile with a bulk copy, and all wait for the mbarrier that it reports to.
// The bug: the mbarrier was not told how many bytes to expect, so its phase ends with the
// arrival, whether or not the copy is complete. The clean twin tells it.
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

__global__ void mirror(const int *in, int *out) {
    __shared__ alignas(16) int tile[TILE];
    __shared__ uint64_t loaded;
    int t = threadIdx.x, first = blockIdx.x * TILE;
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&loaded)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(tile)), "l"(in + first), "n"(TILE * 4), "r"(shared_address(&loaded)) : "memory"); //~ RACE(1)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&loaded)) : "memory");
    }
    __syncthreads();
    wait_phase(&loaded, 0);
    int mirrored = tile[TILE - 1 - t]; //~ RACE(1)
    out[first + t] = mirrored;
}

int main() {
    const int n = 2 * TILE;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    mirror<<<n / TILE, TILE>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i / TILE * TILE + TILE - 1 - i % TILE;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
