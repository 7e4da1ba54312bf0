//@ lens-ptx: race
//@ class: async-copy
// One thread stores a tile from shared to global memory with a bulk copy, then the
// block prepares the next tile in the same buffer.
// The bug: the buffer is written while the copy may still read it. The clean twin waits
// until the copy has read its source.
#include "../support/check.h"
#include <cstdint>

constexpr int TILE = 32;

__device__ uint32_t shared_address(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ void store_tile(int *to, const int *tile) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(tile)), "n"(TILE * 4) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__global__ void two_tiles(int *out) {
    __shared__ alignas(16) int tile[TILE];
    int t = threadIdx.x;
    int *first = out + blockIdx.x * 2 * TILE, *second = first + TILE;
    tile[t] = t;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(first), "r"(shared_address(tile)), "n"(TILE * 4) : "memory"); //~ RACE(1)
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
    __syncthreads();
    tile[t] = 100 + t; //~ RACE(1)
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        store_tile(second, tile);
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

int main() {
    const int n = 2 * 2 * TILE;
    int got[n], *out, wrong = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    two_tiles<<<2, TILE>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != i % TILE + i / TILE % 2 * 100;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
