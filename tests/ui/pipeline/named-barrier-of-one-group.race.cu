//@ lens-ptx: race
//@ class: missing-barrier
// One warpgroup fills a tile and arrives at a named barrier, at which the other one waits before it reads.
// The bug: the barrier is of as many threads as one group has, which completes it alone. The clean twin counts both.
#include "../support/check.h"

constexpr int GROUP = 128;

__global__ void reverse(int *out) {
    __shared__ int tile[GROUP];
    int t = threadIdx.x % GROUP;
    if (threadIdx.x < GROUP) {
        tile[t] = 5 * t; //~ RACE(1)
        asm volatile("barrier.cta.arrive 1, 128;" ::: "memory");
    } else {
        asm volatile("barrier.cta.sync 1, 128;" ::: "memory");
        out[t] = tile[GROUP - 1 - t]; //~ RACE(1)
    }
}

int main() {
    static int got[GROUP];
    int *out;
    CHECK(cudaMalloc(&out, sizeof got));
    reverse<<<1, 2 * GROUP>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < GROUP; ++i) wrong += got[i] != 5 * (GROUP - 1 - i);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ advice: its clean twin changes the count of the barrier that there is
//@ engine-guard: race
