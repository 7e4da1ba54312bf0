//@ lens-ptx: race
//@ class: proxy
// Threads fill a tile with ordinary stores, one thread stores it with a bulk copy.
// The bug: the barrier orders the threads, but the bulk copy reads through the async
// proxy, which needs fence.proxy.async. The clean twin has it before the barrier.
#include "../support/check.h"
#include <cstdint>

constexpr int TILE = 64;

__device__ uint32_t shared_address(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__global__ void store_tiles(int *out) {
    __shared__ alignas(16) int tile[TILE];
    int t = threadIdx.x;
    tile[t] = 5 * t; //~ RACE(1)
    __syncthreads();
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
    for (int i = 0; i < n; ++i) wrong += got[i] != i % TILE * 5;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
