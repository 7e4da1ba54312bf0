//@ lens-ptx: race
//@ class: missing-barrier weak-vs-atomic
// A per-block histogram in shared memory, cleared by the block before it counts.
// The bug: no barrier between clearing the bins and the first atomicAdd, so counts of
// a fast warp may be cleared away by a slow one. The clean twin has the barrier.
#include "../support/check.h"

constexpr int BINS = 128;

__global__ void histogram(const unsigned char *keys, unsigned *counts) {
    __shared__ unsigned bins[BINS];
    int t = threadIdx.x;
    bins[t] = 0; //~ RACE(1)
    unsigned key = keys[blockIdx.x * BINS + t];
    atomicAdd(&bins[key], 1u); //~ RACE(1)
    __syncthreads();
    atomicAdd(&counts[t], bins[t]);
}

int main() {
    const int blocks = 4, n = blocks * BINS;
    unsigned char host[n];
    unsigned got[BINS];
    unsigned char *keys;
    unsigned *counts;
    // Every key belongs to a bin that another warp has cleared.
    for (int i = 0; i < n; ++i) host[i] = (i + 32) % BINS / 32 * 32 + i % 4;
    CHECK(cudaMalloc(&keys, n));
    CHECK(cudaMalloc(&counts, sizeof got));
    CHECK(cudaMemcpy(keys, host, n, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(counts, 0, sizeof got));
    histogram<<<blocks, BINS>>>(keys, counts);
    CHECK(cudaMemcpy(got, counts, sizeof got, cudaMemcpyDeviceToHost));
    unsigned total = 0;
    for (unsigned c : got) total += c;
    std::printf("%u of %d keys counted\n", total, n);
    return total != n;
}
//@ engine-guard: race
