//@ lens-ptx: race
//@ advice: its clean twin does without the memory that is raced on
//@ class: divergent-warp
// One lane needs the sum of the warp's numbers.
// The bug: it adds up what the other lanes left in shared memory, without __syncwarp().
// The clean twin needs no memory at all: __reduce_add_sync().
#include "../support/check.h"

__global__ void warp_sum(const int *in, int *sums) {
    int lane = threadIdx.x;
    int value = in[blockIdx.x * 32 + lane];
    __shared__ int slot[32];
    if (lane > 0)
        slot[lane] = value; //~ RACE(1)
    int sum = value;
    if (lane == 0) {
        for (int i = 1; i < 32; ++i)
            sum += slot[i]; //~ RACE(1)
    }
    if (lane == 0) sums[blockIdx.x] = sum;
}

int main() {
    const int blocks = 2, n = blocks * 32;
    int host[n], got[blocks], *in, *sums;
    for (int i = 0; i < n; ++i) host[i] = 2;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&sums, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    warp_sum<<<blocks, 32>>>(in, sums);
    CHECK(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", got[0], got[1]);
    return got[0] != 64 || got[1] != 64;
}
//@ arch: 80
//@ engine-guard: race
//@ engine-collide: race
