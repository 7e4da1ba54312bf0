//@ lens-ptx: race
//@ class: proxy
// Threads fetch numbers with cp.async into a tile, one thread stores the tile with a bulk copy.
// The bug: cp.async writes through the generic proxy, the bulk copy reads through the async
// proxy. The clean twin has fence.proxy.async behind the wait for the copies.
#include "../support/check.h"
#include <cstdint>
#include <cuda_pipeline.h>

constexpr int TILE = 64;

__device__ uint32_t shared_address(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__global__ void move_tiles(const int *in, int *out) {
    __shared__ alignas(16) int tile[TILE];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[blockIdx.x * TILE + t], sizeof(int)); //~ RACE(1)
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + blockIdx.x * TILE), "r"(shared_address(tile)), "n"(TILE * 4) : "memory"); //~ RACE(1)
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

int main() {
    const int n = 2 * TILE;
    int host[n], got[n], *in, *out, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = 5 * i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    move_tiles<<<2, TILE>>>(in, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) wrong += got[i] != 5 * i;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
