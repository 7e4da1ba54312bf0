//@ lens-ptx: race
// Pairs of half-precision sums: some threads add to both, one block to the lower half only, one block empties them.
// The bug: a packed atomic is two atomics of two bytes, and the exchange is one of four, so they may tear. The
// clean twin empties the halves one by one.
#include "../support/check.h"
#include <cuda_fp16.h>

__global__ void add_and_empty(__half2 *sums, unsigned *taken) {
    if (blockIdx.x < 2) {
        atomicAdd(sums, __floats2half2_rn(1.0f, 1.0f)); //~ RACE(1)
    } else if (blockIdx.x == 2) {
        atomicAdd(reinterpret_cast<__half *>(sums), __float2half(1.0f)); //~ RACE(2)
    } else if (threadIdx.x == 0) {
        taken[0] = atomicExch(reinterpret_cast<unsigned *>(sums), 0u); //~ RACE(1) RACE(2)
    }
}

int main() {
    __half2 *sums;
    unsigned *taken, got[2];
    CHECK(cudaMalloc(&sums, sizeof *sums));
    CHECK(cudaMalloc(&taken, 2 * sizeof *taken));
    CHECK(cudaMemset(sums, 0, sizeof *sums));
    CHECK(cudaMemset(taken, 0, 2 * sizeof *taken));
    add_and_empty<<<4, 32>>>(sums, taken);
    CHECK(cudaMemcpy(got, taken, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("done\n");
    return 0;
}
//@ advice: its clean twin takes the halves one by one, each by an atomic of its size
//@ engine-guard: race
