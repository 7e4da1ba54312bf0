//@ lens-ptx: clean
// Pairs of half-precision sums: some threads add to both, one block to the lower half only, one block empties them.
// Clean: a packed atomic is two atomics of two bytes, and so the halves are emptied one by one.
#include "../support/check.h"
#include <cuda_fp16.h>

__global__ void add_and_empty(__half2 *sums, unsigned *taken) {
    if (blockIdx.x < 2) {
        atomicAdd(sums, __floats2half2_rn(1.0f, 1.0f));
    } else if (blockIdx.x == 2) {
        atomicAdd(reinterpret_cast<__half *>(sums), __float2half(1.0f));
    } else if (threadIdx.x == 0) {
        for (int half = 0; half < 2; ++half) {
            unsigned short *sum = reinterpret_cast<unsigned short *>(sums) + half, seen = 0, expected;
            do {
                expected = seen;
                seen = atomicCAS(sum, expected, (unsigned short)0);
            } while (seen != expected);
            taken[half] = seen;
        }
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
//@ engine-guard: unseen
