//@ lens-ptx: race
//@ class: lock-wrong
// A lock in shared memory, for one thread of each warp.
// The bug: it guards a sum in global memory, but each block has a lock of its own. In
// the clean twin the sum is the block's own too.
#include "../support/check.h"

__global__ void add(int *sums) {
    __shared__ int mutex;
    if (threadIdx.x == 0) mutex = 0;
    __syncthreads();
    int *sum = &sums[0];
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&mutex, 0, 1) != 0) {}
        __threadfence();
        *sum += 1; //~ RACE(1) RACE(1)
        __threadfence();
        atomicExch(&mutex, 0);
    }
}

int main() {
    const int blocks = 3;
    int got[blocks], *sums, total = 0;
    CHECK(cudaMalloc(&sums, sizeof got));
    CHECK(cudaMemset(sums, 0, sizeof got));
    add<<<blocks, 64>>>(sums);
    CHECK(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost));
    for (int s : got) total += s;
    std::printf("%d\n", total);
    return total != 2 * blocks;
}
//@ engine-guard: race
