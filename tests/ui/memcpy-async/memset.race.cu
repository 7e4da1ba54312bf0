//@ lens-ptx: race
//@ class: memcpy-async
//@ nvcc: -g
// Counters are cleared before a kernel counts with them.
// The bug: cudaMemsetAsync() on another stream. The clean twin clears on the kernel's.
#include "../support/check.h"

constexpr int BINS = 16;

__global__ void count(int *bins) {
    atomicAdd(&bins[threadIdx.x % BINS], 1); //~ RACE(1)
}

int main() {
    int got[BINS], *bins, wrong = 0;
    cudaStream_t work, other;
    CHECK(cudaMalloc(&bins, sizeof got));
    CHECK(cudaStreamCreate(&work));
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaMemsetAsync(bins, 0, sizeof got, other)); //~ RACE(1)
    count<<<1, 64, 0, work>>>(bins);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, bins, sizeof got, cudaMemcpyDeviceToHost));
    for (int v : got) wrong += v != 4;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
//@ engine-guard: race
