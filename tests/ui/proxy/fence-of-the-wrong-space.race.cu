//@ lens-ptx: race
//@ class: proxy
// Threads fill a tile in shared memory, one thread stores it with a bulk copy.
// The bug: the proxy fence is for global memory, the tile is in shared memory. The
// clean twin names the right space.
#include "../support/check.h"
#include <cstdint>

constexpr int TILE = 32;

__device__ uint32_t shared_address(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__global__ void store_tiles(int *out) {
    __shared__ alignas(16) int tile[TILE];
    int t = threadIdx.x;
    tile[t] = 1 << t % 16; //~ RACE(1)
    asm volatile("fence.proxy.async.global;" ::: "memory");
    __syncwarp();
    if (t == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + blockIdx.x * TILE), "r"(shared_address(tile)), "n"(TILE * 4) : "memory"); //~ RACE(1)
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

int main() {
    const int n = 2 * TILE;
    int got[n], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    store_tiles<<<2, TILE>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != 1 << i % 16;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
