//@ lens-ptx: clean
// One warpgroup fills a tile and arrives at a named barrier, at which the other one waits before it reads.
// The barrier is of the threads of both groups.
#include "../support/check.h"

constexpr int GROUP = 128;

__global__ void reverse(int *out) {
    __shared__ int tile[GROUP];
    int t = threadIdx.x % GROUP;
    if (threadIdx.x < GROUP) {
        tile[t] = 5 * t;
        asm volatile("barrier.cta.arrive 1, 256;" ::: "memory");
    } else {
        asm volatile("barrier.cta.sync 1, 256;" ::: "memory");
        out[t] = tile[GROUP - 1 - t];
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
