//@ lens-ptx: race
//@ class: missing-barrier weak-vs-atomic
// A per-block histogram with shared atomics, flushed to global memory at the end.
// The bug: the flush reads the bins while other warps still count. The clean twin
// waits at a barrier before the flush.
#include "../support/check.h"

constexpr int BINS = 64;

__global__ void histogram(const int *keys, int *counts, int n) {
    __shared__ int bins[BINS];
    int t = threadIdx.x;
    if (t < BINS) bins[t] = 0;
    __syncthreads();
    // Two warps count, the two others flush.
    if (t >= BINS) {
        for (int i = t - BINS; i < n; i += BINS)
            atomicAdd(&bins[keys[blockIdx.x * n + i]], 1); //~ RACE(1)
    }
    if (t < BINS) {
        int count = bins[t]; //~ RACE(1)
        atomicAdd(&counts[t], count);
    }
}

int main() {
    const int blocks = 2, per_block = 256, n = blocks * per_block;
    int host[n], got[BINS], *keys, *counts;
    for (int i = 0; i < n; ++i) host[i] = (i * 7) % BINS;
    CHECK(cudaMalloc(&keys, sizeof host));
    CHECK(cudaMalloc(&counts, sizeof got));
    CHECK(cudaMemcpy(keys, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(counts, 0, sizeof got));
    histogram<<<blocks, 2 * BINS>>>(keys, counts, per_block);
    CHECK(cudaMemcpy(got, counts, sizeof got, cudaMemcpyDeviceToHost));
    int total = 0;
    for (int c : got) total += c;
    std::printf("%d of %d keys counted\n", total, n);
    return total != n;
}
//@ engine-guard: race
