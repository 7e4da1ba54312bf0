//@ lens-ptx: race
//@ class: missing-barrier
// Tree reduction in shared memory, finished by one warp with shuffles.
// The bug: the barrier is missing inside the loop, so a step reads sums that another
// warp is still writing. The clean twin has __syncthreads() in every step.
#include "../support/check.h"

constexpr int THREADS = 256;

__global__ void block_sums(const int *in, int *sums) {
    __shared__ int part[THREADS];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * THREADS + t];
    __syncthreads();
    for (int s = THREADS / 2; s >= 32; s /= 2) {
        if (t < s)
            part[t] += part[t + s]; //~ RACE(1) RACE(1)
    }
    if (t < 32) {
        int sum = part[t];
        for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(~0u, sum, s);
        if (t == 0) sums[blockIdx.x] = sum;
    }
}

int main() {
    const int blocks = 3, n = blocks * THREADS;
    int host[n], got[blocks], *in, *sums;
    for (int i = 0; i < n; ++i) host[i] = i % 10;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&sums, sizeof got));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    block_sums<<<blocks, THREADS>>>(in, sums);
    CHECK(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost));
    int total = 0, want = 0;
    for (int v : host) want += v;
    for (int v : got) total += v;
    std::printf("sum %d, expected %d\n", total, want);
    return total != want;
}
//@ engine-guard: race
