//@ lens-ptx: race
//@ class: proxy
// Each block counts in shared memory and adds its counts to the total with one bulk
// reduction, which is atomic for each element.
// The bug: the counts were written by ordinary stores and no proxy fence precedes the
// bulk operation. The clean twin has it.
#include "../support/check.h"
#include <cstdint>

constexpr int BINS = 32;

__device__ uint32_t shared_address(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__global__ void add_counts(int *totals) {
    __shared__ alignas(16) int counts[BINS];
    int t = threadIdx.x;
    counts[t] = t + blockIdx.x; //~ RACE(1)
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(totals), "r"(shared_address(counts)), "n"(BINS * 4) : "memory"); //~ RACE(1)
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

int main() {
    const int blocks = 3;
    int got[BINS], *totals, wrong = 0;
    CHECK(cudaMalloc(&totals, sizeof got));
    CHECK(cudaMemset(totals, 0, sizeof got));
    add_counts<<<blocks, BINS>>>(totals);
    CHECK(cudaMemcpy(got, totals, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BINS; ++i) wrong += got[i] != 3 * i + 3;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ arch: 90
//@ engine-guard: race
