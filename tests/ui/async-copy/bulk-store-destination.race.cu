//@ lens-ptx: race
//@ class: async-copy
// One thread stores a tile to global memory with a bulk copy and reads a number back.
// The bug: wait_group.read waits until the source was read, not until the destination
// is written. The clean twin waits for the whole operation.
#include "../support/check.h"
#include <cstdint>

constexpr int TILE = 32;

__device__ uint32_t shared_address(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__global__ void store_and_check(int *out, int *checked) {
    __shared__ alignas(16) int tile[TILE];
    int t = threadIdx.x, *to = out + blockIdx.x * TILE;
    tile[t] = t * t;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(tile)), "n"(TILE * 4) : "memory"); //~ RACE(1)
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        int last = to[TILE - 1]; //~ RACE(1)
        checked[blockIdx.x] = last;
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

int main() {
    int got[2], *out, *checked;
    CHECK(cudaMalloc(&out, 2 * TILE * sizeof(int)));
    CHECK(cudaMalloc(&checked, sizeof got));
    store_and_check<<<2, TILE>>>(out, checked);
    CHECK(cudaMemcpy(got, checked, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", got[0], got[1]);
    return got[0] != 31 * 31 || got[1] != 31 * 31;
}
//@ arch: 90
//@ engine-guard: race
