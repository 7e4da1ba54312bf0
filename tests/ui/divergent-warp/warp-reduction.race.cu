//@ lens-ptx: race
//@ class: divergent-warp
// One warp adds up its numbers in shared memory, the warp-synchronous way.
// The bug: lanes of a warp do not run in lockstep; each step needs __syncwarp(), which
// the clean twin has.
#include "../support/check.h"

__global__ void warp_sum(const int *in, int *sums) {
    __shared__ int part[32];
    int lane = threadIdx.x;
    part[lane] = in[blockIdx.x * 32 + lane];
    __syncwarp();
    for (int s = 16; s > 0; s /= 2) {
        if (lane < s)
            part[lane] += part[lane + s]; //~ RACE(1) RACE(1)
    }
    if (lane == 0) sums[blockIdx.x] = part[0];
}

int main() {
    const int blocks = 3, n = blocks * 32;
    int host[n], got[blocks], *in, *sums, wrong = 0;
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&sums, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    warp_sum<<<blocks, 32>>>(in, sums);
    CHECK(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost));
    for (int b = 0; b < blocks; ++b) wrong += got[b] != 31 * 16 + b * 32 * 32;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
